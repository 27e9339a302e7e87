"""Which sessions can go on in a changed program. Decision: 0021."""

from __future__ import annotations

import pytest

from abl.project import Project, compile_project
from cli.dev_moving import why_not
from engine import Program, SessionBegun, SessionState
from engine.state import Thread

DESK = """\
AGENT: Desk
GOAL: "Help"

MEMORY:
  session:
    - NAME: topic
  remember:
    - WHEN: topic IS SET
      STORE: topic -> user.topic

GATHER:
  name:
    prompt: "Who are you?"
    type: string

HANDOFF:
  - TO: Clerk
    WHEN: topic == "bill"
    RETURN: true

FLOW:
  entry_point: ask
  ask -> done

  ask:
    REASONING: false
    GATHER:
      - name: required
    THEN: done

  done:
    REASONING: false
    RESPOND: "Goodbye."
    THEN: COMPLETE
"""
CLERK = 'AGENT: Clerk\nGOAL: "Bills"\n'


def program(desk: str = DESK, clerk: str = CLERK) -> Program:
    files = {"desk.agent.abl": desk, **({"clerk.agent.abl": clerk} if clerk else {})}
    compilation = compile_project(Project.from_files(files))
    assert [one for one in compilation.findings if one.is_error] == []
    return Program(compilation.output)


def state(**threads: Thread) -> SessionState:
    begun = SessionBegun(at="2026-11-21T15:00:00.000Z", session_id="sess_c1", agent="Desk")
    known = {"Desk": Thread(agent="Desk", step="ask", gathered={"name": "user"}, asked=["name"])} | threads
    return SessionState(begun=begun, active="Desk", threads=known)


@pytest.mark.parametrize(
    "changed",
    [
        DESK,
        DESK.replace("Goodbye", "See you"),
        DESK.replace("Who are you?", "Your name?"),
        DESK.replace("ask -> done", "ask -> more -> done").replace(
            "  done:\n", '  more:\n    REASONING: false\n    RESPOND: "More."\n    THEN: done\n\n  done:\n', 1
        ),
    ],
)
def test_texts_and_further_steps_let_a_session_go_on(changed: str) -> None:
    assert why_not(program(), program(changed), state()) == ""


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (DESK.replace("AGENT: Desk", "AGENT: Office"), "the agent Desk is no more"),
        (
            DESK.replace("ask", "query"),
            "the conversation stands at the step ask, which is no more there (of Desk)",
        ),
        (DESK.replace("name:", "nick:"), "the field name is no more there (of Desk)"),
        (DESK.replace("type: string", "type: number"), "the field name has another type now (of Desk)"),
    ],
)
def test_what_a_state_names_has_to_be_there(changed: str, why: str) -> None:
    assert why_not(program(), program(changed), state()) == why


def test_a_parent_that_waits_needs_its_handoff_as_it_was() -> None:
    waiting = state(Clerk=Thread(agent="Clerk", parent="Desk", rule=0))
    changed = program(DESK.replace('topic == "bill"', 'topic == "debt"'))
    assert why_not(program(), program(DESK.replace("Goodbye", "Bye")), waiting) == ""
    assert why_not(program(), changed, waiting) == "Desk waits for Clerk, and its HANDOFF was changed"
    assert why_not(program(), changed, state()) == ""


def test_an_agent_of_the_conversation_that_was_taken_out_ends_it() -> None:
    known = state(Clerk=Thread(agent="Clerk"))
    without = DESK[: DESK.index("HANDOFF:")] + DESK[DESK.index("FLOW:") :]
    assert why_not(program(), program(without, ""), known) == "the agent Clerk is no more"


def test_an_open_question_for_consent_is_not_answered_for_another_text() -> None:
    asked = state(Desk=Thread(agent="Desk", step="ask", confirmation={"kind": "confirm", "tool": "pay"}))
    changed = program(DESK.replace("Goodbye", "Bye"))
    assert why_not(program(), program(), asked) == ""
    assert "consent" in why_not(program(), changed, asked)
