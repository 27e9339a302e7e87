"""The real clock and the real source of ids."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from uuid import uuid4

from domain.ids import CUID_CHARS

RANDOM_BYTES = (CUID_CHARS - 1) // 2


class SystemClock:
    """Tells the time of this machine. Satisfies `domain.clock.Clock`."""

    def now(self) -> datetime:
        """Return the moment as an aware UTC datetime."""
        return datetime.now(UTC)


class RandomIds:
    """Ids of 24 random signs: hexadecimal ones, which are quickly made. Satisfies `domain.clock.IdSource`."""

    def new(self, prefix: str) -> str:
        """Return a new id `<prefix>_<cuid>`; without a prefix the bare CUID."""
        text = secrets.token_hex(RANDOM_BYTES)
        return f"{prefix}_c{text}" if prefix else f"c{text}"

    def uuid(self) -> str:
        """Return a new UUID."""
        return str(uuid4())
