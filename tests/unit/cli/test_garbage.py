"""`abl fmt` looks for no garbage, for reading a text and laying it out make none that only a search would find."""

from __future__ import annotations

import gc

import pytest

from abl.formatter import format_text
from abl.frontend import parse
from benchmarks.shapes import REALISTIC

CHARS = 40_000
FEW = 1_000
"""Objects in cycles; what is read and let go of are tens of thousands."""


@pytest.mark.parametrize("shape", REALISTIC)
def test_reading_and_laying_out_leave_no_cycles(shape: str) -> None:
    text = REALISTIC[shape](CHARS)
    for _ in range(2):  # what is made once and kept is made in the first round
        gc.collect()
        read, shown = parse(text), format_text(text)
        assert (read.document is not None, len(shown) > CHARS / 2) == (True, True)
        del read, shown
        found = gc.collect()
    assert found < FEW
