"""The locks agree with `pyproject.toml` and with each other."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.support.repository import ROOT
from tools.lock import APART, LOCKS, OPTIONAL, distribution, lock_path, wanted, wanted_of_extras

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PIN = re.compile(r"^([\w.-]+)==(\S+)(?: ; [^\\]+)?( \\)?$", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    return {distribution(found[1]): found[2] for found in PIN.finditer(lock_path(name).read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", LOCKS)
def test_everything_wanted_is_pinned(name: str) -> None:
    missing = {distribution(requirement) for requirement in wanted(PYPROJECT, LOCKS[name])} - pins(name).keys()
    assert not missing, "run `make lock`"


@pytest.mark.parametrize("name", OPTIONAL)
def test_a_lock_beside_them_pins_what_it_is_for_and_nothing_otherwise(name: str) -> None:
    missing = {distribution(one) for one in wanted_of_extras(PYPROJECT, OPTIONAL[name])} - pins(name).keys()
    assert not missing, "run `make lock`"
    everything = pins(list(LOCKS)[-1])
    assert {one: version for one, version in pins(name).items() if everything.get(one, version) != version} == {}


@pytest.mark.parametrize("name", APART)
def test_a_lock_of_a_folder_of_its_own_pins_what_it_is_for(name: str) -> None:
    missing = {distribution(one) for one in wanted_of_extras(PYPROJECT, APART[name])} - pins(name).keys()
    assert not missing, "run `make lock`"


@pytest.mark.parametrize("name", [*LOCKS, *OPTIONAL, *APART])
def test_every_pin_has_hashes_and_nothing_else_stands_there(name: str) -> None:
    lines = lock_path(name).read_text(encoding="utf-8").splitlines()
    other = [
        line
        for line in lines
        if not re.match(r"#|[\w.-]+==\S+ (?:; .*)?\\$|    --hash=sha256:[0-9a-f]{64}( \\)?$", line)
    ]
    unhashed = [
        line
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
        if "==" in line and "--hash" not in following
    ]
    assert not other
    assert not unhashed


def test_each_lock_contains_the_one_before_it_with_the_same_pins() -> None:
    base, test, everything = (pins(name) for name in LOCKS)
    assert base.items() <= test.items() <= everything.items()
