"""What formatting changes, as a unified diff: in time that grows with the text, whatever stands in it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import Match, SequenceMatcher
from itertools import groupby, pairwise

CONTEXT = 3
"""Lines shown around a change."""
NO_END = "\\ No newline at end of file\n"


class _Layouts(SequenceMatcher[str]):
    """Two layouts of one text, by line.

    A layout changes space within lines, and adds and takes blank ones: the n-th line with content is the same line
    in both. A search for the longest common part, as it is made otherwise, takes the square of the changes.
    """

    def __init__(self, old: list[str], new: list[str]) -> None:
        """Compare two lists of lines."""
        super().__init__(None, old, new, autojunk=False)
        self.old = old
        self.new = new

    def get_matching_blocks(self) -> list[Match]:
        """Return where the same lines stand in a row, and an empty row at the end."""
        old, new = self.old, self.new
        places = [[at for at, line in enumerate(lines) if line.strip()] for lines in (old, new)]
        if len(places[0]) != len(places[1]):
            return super().get_matching_blocks()
        pairs = enumerate(_same(old, new, list(zip(*places, strict=True))))
        runs = groupby(pairs, lambda one: (one[1][0] - one[0], one[1][1] - one[0]))
        blocks = [[pair for _, pair in run] for _, run in runs]
        return [*(Match(*run[0], len(run)) for run in blocks), Match(len(old), len(new), 0)]


def _same(old: list[str], new: list[str], lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the places of lines that are equal: of those with content, and of blank ones behind each of them."""
    for (i, j), (i_end, j_end) in pairwise([(-1, -1), *lines, (len(old), len(new))]):
        first = 0 if i >= 0 else 1
        for step in range(first, min(i_end - i, j_end - j)):
            if old[i + step] == new[j + step]:
                yield i + step, j + step


def unified_diff(path: str, before: str, after: str) -> str:
    """Return the changes from one layout of a text to another, empty when there are none."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    shown = [f"--- {path}\n", f"+++ {path}\n"]
    for group in _Layouts(old, new).get_grouped_opcodes(CONTEXT):
        (_, i, _, j, _), (_, _, i_end, _, j_end) = group[0], group[-1]
        shown.append(f"@@ -{_range(i, i_end)} +{_range(j, j_end)} @@\n")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                shown.extend(f" {line}" for line in old[i1:i2])
            else:
                shown.extend(f"-{line}" for line in old[i1:i2])
                shown.extend(f"+{line}" for line in new[j1:j2])
    if len(shown) == 2:
        return ""
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}" for line in shown)


def _range(first: int, end: int) -> str:
    """Return the lines `first` to `end` (0-based, half open) as a hunk names them."""
    length = end - first
    if length == 1:
        return str(first + 1)
    return f"{first + 1 if length else first},{length}"
