"""Agents elsewhere that speak Agent2Agent, and what stands in the way of an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from providers.ports import NoCredentials, SecretExpired
from providers.remote import RemoteAgents, RemoteCall, RemoteFailed, RemoteReply
from tests.support.stub_endpoint import Answer, Asked, StubEndpoint
from tests.unit.providers.remote.conftest import Ask

pytestmark = pytest.mark.anyio
PROTOCOL = "a2a"


def result(value: dict[str, Any]) -> Answer:
    return Answer(200, json.dumps({"jsonrpc": "2.0", "id": "1", "result": value}).encode())


def task(state: str, *, said: str = "", artifacts: tuple[dict[str, Any], ...] = ()) -> Answer:
    message = {"kind": "message", "role": "agent", "messageId": "m", "parts": [{"kind": "text", "text": said}]}
    status = {"state": state, **({"message": message} if said else {})}
    return result({"kind": "task", "id": "t1", "contextId": "c1", "status": status, "artifacts": list(artifacts)})


def artifact(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"artifactId": "a", "parts": list(parts)}


def asked_of(asked: Asked) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asked.body)
    return found


async def test_a_message_becomes_a_task_that_is_done(ask: Ask) -> None:
    made = artifact(
        {"kind": "text", "text": "Room 12."},
        {"kind": "data", "data": {"room": 12}},
        {"kind": "file", "file": {"uri": "https://x"}},
    )
    async with StubEndpoint(task("completed", artifacts=(made,))) as stub:
        reply = await ask(stub.url, sender="sess_1/Front", given={"city": "Bern"}, summary="Wants a room")
        asked = asked_of(stub.asked[0])
    expected = RemoteReply(status="completed", text="Room 12.", values={"room": 12}, conversation={"contextId": "c1"})
    assert reply == expected
    assert (asked["jsonrpc"], asked["method"]) == ("2.0", "message/send")
    message = asked["params"]["message"]
    assert (message["kind"], message["role"]) == ("message", "user")
    assert message["parts"] == [{"kind": "text", "text": "a room"}, {"kind": "data", "data": {"city": "Bern"}}]
    assert message["metadata"] == {"from": "sess_1/Front", "summary": "Wants a room"}
    assert "contextId" not in message
    assert asked["params"]["configuration"]["blocking"] is True


async def test_a_repetition_has_the_same_message_id_and_another_message_another(ask: Ask) -> None:
    async with StubEndpoint(task("completed")) as stub:
        for key in ("k1", "k1", "k2"):
            await ask(stub.url, key=key)
        first, second, third = [asked_of(one)["params"]["message"]["messageId"] for one in stub.asked]
    assert first == second != third


async def test_a_task_that_works_is_looked_at_until_it_rests(ask: Ask) -> None:
    steps = [task("submitted"), task("working"), Answer(500, b"{}"), task("input-required", said="Which night?")]
    async with StubEndpoint(*steps) as stub:
        reply = await ask(stub.url)
        methods = [asked_of(one)["method"] for one in stub.asked]
        looked = asked_of(stub.asked[1])["params"]
    assert (reply.status, reply.text) == ("needs_input", "Which night?")
    assert reply.conversation == {"contextId": "c1", "taskId": "t1"}
    assert methods == ["message/send", *["tasks/get"] * 3]
    assert looked == {"id": "t1"}


async def test_the_next_message_names_context_and_task(ask: Ask) -> None:
    async with StubEndpoint(task("completed")) as stub:
        await ask(stub.url, conversation={"contextId": "c1", "taskId": "t1"})
        message = asked_of(stub.asked[0])["params"]["message"]
    assert (message["contextId"], message["taskId"]) == ("c1", "t1")


async def test_a_message_ends_nothing_but_the_wait_for_it(ask: Ask) -> None:
    said = {"kind": "message", "role": "agent", "messageId": "m", "contextId": "c9", "parts": [
        {"kind": "text", "text": "Hello."}]}  # fmt: skip
    async with StubEndpoint(result(said)) as stub:
        reply = await ask(stub.url)
        returned = await ask(stub.url, returns=True)
    assert reply == RemoteReply(status="answered", text="Hello.", conversation={"contextId": "c9"})
    assert returned.status == "completed"


@pytest.mark.parametrize("state", ["failed", "rejected", "canceled", "auth-required"])
async def test_a_task_that_is_not_done_is_a_refusal_in_its_words(ask: Ask, state: str) -> None:
    async with StubEndpoint(task(state, said="No rooms left.")) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url)
    assert (raised.value.kind, raised.value.message) == ("refused", "No rooms left.")


REFUSED = Answer(200, b'{"jsonrpc":"2.0","id":"1","error":{"code":-32001,"message":"Task not found"}}')


@pytest.mark.parametrize(
    ("fault", "kind", "times"),
    [
        (REFUSED, "refused", 1),
        (Answer(404, b"{}"), "refused", 1),
        (Answer(503, b"{}"), "unavailable", 3),
        (Answer(500, b"{}"), "unavailable", 1),
        (Answer(504, b"{}"), "unknown", 1),
        (Answer(200, b"<html>"), "unknown", 1),
        (Answer(200, b'{"jsonrpc":"2.0","result":{"x":1}}'), "unknown", 1),
        (Answer(200, b'{"jsonrpc":"2.0","result":{"status":{"state":"purple"},"id":"t"}}'), "unknown", 1),
        (Answer(200, b'{"jsonrpc":"2.0","result":{"status":"completed"}}'), "unknown", 1),
        (Answer(200, b'{"jsonrpc":"2.0","result":{"status":"completed","parts":[]}}'), "unknown", 1),
        (Answer(200, b'{"jsonrpc":"2.0","result":{"status":{"state":"working"}}}'), "unknown", 1),
        (Answer(raw=b""), "unknown", 1),
        (Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), "unknown", 1),
    ],
)
async def test_nothing_that_may_have_arrived_is_sent_again(ask: Ask, fault: Answer, kind: str, times: int) -> None:
    async with StubEndpoint(fault) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url)
        assert (raised.value.kind, len(stub.asked)) == (kind, times)


async def test_an_answer_that_does_not_come_is_unknown_at_the_deadline(ask: Ask) -> None:
    async with StubEndpoint(Answer(hang=True)) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url, timeout_s=0.3)
        assert (raised.value.kind, len(stub.asked)) == ("unknown", 1)


@pytest.mark.parametrize(
    ("stopped", "kind"), [(task("canceled"), "timeout"), (task("working"), "unknown"), (REFUSED, "unknown")]
)
async def test_a_task_that_is_too_late_is_told_to_stop(ask: Ask, stopped: Answer, kind: str) -> None:
    def answered(asked: Asked) -> Answer:
        return stopped if asked_of(asked)["method"] == "tasks/cancel" else task("working")

    async with StubEndpoint(answered) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url, timeout_s=0.8)
        methods = [asked_of(one)["method"] for one in stub.asked]
    assert raised.value.kind == kind
    assert (methods[0], methods[-1]) == ("message/send", "tasks/cancel")


async def test_a_task_that_was_taken_and_is_heard_of_no_more_is_unknown(ask: Ask) -> None:
    async with StubEndpoint(task("working"), REFUSED) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url)
    assert raised.value.kind == "unknown"


class Secrets(NoCredentials):
    """Secrets of one agent."""

    def __init__(self, **known: str) -> None:
        self.known = known

    async def secret(self, tool: str, name: str) -> str | None:
        if self.known.get(name) == "expired":
            raise SecretExpired(name)
        return self.known.get(name) if tool == "Hotel" else None


@pytest.mark.parametrize(
    ("secrets", "header", "value"),
    [
        ({"agent_token": "hush"}, "authorization", "Bearer hush"),
        ({"agent_api_key": "hush"}, "x-api-key", "hush"),
        ({}, "authorization", None),
    ],
)
async def test_the_secret_of_the_agent_says_who_asks(
    ask: Ask, secrets: dict[str, str], header: str, value: str | None
) -> None:
    async with StubEndpoint(task("completed")) as stub:
        await ask(stub.url, credentials=Secrets(**secrets))
        assert stub.asked[0].headers.get(header) == value


@pytest.mark.parametrize("secret", ["expired", "two\nlines"])
async def test_a_secret_that_cannot_be_used_is_a_refusal(ask: Ask, secret: str) -> None:
    async with StubEndpoint(task("completed")) as stub:
        with pytest.raises(RemoteFailed) as raised:
            await ask(stub.url, credentials=Secrets(agent_token=secret))
        assert (raised.value.kind, stub.asked) == ("refused", [])


async def test_an_unknown_protocol_is_a_refusal_that_names_the_known_ones(remotes: RemoteAgents) -> None:
    call = RemoteCall(endpoint="https://x", agent="A", text="t", key="k")
    with pytest.raises(RemoteFailed, match="rest and a2a are known"):
        await remotes.ask(call, "smtp", NoCredentials())
