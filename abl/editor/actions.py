"""Code actions: the fixes of findings, as changes an editor can make."""

from __future__ import annotations

from dataclasses import dataclass

from abl.diagnostics.model import Diagnostic, Edit
from abl.editor.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Action:
    """One change that mends findings."""

    title: str
    edits: tuple[Edit, ...]
    mends: tuple[Diagnostic, ...]


def code_actions(workspace: Workspace, path: str, offset: int, length: int = 0) -> list[Action]:
    """Return the fixes of what is found within `length` characters at `offset`."""
    stop = offset + length
    made = []
    for one in workspace.diagnostics(path):
        if one.fix is None or not one.fix.edits or one.offset is None:
            continue
        if one.offset <= stop and offset <= one.offset + max(one.length, 1):
            title = one.fix.title
            made.append(Action(title[:1].upper() + title[1:], one.fix.edits, (one,)))
    return made


def fix_all(workspace: Workspace, path: str) -> Action | None:
    """Return all fixes of a file that do not touch each other, as one change."""
    edits: list[Edit] = []
    mends: list[Diagnostic] = []
    for one in workspace.diagnostics(path):
        if one.fix is not None and one.fix.edits and not _touches(edits, one.fix.edits):
            edits.extend(one.fix.edits)
            mends.append(one)
    return Action("Mend everything that can be mended", tuple(edits), tuple(mends)) if mends else None


def _touches(known: list[Edit], new: tuple[Edit, ...]) -> bool:
    return any(
        one.offset <= other.offset + other.length and other.offset <= one.offset + one.length
        for one in new
        for other in known
    )
