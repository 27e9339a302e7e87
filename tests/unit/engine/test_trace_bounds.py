"""What is too large for a trace event is left out with its size. Spec: platform-api 5.7."""

import pytest

from domain.json_values import JsonValue
from domain.limits import TRACE_VALUE_MAX_BYTES
from engine.run import _bounded

FITS = TRACE_VALUE_MAX_BYTES - 2


@pytest.mark.parametrize(("value", "size"), [("x" * FITS, 0), ("x" * (FITS + 1), FITS + 3), (["y" * FITS], FITS + 4)])
def test_a_value_over_64_kib_is_replaced_by_its_size(value: JsonValue, size: int) -> None:
    assert _bounded(value) == ({"truncated": True, "sizeBytes": size} if size else value)
