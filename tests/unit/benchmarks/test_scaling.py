"""Shapes are as long as they are asked to be, so that ratios of times mean what they say."""

from __future__ import annotations

import pytest

from benchmarks.scaling import SHAPES, doubled


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_has_about_the_size_it_is_asked_for(shape: str) -> None:
    assert 0.6 * 40_000 <= len(SHAPES[shape](40_000)) <= 1.3 * 40_000


def test_growth_doubles_the_text_up_to_the_last_size() -> None:
    seen: list[int] = []
    growth = doubled(lambda text: seen.append(len(text)), SHAPES["blank lines"], 5_000, 10_000)
    assert sorted({round(length, -3) for length in seen}) == [5_000, 10_000]
    assert growth.sizes == (5_000, 10_000)
