"""Conversations in files: what is said, what must come back, and that the recorded facts fold to the same bytes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import yaml

from domain.traces import DECISION_KINDS, TRACE_FIELDS, TraceType
from engine import AnyFact, decode_state, encode_state
from engine.testing import replayed, same_bytes
from tests.support.cells import over
from tests.support.turn_corpus import FILES, begun_of, check_end, check_turn, conversation_of, play

LEAST_FILES = 80


@over("path", FILES, ids=lambda path: path.stem)
def test_a_recorded_conversation_goes_as_written_and_folds_to_the_same_bytes(path: Path) -> None:
    case = yaml.safe_load(path.read_text("utf-8"))
    talk = conversation_of(case)
    if "opening" in case or "begin" in case:
        opening = talk.begin(**begun_of(case))
        assert opening == case.get("opening", opening)
    for number, turn in enumerate(case["turns"], 1):
        reply = play(talk, turn)
        check_turn(talk, turn, reply, f"turn {number}: {reply!r}")
    check_end(talk, case.get("expect", {}))
    facts = msgspec.json.decode(msgspec.json.encode(talk.facts), type=list[AnyFact])
    state, effects = replayed(talk.program, facts)
    assert same_bytes(state, talk.state)
    assert effects == talk.effects
    assert encode_state(decode_state(encode_state(state))) == encode_state(state)
    for event in talk.traces:
        assert set(event.data) <= set(TRACE_FIELDS[event.type]), event
        if event.type is TraceType.DECISION:
            assert event.data["decisionKind"] in DECISION_KINDS, event


def test_every_feature_has_its_conversation() -> None:
    assert len(FILES) >= LEAST_FILES
