"""The real clock and the real source of ids."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from domain.ids import CUID_CHARS

SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANDOM_BITS = 128


class SystemClock:
    """Tells the time of this machine. Satisfies `domain.clock.Clock`."""

    def now(self) -> datetime:
        """Return the moment as an aware UTC datetime."""
        return datetime.now(UTC)


class RandomIds:
    """Ids of 24 random signs. Satisfies `domain.clock.IdSource`."""

    def new(self, prefix: str) -> str:
        """Return a new id `<prefix>_<cuid>`; without a prefix the bare CUID."""
        number = secrets.randbits(_RANDOM_BITS)
        text = ""
        while len(text) < CUID_CHARS - 1:
            number, place = divmod(number, len(SIGNS))
            text += SIGNS[place]
        return f"{prefix}_c{text}" if prefix else f"c{text}"
