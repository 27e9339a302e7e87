"""Server-sent events: bytes -> the data of each event. Pure and incremental; knows nothing of HTTP."""

from __future__ import annotations

from typing import Final

MAX_EVENT_BYTES: Final = 4 << 20


class EventTooLarge(ValueError):
    """One event is longer than `MAX_EVENT_BYTES`."""


class SseReader:
    """Collects the `data` of events; comments, names and ids of events are passed over."""

    __slots__ = ("_data", "_rest", "_size")

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the events that `chunk` completes.

        Raises:
            EventTooLarge: An event outgrows its limit.
        """
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        events: list[bytes] = []
        for line in lines:
            self._line(line.removesuffix(b"\r"), events)
        if len(self._rest) + self._size > MAX_EVENT_BYTES:
            raise EventTooLarge(f"An event is longer than {MAX_EVENT_BYTES} bytes")
        return events

    def finish(self) -> list[bytes]:
        """Return what stands in the last event when the stream ends without an empty line."""
        events: list[bytes] = []
        self._line(self._rest.removesuffix(b"\r"), events)
        self._line(b"", events)
        self._rest = b""
        return events

    def _line(self, line: bytes, events: list[bytes]) -> None:
        if not line:
            if self._data:
                events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
                self._data = []
                self._size = 0
        elif line.startswith(b"data:"):
            value = line[6:] if line[5:6] == b" " else line[5:]
            self._data.append(value)
            self._size += len(value)
