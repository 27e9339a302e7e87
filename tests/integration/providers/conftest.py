"""The clock and the event loop of the unit tests of the providers."""

from __future__ import annotations

from tests.unit.providers.conftest import anyio_backend, time

__all__ = ["anyio_backend", "time"]
