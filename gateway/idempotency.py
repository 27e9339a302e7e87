"""`Idempotency-Key` on the POSTs that are not turns: the first reply is kept and given again. Spec: house 5.

A turn keeps its key in the journal, in the transaction that ends it; this is for the other creations and moves. A
request is claimed in the store before it runs, so of simultaneous ones, on whichever gateways, one runs. Replies may
hold tokens, so they are sealed. Decision: 0008.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from time import monotonic
from typing import NamedTuple, Protocol

from fastapi import Request, Response
from msgspec import Struct

from domain import limits
from domain.clock import Clock
from domain.errors import Conflict, InvalidInput
from gateway import bounds
from gateway.auth.sealing import Broken, Seal

REPLAYED = "Idempotency-Replayed"
REUSED = "IDEMPOTENCY_KEY_REUSED"
IN_USE = "IDEMPOTENCY_KEY_IN_USE"
Handle = Callable[[Request], Awaitable[Response]]


class ReplyName(NamedTuple):
    """Under what a reply is kept; callers who must not see each other's replies differ in `scope`."""

    tenant_id: str
    scope: str
    key: str


class StoredReply(Struct, frozen=True):
    """A request that came before, with its reply; without a status it still runs."""

    request_hash: bytes
    status: int | None = None
    body: bytes = b""


class ReplyStore(Protocol):
    """Where requests and their replies are known for a day."""

    async def claim(self, name: ReplyName, request_hash: bytes) -> StoredReply | None:
        """Return what is known under `name`, or None: then the request is the caller's to run."""
        ...

    async def keep(self, name: ReplyName, status: int, body: bytes) -> None:
        """Keep the reply of a claimed request."""
        ...

    async def release(self, name: ReplyName) -> None:
        """Give a claim back: the request has failed."""
        ...


class LocalReplyStore:
    """Replies of this process, for tests and an instance of one gateway; at most `held`, the oldest leave first."""

    def __init__(self, clock: Clock, *, held: int = bounds.IDEMPOTENT_REPLIES_HELD) -> None:
        self._clock = clock
        self._held = held
        self._kept: OrderedDict[ReplyName, tuple[float, StoredReply]] = OrderedDict()

    async def claim(self, name: ReplyName, request_hash: bytes) -> StoredReply | None:
        """Return what is known, or claim."""
        now = self._clock.now().timestamp()
        known = self._kept.get(name)
        if known is not None and now - known[0] <= limits.IDEMPOTENCY_KEPT_S:
            return known[1]
        self._kept[name] = (now, StoredReply(request_hash))
        self._kept.move_to_end(name)
        if len(self._kept) > self._held:
            self._kept.popitem(last=False)
        return None

    async def keep(self, name: ReplyName, status: int, body: bytes) -> None:
        """Keep a reply."""
        if name in self._kept:
            at, claimed = self._kept[name]
            self._kept[name] = (at, StoredReply(claimed.request_hash, status, body))

    async def release(self, name: ReplyName) -> None:
        """Give a claim back."""
        self._kept.pop(name, None)


class Turnstile:
    """Lets requests with one name through one after the other."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class Replies:
    """Answers each key once."""

    def __init__(self, store: ReplyStore, seal: Seal) -> None:
        self._store = store
        self._seal = seal
        self._running: dict[ReplyName, Turnstile] = {}

    async def once(self, request: Request, name: ReplyName, body: bytes, handle: Handle) -> Response:
        """Return the stored reply under `name`, or handle the request and store what it answered.

        Errors are raised and so not stored: what failed may be tried again under the same key.

        Raises:
            Conflict: The key was used for another request, or the first one still runs elsewhere.
        """
        address = f"{request.url.path}?{request.url.query}"
        asked = sha256(b"\0".join([request.method.encode(), address.encode(), body])).digest()
        turnstile = self._running.setdefault(name, Turnstile())
        turnstile.users += 1
        try:
            async with turnstile.lock:
                known = await self._known(name, asked)
                return self._again(name, known) if known is not None else await self._first(name, request, handle)
        finally:
            turnstile.users -= 1
            if not turnstile.users:
                del self._running[name]

    async def _known(self, name: ReplyName, asked: bytes) -> StoredReply | None:
        """Return the finished request under `name`, None when this one is to run."""
        give_up_s = monotonic() + bounds.REPLY_WAIT_S
        while (known := await self._store.claim(name, asked)) is not None:
            if known.request_hash != asked:
                raise Conflict("This Idempotency-Key was used for another request", details={"reason": REUSED})
            if known.status is not None:
                return known
            if monotonic() >= give_up_s:
                raise Conflict(
                    "The first request with this Idempotency-Key is still running", details={"reason": IN_USE}
                )
            await asyncio.sleep(bounds.REPLY_POLL_S)
        return None

    async def _first(self, name: ReplyName, request: Request, handle: Handle) -> Response:
        try:
            response = await handle(request)
        except BaseException:
            await self._store.release(name)
            raise
        sealed = self._seal.seal(bytes(response.body), "\0".join(name))
        await self._store.keep(name, response.status_code, sealed)
        return response

    def _again(self, name: ReplyName, known: StoredReply) -> Response:
        try:
            body = self._seal.open(known.body, "\0".join(name))
        except Broken as error:
            raise Conflict("The first reply can no longer be read", details={"reason": REUSED}) from error
        return Response(body, known.status or 200, {REPLAYED: "true"}, "application/json")


def checked_key(key: str, *, min_chars: int = 0) -> str:
    """Return an idempotency key that is fit to be stored. Raises InvalidInput."""
    if not key.isascii() or not key.isprintable() or len(key) > limits.IDEMPOTENCY_KEY_MAX_CHARS:
        raise InvalidInput(
            f"Idempotency-Key must be at most {limits.IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters"
        )
    if len(key) < min_chars:
        raise InvalidInput(f"Idempotency-Key must have at least {min_chars} characters here")
    return key
