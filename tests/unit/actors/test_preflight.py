"""Two programs through one journal: where they part, and how that is told."""

from __future__ import annotations

import pytest

from actors.compiling import compiled
from actors.preflight import Unfoldable, difference, divergence
from actors.session.records import Record, encode_record
from engine import ENGINE_VERSION, EndTurn, Program, SessionBegun, UserSpoke
from engine.effects import CallTool, Say

AT = "2026-03-02T09:00:00.000Z"
DESK = """\
AGENT: Desk
GOAL: "Serve"
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input contains "refund"
        RESPOND: "{refund}"
        THEN: listen
      - ELSE:
        RESPOND: "heard {{{{input}}}}"
        THEN: listen
"""
BEGUN = SessionBegun(at=AT, session_id="sess_1", project_id="c1", tenant_id="ten_1", agent="Desk")


def program(refund: str = "a week", text: str = DESK) -> Program:
    return Program(compiled({"d.abl": text.format(refund=refund)}).output)


def journal(*texts: str, begun: SessionBegun | None = BEGUN) -> list[tuple[int, bytes]]:
    spoken = [UserSpoke(at=AT, text=text, message_id=f"msg_{number}") for number, text in enumerate(texts)]
    facts = [*([begun] if begun is not None else []), *spoken]
    return [(seq, encode_record(Record(engine=ENGINE_VERSION, fact=fact))) for seq, fact in enumerate(facts, 1)]


def test_the_first_event_at_which_they_part_is_named() -> None:
    lived = journal("tea", "refund", "refund")
    found = divergence("sess_1", program(), program("a day"), lived)
    assert found is not None
    assert (found.seq, found.event, found.at, found.agent_name, found.turn) == (3, "UserSpoke", AT, "Desk", 2)
    assert found.reason == "it says 'a week', and the candidate says 'a day'"


def test_a_session_that_never_met_the_change_does_not_diverge() -> None:
    assert divergence("sess_1", program(), program("a day"), journal("tea", "milk")) is None


def test_notes_of_the_shell_are_passed_over_and_a_reset_begins_again() -> None:
    note = (0, encode_record(Record(engine=ENGINE_VERSION, attempt=2)))
    reset = (9, encode_record(Record(engine=ENGINE_VERSION, reset=True)))
    again = [(seq + 10, raw) for seq, raw in journal("refund")]
    found = divergence("sess_1", program(), program("a day"), [note, *journal("tea"), reset, *again])
    assert found is not None
    assert found.seq == 12


def test_a_candidate_without_the_agent_cannot_take_the_event() -> None:
    other = program(text=DESK.replace("AGENT: Desk", "AGENT: Other"))
    found = divergence("sess_1", program(), other, journal("tea"))
    assert found is not None
    assert found.seq == 1
    assert found.reason.startswith("the candidate cannot take this event: ")


def test_a_journal_without_its_beginning_cannot_be_judged() -> None:
    with pytest.raises(Unfoldable):
        divergence("sess_1", program(), program("a day"), journal("tea", begun=None))


def test_what_is_different_is_told_as_a_sentence() -> None:
    say = Say(id="1.1", agent="Desk", text="x" * 100)
    call = CallTool(id="1.1", call_id="c", tool="pay", arguments={"sum": 1}, kind="http", agent="Desk")
    more = CallTool(id="1.1", call_id="c", tool="pay", arguments={"sum": 2}, kind="http", agent="Desk")
    end = EndTurn(id="1.2", reply="Bye", action={"type": "respond"}, agent="Desk")
    assert difference([say], [say]) == ""
    assert difference([say], [call]) == f"it says '{'x' * 80}…', and the candidate calls the tool pay"
    assert difference([call], [more]) == "it calls the tool pay, and the candidate does with other arguments"
    assert (
        difference([say, end], [say]) == "it ends the turn with respond and answers 'Bye', and the candidate does not"
    )
    assert difference([say], [say, call]) == "the candidate also calls the tool pay"


def test_a_journal_is_folded_until_time_is_up() -> None:
    looks = iter([False, False, True])
    with pytest.raises(Unfoldable, match="time"):
        divergence("sess_1", program(), program("a day"), journal("tea", "refund"), lambda: next(looks))
