"""Which sessions of a host are packed, and when: those that have been quiet for a while take a sixth of the room.

A session is in line from its last message on, oldest first, and leaves the line when it is packed, used again or gone;
so a look costs as much as there is to pack, however many sessions sleep.
"""

from __future__ import annotations

import time

from actors.grain import Grain

DOZE_AFTER_S = 5.0
"""How long a session is quiet before it is packed, and its last output is held no more."""
LOOK_S = 0.25
"""Between two looks at the line."""
DOZE_AT_ONCE = 250
"""Sessions packed in one look, which keeps the loop for about 15 ms; 1,000 a second, more than a host has turns."""


class Dozing:
    """The sessions of one host that are not packed, in the order in which they were last used."""

    def __init__(self) -> None:
        self._line: dict[str, tuple[Grain, float]] = {}
        self._followed: dict[str, Grain] = {}

    def used(self, grain: Grain) -> None:
        """Put a session at the end of the line."""
        self._line.pop(grain.session_id, None)
        self._line[grain.session_id] = grain, time.monotonic()

    def forget(self, session_id: str) -> None:
        """Have nothing to do with a session any more."""
        self._line.pop(session_id, None)
        self._followed.pop(session_id, None)

    def clear(self) -> None:
        """Have nothing to do with any session any more."""
        self._line.clear()
        self._followed.clear()

    def pack(self) -> int:
        """Pack what has been quiet for `DOZE_AFTER_S`, at most `DOZE_AT_ONCE`; return how many were.

        One that is busy goes to the end of the line.
        """
        long_ago_s = time.monotonic() - DOZE_AFTER_S
        due: list[Grain] = []
        for grain, used_s in self._line.values():
            if used_s > long_ago_s or len(due) == DOZE_AT_ONCE:
                break
            due.append(grain)
        packed = 0
        for grain in due:
            if grain.is_busy:
                self.used(grain)
                continue
            del self._line[grain.session_id]
            packed += 1
            if grain.body.doze():
                self._followed[grain.session_id] = grain
        return packed

    def let_output_go(self) -> None:
        """Drop the output that packed sessions hold for a page, where no page will come back for it any more."""
        for session_id, grain in list(self._followed.items()):
            if grain.is_busy or not grain.body.doze():
                del self._followed[session_id]
