"""The floor below consent by a model: what its yes counts for, and what no model is asked about. Decision: 0074."""

from __future__ import annotations

from engine import AskModel, CallTool
from engine.testing import Conversation, gives, program_of, says
from tests.support.cells import over

DESK = """\
AGENT: Desk
GOAL: "Help"

TOOLS:
  send_parcel(item: string, day: date, size: string) -> {ok: boolean}
    description: "Sends a parcel"
    parameters:
      size:
        enum: [small, large]
    confirm: always

FLOW:
  entry_point: send
  send:
    REASONING: false
    CALL: send_parcel("book", "2026-03-04", "small")
    ON_SUCCESS:
      RESPOND: "Sent."
"""


def after(text: str) -> Conversation:
    program = program_of({"a.abl": DESK})
    talk = Conversation(program, tools={"send_parcel": gives({"ok": True})}, reads=[says('{"answer": "yes"}')])
    talk.begin(has_model=True)
    talk.say(text)
    return talk


def asked(talk: Conversation) -> int:
    return sum(isinstance(one, AskModel) for one in talk.effects)


def called(talk: Conversation) -> int:
    return sum(isinstance(one, CallTool) for one in talk.effects)


@over("text", ["hit it", "let it roll", "hop to it"])
def test_a_short_answer_that_names_nothing_is_read_by_a_model(text: str) -> None:
    talk = after(text)
    assert (asked(talk), called(talk)) == (1, 1)


@over(
    "text",
    [
        "sell everything inside grandmothers house",
        "rather tomorrow",
        "large",
        "lieber nicht",
        "pas maintenant",
        "peut-être",
        "plus tard",
        "get Bob",
        "let it roll Maria",
        "roll 2",
        "roll @home",
        "mail bob@example.com",
        "nur wenn",
        "roll if",
        "roll unless",
        "quando",
    ],
)
def test_what_could_be_more_than_a_yes_runs_nothing_and_asks_no_model(text: str) -> None:
    talk = after(text)
    assert (asked(talk), called(talk)) == (0, 0)
