"""`Idempotency-Key` on the POSTs that are not turns: the first reply is kept and given again. Spec: house 5.

A turn keeps its key in the journal, in the transaction that ends it; this is for the other creations and moves.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Protocol

from fastapi import Request, Response
from msgspec import Struct

from actors.runtime import Caller
from domain.clock import Clock
from domain.errors import Conflict, InvalidInput
from gateway import limits

REPLAYED = "Idempotency-Replayed"


class StoredReply(Struct, frozen=True):
    """A reply as it was given, with the hash of the request it answered."""

    request_hash: str
    status: int
    body: bytes


class ReplyStore(Protocol):
    """Where replies are kept for a day."""

    async def find(self, tenant_id: str, key: str) -> StoredReply | None:
        """Return the reply kept under `key`."""
        ...

    async def keep(self, tenant_id: str, key: str, reply: StoredReply) -> None:
        """Keep a reply; the first one stays."""
        ...


class LocalReplyStore:
    """Replies of this process, for an instance of one gateway; at most `held`, the oldest leave first."""

    def __init__(self, clock: Clock, *, held: int = limits.IDEMPOTENT_REPLIES_HELD) -> None:
        self._clock = clock
        self._held = held
        self._kept: OrderedDict[tuple[str, str], tuple[float, StoredReply]] = OrderedDict()

    async def find(self, tenant_id: str, key: str) -> StoredReply | None:
        """Return the reply kept under `key`, if it is not too old."""
        kept = self._kept.get((tenant_id, key))
        if kept is None or self._clock.now().timestamp() - kept[0] > limits.IDEMPOTENCY_KEPT_S:
            return None
        return kept[1]

    async def keep(self, tenant_id: str, key: str, reply: StoredReply) -> None:
        """Keep a reply."""
        if await self.find(tenant_id, key) is not None:
            return
        self._kept[tenant_id, key] = (self._clock.now().timestamp(), reply)
        self._kept.move_to_end((tenant_id, key))
        if len(self._kept) > self._held:
            self._kept.popitem(last=False)


class Turnstile:
    """Lets requests with one key through one after the other."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class Replies:
    """Answers each key once."""

    def __init__(self, store: ReplyStore) -> None:
        self._store = store
        self._running: dict[tuple[str, str], Turnstile] = {}

    async def once(
        self,
        request: Request,
        caller: Caller,
        key: str,
        body: bytes,
        handle: Callable[[Request], Awaitable[Response]],
    ) -> Response:
        """Return the stored reply for `key`, or handle the request and store what it answered.

        Errors are raised and so not stored: what failed may be tried again under the same key.

        Raises:
            Conflict: The key was used for another request.
        """
        asked = sha256(b"\0".join([request.method.encode(), request.url.path.encode(), body])).hexdigest()
        name = (caller.tenant_id, checked_key(key))
        turnstile = self._running.setdefault(name, Turnstile())
        turnstile.users += 1
        try:
            async with turnstile.lock:
                stored = await self._store.find(*name)
                if stored is not None:
                    return _again(stored, asked)
                response = await handle(request)
                await self._store.keep(*name, StoredReply(asked, response.status_code, bytes(response.body)))
                return response
        finally:
            turnstile.users -= 1
            if not turnstile.users:
                del self._running[name]


def checked_key(key: str) -> str:
    """Return an idempotency key that is fit to be stored. Raises InvalidInput."""
    if not key.isascii() or not key.isprintable() or len(key) > limits.IDEMPOTENCY_KEY_MAX_CHARS:
        raise InvalidInput(
            f"Idempotency-Key must be at most {limits.IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters"
        )
    return key


def _again(stored: StoredReply, asked: str) -> Response:
    if stored.request_hash != asked:
        raise Conflict(
            "This Idempotency-Key was used for another request", details={"reason": "IDEMPOTENCY_KEY_REUSED"}
        )
    return Response(stored.body, stored.status, {REPLAYED: "true"}, "application/json")
