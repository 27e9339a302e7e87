"""A session that turns out to be somebody's: who the agent thinks it talks with. Spec: platform-api 7.4."""

from __future__ import annotations

import pytest

from domain.errors import Conflict
from engine import ContactLinked, SessionBegun, UserSpoke, advance, begin, encode_state
from engine.effects import ReadMemory
from engine.testing import Conversation, program_of, replayed, same_bytes

AT = "2026-03-02T09:00:00.000Z"
KEEPER = program_of(
    {
        "a.abl": """
AGENT: Keeper
GOAL: "Know people"
MEMORY:
  persistent:
    - user.name
    - project.hours
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "{{customer_id}} {{user.name}} {{project.hours}}"
        THEN: listen
"""
    }
)


def test_the_next_turn_knows_the_contact_and_reads_its_memory() -> None:
    talk = Conversation(KEEPER, memory={"user.name": "nobody", "project.hours": 9})
    talk.begin(user_id="usr_1")
    assert talk.say("who") == "usr_1 nobody 9"
    talk.memory["user.name"] = "Ada"
    assert talk.say("who") == "usr_1 nobody 9"
    assert talk.tell(ContactLinked(at=AT, contact_id="ct_1")) == ""
    assert talk.say("who") == "ct_1 Ada 9"
    read = [one for one in talk.effects if isinstance(one, ReadMemory)]
    assert [sorted(one.scopes) for one in read] == [["project.hours", "user.name"], ["user.name"]]
    talk.say("who")
    assert len([one for one in talk.effects if isinstance(one, ReadMemory)]) == 2, "it is read once"
    assert same_bytes(talk.state, replayed(KEEPER, talk.facts)[0])


def test_linking_is_no_turn_and_not_done_in_the_midst_of_one() -> None:
    state = begin(KEEPER, SessionBegun(at=AT, session_id="sess_1")).state
    with pytest.raises(Conflict):
        advance(KEEPER, state, ContactLinked(at=AT, contact_id="ct_1"))
    talk = Conversation(KEEPER)
    talk.begin()
    before, ends = encode_state(talk.state), len(talk.ends)
    step = advance(KEEPER, talk.state, ContactLinked(at=AT, contact_id="ct_1"))
    assert (step.effects, len(talk.ends)) == ((), ends)
    assert encode_state(talk.state) == before
    assert step.state.turn_number == talk.state.turn_number
    with pytest.raises(Conflict):
        advance(KEEPER, advance(KEEPER, step.state, UserSpoke(at=AT, text="a")).state, UserSpoke(at=AT, text="b"))


TEAM = program_of(
    {
        "front.abl": """
AGENT: Front
GOAL: "Greet"
MEMORY:
  persistent:
    - user.name
HANDOFF:
  - TO: Desk
    WHEN: input == "desk"
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "front {{user.name}}"
        THEN: listen
""",
        "desk.abl": """
AGENT: Desk
GOAL: "Help"
MEMORY:
  persistent:
    - user.city
HANDOFF:
  - TO: Front
    WHEN: input == "front"
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "desk {{user.city}}"
        THEN: listen
""",
    }
)


def test_each_agent_of_the_session_reads_anew_when_it_has_control_next() -> None:
    talk = Conversation(TEAM, memory={"user.name": "nobody", "user.city": "nowhere"})
    talk.begin(agent="Front")
    assert talk.say("hello") == "front nobody"
    talk.say("desk")
    assert talk.say("hello") == "desk nowhere"
    talk.memory.update({"user.name": "Ada", "user.city": "London"})
    talk.tell(ContactLinked(at=AT, contact_id="ct_1"))
    assert talk.say("hello") == "desk London"
    talk.say("front")
    assert talk.say("hello") == "front Ada"
    assert talk.state.unread == []
