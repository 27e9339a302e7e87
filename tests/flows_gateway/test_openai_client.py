"""OpenAI's own client with agents: conversations that it sends whole, streams that break, requests that it repeats."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from openai import AsyncOpenAI

from actors.clocks import RandomIds
from actors.first_keys import make_key
from storage.statements import Statement
from tests.flows_gateway.test_openai import THINKER, a_gateway, ask, chunks, said
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
CLERK = """\
AGENT: Clerk
GOAL: "Take notes"

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - IF: input CONTAINS "note"
        RESPOND: "Noted: {{input}}"
        THEN: listen
      - ELSE:
        RESPOND: "Nothing to note: {{input}}"
        THEN: listen
"""
TRAVEL = """\
AGENT: Travel
GOAL: "Sell roaming"

FLOW:
  entry_point: region

  region:
    REASONING: false
    GATHER:
      - zone: required
        TYPE: enum
        VALUES: [EU, WORLD]
        PROMPT: "EU or WORLD?"
    THEN: done

  done:
    REASONING: false
    RESPOND: "Sold: {{zone}}"
    THEN: COMPLETE
"""
GUARDED = (
    THINKER.replace("Thinker", "Guarded")
    + """
GUARDRAILS:
  no_cards:
    kind: input
    check: "input CONTAINS 'card'"
    action: block
    message: "No cards, please."
"""
)
MODELS = {"clerk.abl": CLERK, "travel.abl": TRAVEL, "thinker.abl": THINKER, "guarded.abl": GUARDED}
HEADS = Statement("SELECT count(*) FROM conversation_heads WHERE project_id = :project_id")


@asynccontextmanager
async def a_client(gateway: LiveGateway, *, key: str = "") -> AsyncIterator[AsyncOpenAI]:
    url = f"http://127.0.0.1:{gateway.port}/v1"
    async with AsyncOpenAI(
        api_key=key or gateway.key, base_url=url, project=gateway.project_id, timeout=60, max_retries=0
    ) as client:
        yield client


class Chat:
    """A client that knows nothing of sessions: it sends all that was said, every time."""

    def __init__(self, client: AsyncOpenAI, model: str = "Counter") -> None:
        self.client = client
        self.model = model
        self.messages: list[Any] = [{"role": "system", "content": "be brief"}]
        self.sessions: list[str] = []

    async def say(self, text: str, **more: Any) -> str:
        self.messages.append({"role": "user", "content": text})
        told = await self.client.chat.completions.create(model=self.model, messages=self.messages, **more)
        reply = str(told.choices[0].message.content)
        self.sessions.append(told.session_id)
        self.messages.append({"role": "assistant", "content": reply})
        return reply

    async def stream(self, text: str, *, leave_after: int = 0) -> str:
        self.messages.append({"role": "user", "content": text})
        reply = ""
        async with await self.client.chat.completions.create(
            model=self.model, messages=self.messages, stream=True
        ) as pieces:
            async for one in pieces:
                reply += one.choices[0].delta.content or ""
                if leave_after and len(reply) >= leave_after:
                    break
        self.messages.append({"role": "assistant", "content": reply})
        return reply


async def test_a_client_that_sends_everything_again_goes_on_with_its_conversation(servers: Servers) -> None:
    async with a_gateway(servers, "oa-whole-history") as gateway, a_client(gateway) as client:
        one, two = Chat(client), Chat(client)
        assert await one.say("a") == "heard 1: a"
        assert await two.say("a") == "heard 1: a", "the same words, and yet another conversation"
        assert await one.say("b") == "heard 2: b"
        assert await two.stream("c") == "heard 2: c"
        assert await one.stream("d") == "heard 3: d"
        assert await two.say("e") == "heard 3: e"
        assert await one.say("f") == "heard 4: f"
        assert len(set(one.sessions)) == len(set(two.sessions)) == 1
        assert one.sessions[0] != two.sessions[0]
        one.messages[-3:] = []  # an earlier place, which the session has left: another conversation
        assert await one.say("g") == "heard 1: g"
        assert await one.say("h") == "heard 2: h"


async def test_conversations_are_found_by_those_who_held_them(servers: Servers) -> None:
    async with a_gateway(servers, "oa-theirs") as gateway, a_client(gateway) as client:
        one = Chat(client)
        await one.say("a", safety_identifier="ada")
        assert await one.say("b", safety_identifier="ada") == "heard 2: b"
        assert await one.say("c", safety_identifier="ben") == "heard 1: c"
        key = await make_key(gateway.running.database, RandomIds())
        async with a_client(gateway, key=key) as other:
            one.client = other
            assert await one.say("d", safety_identifier="ben") == "heard 1: d"


async def test_a_conversation_whose_session_has_ended_goes_on_in_a_new_one(servers: Servers) -> None:
    async with a_gateway(servers, "oa-ended") as gateway, a_client(gateway) as client:
        one = Chat(client)
        await one.say("x")
        await gateway.call("POST", f"/api/v1/sessions/{one.sessions[0]}/end", {})
        assert await one.say("y") == "heard 1: y"
        assert await one.stream("z") == "heard 2: z"
        place = f"/api/projects/{gateway.project_id}/sessions"
        for session in (await gateway.call("GET", place)).json()["sessions"]:
            assert (await gateway.call("DELETE", f"{place}/{session['id']}")).status == 200
        assert await gateway.running.database.value(HEADS, project_id=gateway.project_id) == 0, "they go with it"


async def test_a_request_that_says_that_it_is_sent_again_is_one_turn(servers: Servers) -> None:
    slow, retried = StubBehaviour(text="one two three four", delta_delay_ms=100), {"x-stainless-retry-count": "1"}
    async with (
        StubModel(slow) as model,
        a_live_gateway(servers, "oa-again", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
    ):
        first = asyncio.create_task(ask(gateway, model="Thinker", stream=True))
        await eventually(lambda: asked_of(model, 1))
        again = [ask(gateway, model="Thinker", stream=True, headers=dict(retried)) for _ in range(2)]
        asked = await asyncio.gather(first, *again)
        texts = ["".join(one["choices"][0]["delta"].get("content", "") for one in chunks(told)) for told in asked]
        assert texts == ["one two three four"] * 3
        assert len({chunks(told)[0]["session_id"] for told in asked}) == 1
        assert [one.headers.get("idempotent-replay") for one in asked] == [None, "true", "true"]
        whole = await ask(gateway, model="Thinker", headers=dict(retried))
        assert (said(whole), model.count) == ("one two three four", 1)
        assert whole.headers["idempotent-replay"] == "true"


async def test_two_people_behind_one_key_who_say_the_same_are_two(servers: Servers) -> None:
    slow, retried = StubBehaviour(text="one two three four", delta_delay_ms=100), {"x-stainless-retry-count": "1"}
    async with (
        StubModel(slow) as model,
        a_live_gateway(servers, "oa-two", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_client(gateway) as client,
    ):
        one, other = Chat(client, "Thinker"), Chat(client, "Thinker")
        await asyncio.gather(one.say("hello"), other.say("hello"))
        assert (one.sessions != other.sessions, model.count) == (True, 2)
        third = await ask(gateway, "hello", model="Thinker", headers=dict(retried))
        assert third.json()["session_id"] not in one.sessions + other.sessions, "whose it was cannot be known"
        named = [await ask(gateway, "hello", model="Thinker", safety_identifier="ada") for _ in range(2)]
        mine = await ask(gateway, "hello", model="Thinker", safety_identifier="ada", headers=dict(retried))
        assert mine.json()["session_id"] == named[1].json()["session_id"], "of one person it is the last"
        assert model.count == 5


async def test_a_stream_that_breaks_goes_on_by_what_was_heard(servers: Servers) -> None:
    slow = StubBehaviour(text="one two three four five six", delta_delay_ms=100)
    async with (
        StubModel(slow) as model,
        a_live_gateway(servers, "oa-broken", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_client(gateway) as client,
    ):
        cut = Chat(client, "Thinker")
        assert await cut.stream("go", leave_after=3) != "one two three four five six"
        retried = await ask(gateway, "go", model="Thinker", headers={"x-stainless-retry-count": "1"})
        assert model.count == 1, "the turn that was left is the one that is told"
        assert await cut.say("more") == "one two three four five six"
        assert await cut.say("again") == "one two three four five six"
        assert cut.sessions == [retried.json()["session_id"]] * 2, "known by the beginning of the answer that was heard"
        cut, other = Chat(client, "Thinker"), Chat(client, "Thinker")
        await cut.stream("leave", leave_after=3)
        await other.say("leave")
        await cut.say("more")
        assert cut.sessions[0] != other.sessions[0], "nobody hears out what another one has asked"


async def asked_of(model: StubModel, count: int) -> bool:
    return model.count >= count


async def test_what_is_refused_leaves_nothing(servers: Servers) -> None:
    async with a_gateway(servers, "oa-nothing") as gateway, a_client(gateway) as client:
        one = Chat(client)
        await one.say("a")
        for _ in range(2):
            too_long = await ask(gateway, "x", messages=[*one.messages, {"role": "user", "content": ""}])
            assert too_long.status == 400
        assert await one.say("b") == "heard 2: b"
        path = f"/api/projects/{gateway.project_id}/sessions"
        assert (await gateway.call("GET", path)).json()["total"] == 1


@pytest.mark.parametrize("way", ["user", "session_id", "messages", "conversation", "previous_response_id"])
async def test_a_marked_retry_is_one_turn_however_its_session_is_named(servers: Servers, way: str) -> None:
    slow = StubBehaviour(text="one two three four", delta_delay_ms=100)
    async with (
        StubModel(slow) as model,
        a_live_gateway(servers, f"oa-retry-{way[:4]}", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
    ):
        path = "/v1/responses" if way in ("conversation", "previous_response_id") else "/v1/chat/completions"
        headers = {"x-api-key": "", "authorization": f"Bearer {gateway.key}", "openai-project": gateway.project_id}

        def body(text: str, **more: Any) -> dict[str, Any]:
            asks = text if path == "/v1/responses" else [{"role": "user", "content": text}]
            return {"model": "Thinker", ("input" if path == "/v1/responses" else "messages"): asks, **more}

        async def send(count: int, sent: dict[str, Any]) -> Any:
            told = await gateway.call("POST", path, sent, {**headers, "x-stainless-retry-count": str(count)})
            assert told.status == 200, told.body
            return told

        opened = (await send(0, body("hi", **({"user": "ada"} if way == "user" else {})))).json()
        named = {
            "user": lambda: {"user": "ada"},
            "session_id": lambda: {"metadata": {"session_id": opened["session_id"]}},
            "messages": dict,
            "conversation": lambda: {"conversation": opened["conversation"]["id"]},
            "previous_response_id": lambda: {"previous_response_id": opened["id"]},
        }[way]()
        asked = body("sew", **named)
        if way == "messages":
            asked["messages"][:0] = [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": opened["choices"][0]["message"]["content"]},
            ]
        first = asyncio.create_task(send(0, asked))
        await eventually(lambda: asked_of(model, 2))
        under_way, answered = await send(1, asked), await send(2, asked)
        told = [await first, under_way, answered]
        assert model.count == 2, "nothing runs twice"
        assert [one.headers.get("idempotent-replay") for one in told] == [None, "true", "true"]
        assert len({one.json()["id"] for one in told}) == 1
        await send(0, asked)
        assert model.count == 3, "who does not say that he repeats himself asks anew"


async def test_a_retry_of_a_user_whose_session_has_ended_is_told_what_it_answered(servers: Servers) -> None:
    retried = {"x-stainless-retry-count": "1"}
    async with a_gateway(servers, "oa-retry-ended") as gateway:
        first = await ask(gateway, "a", user="ada")
        await gateway.call("POST", f"/api/v1/sessions/{first.json()['session_id']}/end", {})
        again = await ask(gateway, "a", user="ada", headers=dict(retried))
        assert (said(again), again.headers["idempotent-replay"]) == ("heard 1: a", "true")
        for stream in (True, False):
            anew = await ask(gateway, "b", user="ada", stream=stream)
            assert anew.status == 200
        assert said(anew) == "heard 2: b", "it began again, once"
        missing = await ask(gateway, "a", metadata={"session_id": "sess_missing"}, headers=dict(retried))
        assert missing.status == 404


def lines(*texts: str, first: str = "user") -> list[Any]:
    """Return messages that user and assistant say in turn."""
    roles = ("user", "assistant") if first == "user" else ("assistant", "user")
    return [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]


@asynccontextmanager
async def the_models(servers: Servers, name: str) -> AsyncIterator[tuple[LiveGateway, StubModel]]:
    async with (
        StubModel(StubBehaviour(text="Yes indeed")) as model,
        a_live_gateway(servers, name, MODELS, model_url=model.base_url) as gateway,
    ):
        yield gateway, model


async def test_a_greeting_that_the_client_shows_is_nothing_that_the_user_says(servers: Servers) -> None:
    async with the_models(servers, "oa-greeting") as (gateway, _):
        told = await ask(
            gateway, model="Clerk", messages=lines("Welcome! I can take a note for you.", "hello", first="assistant")
        )
        assert said(told) == "Nothing to note: hello"


async def test_a_forked_or_trimmed_history_is_nothing_that_the_user_says(servers: Servers) -> None:
    async with the_models(servers, "oa-forked") as (gateway, _), a_client(gateway) as client:
        one = Chat(client, "Clerk")
        assert await one.say("note milk") == "Noted: note milk"
        assert await one.say("thanks") == "Nothing to note: thanks"
        one.messages[-2:] = []  # the last message is edited
        assert await one.say("bye") == "Nothing to note: bye"
        told = await ask(gateway, model="Clerk", messages=[*one.messages[-4:-2], {"role": "user", "content": "hm"}])
        assert said(told) == "Nothing to note: hm"
        assert told.json()["session_id"] not in one.sessions[:2]
        await gateway.call("POST", f"/api/v1/sessions/{one.sessions[-1]}/end", {})
        assert await one.say("again") == "Nothing to note: again", "a session that has ended goes on in a new one"


async def test_a_value_is_not_taken_from_what_the_assistant_has_asked(servers: Servers) -> None:
    async with the_models(servers, "oa-gathered") as (gateway, _):
        told = await ask(gateway, model="Travel", messages=lines("I go away", "All of the WORLD?", "hm, tell me more"))
        assert "Sold" not in said(told)
        answered = await ask(gateway, model="Travel", messages=lines("I want WORLD", "EU or WORLD?", "EU please"))
        assert said(answered).endswith("Sold: EU")


async def test_a_model_reads_the_earlier_messages_as_the_conversation(servers: Servers) -> None:
    async with the_models(servers, "oa-context") as (gateway, model):
        earlier = lines("I am Ada", "Hello Ada", "who am I?")
        first = await ask(gateway, model="Thinker", messages=earlier)
        system, *read = model.requests[-1].body["messages"]
        assert (system["role"], read) == ("system", earlier)
        view = await gateway.call(
            "GET", f"/api/projects/{gateway.project_id}/sessions/{first.json()['session_id']}?include=messages"
        )
        kept = [one["content"] for one in view.json()["session"]["messages"]]
        assert kept == ["who am I?", "Yes indeed"], "nobody has said the others in this session"


async def test_earlier_messages_pass_by_no_guardrail(servers: Servers) -> None:
    async with the_models(servers, "oa-guarded") as (gateway, model):
        await ask(gateway, model="Guarded", messages=lines("my card is 1234", "Thank you", "what did I say?"))
        _, *read = model.requests[-1].body["messages"]
        assert read == lines("what did I say?")
        blocked = await ask(gateway, model="Guarded", messages=lines("hi", "hello", "my card"))
        assert said(blocked) == "No cards, please."


async def test_one_key_with_another_history_is_another_request(servers: Servers) -> None:
    async with the_models(servers, "oa-keyed") as (gateway, model):
        headers = {"idempotency-key": "k-history"}
        told = [
            await ask(gateway, model="Thinker", messages=lines(*before, "and?"), headers=dict(headers))
            for before in (("a", "b"), ("a", "b"), ("a", "c"))
        ]
        assert [one.status for one in told] == [200, 200, 409]
        assert model.count == 1
