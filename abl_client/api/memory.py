"""The part of the API about memory. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport

if TYPE_CHECKING:
    from abl_client.forms.memory import MemoryBody, MemoryReply


class MemoryApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def use_memory(self, body: MemoryBody, *, idempotency_key: str = "") -> MemoryReply:
        """Get, set (replace) or delete a memory store of the session that the sandbox token is for."""
        return cast(
            "MemoryReply",
            self._transport.json(
                "POST", "/api/v1/memory", body=body, idempotency_key=idempotency_key, schemes=("sandboxToken",)
            ),
        )
