"""What a turn writes, as the runtime does: facts, lines, events and states of a small conversation in a FLOW agent.

Ids and hashes are made anew for each, so that nothing is squeezed better here than it would be in life.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import msgspec

from storage.turn_end import Activity, KeyedReply, MessageRow, TraceRow, TurnEnd

AT = datetime(2026, 11, 21, 10, 29, 38, 945_000, tzinfo=UTC)
ASKED = "Where is my parcel number {number}? It should have come on Tuesday."
ANSWERED = (
    "I have looked at number {number}. It will come on Tuesday between nine and eleven, and the driver will ring."
)
HISTORY = 10
EFFECTS = 7
HASH_DIGITS = 32
ASKED_DIGITS = 12
_random = Random(1)


def a_hash(digits: int = HASH_DIGITS) -> str:
    """Return a word of hexadecimal digits as nobody has seen it."""
    return _random.randbytes(digits // 2).hex()


def a_fact(turn: int) -> bytes:
    """Return the record of a user's message with the effects it leads to."""
    asked = {f"{turn}.{place}": a_hash(ASKED_DIGITS) for place in range(1, EFFECTS + 1)}
    fact = {"type": "UserSpoke", "at": "2026-11-21T10:29:38.916Z", "text": said(turn), "message_id": an_id()}
    opens = {"kind": "user", "message_id": an_id()}
    return msgspec.json.encode({"engine": "1", "fact": fact, "asked": asked, "opens": opens})


def an_id() -> str:
    """Return the id of a message."""
    return f"msg_c{a_hash(24)}"


def said(turn: int) -> str:
    """Return what the user says in a turn."""
    return ASKED.format(number=10_000 + turn)


def told(turn: int) -> str:
    """Return what the agent answers in a turn."""
    return ANSWERED.format(number=10_000 + turn)


def events_of(turn: int) -> tuple[TraceRow, ...]:
    """Return the five events of such a turn."""
    change = {"key": "order", "oldValue": said(turn - 1), "newValue": said(turn), "scope": "session", "source": "set"}
    entered = {"decisionKind": "flow_transition", "outcome": "entered", "matched": True}
    found: list[tuple[str, dict[str, Any]]] = [
        ("decision", {"decisionKind": "flow_transition", "decision": "tell", "condition": 'input CONTAINS "where"'}),
        ("state_change", {**change, "step": "listen"}),
        ("decision", {**entered, "decision": "tell", "reasoning": "listen"}),
        ("response", {"text": told(turn)}),
        ("decision", {**entered, "decision": "listen", "reasoning": "tell"}),
    ]
    return tuple(
        TraceRow(
            seq=5 * turn + place,
            turn=turn,
            type=kind,
            at="2026-11-21T10:29:38.945Z",
            agent_name="Desk",
            span_id=f"{turn}.{place}",
            parent_span_id=f"turn-{turn}",
            data=data,
        )
        for place, (kind, data) in enumerate(found, 1)
    )


def a_state(turn: int) -> bytes:
    """Return a snapshot with a history of `HISTORY` turns."""
    history = [
        line
        for past in range(turn, turn + HISTORY)
        for line in (
            {"role": "user", "content": said(past), "agent": "Desk", "turn": past},
            {"role": "assistant", "content": told(past), "agent": "Desk", "turn": past},
        )
    ]
    thread = {"agent": "Desk", "status": "active", "variables": {"order": said(turn)}, "step": "listen"}
    state = {"active": "Desk", "threads": {"Desk": thread}, "turn": {"number": turn}, "transcript": history}
    return msgspec.json.encode({"engine": "1", "state": state, "last_seq": 10 * turn, "traces": 5 * turn})


def a_turn(turn: int, *, is_keyed: bool = False, has_snapshot: bool = True) -> TurnEnd:
    """Return the end of a turn."""
    reply = {"m": an_id(), "n": turn, "r": told(turn), "a": {"type": "respond"}, "g": "Desk"}
    return TurnEnd(
        turn=turn,
        keyed=KeyedReply(a_hash(), a_hash(), msgspec.json.encode(reply)) if is_keyed else None,
        snapshot=a_state(turn) if has_snapshot else None,
        spoke=MessageRow(
            seq=2 * turn - 1,
            message_id=an_id(),
            role="user",
            content=said(turn),
            turn=turn,
            at=AT - timedelta(milliseconds=29),
        ),
        answered=MessageRow(
            seq=2 * turn, message_id=an_id(), role="assistant", content=told(turn), turn=turn, at=AT, agent_name="Desk"
        ),
        traces=events_of(turn),
        activity=Activity(agent_name="Desk", execution_state="idle", input_tokens=100, output_tokens=20),
    )
