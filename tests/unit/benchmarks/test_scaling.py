"""Shapes are as long as they are asked to be, so that ratios of times mean what they say."""

from __future__ import annotations

import pytest

from benchmarks.scaling import HOSTILE, REALISTIC, growth

ALL = {**REALISTIC, **HOSTILE}


@pytest.mark.parametrize("shape", ALL)
def test_a_shape_has_about_the_size_it_is_asked_for(shape: str) -> None:
    assert 0.6 * 40_000 <= len(ALL[shape](40_000)) <= 1.3 * 40_000


def test_growth_compares_a_text_with_one_half_as_long() -> None:
    seen: list[int] = []
    growth(lambda text: seen.append(len(text)), HOSTILE["blank lines"], 10_000, tries=1)
    assert [round(length, -3) for length in seen] == [5_000, 10_000]
