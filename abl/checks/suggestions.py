"""Findings about a reference to something unknown: one way to say it and to offer the near name."""

from __future__ import annotations

from collections.abc import Iterable

from abl.checks.blocks import Block
from abl.checks.finding import Finding
from abl.diagnostics.suggest import closest

MAX_LISTED = 12


def unknown(code: str, block: Block, field: str, word: str, candidates: Iterable[str], **arguments: str) -> Finding:
    """Return the finding that `word` is unknown; a near candidate becomes its suggestion and its fix."""
    known = [name for name in dict.fromkeys(candidates) if name]
    near = closest(word, known) or ""
    said = {"name": word, "known": listed(known), "suggestion": near, **arguments}
    return Finding(code, block, field, word, near, said)


def listed(names: Iterable[str]) -> str:
    """Return names as a comma list, cut when it is long."""
    known = list(names)
    shown = ", ".join(known[:MAX_LISTED])
    return f"{shown} and {len(known) - MAX_LISTED} more" if len(known) > MAX_LISTED else shown
