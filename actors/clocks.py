"""The real clock and the real source of ids."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from domain.clock import Clock
from domain.ids import CUID_CHARS

RANDOM_BYTES = (CUID_CHARS - 1) // 2


class SystemClock:
    """Tells the time of this machine. Satisfies `domain.clock.Clock`."""

    def now(self) -> datetime:
        """Return the moment as an aware UTC datetime."""
        return datetime.now(UTC)


class StoreClock:
    """The database's clock, as far as this process was told it, and its own counter in between.

    Hosts that go by it agree, whatever the clocks of their machines say, and it never goes back. Satisfies
    `domain.clock.Clock`. Decision: 0048.
    """

    def __init__(self, otherwise: Clock) -> None:
        """`otherwise` says the time for as long as nothing was told."""
        self._otherwise = otherwise
        self._began: datetime | None = None

    def told(self, at: datetime) -> None:
        """Note what the database's clock said a moment ago."""
        began = at - timedelta(seconds=time.monotonic())
        self._began = began if self._began is None else max(began, self._began)

    def now(self) -> datetime:
        """Return the moment as an aware UTC datetime, a round trip late at the most."""
        return self._otherwise.now() if self._began is None else self._began + timedelta(seconds=time.monotonic())


class RandomIds:
    """Ids of 24 random signs: hexadecimal ones, which are quickly made. Satisfies `domain.clock.IdSource`."""

    def new(self, prefix: str) -> str:
        """Return a new id `<prefix>_<cuid>`; without a prefix the bare CUID."""
        text = secrets.token_hex(RANDOM_BYTES)
        return f"{prefix}_c{text}" if prefix else f"c{text}"

    def uuid(self) -> str:
        """Return a new UUID."""
        return str(uuid4())
