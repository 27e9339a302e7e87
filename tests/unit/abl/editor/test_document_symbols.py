"""The outline of a file."""

from __future__ import annotations

from abl.editor import Heading, document_symbols
from tests.support.cursor_texts import HEAD, names


def tree(text: str) -> dict[str, list[str]]:
    workspace, path = names(text)
    file = workspace.file(path)
    assert file is not None
    found = document_symbols(file)
    for one in found:
        check(file.text, one)
    return {one.name: [child.name for child in one.children] for one in found}


def check(text: str, one: Heading) -> None:
    """A name lies within its heading, a child within its parent."""
    assert one.offset <= one.name_offset
    assert one.name_offset + one.name_length <= one.offset + one.length <= len(text)
    for child in one.children:
        assert one.offset <= child.offset
        assert child.offset + child.length <= one.offset + one.length
        check(text, child)


def test_sections_hold_what_they_name() -> None:
    text = HEAD + (
        "TOOLS:\n  find(a: string)\n    description: d\nGATHER:\n  code:\n    type: string\nFLOW:\n  s:\n    REASONING: false\n"
        "t:\n  REASONING: false\nHANDOFF:\n  - TO: Cards\n    WHEN: x\nTEMPLATE card: hi\n"
    )
    assert tree(text) == {
        "Desk": [], "GOAL": [], "TOOLS": ["find"], "GATHER": ["code"], "FLOW": ["s", "t"], "HANDOFF": ["Cards"], "card": [],
    }  # fmt: skip


def test_a_broken_text_has_an_outline_too() -> None:
    assert tree('FLOW:\n  a:\n    RESPOND: "open\n   b\n  c:\n') == {"FLOW": ["a", "c"]}
    assert tree("") == {}


def test_yaml_shows_its_keys() -> None:
    assert tree("agent: A\ngoal: x\ntools:\n  - a\n") == {"agent": [], "goal": [], "tools": []}
