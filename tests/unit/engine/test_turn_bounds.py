"""A turn asks models and tools only so often; then it ends, says so, and the next one begins anew. Spec: platform-api 15."""

from __future__ import annotations

from domain.limits import MODEL_CALLS_PER_TURN, TOOL_CALLS_PER_TURN
from engine.effects import AskModel, CallTool
from engine.testing import Conversation, gives, program_of, says, uses

CALLER = """
AGENT: Caller
GOAL: "Look things up"

EXECUTION:
  max_reasoning_iterations: 64

TOOLS:
  look(word: string) -> {found: string}
    description: "Looks a word up"
    side_effects: false
    type: http
    endpoint: "https://words.example/look"
"""
LOOPER = """
AGENT: Looper
GOAL: "Call a tool in circles"

TOOLS:
  look(word: string) -> {found: string}
    description: "Looks a word up"
    side_effects: false
    type: http
    endpoint: "https://words.example/look"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: again
  again:
    REASONING: false
    CALL: look("a")
      AS: found
    ON_SUCCESS:
      THEN: again
"""


def a_talk(text: str, **scripted: object) -> Conversation:
    talk = Conversation(program_of({"a.agent.abl": text}), tools={"look": gives({"found": "x"})}, **scripted)
    talk.begin()
    return talk


def errors(talk: Conversation) -> list[str]:
    return [str(one.data.get("message")) for one in talk.traces if one.type == "error"]


def test_a_model_that_calls_tools_for_ever_is_stopped_at_the_bound_of_tools() -> None:
    talk = a_talk(CALLER, model=[uses(("look", {"word": str(n)})) for n in range(60)])
    talk.say("go")
    asked = [one for one in talk.effects if isinstance(one, CallTool)]
    assert len(asked) == TOOL_CALLS_PER_TURN
    assert any(f"more than {TOOL_CALLS_PER_TURN} times" in one for one in errors(talk))


def test_a_model_is_asked_so_often_and_no_more() -> None:
    unknown = [uses(("nothing", {})) for _ in range(60)]
    talk = a_talk(CALLER, model=unknown)
    talk.say("go")
    assert len([one for one in talk.effects if isinstance(one, AskModel)]) == MODEL_CALLS_PER_TURN
    assert not talk.state.is_running


def test_a_flow_that_calls_in_circles_is_stopped_and_the_next_turn_counts_anew() -> None:
    talk = a_talk(LOOPER)
    said = talk.say("go")
    assert said
    assert len([one for one in talk.effects if isinstance(one, CallTool)]) == TOOL_CALLS_PER_TURN
    talk.say("once more")
    assert len([one for one in talk.effects if isinstance(one, CallTool)]) == 2 * TOOL_CALLS_PER_TURN


def test_calls_at_once_beyond_the_bound_are_not_sent_and_those_that_were_are_waited_for() -> None:
    many = uses(*[("look", {"word": str(n)}) for n in range(TOOL_CALLS_PER_TURN + 5)])
    talk = a_talk(CALLER, model=[many, says("done"), says("fine")])
    talk.say("go")
    assert len([one for one in talk.effects if isinstance(one, CallTool)]) == TOOL_CALLS_PER_TURN
    assert not talk.state.is_running
    assert not talk.state.pending
    assert talk.say("and now?") == "done"
