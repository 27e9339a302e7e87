from __future__ import annotations

from pathlib import Path

import pytest

from tools.assertions import assertions, helpers_that_assert

MODULE = """
import pytest

def check(reply):
    assert reply

def unused(reply):
    assert reply

def inner(reply):
    check(reply)

def test_both():
    inner(1)
    with pytest.raises(ValueError):
        int("a")
    assert 1

def test_helped(page):
    shared(1)

def test_nothing():
    print(1)
"""
HELPERS = """
def shared(one):
    assert one

def silent(one):
    return one
"""


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("test_both", {("test_it.py", 5), ("test_it.py", 15), ("test_it.py", 17)}),
        ("test_helped", {("helpers.py", 3)}),
        ("test_nothing", set()),
    ],
)
def test_assertions_are_found_in_a_test_and_in_the_helpers_that_it_uses(
    tmp_path: Path, name: str, places: set[tuple[str, int]]
) -> None:
    folder = tmp_path / "support"
    folder.mkdir()
    (folder / "helpers.py").write_text(HELPERS, encoding="utf-8")
    test = tmp_path / "test_it.py"
    test.write_text(MODULE, encoding="utf-8")
    shared = helpers_that_assert(folder)
    assert set(shared) == {"shared"}
    assert {(path.name, line) for path, line in assertions(test, name, shared)} == places
