"""Whose an `Idempotency-Key` is: nobody gets a reply, session or memory with the key of another. Decision: 0008."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from storage.statements import Statement
from tests.flows_gateway.test_attachments import upload
from tests.flows_gateway.test_openai import COUNTER
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import PASSWORD, a_key, a_user

pytestmark = pytest.mark.anyio
KEY = "1"
EVENTS = {"accept": "text/event-stream"}
AGE_TURNS = Statement("UPDATE turns SET at = at - interval '25 hours' WHERE :all")


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"c.abl": COUNTER}) as gateway:
        yield gateway


async def two(gateway: LiveGateway) -> tuple[dict[str, str], dict[str, str]]:
    """Return the headers of two people who may talk in the project."""
    (_, a), (_, b) = [await a_user(gateway, "viewer", **{gateway.project_id: "tester"}) for _ in range(2)]
    return a, b


async def say(gateway: LiveGateway, who: dict[str, str], text: str = "hello", **more: Any) -> Answer:
    body = {"projectId": gateway.project_id, "message": text, **more}
    return await gateway.call("POST", "/api/v1/chat/agent", body, {**who, "idempotency-key": KEY})


def told(answer: Answer) -> tuple[str, str]:
    assert answer.status == 200, answer.body
    return answer.json()["sessionId"], answer.json()["response"]


def reason(answer: Answer) -> str:
    assert answer.status == 409, answer.body
    return str(answer.json()["error"]["details"]["reason"])


async def test_two_people_with_one_key_have_two_sessions_and_each_gets_the_own_reply_again(
    gateway: LiveGateway,
) -> None:
    a, b = await two(gateway)
    mine, reply = told(await say(gateway, a))
    yours, other = told(await say(gateway, b))
    assert (mine != yours, reply, other) == (True, "heard 1: hello", "heard 1: hello")
    assert told(await say(gateway, a)) == (mine, reply)
    assert told(await say(gateway, b)) == (yours, other)
    third, _ = told(await say(gateway, {}))
    assert third not in (mine, yours), "nor does a program of the tenant meet a person"
    assert reason(await say(gateway, b, "something else")) == "IDEMPOTENCY_KEY_REUSED"


async def test_so_it_is_with_events(gateway: LiveGateway) -> None:
    a, b = await two(gateway)
    streams = [(await say(gateway, {**who, **EVENTS})).body for who in (a, a, b)]
    assert streams[0] == streams[1]
    ids = [stream.split(b'"sessionId":"')[1].split(b'"')[0] for stream in streams]
    assert (ids[0] == ids[1], ids[1] == ids[2]) == (True, False)


async def test_in_one_session_the_same_key_of_another_person_is_another_turn(gateway: LiveGateway) -> None:
    a, b = await two(gateway)
    session, _ = told(await say(gateway, {}))
    body = {"sessionId": session, "projectId": gateway.project_id, "message": "go on"}

    async def send(who: dict[str, str]) -> Answer:
        return await gateway.call("POST", "/api/v1/chat/send", body, {**who, "idempotency-key": KEY})

    assert [told(await send(who))[1] for who in (b, a, b, a)] == [
        "heard 2: go on",
        "heard 3: go on",
        "heard 2: go on",
        "heard 3: go on",
    ]


async def test_two_people_with_one_key_open_two_sessions(gateway: LiveGateway) -> None:
    a, b = await two(gateway)
    path = f"/api/projects/{gateway.project_id}/sessions"

    async def opened(who: dict[str, str], **body: Any) -> str:
        answer = await gateway.call("POST", path, {"agentId": "Counter", **body}, {**who, "idempotency-key": KEY})
        assert answer.status == 201, answer.body
        return str(answer.json()["session"]["id"])

    mine, yours = await opened(a), await opened(b)
    assert (mine != yours, await opened(a) == mine, await opened(b) == yours) == (True, True, True)
    family = await gateway.call("POST", path, {"agentId": "Counter"}, {**a, "idempotency-key": "sdk-family:fam_1"})
    assert family.json()["session"]["id"] not in (mine, yours)


async def test_a_rotated_api_key_and_a_new_log_in_get_the_answer_of_the_first_one(gateway: LiveGateway) -> None:
    keys = [await a_key(gateway, "session:execute") for _ in range(2)]
    assert told(await say(gateway, keys[0], "rotated")) == told(await say(gateway, keys[1], "rotated"))
    user_id, first = await a_user(gateway, "viewer", **{gateway.project_id: "tester"})
    login = {"email": f"{user_id}@example.com", "password": PASSWORD}
    tokens = (await gateway.call("POST", "/api/auth/login", login, {"x-api-key": ""})).json()
    second = {**first, "authorization": f"Bearer {tokens['accessToken']}"}
    assert told(await say(gateway, first)) == told(await say(gateway, second))


async def test_a_program_that_speaks_for_two_people_may_use_a_key_for_each(gateway: LiveGateway) -> None:
    async def ask(session: str, user: str) -> Answer:
        message = {"role": "user", "content": "hi"}
        body: dict[str, Any] = {"model": "Counter", "messages": [message], "user": user}
        body["metadata"] = {"session_id": session}
        headers = {"idempotency-key": KEY, "openai-project": gateway.project_id}
        return await gateway.call("POST", "/v1/chat/completions", body, headers)

    session = (await say(gateway, {}, "first", metadata={"for": "anna"})).json()["sessionId"]
    said = [(await ask(session, user)).json() for user in ("anna", "ben", "anna")]
    texts = [one["choices"][0]["message"]["content"] for one in said]
    assert texts == ["heard 2: hi", "heard 3: hi", "heard 2: hi"]


async def test_a_tool_client_and_a_person_do_not_meet(gateway: LiveGateway) -> None:
    (a, _) = await two(gateway)
    mine, _ = told(await say(gateway, a))
    asked = {"name": "Counter", "arguments": {"message": "hello", "requestId": KEY}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    answers = [await gateway.call("POST", f"/mcp/{gateway.project_id}", message) for _ in range(2)]
    first, again = (one.json()["result"]["structuredContent"] for one in answers)
    assert first == again
    assert first["sessionId"] != mine


async def test_the_end_of_a_session_is_nothing_to_another_person_with_the_key(gateway: LiveGateway) -> None:
    a, b = await two(gateway)
    mine, reply = told(await say(gateway, a))
    await gateway.call("POST", f"/api/v1/sessions/{mine}/end", {})
    yours, _ = told(await say(gateway, b))
    assert yours != mine
    assert told(await say(gateway, a)) == (mine, reply)


@pytest.mark.parametrize("ends", [False, True], ids=["in-an-active-session", "in-an-ended-session"])
async def test_a_key_that_is_a_day_old_is_refused_and_its_turn_does_not_run_again(
    gateway: LiveGateway, *, ends: bool
) -> None:
    a, b = await two(gateway)
    mine, _ = told(await say(gateway, a))
    if ends:
        await gateway.call("POST", f"/api/v1/sessions/{mine}/end", {})
    await gateway.running.database.execute(AGE_TURNS, all=True)
    assert reason(await say(gateway, a)) == "IDEMPOTENCY_KEY_EXPIRED"
    assert reason(await say(gateway, a, "something else")) == "IDEMPOTENCY_KEY_EXPIRED"
    streamed = await say(gateway, {**a, **EVENTS})
    assert reason(streamed) == "IDEMPOTENCY_KEY_EXPIRED"
    assert told(await say(gateway, b))[1] == "heard 1: hello"
    transcript = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions/{mine}?include=messages")
    assert len(transcript.json()["session"]["messages"]) == 2


async def test_so_is_one_that_marked_a_turn_of_a_session(gateway: LiveGateway) -> None:
    session, _ = told(
        await gateway.call("POST", "/api/v1/chat/agent", {"projectId": gateway.project_id, "message": "a"})
    )
    assert told(await say(gateway, {}, sessionId=session))[1] == "heard 2: hello"
    await gateway.running.database.execute(AGE_TURNS, all=True)
    assert reason(await say(gateway, {}, sessionId=session)) == "IDEMPOTENCY_KEY_EXPIRED"


async def test_two_people_may_send_files_under_one_key(gateway: LiveGateway) -> None:
    a, b = await two(gateway)
    session, _ = told(await say(gateway, a))
    sent = [
        await upload(gateway, session, "a.txt", b"hello", headers={**who, "idempotency-key": KEY}) for who in (a, b, a)
    ]
    ids = [one.json()["attachmentId"] for one in sent]
    assert (ids[0] == ids[2], ids[0] == ids[1]) == (True, False)
