"""Each condition says the same as the lambda it is measured against."""

from __future__ import annotations

import pytest

from abl.expressions import compile_condition
from benchmarks.conditions import ARITHMETIC, ORDINARY, VARIABLES

ALL = {**ORDINARY, **ARITHMETIC}
OTHERS = {
    **VARIABLES, "amount": 700, "status": "closed", "plan": "basic", "confirmed": False, "turns": 20, "text": "hi",
    "parcel": {"status": "transit", "weight": 3},
}  # fmt: skip


@pytest.mark.parametrize("variables", [VARIABLES, OTHERS])
@pytest.mark.parametrize("text", ALL)
def test_the_condition_agrees_with_its_lambda(text: str, variables: dict[str, object]) -> None:
    assert compile_condition(text)(variables) == bool(ALL[text](variables))
