"""Finds in the source what a document says: words at offsets, and values whose spacing the parser has changed."""

from __future__ import annotations

from bisect import bisect_right

MAX_SEARCHED = 2_000
"""Characters of a line that are searched for a name."""


class Spots:
    """A normalised text in which things are found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._comments: list[tuple[int, int]] | None = None

    def word(self, name: str, at: int) -> int | None:
        """Return where `name` stands as a whole word: at `at`, or later on the same line."""
        text = self.text
        if self._is_word(name, at):
            return at
        stop = text.find("\n", at, at + MAX_SEARCHED)
        stop = stop if stop >= 0 else min(len(text), at + MAX_SEARCHED)
        found = text.find(name, at, stop)
        while found >= 0:
            if self._is_word(name, found):
                return found
            found = text.find(name, found + 1, stop)
        return None

    def last_word(self, name: str, start: int, stop: int) -> int | None:
        """Return where `name` last stands as a whole word between two offsets."""
        found = self.text.rfind(name, max(start, stop - MAX_SEARCHED), stop)
        return found if found >= 0 and self._is_word(name, found) else None

    def _is_word(self, name: str, at: int) -> bool:
        text = self.text
        if not text.startswith(name, at):
            return False
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        return not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_")

    def aligned(self, value: str, at: int) -> range | list[int] | None:
        """Return the offset of every character of `value`, which begins at `at` with possibly other spacing."""
        text = self.text
        if text.startswith(value, at):
            return range(at, at + len(value))
        places: list[int] = []
        place, size = at, len(text)
        for sign in value:
            if sign.isspace():
                places.append(place)
                while place < size and text[place].isspace():
                    place += 1
                continue
            while place < size and text[place].isspace():
                place += 1
            if place >= size or text[place] != sign:
                return None
            places.append(place)
            place += 1
        return places

    def comments(self, offset: int) -> bool:
        """Return whether `offset` stands on a comment line."""
        if self._comments is None:
            self._comments = self._comment_lines()
        index = bisect_right(self._comments, (offset, len(self.text))) - 1
        return index >= 0 and offset < self._comments[index][1]

    def _comment_lines(self) -> list[tuple[int, int]]:
        found, start = [], 0
        for line in self.text.split("\n"):
            if line.lstrip().startswith(("#", "//")):
                found.append((start, start + len(line)))
            start += len(line) + 1
        return found
