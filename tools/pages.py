"""Pages that a tool keeps current: written, or with `--check` only looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def write_or_check(page: Path, current: Callable[[str], str], stale: str) -> int:
    """Write a page as `current` makes it of itself; with `--check` print `stale` and return 1 when that changes it."""
    text = page.read_text(encoding="utf-8")
    fresh = current(text)
    if "--check" in sys.argv:
        if fresh != text:
            print(stale)
        return int(fresh != text)
    page.write_text(fresh, encoding="utf-8")
    return 0
