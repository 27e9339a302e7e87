"""Whether INPUT maps are written in the word form."""

import pytest


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('turn_count > 3 && language == "de"', 1),
        ("a || b", 1),
        ("!a", 1),
        ("a ? 1 : 2", 1),
        ('name.contains("x")', 1),
        ("a != b", 0),
        ("NOT a AND b", 0),
        ('"fish && chips"', 0),
        ("amount * 2", 0),
        ('"Really? Yes: really!"', 0),
    ],
)
def test_signs_of_the_other_form_are_reported(in_ir, value, expected):
    ir = {"coordination": {"delegates": [{"agent": "B", "input": {"x": value}}]}}
    assert len(in_ir(ir, "CEL_IN_INPUT_MAPPING")) == expected
    inline = {"flow": {"definitions": {"s": {"on_input": [{"delegate": {"agent": "B", "input": {"x": value}}}]}}}}
    assert len(in_ir(inline, "CEL_IN_INPUT_MAPPING")) == expected
