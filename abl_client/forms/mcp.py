"""The forms of the API about mcp. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class RpcAnswer(TypedDict):
    """One of `result` and `error`; `id` is null when the message could not be read."""

    jsonrpc: NotRequired[Literal["2.0"]]
    id: str | int | None
    result: NotRequired[dict[str, Any] | None]
    error: NotRequired[RpcError | None]


class RpcError(TypedDict):
    """Why a message has no result."""

    code: int
    message: str
