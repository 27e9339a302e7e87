"""The forms of the API about memory. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class MemoryBody(TypedDict):
    """What sandboxed code asks of a memory store; the route refuses with the sentences of the ..."""

    action: NotRequired[str]
    memoryStoreName: NotRequired[str]
    payload: NotRequired[dict[str, Any]]


class MemoryReply(TypedDict):
    """What came of it; without `data` for `set`."""

    success: NotRequired[Literal[True]]
    data: NotRequired[dict[str, Any] | None]
