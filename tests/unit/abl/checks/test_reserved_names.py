"""Whether an agent sets names of the engine."""

import pytest

CODE = "RESERVED_VARIABLE_NAME"


@pytest.mark.parametrize(
    "ir",
    [
        {"on_start": {"set": [{"variable": "turn_count", "expression": "0"}]}},
        {"on_start": {"set": [{"variable": "_hidden", "expression": "0"}]}},
        {"on_start": {"set": [{"variable": "session._hidden", "expression": "0"}]}},
        {"on_start": {"call_as": "input"}},
        {"on_start": {"call": "t", "call_as": "input", "call_spec": {"tool": "t", "as": "input"}}},
        {"gather": {"fields": [{"name": "intent"}]}},
        {"memory": {"session": [{"name": "session_id"}]}},
        {"flow": {"definitions": {"s": {"transform": {"source": "a", "target": "match"}}}}},
    ],
)
def test_names_of_the_engine_may_not_be_set(in_ir, ir):
    assert len(in_ir(ir, CODE)) == 1


@pytest.mark.parametrize(
    "name", ["questions", "user.intent_note", "session.step", "language", "customer_id", "result", "input_text"]
)
def test_other_names_may_be_set(in_ir, name):
    assert not in_ir({"on_start": {"set": [{"variable": name, "expression": "0"}]}}, CODE)


def test_the_place_is_the_name_in_the_set_line(in_text):
    (found,) = in_text("ON_START:\n  SET: turn_count = 0\n  RESPOND: Hello\n", CODE)
    assert (found.line, found.column, found.length) == (4, 8, 10)
