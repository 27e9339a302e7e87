"""How the texts of the corpus are cut into cases, and how their results are kept small."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus import CORPUS, cases, difference, expected, without_markers, written


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for area in ("realworld", "broken", "yaml"):
        (tmp_path / area).mkdir()
    return tmp_path


def test_a_text_of_several_agents_becomes_several_cases(root: Path) -> None:
    (root / "realworld" / "two.abl").write_text("AGENT: A\nGOAL: x\nAGENT: B\nGOAL: y\n", encoding="utf-8")
    found = cases(root)
    assert [case.name for case in found] == ["realworld/two.1", "realworld/two.2"]
    assert [case.sidecar.name for case in found] == ["two.1.expected.json", "two.2.expected.json"]
    assert found[1].text == "AGENT: B\nGOAL: y\n"


def test_a_broken_text_is_read_whole_and_without_its_markers(root: Path) -> None:
    (root / "broken" / "two.abl").write_text("AGENT: A\nAGENT: B #! DUPLICATE_SECTION\n", encoding="utf-8")
    (case,) = cases(root)
    assert case.text == "AGENT: A\nAGENT: B\n"
    assert case.complaints == ((2, "DUPLICATE_SECTION"),)


def test_line_ends_survive_reading(root: Path) -> None:
    (root / "realworld" / "crlf.abl").write_bytes(b"AGENT: A\r\nGOAL: x\r")
    assert cases(root)[0].text == "AGENT: A\r\nGOAL: x\r"


def test_several_codes_may_stand_on_one_line() -> None:
    assert without_markers("a #! ONE TWO\nb") == ("a\nb", ((1, "ONE"), (1, "TWO")))


@pytest.mark.parametrize(
    ("value", "base", "found"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 2}}),
        ({"a": [1, 2]}, {"a": [1]}, {"a": [1, 2]}),
        ({}, {"a": 1}, {"absent": ["a"]}),
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1}, {"a": 1}, {}),
    ],
)
def test_only_what_differs_is_kept(value: dict, base: dict, found: dict) -> None:
    assert difference(value, base) == found


def test_a_sidecar_has_one_line_for_each_kind_of_result(root: Path) -> None:
    (root / "yaml" / "a.yaml").write_text("agent: A\n", encoding="utf-8")
    (case,) = cases(root)
    assert expected(case) == {}
    found = {"document": {"name": "Ä"}, "parse": []}
    assert written(found) == '{\n"document": {"name": "Ä"},\n"parse": []\n}\n'
    case.sidecar.write_text(written(found), encoding="utf-8")
    assert expected(case) == found


def test_the_names_of_the_cases_are_unique() -> None:
    names = [case.name for case in cases()]
    assert len(names) == len(set(names))
    assert CORPUS.is_dir()
