"""Texts with a `^` where the cursor stands, in a workspace of one project."""

from __future__ import annotations

from collections.abc import Mapping

from abl.editor import Workspace

PATH = "desk/agents/desk.agent.abl"
HEAD = """AGENT: Desk
GOAL: x
"""


def cut(text: str) -> tuple[str, int]:
    """Return a text without its cursor, and the offset of the cursor."""
    offset = text.index("^")
    return text[:offset] + text[offset + 1 :], offset


def scene(text: str, others: Mapping[str, str] | None = None) -> tuple[Workspace, str, int]:
    """Return a workspace whose file PATH holds `text`, with the path and the offset of the cursor."""
    plain, offset = cut(text)
    workspace = Workspace()
    workspace.update(PATH, plain)
    for name, other in (others or {}).items():
        workspace.update(f"desk/{name}", other)
    return workspace, PATH, offset


def names(text: str) -> tuple[Workspace, str]:
    """Return a workspace with one file and its path."""
    workspace = Workspace()
    workspace.update(PATH, text)
    return workspace, PATH
