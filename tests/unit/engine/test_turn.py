"""The fold itself: pure, ordered by its facts alone, and stubborn about facts that do not fit."""

from __future__ import annotations

import msgspec
import pytest

from domain.errors import Conflict, InvalidInput, NotFound
from domain.model_calls import ModelReply
from domain.tool_calls import ToolCall, ToolResult
from engine import (
    AnyFact,
    AskModel,
    CallTool,
    EndTurn,
    ModelAnswered,
    ModelFailed,
    OutcomeUnknown,
    SessionBegun,
    Step,
    TestContext,
    ToolReturned,
    TurnCancelled,
    UserSpoke,
    advance,
    begin,
    decode_state,
    encode_state,
)
from engine.testing import Conversation, gives, program_of, replayed, same_bytes, says, uses

AT = "2026-03-02T09:00:00.000Z"
DESK = program_of({"a.abl": 'AGENT: Desk\nGOAL: "Help"\n'})
PRICES = program_of(
    {
        "a.abl": """
AGENT: Desk
GOAL: "Help"
TOOLS:
  price(item: string) -> {price: number}
    description: "Price of an item"
    parallelizable: true
  order(item: string) -> {id: string}
    description: "Orders an item"
    side_effects: true
"""
    }
)
CODES = program_of(
    {
        "a.abl": """
AGENT: Codes
GOAL: "Codes"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      - code: required
        type: string
        prompt: "Which code?"
        validation:
          type: pattern
          rule: "^[A-Z]{2}[0-9]{3}$"
          max_retries: 3
    THEN: done
  done:
    REASONING: false
    RESPOND: "Thanks."
    THEN: COMPLETE
"""
    }
)


def begun(program=DESK) -> Step:
    return begin(program, SessionBegun(at=AT, session_id="sess_1"))


def asked(step: Step, kind: type) -> list:
    return [one for one in step.effects if isinstance(one, kind)]


def test_a_step_leaves_the_state_it_was_given_as_it_was() -> None:
    state = begun().state
    before = encode_state(state)
    step = advance(DESK, state, UserSpoke(at=AT, text="hello"))
    assert encode_state(state) == before
    middle = encode_state(step.state)
    effect = asked(step, AskModel)[0]
    advance(DESK, step.state, ModelAnswered(at=AT, effect_id=effect.id, reply=says("Hi")))
    assert encode_state(step.state) == middle


def test_the_same_fact_on_the_same_state_gives_the_same_bytes_and_hashes() -> None:
    state = begun().state
    one, other = (advance(DESK, state, UserSpoke(at=AT, text="hello")) for _ in range(2))
    assert encode_state(one.state) == encode_state(other.state)
    assert one.effects == other.effects
    assert all(effect.request_hash for effect in one.effects)


def test_effects_are_numbered_by_turn_and_place() -> None:
    step = advance(DESK, begun().state, UserSpoke(at=AT, text="hello"))
    assert [one.id for one in step.effects] == [f"1.{at}" for at in range(1, len(step.effects) + 1)]


def test_another_prompt_has_another_hash() -> None:
    state = begun().state
    hashes = {asked(advance(DESK, state, UserSpoke(at=AT, text=text)), AskModel)[0].request_hash for text in "ab"}
    assert len(hashes) == 2


def test_a_saved_state_goes_on_where_it_stopped() -> None:
    step = advance(DESK, begun().state, UserSpoke(at=AT, text="hello"))
    effect = asked(step, AskModel)[0]
    fact = ModelAnswered(at=AT, effect_id=effect.id, reply=says("Hi"))
    woken = decode_state(encode_state(step.state))
    assert encode_state(advance(DESK, woken, fact).state) == encode_state(advance(DESK, step.state, fact).state)


def test_an_answer_nobody_waits_for_is_passed_over() -> None:
    state = begun().state
    step = advance(DESK, state, ModelAnswered(at=AT, effect_id="1.1", reply=says("late")))
    assert step.state is state
    assert step.effects == ()


def test_a_second_message_during_a_turn_is_refused() -> None:
    step = advance(DESK, begun().state, UserSpoke(at=AT, text="hello"))
    with pytest.raises(Conflict):
        advance(DESK, step.state, UserSpoke(at=AT, text="hello?"))


def test_an_unknown_entry_agent_is_refused() -> None:
    with pytest.raises(NotFound):
        begin(DESK, SessionBegun(at=AT, session_id="s", agent="Nobody"))


def test_a_cancelled_turn_ends_at_once_and_the_next_one_works() -> None:
    step = advance(DESK, begun().state, UserSpoke(at=AT, text="hello"))
    ended = advance(DESK, step.state, TurnCancelled(at=AT, reason="deadline"))
    assert ended.end is not None
    assert (ended.end.status, ended.state.pending, ended.state.tasks) == ("cancelled", {}, [])
    assert asked(advance(DESK, ended.state, UserSpoke(at=AT, text="again")), AskModel)


def test_a_model_learns_what_may_have_been_done_in_a_turn_that_was_given_up() -> None:
    step = advance(PRICES, begun(PRICES).state, UserSpoke(at=AT, text="order"))
    reply = ModelReply(tool_calls=(ToolCall("c1", "order", {"item": "a"}), ToolCall("c2", "price", {"item": "a"})))
    model = asked(step, AskModel)[0]
    step = advance(PRICES, step.state, ModelAnswered(at=AT, effect_id=model.id, reply=reply))
    assert [one.tool for one in asked(step, CallTool)] == ["order"]
    ended = advance(PRICES, step.state, TurnCancelled(at=AT, reason="deadline"))
    assert ended.end is not None
    assert "whether order was done" in ended.end.reply
    later = advance(PRICES, ended.state, UserSpoke(at=AT, text="and now?"))
    results = {
        one.tool_call_id: one.content for one in asked(later, AskModel)[0].request.messages if one.role == "tool"
    }
    assert "outcome_unknown" in results["c1"]
    assert "not run" in results["c2"]


TOLD = program_of(
    {
        "a.abl": """
AGENT: Desk
GOAL: "Help"
TOOLS:
  note() -> {ok: boolean}
    description: "Notes"
    side_effects: true
  tell() -> {ok: boolean}
    description: "Tells"
    side_effects: true
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    RESPOND: "Now?"
    ON_INPUT:
      - IF: input == "yes"
        THEN: both
      - ELSE:
        THEN: ask
  both:
    REASONING: false
    CALL: note()
      AS: noted
    ON_SUCCESS:
      CALL: tell()
      RESPOND: "Both."
      THEN: ask
    ON_FAILURE:
      RESPOND: "Neither."
      THEN: ask
"""
    }
)


def test_what_was_done_before_a_turn_was_given_up_is_not_done_again_by_the_next_message() -> None:
    step = advance(TOLD, begun(TOLD).state, UserSpoke(at=AT, text="yes"))
    (note,) = asked(step, CallTool)
    step = advance(TOLD, step.state, ToolReturned(at=AT, effect_id=note.id, result=ToolResult(ok=True, value={})))
    (tell,) = asked(step, CallTool)
    assert (note.tool, tell.tool) == ("note", "tell")
    ended = advance(TOLD, step.state, TurnCancelled(at=AT, reason="cancelled"))
    assert ended.end is not None
    assert "whether tell was done" in ended.end.reply
    later = advance(TOLD, ended.state, UserSpoke(at=AT, text="thanks"))
    assert asked(later, CallTool) == []
    assert later.end is not None
    assert later.end.reply == "Now?\n\nNow?"
    again = advance(TOLD, ended.state, UserSpoke(at=AT, text="yes"))
    assert [one.tool for one in asked(again, CallTool)] == ["note"], "who asks for it again is heard"


def test_parallel_outcomes_may_come_in_any_order_and_read_the_same() -> None:
    step = advance(PRICES, begun(PRICES).state, UserSpoke(at=AT, text="prices"))
    model = asked(step, AskModel)[0]
    both = ModelReply(tool_calls=(ToolCall("c1", "price", {"item": "a"}), ToolCall("c2", "price", {"item": "b"})))
    step = advance(PRICES, step.state, ModelAnswered(at=AT, effect_id=model.id, reply=both))
    first, second = asked(step, CallTool)
    answers = {first.id: {"price": 1}, second.id: {"price": 2}}
    prompts = []
    for order in ((first, second), (second, first)):
        state = step.state
        for effect in order:
            result = ToolResult(ok=True, value=answers[effect.id])
            last = advance(PRICES, state, ToolReturned(at=AT, effect_id=effect.id, result=result))
            state = last.state
        prompts.append(asked(last, AskModel)[0].request.messages)
    assert prompts[0] == prompts[1]


def test_a_lost_outcome_of_a_tool_with_side_effects_is_never_repeated() -> None:
    step = advance(PRICES, begun(PRICES).state, UserSpoke(at=AT, text="order"))
    model = asked(step, AskModel)[0]
    reply = ModelReply(tool_calls=(ToolCall("c1", "order", {"item": "a"}),))
    step = advance(PRICES, step.state, ModelAnswered(at=AT, effect_id=model.id, reply=reply))
    call = asked(step, CallTool)[0]
    assert not call.safe
    step = advance(PRICES, step.state, OutcomeUnknown(at=AT, effect_id=call.id))
    assert asked(step, CallTool) == []
    assert "outcome_unknown" in asked(step, AskModel)[0].request.messages[-1].content


def test_every_fact_and_state_survives_json() -> None:
    talk = Conversation(PRICES, tools={"price": gives({"price": 3})}, model=[uses(("price", {"item": "a"})), says("3")])
    talk.say("how much?")
    decoded = [msgspec.json.decode(msgspec.json.encode(fact), type=AnyFact) for fact in talk.facts]
    assert decoded == talk.facts
    state, effects = replayed(PRICES, decoded)
    assert same_bytes(state, talk.state)
    assert effects == talk.effects
    assert isinstance(effects[-1], EndTurn)


FLOW = program_of({"a.abl": 'AGENT: Desk\nGOAL: "Help"\nFLOW:\n  one:\n    REASONING: false\n    RESPOND: "One."\n'})


def test_an_unknown_start_step_is_refused() -> None:
    context = TestContext(start_at_step="two")
    with pytest.raises(InvalidInput, match="there is no step two"):
        begin(FLOW, SessionBegun(at=AT, session_id="s", test_context=context))
    assert begin(FLOW, SessionBegun(at=AT, session_id="s", test_context=context, task="a child")).end is not None


def test_an_empty_message_gets_the_platform_text() -> None:
    step = advance(FLOW, begun(FLOW).state, UserSpoke(at=AT, text="  "))
    assert step.end is not None
    assert step.end.reply == "I did not get a message. What would you like to say?"


def test_a_response_event_names_the_message_it_is() -> None:
    talk = Conversation(FLOW)
    talk.begin(reply_id="msg_6")
    opening = len(talk.traces)
    talk.tell(UserSpoke(at=AT, text="x", reply_id="msg_7"))
    for traces, message_id in ((talk.traces[:opening], "msg_6"), (talk.traces[opening:], "msg_7")):
        assert [one.data["messageId"] for one in traces if one.type == "response"] == [message_id]


def test_what_a_session_opens_with_belongs_to_its_first_turn() -> None:
    talk = Conversation(FLOW)
    talk.begin()
    opening = len(talk.traces)
    talk.say("x")
    talk.say("y")
    assert {(one.turn, one.parent_span) for one in talk.traces[:opening]} == {(1, "turn-1")}
    assert {one.turn for one in talk.traces} == {1, 2}
    assert len({one.span for one in talk.traces if one.type == "response"}) == 3, "spans are still told apart"


def failing(kind: str) -> Conversation:
    talk = Conversation(DESK, model=[ModelFailed(at="", effect_id="", kind=kind, message="no")])
    talk.begin()
    talk.say("hello")
    return talk


def test_a_failed_call_names_its_model() -> None:
    (call,) = [one for one in failing("llm_api_error").traces if one.type == "llm_call"]
    assert (call.data["model"], call.data["finishReason"]) == ("scripted", "error")


def test_a_call_that_was_never_made_is_no_call_and_its_turn_ends_unhandled() -> None:
    talk = failing("budget_exceeded")
    assert not [one for one in talk.traces if one.type == "llm_call"]
    (error,) = [one for one in talk.traces if one.type == "error"]
    assert (error.data["code"], error.data["handled"], error.data["retryable"]) == ("budget_exceeded", False, False)


def rejected(talk: Conversation) -> list[str]:
    return [one.data["decision"] for one in talk.traces if one.data.get("outcome") == "rejected"]


def test_each_answer_that_gives_a_field_no_value_is_told() -> None:
    talk = Conversation(CODES, reads=lambda _effect: says("{}"))
    talk.begin()
    for text in ("XX1", "YY2", "5 apples", "none"):
        talk.say(text)
    assert rejected(talk) == ["code"] * 4, "the last of them is told too"
    assert [one.data["outcome"] for one in talk.traces if one.data.get("decisionKind") == "stop"] == [
        "too many invalid answers"
    ]


def test_a_value_that_is_taken_is_not_told_as_rejected() -> None:
    talk = Conversation(CODES)
    talk.begin()
    talk.say("AB123")
    assert rejected(talk) == []
    assert talk.state.threads["Codes"].variables["code"] == "AB123"
