"""Agents elsewhere that speak the chat API, and what stands in the way of an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from providers.remote import RemoteCall, RemoteFailed
from providers.remote.rest import metadata_of
from tests.support.stub_endpoint import Answer, StubEndpoint
from tests.unit.providers.remote.conftest import Ask

pytestmark = pytest.mark.anyio
PROTOCOL = "rest"


def turn(action: str = "respond", **more: Any) -> Answer:
    body = {"success": True, "sessionId": "s1", "response": "Which night?", "action": {"type": action}, "state": {}}
    return Answer(200, json.dumps({**body, **more}).encode())


async def test_a_message_is_one_turn_under_its_key(ask: Ask) -> None:
    async with StubEndpoint(turn(state={"room": 12})) as stub:
        reply = await ask(
            f"{stub.url}/api/v1/chat/agent?projectId=p1&agentId=Hotel&x=1",
            sender="sess_1/Front", given={"city": "Bern"}, summary="Wants a room",
            history=[{"role": "user", "content": "hello"}],
        )  # fmt: skip
        asked = stub.asked[0]
    assert (reply.status, reply.text, reply.values) == ("answered", "Which night?", {"room": 12})
    assert reply.conversation == {"sessionId": "s1"}
    assert (asked.method, asked.target) == ("POST", "/api/v1/chat/agent?x=1")
    assert asked.headers["idempotency-key"] == "s:r:1.2"
    assert json.loads(asked.body) == {
        "message": "a room",
        "projectId": "p1",
        "agentId": "Hotel",
        "metadata": {
            "from": "sess_1/Front",
            "context": {"city": "Bern"},
            "summary": "Wants a room",
            "history": [{"role": "user", "content": "hello"}],
        },
    }


async def test_the_next_message_goes_to_the_same_session(ask: Ask) -> None:
    async with StubEndpoint(turn()) as stub:
        await ask(stub.url, conversation={"sessionId": "s1"})
        assert json.loads(stub.asked[0].body)["sessionId"] == "s1"


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ("complete", "completed"),
        ("collect", "needs_input"),
        ("suspend", "needs_input"),
        ("escalate", "needs_input"),
        ("respond", "answered"),
        ("handoff", "answered"),
    ],
)
async def test_the_action_says_whether_the_agent_is_done(ask: Ask, action: str, status: str) -> None:
    async with StubEndpoint(turn(action)) as stub:
        assert (await ask(stub.url)).status == status


@pytest.mark.parametrize(
    "fault",
    [
        Answer(503, b'{"success":false,"error":{"code":"UNAVAILABLE","message":"full"}}'),
        Answer(500, b"{}"),
        Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\nContent-Type: application/json\r\n\r\n{"),
        Answer(200, b"<html>"),
        Answer(raw=b""),
    ],
    ids=["full", "broken", "cut", "garbage", "nothing"],
)
async def test_what_passes_is_asked_again_under_the_same_key(ask: Ask, fault: Answer) -> None:
    async with StubEndpoint(fault, turn()) as stub:
        assert (await ask(stub.url)).text == "Which night?"
        assert {one.headers["idempotency-key"] for one in stub.asked} == {"s:r:1.2"}
        assert len(stub.asked) == 2


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (Answer(404, b'{"success":false,"error":{"code":"NOT_FOUND","message":"Session not found"}}'), "refused",
         "Session not found"),
        (Answer(401, b"{}"), "refused", "401"),
        (Answer(302, b"", {"Location": "http://127.0.0.1/"}), "refused", "302"),
        (Answer(503, b"{}"), "unavailable", "503"),
        (Answer(500, b'{"error":"it broke"}'), "unavailable", "it broke"),
        (Answer(504, b"{}"), "unknown", "504"),
        (Answer(200, b"[]"), "unknown", "no JSON object"),
        (Answer(200, b'{"success":true}'), "unknown", "no reply"),
        (Answer(200, b'{"response":"' + b"x" * (300 << 10) + b'"}'), "unknown", "longer"),
        (Answer(raw=b""), "unknown", "cut"),
    ],
)  # fmt: skip
async def test_a_failure_says_whether_it_may_have_been_done(ask: Ask, fault: Answer, kind: str, words: str) -> None:
    async with StubEndpoint(fault) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url)
    assert raised.value.kind == kind
    assert words in raised.value.message


async def test_an_answer_that_does_not_come_is_unknown_at_the_deadline(ask: Ask) -> None:
    async with StubEndpoint(Answer(hang=True)) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url, timeout_s=0.3)
    assert raised.value.kind == "unknown"


async def test_a_cut_answer_stays_unknown_when_the_repetition_meets_no_server(ask: Ask) -> None:
    async with StubEndpoint(Answer(raw=b""), Answer(503, b"{}")) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url)
    assert raised.value.kind == "unknown"


async def test_addresses_inside_are_not_called(ask: Ask) -> None:
    for endpoint in ("http://10.0.0.1/x", "http://169.254.169.254/latest", "file:///etc/passwd", "http://[::1]:9/"):
        with pytest.raises(RemoteFailed) as raised:
            await ask(endpoint)
        assert raised.value.kind == "refused", endpoint


async def test_an_agent_that_is_not_there_has_done_nothing(ask: Ask) -> None:
    async with StubEndpoint() as stub:
        url = stub.url
    with pytest.raises(RemoteFailed) as raised:
        await ask(url)
    assert raised.value.kind == "unavailable"


def test_of_a_long_history_the_newest_lines_are_told() -> None:
    history = [{"role": "user", "content": f"{number:03d}" + "x" * 990} for number in range(40)]
    told = metadata_of(RemoteCall(endpoint="", agent="A", text="t", key="k", history=history))
    assert told["history"][-1]["content"].startswith("039")
    assert 10 < len(told["history"]) < 17
