"""What a client says was said before: models read it, and nobody takes it for what the user says."""

from __future__ import annotations

import pytest

from domain.messages import TranscriptLine
from engine import AskModel, decode_state, encode_state
from engine.testing import Conversation, program_of, says

EARLIER = (TranscriptLine("user", "I am Ada"), TranscriptLine("assistant", "Hello Ada."))
THINKER = 'AGENT: Thinker\nGOAL: "Think"\n'
DESK = """\
SUPERVISOR: Desk
GOAL: "Send everyone to the thinker"

HANDOFF:
  - TO: Thinker
    WHEN: input CONTAINS "think"
    CONTEXT:
      history: {history}
    RETURN: false
"""


def a_talk(*texts: str, **more: object) -> Conversation:
    program = program_of({f"{number}.abl": text for number, text in enumerate(texts)})
    return Conversation(program, **more)  # type: ignore[arg-type]


def said(talk: Conversation, text: str) -> str:
    """Return the answer to the message with which a session begins that is told of earlier lines."""
    talk.begin(with_message=True, earlier=EARLIER)
    return talk.say(text)


def read(talk: Conversation) -> list[tuple[str, str]]:
    asked = [one for one in talk.effects if isinstance(one, AskModel)][-1]
    return [(one.role, one.content) for one in asked.request.messages]


def test_the_model_of_the_first_agent_reads_them_as_turns() -> None:
    talk = a_talk(THINKER, model=[says("Ada"), says("Bye")])
    assert said(talk, "who am I?") == "Ada"
    assert read(talk)[1:] == [*((one.role, one.content) for one in EARLIER), ("user", "who am I?")]
    assert [one.content for one in talk.state.transcript] == ["who am I?", "Ada"]
    assert talk.state.last_input == "who am I?"
    assert decode_state(encode_state(talk.state)) == talk.state


@pytest.mark.parametrize(("history", "is_told"), [("auto", True), ("full", True), ("none", False)])
def test_an_agent_that_takes_over_is_told_as_its_rule_says(history: str, is_told: bool) -> None:
    talk = a_talk(DESK.format(history=history), THINKER, model=[says("I think")])
    said(talk, "think of me")
    (system, *others) = read(talk)
    assert ("Said before you took over:\nuser: I am Ada" in system[1]) == is_told
    assert others == [("user", "think of me")]
