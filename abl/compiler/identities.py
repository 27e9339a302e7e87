"""Finds objects by their identity, in a sixth of the memory that a dictionary takes for it."""

from __future__ import annotations

from array import array
from bisect import bisect_right


class Identities:
    """The positions of the objects of a list that grows; as the list holds them, no identity is given out twice.

    What was added since the last question is sorted when the next one is asked, and joined with runs of its size.
    """

    __slots__ = ("_objects", "_runs", "_seen")

    def __init__(self, objects: list[dict[str, object]]) -> None:
        self._objects = objects
        self._seen = 0
        self._runs: list[tuple[array[int], array[int]]] = []

    def position(self, one: object) -> int:
        """Return the last position of `one`, -1 when it is not in the list."""
        if self._seen < len(self._objects):
            self._sort()
        wanted = id(one)
        for identities, positions in reversed(self._runs):
            at = bisect_right(identities, wanted) - 1
            if at >= 0 and identities[at] == wanted:
                return positions[at]
        return -1

    def _sort(self) -> None:
        objects, runs = self._objects, self._runs
        positions = array("L", range(self._seen, len(objects)))
        self._seen = len(objects)
        while runs and len(runs[-1][1]) <= len(positions):
            positions = runs.pop()[1] + positions
        ordered = array("L", sorted(positions, key=lambda at: id(objects[at])))
        runs.append((array("Q", (id(objects[at]) for at in ordered)), ordered))
