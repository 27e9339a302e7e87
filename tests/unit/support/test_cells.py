"""A test over many cases tries each and tells of every one that fails."""

from __future__ import annotations

import asyncio
import inspect
from itertools import count

import pytest

from tests.support.cells import over


def test_all_cases_are_tried_and_those_that_fail_are_told_by_name() -> None:
    tried = []

    @over("number", [1, 2, 3, 4])
    def is_odd(number: int) -> None:
        tried.append(number)
        assert number % 2 == 1, f"{number} is even"

    with pytest.raises(AssertionError) as told:
        is_odd()
    assert tried == [1, 2, 3, 4]
    first, two, four = [line for line in str(told.value).splitlines() if " is even" in line or "cases" in line]
    assert first == "2 of 4 cases:"
    assert two.startswith("2: test_cells.py:")
    assert two.endswith("2 is even")
    assert four.startswith("4: test_cells.py:")
    assert str(told.value.__cause__).startswith("2 is even")


def test_what_is_no_assertion_is_told_too() -> None:
    @over("text", ["1", "one"])
    def is_a_number(text: str) -> None:
        assert int(text)

    with pytest.raises(AssertionError, match="one: test_cells.py:[0-9]+: ValueError"):
        is_a_number()


def test_names_are_given_for_each_case_or_made_of_it() -> None:
    def fails(one: int) -> None:
        raise KeyError(one)

    with pytest.raises(AssertionError, match="\none: "):
        over("one", [1], ids=["one"])(fails)()
    with pytest.raises(AssertionError, match="\nNo. 1: "):
        over("one", [1], ids=lambda one: f"No. {one}")(fails)()


def test_several_parameters_and_several_lists_make_every_pair() -> None:
    seen = []

    @over("c", [5, 6])
    @over(("a", "b"), [(1, 2), (3, 4)])
    def note(a: int, b: int, c: int) -> None:
        seen.append((a, b, c))

    note()
    assert seen == [(1, 2, 5), (3, 4, 5), (1, 2, 6), (3, 4, 6)]
    assert note.cases == 4


def test_what_is_no_parameter_of_a_case_stays_a_fixture_or_is_made_anew_for_each() -> None:
    numbers, seen = count(1), []

    @over("case", ["a", "b"], fresh={"number": lambda: next(numbers), "other": list})
    def note(tmp_path: str, case: str, number: int) -> None:
        seen.append((tmp_path, case, number))

    assert list(inspect.signature(note).parameters) == ["tmp_path"]
    note(tmp_path="folder")
    assert seen == [("folder", "a", 1), ("folder", "b", 2)]


def test_a_coroutine_stays_one() -> None:
    @over("number", [1, 2])
    async def is_odd(number: int) -> None:
        await asyncio.sleep(0)
        assert number % 2 == 1, "even"

    assert inspect.iscoroutinefunction(is_odd)
    with pytest.raises(AssertionError, match="1 of 2 cases:\n2: .*even"):
        asyncio.run(is_odd())


def test_no_case_at_all_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="nothing has no case"):

        @over("one", [])
        def nothing(one: int) -> None: ...
