"""Fixes as code actions."""

from __future__ import annotations

from abl.diagnostics.model import Fix
from abl.editor import code_actions, fix_all
from tests.support.cursor_texts import names

TEXT = "AGENT: Desk\nGAOL: x\nPRESONA: y\n"


def test_a_fix_is_offered_where_the_finding_is() -> None:
    workspace, path = names(TEXT)
    found = code_actions(workspace, path, TEXT.index("GAOL") + 1)
    assert [one.title for one in found] == ["Write `GOAL:`"]
    assert Fix("", found[0].edits).apply(TEXT).startswith("AGENT: Desk\nGOAL: x\n")
    assert code_actions(workspace, path, 0, 2) == []


def test_all_fixes_can_be_made_at_once() -> None:
    workspace, path = names(TEXT)
    every = fix_all(workspace, path)
    assert every is not None
    assert Fix("", every.edits).apply(TEXT) == "AGENT: Desk\nGOAL: x\nPERSONA: y\n"
    clean, path = names("AGENT: Desk\nGOAL: x\n")
    assert fix_all(clean, path) is None
