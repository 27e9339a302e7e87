"""Agents behind AG-UI, asked by the official client of the protocol, and by hand where that one would not."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from actors.clocks import RandomIds
from actors.first_keys import make_key
from actors.projects import TENANT_ID
from actors.runtime import SessionRef
from tests.flows_gateway.test_openai import COUNTER, THINKER
from tests.support.live_gateway import NO_RATES, Answer, LiveGateway, a_live_gateway, another_gateway
from tests.support.repository import ROOT
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel
from tools.node import PACKAGES, find_node, is_current, modules_of

pytestmark = pytest.mark.anyio
DEADLINE_S = 60.0
CLIENT = PACKAGES[0]
TALK = ROOT / CLIENT / "talk.cjs"
BUYER = """\
AGENT: Buyer
GOAL: "Buy things"
TOOLS:
  buy(item: string) -> {order: string}
    description: "Buy something"
    type: http
    endpoint: "https://x.example/{item}"
    side_effects: true
    confirm: always
"""
PICKER = """\
AGENT: Picker
GOAL: "Pick a hub"
FLOW:
  entry_point: pick
  pick:
    REASONING: false
    RESPOND: "Which hub?"
      FORMATS:
        MARKDOWN: "**Which hub?**"
      ACTIONS:
        RENDER_ID: hubs
        - BUTTON: "Berlin" -> berlin
        - BUTTON: "The web" -> web
          URL: "https://one.example"
    ON_ACTION:
      berlin:
        RESPOND: "Berlin it is"
        TRANSITION: over
    ON_INPUT:
      - ELSE:
        RESPOND: "{{input}}, you say"
        THEN: over
  over:
    REASONING: false
    ON_INPUT:
      - IF: input == "end"
        RESPOND: "bye"
        THEN: COMPLETE
      - ELSE:
        RESPOND: "more: {{input}}"
        THEN: over
"""
LISTENER = """\
AGENT: Listener
GOAL: "Listen"
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "from {{messageMetadata.page}}"
        THEN: listen
"""
TEXTS = {
    "counter.abl": COUNTER, "thinker.abl": THINKER, "buyer.abl": BUYER, "picker.abl": PICKER, "listener.abl": LISTENER,
}  # fmt: skip
ENDS = ("RUN_FINISHED", "RUN_ERROR")


async def talk(gateway: LiveGateway, agent: str, *steps: dict[str, Any], key: str = "", **plan: Any) -> list[Any]:
    """Have the official client take some steps in a thread and return what it held after each."""
    node = find_node()
    if node is None or not is_current(CLIENT):
        pytest.fail("the client of AG-UI is not here: `make setup` installs it, or says why it cannot")
    url = f"http://127.0.0.1:{gateway.port}/ag-ui/{gateway.project_id}" + (f"/agents/{agent}" if agent else "")
    headers = {"Authorization": f"Bearer {key or gateway.key}"}
    whole = {"url": url, "headers": headers, "threadId": "thread-1", **plan, "steps": steps}
    pipe = asyncio.subprocess.PIPE
    running = await asyncio.create_subprocess_exec(
        node.node, TALK, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, "NODE_PATH": str(modules_of(CLIENT))}
    )
    async with asyncio.timeout(DEADLINE_S):
        out, complaints = await running.communicate(json.dumps(whole).encode())
    assert running.returncode == 0, complaints.decode()
    assert "[ag-ui]" not in complaints.decode(), "the client has taken something out of what it was told"
    told: list[Any] = json.loads(out)
    return told


def texts(held: Any) -> list[tuple[str, str]]:
    return [(one["role"], one["content"]) for one in held["messages"] if one.get("content")]


async def run(gateway: LiveGateway, body: dict[str, Any], *, agent: str = "Counter", **headers: str) -> Answer:
    asked = {"threadId": "t", "runId": "r", "messages": [], **body}
    return await gateway.call("POST", f"/ag-ui/{gateway.project_id}/agents/{agent}", asked, headers)


def says(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"id": "u1", "role": "user", "content": text}], **more}


def events(answer: Answer) -> list[Any]:
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"].startswith("text/event-stream")
    blocks = [one for one in answer.body.decode().split("\n\n") if one and not one.startswith(":")]
    told = [json.loads(one.removeprefix("data: ")) for one in blocks]
    assert told[0]["type"] == "RUN_STARTED"
    assert [one["type"] for one in told if one["type"] in ENDS] == [told[-1]["type"]]
    return told


def told_text(answer: Answer) -> str:
    return "".join(one.get("delta", "") for one in events(answer) if one["type"] == "TEXT_MESSAGE_CONTENT")


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, *behaviours: StubBehaviour, **more: Any) -> AsyncIterator[LiveGateway]:
    async with (
        StubModel(*behaviours) as model,
        a_live_gateway(servers, f"agui-{name}", TEXTS, model_url=model.base_url, **more) as gateway,
    ):
        yield gateway


async def test_a_conversation_of_two_turns_goes_on_in_one_session(servers: Servers) -> None:
    async with a_gateway(servers, "two") as gateway:
        first, second = await talk(gateway, "Counter", {"say": "one", "runId": "r1"}, {"say": "two", "runId": "r2"})
        assert first["events"] == [
            "RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "STATE_DELTA", "RUN_FINISHED",
        ]  # fmt: skip
        assert texts(second) == [
            ("user", "one"), ("assistant", "heard 1: one"), ("user", "two"), ("assistant", "heard 2: two"),
        ]  # fmt: skip
        assert second["state"]["heard"] == 2
        assert second["finished"]["outcome"] == {"type": "success"}
        assert first["result"]["sessionId"] == second["result"]["sessionId"]
        (elsewhere,) = await talk(gateway, "Counter", {"say": "one", "runId": "r1"}, threadId="thread-2")
        assert texts(elsewhere)[-1] == ("assistant", "heard 1: one"), "another thread is another conversation"


async def test_a_run_that_is_sent_again_is_told_again_and_runs_nothing(servers: Servers) -> None:
    async with a_gateway(servers, "again") as gateway:
        (first,) = await talk(gateway, "Counter", {"say": "one", "runId": "r1"})
        (again,) = await talk(gateway, "Counter", {"runId": "r1"}, messages=first["messages"])
        assert again["events"][:2] == ["RUN_STARTED", "MESSAGES_SNAPSHOT"]
        assert (again["messages"], again["result"]) == (first["messages"], first["result"])
        (after,) = await talk(gateway, "Counter", {"say": "two", "runId": "r2"}, messages=first["messages"])
        assert texts(after)[-1] == ("assistant", "heard 2: two"), "the second run was counted once"
        repeated = await run(gateway, says("one", threadId="thread-1", runId="r1"))
        assert repeated.headers["idempotent-replay"] == "true"
        assert told_text(repeated) == "heard 1: one"
        other = await run(gateway, says("something else", threadId="thread-1", runId="r1"))
        assert (other.status, other.json()["error"]["details"]["reason"]) == (409, "IDEMPOTENCY_KEY_REUSED")


async def test_runs_at_the_same_moment_are_one(servers: Servers) -> None:
    async with a_gateway(servers, "moment") as gateway:
        asked = says("one", threadId="new", runId="r1")
        assert {told_text(one) for one in await asyncio.gather(*(run(gateway, asked) for _ in range(5)))} == {
            "heard 1: one"
        }
        assert told_text(await run(gateway, says("two", threadId="new", runId="r2"))) == "heard 2: two"


async def test_a_stream_that_breaks_off_is_heard_to_its_end_under_the_same_run(servers: Servers) -> None:
    story = StubBehaviour(text="one two three four five", delta_delay_ms=100)
    async with a_gateway(servers, "broken", story) as gateway:
        step = {"runId": "r1"}
        broken, again = await talk(gateway, "Thinker", {"say": "go", **step, "cutAfter": 2}, step)
        assert broken["messages"][-1]["role"] == "assistant"
        assert broken["messages"][-1]["content"] in ("one two", "one two ", "one ", "one two three ")
        assert texts(again) == [("user", "go"), ("assistant", "one two three four five")]
        assert again["finished"]["outcome"] == {"type": "success"}


async def test_an_answer_that_begins_again_takes_back_what_was_told(servers: Servers) -> None:
    cut = StubBehaviour(text="one two three four", fault="cut", fault_after=2, delta_delay_ms=50)
    async with a_gateway(servers, "restart", cut, StubBehaviour(text="one two three four five")) as gateway:
        (told,) = await talk(gateway, "Thinker", {"say": "go", "runId": "r1"})
        assert "MESSAGES_SNAPSHOT" in told["events"]
        assert told["events"].count("TEXT_MESSAGE_START") == 2
        assert texts(told) == [("user", "go"), ("assistant", "one two three four five")]


async def test_a_question_of_yes_and_no_is_an_interrupt_that_is_answered_once(servers: Servers) -> None:
    wants = StubBehaviour(tool_calls=(("buy", {"item": "tea"}),), text="done")
    async with a_gateway(servers, "confirm", wants) as gateway:
        yes = [{"interruptId": "", "status": "resolved", "payload": True}]
        (asked,) = await talk(gateway, "Buyer", {"say": "buy tea", "runId": "r1"})
        (interrupt,) = asked["interrupts"]
        assert (interrupt["reason"], interrupt["message"]) == ("confirmation", texts(asked)[-1][1])
        assert asked["finished"]["outcome"]["type"] == "interrupt"
        unknown = await run(
            gateway, {"threadId": "thread-1", "runId": "r2", "resume": yes_to("msg_other")}, agent="Buyer"
        )
        assert (unknown.status, unknown.json()["error"]["details"]["reason"]) == (409, "INTERRUPT_NOT_OPEN")
        yes[0]["interruptId"] = interrupt["id"]
        (done,) = await talk(gateway, "Buyer", {"runId": "r2", "resume": yes}, messages=asked["messages"])
        assert done["events"].count("TOOL_CALL_START") == done["events"].count("TOOL_CALL_RESULT") == 1
        assert texts(done)[-1] == ("assistant", "done")
        called = [one["function"]["name"] for m in done["messages"] for one in m.get("toolCalls", ())]
        assert called == ["buy"]
        assert not done["interrupts"]
        again = await run(gateway, {"threadId": "thread-1", "runId": "r3", "resume": yes}, agent="Buyer")
        assert told_text(again) == "done", "another run with the same answer is that answer"
        body = {"threadId": "thread-1", "runId": "r4", "resume": yes_to(interrupt["id"], payload=False)}
        assert (await run(gateway, body, agent="Buyer")).status == 409, "an answer is not taken back"


def yes_to(interrupt_id: str, payload: Any = True, status: str = "resolved") -> list[dict[str, Any]]:
    return [{"interruptId": interrupt_id, "status": status, "payload": payload}]


async def test_a_client_that_does_not_know_interrupts_answers_in_words(servers: Servers) -> None:
    wants = StubBehaviour(tool_calls=(("buy", {"item": "tea"}),), text="done")
    async with a_gateway(servers, "words", wants) as gateway:
        asked = events(await run(gateway, says("buy tea"), agent="Buyer"))
        assert asked[-1]["outcome"] == {"type": "success"}
        assert told_text(await run(gateway, says("yes", runId="r2"), agent="Buyer")) == "done"


async def test_buttons_are_shown_and_pressed(servers: Servers) -> None:
    async with a_gateway(servers, "buttons") as gateway:
        (asked,) = await talk(gateway, "Picker", {"say": "hello", "runId": "r1"})
        shown = dict(asked["custom"])
        assert shown["abl.rich_content"]["richContent"]["markdown"] == "**Which hub?**"
        assert [one["id"] for one in shown["abl.actions"]["actions"]["elements"]] == ["berlin", "web"]
        (interrupt,) = asked["interrupts"]
        assert interrupt["reason"] == "input_required"
        assert interrupt["responseSchema"]["anyOf"][0]["properties"]["actionId"]["enum"] == ["berlin"]
        pressed = yes_to(interrupt["id"], {"actionId": "berlin"})
        (done,) = await talk(gateway, "Picker", {"runId": "r2", "resume": pressed}, messages=asked["messages"])
        assert texts(done)[-1] == ("assistant", "Berlin it is")
        (typed,) = await talk(gateway, "Picker", {"say": "hello", "runId": "r1"}, threadId="typed")
        given_up = yes_to(typed["interrupts"][0]["id"], None, "cancelled")
        step = {"say": "Rome", "runId": "r2", "resume": given_up}
        (said,) = await talk(gateway, "Picker", step, messages=typed["messages"], threadId="typed")
        assert texts(said)[-1] == ("assistant", "Rome, you say")


async def test_an_interrupt_that_is_given_up_runs_nothing(servers: Servers) -> None:
    async with a_gateway(servers, "given-up") as gateway:
        asked = events(await run(gateway, says("hello", protocolVersion="1.0"), agent="Picker"))
        interrupt = asked[-1]["outcome"]["interrupts"][0]["id"]
        body = {"runId": "r2", "resume": yes_to(interrupt, None, "cancelled")}
        told = events(await run(gateway, body, agent="Picker"))
        assert [one["type"] for one in told] == ["RUN_STARTED", "RUN_FINISHED"]
        assert told_text(await run(gateway, says("Rome", runId="r3"), agent="Picker")) == "Rome, you say"


async def test_a_thread_whose_session_is_over_begins_again_and_says_so(servers: Servers) -> None:
    async with a_gateway(servers, "over") as gateway:
        assert told_text(await run(gateway, says("one"))) == "heard 1: one"
        session_id = events(await run(gateway, says("two", runId="r2")))[-1]["result"]["sessionId"]
        await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {"reason": "user"})
        again = await run(gateway, says("two", runId="r2"))
        assert told_text(again) == "heard 2: two", "what was said before is told again, and begins nothing"
        new = await run(gateway, says("three", runId="r3"))
        assert told_text(new) == "heard 1: three"
        assert [one["name"] for one in events(new) if one["type"] == "CUSTOM"] == ["abl.session_restarted"]
        assert told_text(await run(gateway, says("four", runId="r4"))) == "heard 2: four"


async def test_a_thread_is_told_to_its_own_caller_and_to_nobody_else(servers: Servers) -> None:
    async with a_gateway(servers, "theirs") as gateway:
        await run(gateway, says("secret"))
        snapshot = events(await run(gateway, {"runId": "look"}))[1]
        assert [(one["role"], one["content"]) for one in snapshot["messages"]] == [
            ("user", "secret"), ("assistant", "heard 1: secret"),
        ]  # fmt: skip
        key = await make_key(gateway.running.database, RandomIds())
        theirs = {"x-api-key": key}
        assert events(await run(gateway, {"runId": "look"}, **theirs))[1]["messages"] == []
        assert told_text(await run(gateway, says("mine"), **theirs)) == "heard 1: mine"
        assert events(await run(gateway, {"runId": "look"}, agent="Listener"))[1]["messages"] == []


async def test_what_a_run_brings_reaches_the_agent_or_is_named(servers: Servers) -> None:
    async with a_gateway(servers, "brings") as gateway:
        tools = [{"name": "paint", "description": "Paint the page", "parameters": {}}]
        step = {"say": "hi", "runId": "r1", "tools": tools, "forwardedProps": {"page": "/cart"}}
        (told,) = await talk(gateway, "Listener", step)
        assert texts(told)[-1] == ("assistant", "from /cart")
        assert [(name, value["code"]) for name, value in told["custom"]] == [("abl.warning", "TOOLS_NOT_CALLED")]
        picture = {"type": "image", "source": {"type": "url", "value": "https://one.example/x.png"}}
        parts = [{"type": "text", "text": "look"}, picture]
        warned = events(await run(gateway, says("", messages=[{"id": "u", "role": "user", "content": parts}])))
        assert warned[1]["value"]["code"] == "CONTENT_SKIPPED"
        assert (
            await run(gateway, {"runId": "r2", "messages": [{"id": "u", "role": "user", "content": [picture]}]})
        ).status == 400


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"threadId": ""}, "/threadId"),
        ({"messages": [{"id": "a", "role": "assistant", "content": "hello"}]}, "/messages/0/role"),
        ({"messages": [{"id": "u", "role": "user", "content": "x"}, {"id": "a", "role": "assistant"}]}, "/messages/1/role"),
        ({"messages": [{"id": "u", "role": "user", "content": ""}]}, "/messages/0/content"),
        ({"messages": [{"id": "u", "role": "stranger", "content": "x"}]}, "/messages/0/role"),
        ({"resume": [{"interruptId": "i", "status": "resolved", "payload": 7}]}, "/resume/0/payload"),
    ],
)  # fmt: skip
async def test_what_cannot_be_answered_is_refused_with_its_place(servers: Servers, body: Any, where: str) -> None:
    async with a_gateway(servers, "wrong") as gateway:
        answer = await run(gateway, body)
        assert answer.status == 400
        assert answer.json()["error"]["details"]["fields"][0]["path"] == where
        path = f"/api/projects/{gateway.project_id}/sessions"
        assert (await gateway.call("GET", path)).json()["total"] == 0, "what is refused leaves no session"


async def test_errors_reach_the_official_client(servers: Servers) -> None:
    async with a_live_gateway(servers, "agui-errors", TEXTS) as gateway:
        (nobody,) = await talk(gateway, "Nobody", {"say": "x", "runId": "r1"})
        assert (nobody["error"]["status"], nobody["error"]["payload"]["error"]["code"]) == (404, "NOT_FOUND")
        (failed,) = await talk(gateway, "Thinker", {"say": "x", "runId": "r1"})
        assert (failed["events"][-1:], failed["error"]["code"]) == (["RUN_ERROR"], "SERVICE_UNAVAILABLE")
        refused = await run(gateway, says("x"), **{"x-api-key": "abl_nobody"})
        assert (refused.status, refused.json()["error"]["code"]) == (401, "UNAUTHORIZED")


async def test_a_thread_whose_session_was_deleted_is_over(servers: Servers) -> None:
    """Neither a new run nor the repetition of an old one brings it back; another thread begins anew. Decision: 0069."""
    async with a_gateway(servers, "deleted") as gateway:
        (first,) = await talk(gateway, "Counter", {"say": "one", "runId": "r1"})
        path = f"/api/projects/{gateway.project_id}/sessions"
        assert (await gateway.call("DELETE", f"{path}/{first['result']['sessionId']}")).status == 200
        for run_id in ("r1", "r2"):
            late = await run(gateway, says("one", threadId="thread-1", runId=run_id))
            assert (late.status, late.json()["error"]["code"]) == (404, "NOT_FOUND")
            assert late.json()["error"]["message"] == "Session not found"
        (official,) = await talk(gateway, "Counter", {"say": "one", "runId": "r3"})
        assert (official["error"]["status"], official["error"]["payload"]["error"]["code"]) == (404, "NOT_FOUND")
        assert (await gateway.call("GET", path)).json()["total"] == 0
        (anew,) = await talk(gateway, "Counter", {"say": "one", "runId": "r1"}, threadId="thread-2")
        assert texts(anew)[-1] == ("assistant", "heard 1: one")


async def test_a_run_that_is_stopped_is_neither_done_nor_failed(servers: Servers) -> None:
    story = StubBehaviour(text="one two three four five", deltas=5, delta_delay_ms=200)
    async with a_gateway(servers, "stopped", story) as gateway:
        path = f"/ag-ui/{gateway.project_id}/agents/Thinker"
        heard = b""
        async with gateway.request("POST", path, {"threadId": "t", "runId": "r", **says("go")}) as answer:
            async for piece in answer.pieces():
                if b"TEXT_MESSAGE_CONTENT" in piece and b"TEXT_MESSAGE_CONTENT" not in heard:
                    listed = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions")
                    (session,) = listed.json()["sessions"]
                    named = SessionRef(TENANT_ID, gateway.project_id, session["id"])
                    assert await gateway.running.runtime.cancel_turn(named)
                heard += piece
        answer.body = heard
        assert events(answer)[-1]["outcome"] == {"type": "cancelled"}


async def test_the_limits_of_messages_hold(servers: Servers) -> None:
    rates = replace(NO_RATES, session_messages_per_minute=3)
    async with a_live_gateway(servers, "agui-limits", TEXTS, rates=rates) as gateway:
        answers = [await run(gateway, says(str(number), runId=f"r{number}")) for number in range(4)]
        assert [one.status for one in answers] == [200, 200, 200, 429], "the first message of a thread is counted"
        assert answers[-1].json()["error"] == "Session message rate limit exceeded"


async def test_the_entry_agent_and_an_agent_in_an_environment_are_addressed_alike(servers: Servers) -> None:
    async with a_gateway(servers, "entry") as gateway, another_gateway(gateway) as other:
        (entry,) = await talk(gateway, "", {"say": "one", "runId": "r1"})
        assert entry["result"]["agentName"]
        assert told_text(await run(gateway, says("one"))) == "heard 1: one"
        assert told_text(await run(other, says("one"))) == "heard 1: one", "any gateway tells a run again"
        assert (await run(gateway, says("x"), agent="Counter@production")).status == 404
