"""What is handed to the resolver."""

from __future__ import annotations

import pytest

from tools.lock import LOCKS, distribution, wanted

PYPROJECT = {
    "build-system": {"requires": ["setuptools"]},
    "project": {"dependencies": ["rich"], "optional-dependencies": {"lsp": ["pygls"], "dev": ["pytest"]}},
}


def test_the_build_backend_and_the_direct_dependencies_are_always_wanted() -> None:
    assert wanted(PYPROJECT, ()) == ["setuptools", "rich"]


def test_extras_are_added_in_the_order_asked() -> None:
    assert wanted(PYPROJECT, ("lsp", "dev")) == ["setuptools", "rich", "pygls", "pytest"]


def test_a_project_file_without_dependencies_is_refused() -> None:
    with pytest.raises(SystemExit, match="lacks"):
        wanted({"project": {}}, ())


def test_each_lock_has_the_extras_of_the_one_before_it() -> None:
    base, test, everything = LOCKS.values()
    assert set(base) <= set(test) <= set(everything)


@pytest.mark.parametrize(
    ("requirement", "name"),
    [
        ("PyYAML>=6", "pyyaml"),
        ("redis[hiredis]>=8.1", "redis"),
        ("typing_extensions==4.16.0 \\", "typing-extensions"),
        ("tomli; python_version < '3.11'", "tomli"),
    ],
)
def test_a_distribution_has_one_spelling(requirement: str, name: str) -> None:
    assert distribution(requirement) == name
