"""One side of a link: an asyncio protocol that joins the frames written in one turn of the loop into one send."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import cast

from actors.link.frames import BrokenFrame, Frame, FrameKind, FrameReader, frame

MAX_UNSENT_BYTES = 8 * 1024 * 1024
"""What may wait to be sent before the peer counts as not keeping up."""


class Connection(asyncio.Protocol, ABC):
    """Cuts incoming bytes into frames for `received`, and tells `lost` once when the peer has gone."""

    def __init__(self) -> None:
        self._frames = FrameReader()
        self._unsent: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @abstractmethod
    def received(self, one: Frame) -> None:
        """Take one frame; the two sides of a link say what to do with it."""

    @abstractmethod
    def lost(self) -> None:
        """The connection is gone."""

    @property
    def is_open(self) -> bool:
        """Whether frames can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    @property
    def keeps_up(self) -> bool:
        """Whether the peer reads about as fast as we write."""
        return self._transport is not None and self._transport.get_write_buffer_size() < MAX_UNSENT_BYTES

    def send(self, kind: FrameKind, number: int, payload: bytes = b"") -> None:
        """Send a frame with everything else that is sent in this turn of the loop; dropped when the peer has gone."""
        if self._loop is None or not self.is_open:
            return
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent.append(frame(kind, number, payload))

    def close(self) -> None:
        """Send what waits and close."""
        if self._transport is not None:
            self._flush()
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the transport."""
        self._transport = cast("asyncio.Transport", transport)
        self._loop = asyncio.get_running_loop()

    def data_received(self, data: bytes) -> None:
        """Hand on the frames that are complete; a peer that speaks another protocol is cut off."""
        try:
            for one in self._frames.feed(data):
                self.received(one)
        except BrokenFrame:
            if self._transport is not None:
                self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the side that the peer has gone."""
        self._unsent.clear()
        self.lost()

    def _flush(self) -> None:
        if self._unsent and self.is_open and self._transport is not None:
            self._transport.write(b"".join(self._unsent))
        self._unsent.clear()
