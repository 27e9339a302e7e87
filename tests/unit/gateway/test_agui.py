"""A turn as AG-UI's events: no text twice in one message, everything opened is closed, and what is asked is named."""

from __future__ import annotations

from typing import Any

import pytest

from actors.runtime import StreamEvent, StreamKind
from domain.errors import InvalidInput
from gateway.agui.described import EVENTS
from gateway.agui.reading import AskedRun, last_speaker, question_of, read_run, said_before
from gateway.agui.telling import RunNames, RunTelling, finished, interrupt_of, state_event, usage_of
from gateway.bodies.agui import AgUiBody, AgUiMessage

NAMES = RunNames("t", "r", own="msg_1", knows_interrupts=True)
USER = {"id": "u", "role": "user", "content": "hello"}
CALL = {"type": "tool_call", "data": {"toolCallId": "c1", "toolName": "price", "parameters": {"item": "tea"}}}
RESULT = {
    "type": "tool_result",
    "data": {"toolCallId": "c1", "toolName": "price", "success": True, "result": {"eur": 3}},
}


def happened(kind: StreamKind, *, repeated: bool = False, **data: Any) -> StreamEvent:
    return StreamEvent(seq=1, turn=1, kind=kind, data=data, repeated=repeated)


def chunk(text: str, *, repeated: bool = False) -> StreamEvent:
    return happened("response_chunk", messageId="msg_1", chunk=text, repeated=repeated)


def complete(text: str, *, repeated: bool = False, **more: Any) -> StreamEvent:
    return happened("complete", messageId="msg_1", response=text, sessionId="s", repeated=repeated, **more)


def told(*events: StreamEvent, holds_own: bool = False, shows_tools: bool = True, state: Any = None) -> list[Any]:
    telling = RunTelling(NAMES, [USER], state=state, holds_own=holds_own, shows_tools=shows_tools)
    said = [*telling.begin(), *(one for event in events for one in telling.take(event))]
    for one in said:
        needed, more = EVENTS[one["type"]]
        assert {"type", *needed} <= one.keys() <= {"type", *needed, *more}, "what is told is described"
    return said


def kinds(events: list[Any]) -> list[str]:
    return [one["type"] for one in events]


def held(events: list[Any]) -> dict[str, str]:
    """Return the texts that a client holds by message, as the protocol has it put them together."""
    messages: dict[str, str] = {}
    opened = ""
    for one in events:
        match one["type"]:
            case "TEXT_MESSAGE_START":
                assert not opened
                opened = one["messageId"]
                assert opened not in messages, "no message is opened twice"
                messages[opened] = ""
            case "TEXT_MESSAGE_CONTENT":
                assert one["messageId"] == opened
                assert one["delta"]
                messages[opened] += one["delta"]
            case "TEXT_MESSAGE_END":
                assert one["messageId"] == opened
                opened = ""
            case "MESSAGES_SNAPSHOT":
                assert not opened
                messages = {id_: text for id_, text in messages.items() if id_ in {m["id"] for m in one["messages"]}}
            case "RUN_FINISHED":
                assert not opened
    return messages


def test_a_turn_is_a_message_between_the_beginning_and_the_end_of_its_run() -> None:
    said = told(
        happened("session_start", sessionId="s"), happened("response_start"), chunk("one "), complete("one two")
    )
    assert kinds(said) == [
        "RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]  # fmt: skip
    assert held(said) == {"msg_1": "one two"}
    assert kinds(told(complete(""))) == ["RUN_STARTED", "RUN_FINISHED"], "who says nothing has no message"


@pytest.mark.parametrize("again", ["response_restart", "response_start"])
def test_what_is_void_is_taken_back_before_it_is_said_again(again: StreamKind) -> None:
    said = told(happened("response_start"), chunk("one "), happened(again), chunk("one "), complete("one two"))
    assert held(said) == {"msg_1-2": "one two"}
    assert kinds(said).count("MESSAGES_SNAPSHOT") == 1
    untold = told(happened("response_start"), happened(again), complete("one"))
    assert held(untold) == {"msg_1": "one"}, "nothing was told, nothing is void"


def test_an_answer_that_became_another_takes_the_place_of_what_was_told() -> None:
    assert held(told(chunk("one"), complete("something else"))) == {"msg_1-2": "something else"}


def test_a_run_that_is_told_again_is_told_whole_without_what_was_void() -> None:
    events = (chunk("vo", repeated=True), happened("response_restart", repeated=True), complete("one", repeated=True))
    said = told(*events, holds_own=True)
    assert kinds(said)[:2] == ["RUN_STARTED", "MESSAGES_SNAPSHOT"]
    assert held(said) == {"msg_1": "one"}


def test_a_tool_is_shown_with_its_answer_to_those_who_see_traces() -> None:
    events = (happened("trace_event", event=CALL), happened("trace_event", event=RESULT), complete("3 euros"))
    said = told(*events)
    assert [one["type"] for one in said if "toolCallId" in one] == [
        "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT",
    ]  # fmt: skip
    result = next(one for one in said if one["type"] == "TOOL_CALL_RESULT")
    assert (result["content"], result["toolCallId"]) == ('{"eur":3}', "msg_1-c1")
    assert not [one for one in told(*events, shows_tools=False) if "toolCallId" in one]
    unanswered = told(happened("trace_event", event=CALL), complete("later"))
    assert not [one for one in unanswered if "toolCallId" in one], "a call without an answer would be the client's"


def test_a_turn_that_fails_or_is_cancelled_says_so() -> None:
    failed = told(chunk("one"), happened("error", error="gone", code="SERVICE_UNAVAILABLE", retryAfterMs=5))
    assert failed[-1] == {
        "type": "RUN_ERROR", "message": "gone", "code": "SERVICE_UNAVAILABLE", "metadata": {"retryAfterMs": 5},
    }  # fmt: skip
    cancelled = told(chunk("one"), happened("response_end", interrupted=True), complete("one"))
    assert cancelled[-1]["outcome"] == {"type": "cancelled"}
    assert "result" not in cancelled[-1]


def test_what_stands_beside_a_reply_is_told() -> None:
    shown = {"richContent": {"markdown": "*x*"}, "actions": None, "voiceConfig": {"enabled": True}, "state": {"n": 1}}
    said = told(complete("x", **shown))
    assert [one["name"] for one in said if one["type"] == "CUSTOM"] == ["abl.rich_content", "abl.voice"]
    assert [one for one in said if one["type"] == "STATE_DELTA"] == [state_event({}, {"n": 1})]
    assert state_event([1], {"n": 1}) == {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}}


def decided(kind: str, outcome: str) -> dict[str, Any]:
    return {"type": "decision", "data": {"decisionKind": kind, "outcome": outcome}}


@pytest.mark.parametrize(
    ("traces", "actions", "reason"),
    [
        ([], None, ""),
        ([decided("pause", "confirmation")], None, "confirmation"),
        ([decided("pause", "consent")], None, "confirmation"),
        ([decided("pause", "confirmation"), decided("resume", "confirmed")], None, ""),
        ([decided("resume", "confirmed"), decided("pause", "confirmation")], None, "confirmation"),
        ([decided("pause", "something")], None, ""),
        ([], {"elements": [{"id": "a", "type": "button"}]}, "input_required"),
        ([], {"elements": [{"id": "a", "type": "button", "url": "https://one.example"}]}, ""),
        ([], {"elements": []}, ""),
    ],
)
def test_a_turn_interrupts_where_a_yes_or_a_press_is_waited_for(traces: Any, actions: Any, reason: str) -> None:
    found = interrupt_of({"messageId": "m", "response": "Well?", "actions": actions}, traces)
    assert (found or {}).get("reason", "") == reason
    telling = RunTelling(NAMES._replace(knows_interrupts=False), [], state=None, holds_own=False, shows_tools=False)
    last = [*telling.take(complete("Well?", actions=actions, traceEvents=traces))][-1]
    assert last["outcome"] == {"type": "success"}, "a client that names no version is not stopped"


def test_usage_is_summed_for_each_model() -> None:
    def call(model: str, **usage: int) -> dict[str, Any]:
        return {"type": "llm_call", "data": {"provider": "p", "model": model, "usage": usage}}

    assert usage_of(
        [call("a", inputTokens=1, outputTokens=2), call("a", inputTokens=3), call("b", outputTokens=5)]
    ) == [
        {"provider": "p", "model": "a", "inputTokens": 4, "outputTokens": 2, "totalTokens": 6},
        {"provider": "p", "model": "b", "outputTokens": 5, "totalTokens": 5},
    ]
    assert "usage" not in finished(NAMES, {"type": "success"})


def body(**more: Any) -> AgUiBody:
    return AgUiBody.model_validate({"threadId": "t", "runId": "r", "messages": [], **more})


def resolved(payload: Any) -> AskedRun:
    return read_run(body(resume=[{"interruptId": "i", "status": "resolved", "payload": payload}]))


@pytest.mark.parametrize(
    ("payload", "message", "action"),
    [
        (True, "yes", None),
        (False, "no", None),
        ({"approved": True, "editedArgs": {}}, "yes", None),
        ("make it 5 days", "make it 5 days", None),
        ({"actionId": "a"}, "", {"actionId": "a"}),
        ({"actionId": "a", "value": "v", "formData": {"n": "1"}}, "v", {"actionId": "a", "value": "v", "formData": {"n": "1"}}),
    ],
)  # fmt: skip
def test_the_answer_to_an_interrupt_is_words_or_an_action(payload: Any, message: str, action: Any) -> None:
    asked = resolved(payload)
    assert (asked.kind, asked.interrupt_id, asked.message, asked.action) == ("answer", "i", message, action)


@pytest.mark.parametrize("payload", [None, 7, "", {}, {"approved": "yes"}, ["yes"], "a\0b"])
def test_an_answer_of_another_form_is_refused(payload: Any) -> None:
    with pytest.raises(InvalidInput, match="must be words"):
        resolved(payload)


def test_what_a_run_asks_for_follows_from_what_it_brings() -> None:
    given_up = [{"interruptId": "i", "status": "cancelled"}]
    assert read_run(body()).kind == "history"
    assert read_run(body(messages=[USER])).kind == "message"
    assert read_run(body(resume=given_up)).kind == "nothing"
    assert read_run(body(messages=[USER, {"id": "a", "role": "assistant"}], resume=given_up)).kind == "nothing"
    assert read_run(body(messages=[USER], resume=given_up)).kind == "message"
    asked = read_run(body(messages=[USER], tools=[{"name": "x"}], forwardedProps=[1], context=[{"value": "v"}]))
    assert [one.code for one in asked.warnings] == ["TOOLS_NOT_CALLED", "FORWARDED_PROPS_IGNORED"]
    assert asked.metadata == {"context": [{"value": "v"}]}
    with pytest.raises(InvalidInput, match="forwardedProps and context"):
        read_run(body(messages=[USER], forwardedProps={"x": "y" * 100_000}))


def messages(*given: tuple[str, str, Any]) -> list[AgUiMessage]:
    return [AgUiMessage.model_validate({"id": id_, "role": role, "content": content}) for id_, role, content in given]


def test_the_question_is_the_last_of_the_user_and_nothing_was_said_since_but_by_the_run_itself() -> None:
    thread = messages(("u", "user", "hello"), ("msg_1-2", "assistant", "par"), ("msg_1-c1-result", "tool", "3"))
    before = said_before(thread, "msg_1")
    assert [one.id for one in before] == ["u"]
    assert question_of(AskedRun("message"), before).message == "hello"
    assert last_speaker(messages(("u", "user", "x"), ("s", "system", "y"))) == "user"
    for answered in (thread, messages(("a", "assistant", "x")), []):
        with pytest.raises(InvalidInput, match="last message"):
            question_of(AskedRun("message"), answered)


def test_texts_among_parts_are_read_and_others_named() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}]
    asked = question_of(AskedRun("message"), messages(("u", "user", parts)))
    assert (asked.message, [one.code for one in asked.warnings]) == ("a\nb", ["CONTENT_SKIPPED"])
    with pytest.raises(InvalidInput, match="must hold text"):
        question_of(AskedRun("message"), messages(("u", "user", parts[1:2])))
