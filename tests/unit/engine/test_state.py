from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from engine import AnyFact, AskModel, SessionBegun, UserSpoke, advance, begin
from engine.state import STATE_SCHEMA, decode_state, fork, with_path, without_path
from engine.testing import program_of

SAMPLES = Path(__file__).parents[2] / "corpus" / "engine_samples"


def test_setting_a_path_copies_the_maps_on_the_way() -> None:
    root = {"a": {"b": 1}, "c": {}}
    made = with_path(root, ["a", "b"], 2)
    assert root == {"a": {"b": 1}, "c": {}}
    assert made == {"a": {"b": 2}, "c": {}}
    assert made["c"] is root["c"]


def test_clearing_a_path_leaves_the_rest() -> None:
    root = {"a": {"b": 1, "c": 2}}
    assert without_path(root, ["a", "b"]) == {"a": {"c": 2}}
    assert without_path(root, ["x", "y"]) is root
    assert root == {"a": {"b": 1, "c": 2}}


def test_a_fork_shares_no_container_with_its_state() -> None:
    state = decode_state((SAMPLES / "state_v1.json").read_bytes())
    made = fork(state)
    for one, other in ((made, state), (made.turn, state.turn), *zip(made.threads.values(), state.threads.values(), strict=True)):  # fmt: skip
        for name in one.__struct_fields__:
            value = getattr(one, name)
            if isinstance(value, list | dict) and name != "last_result":  # a JSON value: never changed in place
                assert value is not getattr(other, name), name
                assert name == "threads" or value == getattr(other, name), name


def test_a_state_of_the_first_schema_is_read_and_goes_on() -> None:
    state = decode_state((SAMPLES / "state_v1.json").read_bytes())
    program = program_of({"a.abl": (SAMPLES / "agents.abl").read_text("utf-8")})
    step = advance(program, state, UserSpoke(at="2026-03-02T10:00:00.000Z", text="and now?"))
    asked = [one for one in step.effects if isinstance(one, AskModel)]
    assert "and now?" in asked[0].request.messages[-1].content
    assert step.state.schema == STATE_SCHEMA


def test_facts_of_the_first_engine_are_read() -> None:
    facts = msgspec.json.decode((SAMPLES / "facts_v1.json").read_bytes(), type=list[AnyFact])
    program = program_of({"a.abl": (SAMPLES / "agents.abl").read_text("utf-8")})
    assert isinstance(facts[0], SessionBegun)
    state = begin(program, facts[0]).state
    for fact in facts[1:]:
        state = advance(program, state, fact).state
    assert state.threads["Desk"].variables["code"] == "AB1"


def test_a_state_of_a_newer_schema_is_refused_with_a_sentence() -> None:
    written = (SAMPLES / "state_v1.json").read_bytes().replace(b'"begun"', b'"schema":99,"begun"', 1)
    with pytest.raises(msgspec.ValidationError, match="schema 99; this engine reads schemas up to"):
        decode_state(written)
