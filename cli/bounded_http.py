"""HTTP/1.1 with bounds on the head of a request: how long it may be, and how long it may take.

uvicorn's fast parser has neither, so a head without end would fill the memory, and a slow one hold its connection for
ever. Refused with 400, as every request that cannot be read. Spec: platform-api 17; RFC 9112, section 2.2.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from domain import limits

HEAD_MAX_BYTES: Final = 64 * limits.KIB
HEAD_WAIT_S: Final = 30.0
"""From the connection, or from the first byte of a later request on it, to the end of the head."""
TOO_LARGE: Final = "Request head too large"


class HeadTooLarge(ValueError):
    """The head of a request is beyond its bound; the parser gives the message up."""


class BoundedHttp(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._in_head = True
        self._head_bytes = 0
        self._unparsed_bytes = 0
        self._head_end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._forget_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has come; a piece of a head that goes on counts against its bound."""
        self._unparsed_bytes += len(data)
        super().data_received(data)
        if not self._in_head:
            self._unparsed_bytes = 0
        elif self._unparsed_bytes > HEAD_MAX_BYTES and not self.transport.is_closing():
            self.send_400_response(TOO_LARGE)

    def on_message_begin(self) -> None:
        """Begin a head."""
        self._in_head = True
        self._head_bytes = 0
        if self._head_end is None:
            self._expect_head()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count a piece of the target. Raises HeadTooLarge."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header. Raises HeadTooLarge."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """End the head."""
        self._in_head = False
        self._forget_head()
        super().on_headers_complete()

    def _count(self, size_bytes: int) -> None:
        self._head_bytes += size_bytes
        if self._head_bytes > HEAD_MAX_BYTES:
            raise HeadTooLarge(TOO_LARGE)

    def _expect_head(self) -> None:
        self._head_end = self.loop.call_later(HEAD_WAIT_S, self._give_up)

    def _forget_head(self) -> None:
        if self._head_end is not None:
            self._head_end.cancel()
            self._head_end = None

    def _give_up(self) -> None:
        self._head_end = None
        if self.transport.is_closing():
            return
        if self._unparsed_bytes:
            self.send_400_response("Request head took too long")
        else:
            self.transport.close()
