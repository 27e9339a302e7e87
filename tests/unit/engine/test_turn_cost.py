"""A long conversation costs no more per turn than a short one: counted in calls, which no busy machine changes."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from engine.program import Program
from engine.state import encode_state
from engine.testing import Conversation, program_of, says

MOST = 1.15
EARLY, LATE, VERY_LATE = 5, 40, 80

FLOW = program_of(
    {
        "a.abl": """
AGENT: Desk
GOAL: "Help"
FLOW:
  ask:
    REASONING: false
    RESPOND: "What is the number?"
    ON_INPUT:
      - ELSE:
        SET: seen = input
        THEN: told
  told:
    REASONING: false
    SET: count = count + 1
    RESPOND: "Noted {{seen}} ({{count}})."
    THEN: ask
"""
    }
)
REASONING = program_of({"a.abl": 'AGENT: Desk\nGOAL: "Help people"\n'})


def costs(program: Program) -> dict[int, int]:
    """Return turn -> the calls of Python functions it took, scripting included."""
    talk = Conversation(program, model=lambda effect: says("An answer of ordinary length."))
    talk.begin()
    found: dict[int, int] = {}
    for turn in range(1, LATE + 1):
        count = 0

        def note(_frame: Any, event: str, _argument: Any) -> None:
            nonlocal count
            count += event == "call"

        sys.setprofile(note)
        talk.say(f"my number is {turn:03d}")
        sys.setprofile(None)
        found[turn] = count
    return found


@pytest.mark.parametrize("program", [FLOW, REASONING], ids=["flow", "reasoning"])
def test_the_fortieth_turn_costs_what_the_fifth_costs(program: Program) -> None:
    found = costs(program)
    assert found[LATE] <= MOST * found[EARLY]


@pytest.mark.parametrize("program", [FLOW, REASONING], ids=["flow", "reasoning"])
def test_a_state_does_not_grow_without_end(program: Program) -> None:
    talk = Conversation(program, model=lambda effect: says("An answer of ordinary length."))
    sizes = {}
    for turn in range(1, VERY_LATE + 1):
        talk.say(f"my number is {turn:03d}")
        sizes[turn] = len(encode_state(talk.state))
    assert sizes[VERY_LATE] <= MOST * sizes[LATE]
