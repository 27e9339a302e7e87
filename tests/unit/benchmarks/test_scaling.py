"""Shapes are as long as they are asked to be, so that ratios of times mean what they say."""

from __future__ import annotations

import pytest

from benchmarks.children import in_child
from benchmarks.folder_shapes import FOLDERS
from benchmarks.scaling import SHAPES, doubled
from tests.support.cells import over


@over("shape", SHAPES)
def test_a_shape_has_about_the_size_it_is_asked_for(shape: str) -> None:
    assert 0.6 * 40_000 <= len(SHAPES[shape](40_000)) <= 1.3 * 40_000


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_about_the_size_it_is_asked_for(folder: str) -> None:
    assert 0.9 * 40_000 <= sum(map(len, FOLDERS[folder](40_000).values())) <= 1.1 * 40_000


def test_work_in_a_process_of_its_own_gives_back_what_it_made() -> None:
    assert in_child(lambda size, *, more: list(range(size + more)), 2, more=1) == [0, 1, 2]


def test_growth_doubles_the_text_up_to_the_last_size() -> None:
    seen: list[int] = []
    growth = doubled(lambda text: seen.append(len(text)), SHAPES["blank lines"], 5_000, 10_000)
    assert sorted({round(length, -3) for length in seen}) == [5_000, 10_000]
    assert growth.sizes == (5_000, 10_000)
