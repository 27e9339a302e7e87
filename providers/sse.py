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
        data = self._data
        for line in lines:  # written out: this loop sees every line of every model's answer
            if line[:5] == b"data:":
                value = line[6:] if line[5:6] == b" " else line[5:]
                if value[-1:] == b"\r":
                    value = value[:-1]
                data.append(value)
                self._size += len(value)
            elif (not line or line == b"\r") and data:
                events.append(data[0] if len(data) == 1 else b"\n".join(data))
                data.clear()
                self._size = 0
        if len(self._rest) + self._size > MAX_EVENT_BYTES:
            raise EventTooLarge(f"An event is longer than {MAX_EVENT_BYTES} bytes")
        return events

    def finish(self) -> list[bytes]:
        """Return what stands in the last event when the stream ends without an empty line."""
        return self.feed(b"\n\n")
