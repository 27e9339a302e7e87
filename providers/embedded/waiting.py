"""Whether the local model can be asked now: its file is there, it is loaded, and not too many wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from domain.model_calls import MODEL_NOT_READY
from providers.embedded.llm_server import SLOTS
from providers.embedded.weights import MEGABYTE, get_weights, weights_here
from providers.failures import ModelCallFailed

LOADING_S: Final = 20.0
"""How long a call waits for a process that is being started: the 0.5B model is loaded in 2 to 6 s."""
LOOK_S: Final = 0.1
CONNECT_S: Final = 1.0
HEALTH: Final = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
MAX_WAITING: Final = 16
"""Calls of one host that wait for a free slot; at 30 tokens a second each of them waits for seconds."""
OTHERS: Final = "Or set a key such as ANTHROPIC_API_KEY, or ABL_MODEL_URL, and start again."


class Waiting:
    """Looks whether one local model can be asked."""

    def __init__(self, url: str, path: Path, weights: str) -> None:
        address = urlsplit(url)
        self._host, self._port = address.hostname or "", address.port or 0
        self._path = path
        self._weights = weights
        self._is_here = False

    async def until_ready(self) -> None:
        """Return once the process takes requests.

        Raises:
            ModelCallFailed: Its file is not there, or it is not loaded in time; the message says how far it is.
        """
        if not self._is_here:
            if sentence := await asyncio.to_thread(self._missing):
                raise ModelCallFailed(MODEL_NOT_READY, sentence, retryable=False)
            self._is_here = True
        give_up_s = monotonic() + LOADING_S
        while not await self._is_loaded():
            if monotonic() > give_up_s:
                raise ModelCallFailed(
                    MODEL_NOT_READY, "The embedded model is being loaded; try again in a few seconds.", retryable=False
                )
            await asyncio.sleep(LOOK_S)

    def _missing(self) -> str:
        """Return what is missing of the file, as a sentence; empty when it is there."""
        if not self._weights:
            return "" if self._path.exists() else f"The file of the embedded model is gone: {self._path}."
        here = weights_here(self._path.parent, get_weights(self._weights))
        if here.state == "ready":
            return ""
        megabytes = here.weights.size_bytes // MEGABYTE
        if here.state == "pulling":
            return (
                f"The embedded model is being downloaded: {here.percent} % of {megabytes} MB. "
                f"Try again in a minute. {OTHERS}"
            )
        return (
            f"The embedded model is not here ({here.percent} % of {megabytes} MB): run "
            f"`abl models pull --size {here.weights.size}`. {OTHERS}"
        )

    async def _is_loaded(self) -> bool:
        """Return whether the process says that it takes requests; it listens while it is still loading."""
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await asyncio.open_connection(self._host, self._port)
                writer.write(HEALTH)
                status = await reader.readline()
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError):
            return False
        return status.split(b" ")[1:2] == [b"200"]


async def always_ready() -> None:
    """Return at once: of a model that is somewhere else."""


class Queue:
    """The calls of one host: as many at once as the process has slots, a bounded number behind them."""

    def __init__(self, slots: int = SLOTS, max_waiting: int = MAX_WAITING) -> None:
        self._slots = asyncio.Semaphore(slots)
        self._room = slots + max_waiting

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold a slot.

        Raises:
            ModelCallFailed: Too many wait already.
        """
        if not self._room:
            raise ModelCallFailed(
                "llm_rate_limited", "Too many conversations wait for the embedded model", retryable=False
            )
        self._room -= 1
        try:
            async with self._slots:
                yield
        finally:
            self._room += 1
