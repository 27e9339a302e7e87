"""What every line is, by indentation and schema."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from abl.outline import Outline, Role, outline
from abl.source import Source
from tests.support.cells import over
from tests.support.repository import ROOT

HEAD = "AGENT: A\nGOAL: x\n"


def read(text: str) -> Outline:
    return outline(Source(text))


def shown(text: str) -> list[tuple[int, str, str]]:
    """Return depth, role and property (or class of the body) of every line below the head."""
    made = read(HEAD + text)
    return [
        (made.depths[k], str(one.role), one.row.key if one.row is not None else "")
        for k, one in enumerate(made.entries)
        if k > 1
    ]


@over("path", sorted((ROOT / "examples").rglob("*.abl")), ids=lambda path: path.stem)
def test_every_line_has_a_place(path: Path) -> None:
    made = read(path.read_text(encoding="utf-8"))
    count = len(made.lines)
    assert len(made.entries) == len(made.depths) == len(made.parents) == len(made.bodies) == count
    assert all(made.parents[k] < k for k in range(count))
    assert all(0 <= one.start <= one.stop <= len(made.lines.texts[k]) for k, one in enumerate(made.entries))


def test_steps_and_their_properties() -> None:
    assert shown("FLOW:\n  entry_point: s\n  s -> t\n  s:\n    ON_INPUT:\n      - IF: a\n        THEN: t\n") == [
        (0, "section", "FLOW"), (1, "property", "entry_point"), (1, "text", ""), (1, "step", ""),
        (2, "property", "ON_INPUT"), (3, "branch", "IF"), (4, "property", "THEN"),
    ]  # fmt: skip


def test_a_dash_list_in_the_column_of_its_key_belongs_to_it() -> None:
    text = "FLOW:\n  s:\n    ON_INPUT:\n    - IF: a\n      THEN: t\n    THEN: u\n"
    assert [depth for depth, _, _ in shown(text)] == [0, 1, 2, 3, 4, 2]


def test_lines_under_the_key_of_an_item_are_told_from_those_of_the_item() -> None:
    text = "FLOW:\n  s:\n    DIGRESSIONS:\n      - DO:\n          - RESUME\n        INTENT: a\n"
    assert [depth for depth, _, _ in shown(text)] == [0, 1, 2, 3, 5, 4]


def test_text_is_kept_as_text() -> None:
    made = read("AGENT: A\nGOAL:\n  one: two\n    deeper\nVERSION: 1\n")
    assert made.kept == {1: (2, 4)}
    assert [one.role for one in made.entries] == [Role.SECTION, Role.SECTION, Role.TEXT, Role.TEXT, Role.SECTION]


def test_a_signature_over_several_lines_is_one_tool() -> None:
    made = read("TOOLS:\n  f(\n    code: string\n  ) -> object\n    code: x\n")
    assert [one.role for one in made.entries] == [Role.SECTION, Role.TOOL, Role.TEXT, Role.TEXT, Role.PROPERTY]


def test_siblings_are_the_lines_of_the_same_body() -> None:
    made = read(HEAD + "HANDOFF:\n  - TO: A\n    WHEN: a\n    CONTEXT:\n      pass: [b]\n    RETURN: true\n  - TO: B\n")
    k = made.lines.texts.index("WHEN: a")
    assert [made.lines.texts[j] for j in made.siblings(k)] == ["- TO: A", "WHEN: a", "CONTEXT:", "RETURN: true"]
    assert [made.lines.texts[j] for j in made.ancestors(k)] == ["- TO: A", "HANDOFF:"]


@given(st.text(alphabet=" \n\t:-|>#\"'[]{}()AGENTFLOWSIFa", max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    made = read(HEAD + text)
    assert len(made.entries) == len(made.lines)
