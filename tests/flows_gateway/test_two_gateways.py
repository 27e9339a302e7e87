"""Two gateways over one runtime: whatever was begun at one goes on at the other. Spec: platform-api 2.5, 12.1, 12.6."""

from __future__ import annotations

import asyncio
import json

import pytest

from domain.rates import RateSettings
from tests.flows_gateway.test_contract import CHAT, CLERK, chat
from tests.flows_gateway.test_resume import EVENTS, check_sse, frames, read_events, story
from tests.flows_gateway.test_sockets import TALKER, say, until
from tests.support.live_gateway import NO_RATES, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubModel

pytestmark = pytest.mark.anyio


async def test_a_stream_that_was_cut_at_one_gateway_goes_on_at_the_other(servers: Servers) -> None:
    behaviour = story(EVENTS)
    async with (
        StubModel(behaviour) as model,
        a_live_gateway(servers, "two-streams", {"t.abl": TALKER}, model_url=model.base_url) as one,
        another_gateway(one) as other,
    ):
        body = {"projectId": one.project_id, "message": "Tell me"}
        headers = {"accept": "text/event-stream"}
        async with one.request("POST", CHAT, body, headers) as answer:
            seen = await read_events(answer, 20)
        async with other.request("POST", CHAT, body, {**headers, "last-event-id": seen[-1].id}) as answer:
            check_sse(seen + await read_events(answer), behaviour.text)
        assert model.count == 1


async def test_a_page_goes_on_at_the_other_gateway_and_hears_what_was_begun_at_the_first(servers: Servers) -> None:
    behaviour = story(EVENTS)
    async with (
        StubModel(behaviour) as model,
        a_live_gateway(servers, "two-sockets", {"t.abl": TALKER}, model_url=model.base_url) as one,
        another_gateway(one) as other,
    ):
        token = await one.page_token()
        seen: list[dict[str, object]] = []
        async with one.socket(token) as socket:
            await say(socket, type="chat_message", text="Tell me", messageId="m1")
            async for frame in frames(socket):
                seen.append(frame)
                if len(seen) == 20:
                    break
        async with other.socket(token, f"?lastSeq={seen[-1]['seq']}") as socket:
            async for frame in frames(socket):
                seen.append(frame)
                if frame["type"] == "response_end":
                    break
        assert "".join(str(frame["chunk"]) for frame in seen if frame["type"] == "response_chunk") == behaviour.text
        assert model.count == 1


async def test_a_socket_hears_a_turn_of_the_other_gateway_as_it_happens(servers: Servers) -> None:
    async with a_live_gateway(servers, "two-ears", {"c.abl": CLERK}) as one, another_gateway(one) as other:
        token = await one.page_token()
        async with one.socket(token) as here, other.socket(token) as there:
            for socket in (here, there):
                await until(socket, "session_start")
            await say(here, type="chat_message", text="from here", messageId="m1")
            await say(there, type="chat_message", text="from there", messageId="m2")
            told = [
                [(await until(socket, "response_end"))[-1]["fullText"] for _ in range(2)] for socket in (here, there)
            ]
        assert told[0] == told[1]
        assert {text.partition(": ")[2] for text in told[0]} == {"from here", "from there"}


async def test_one_key_is_one_request_at_both_gateways(servers: Servers) -> None:
    async with a_live_gateway(servers, "two-keys", {"c.abl": CLERK}) as one, another_gateway(one) as other:
        answers = await asyncio.gather(*(chat(gateway, "same") for gateway in (one, other) for _ in range(5)))
        assert {answer.json()["response"] for answer in answers} == {"heard 1: hello"}
        sessions = f"/api/projects/{one.project_id}/sessions"
        opened = await asyncio.gather(
            *(
                gateway.call("POST", sessions, {"agentId": "Clerk"}, {"idempotency-key": "open at two gateways"})
                for gateway in (one, other)
                for _ in range(5)
            )
        )
        assert {answer.status for answer in opened} == {201}, [(answer.status, answer.body) for answer in opened]
        assert len({answer.body for answer in opened}) == 1
        assert sum("idempotent-replay" in answer.headers for answer in opened) == 9


async def test_a_ticket_opens_one_socket_at_either_gateway(servers: Servers) -> None:
    async with a_live_gateway(servers, "two-tickets", {"c.abl": CLERK}) as one, another_gateway(one) as other:
        token = await one.page_token()
        answer = await one.call("POST", "/api/v1/sdk/ws-ticket", {}, {"x-api-key": "", "x-sdk-token": token})
        ticket = answer.json()["ticket"]
        async with other.socket(ticket, protocol="sdk-ticket") as socket:
            assert json.loads(await socket.recv())["type"] == "session_start"
            assert socket.subprotocol == "sdk-ticket"
        async with one.socket(ticket, protocol="sdk-ticket") as socket:
            assert json.loads(await socket.recv())["code"] == "FORBIDDEN"


async def test_a_limit_holds_over_both_gateways(servers: Servers) -> None:
    rates = RateSettings(**{**dict.fromkeys(NO_RATES.__slots__, 0), "session_messages_per_minute": 10})
    async with (
        a_live_gateway(servers, "two-limits", {"c.abl": CLERK}, rates=rates) as one,
        another_gateway(one, rates=rates) as other,
    ):
        session_id = (await chat(one)).json()["sessionId"]
        statuses = []
        for _ in range(15):
            for gateway in (one, other):
                statuses.append((await chat(gateway, sessionId=session_id)).status)
                await gateway.app.state.services.counters.tell()
        assert 9 <= statuses.count(200) <= 11  # the one that opened it was the first
        assert set(statuses) == {200, 429}
