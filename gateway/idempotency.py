"""`Idempotency-Key` on the POSTs that are not turns: the first reply is kept and given again. Spec: house 5.

A turn keeps its key in the journal, in the transaction that ends it; this is for the other creations and moves. A
request is claimed in the store before it runs, so of simultaneous ones, on whichever gateways, one runs; it renews its
claim meanwhile. One that broke off is not run again, unless that does no harm. Replies may hold tokens, so they are
sealed. Decision: 0008.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from time import monotonic
from typing import NamedTuple, Protocol

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from msgspec import Struct
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.types import Scope

from domain import limits
from domain.clock import Clock
from domain.errors import AppError, Conflict, InvalidInput, Unavailable
from gateway import bounds
from gateway.auth.sealing import Broken, Seal
from gateway.headers import headers_of

HEADER = "idempotency-key"
REPLAYED = "Idempotent-Replay"
REUSED = "IDEMPOTENCY_KEY_REUSED"
IN_USE = "IDEMPOTENCY_KEY_IN_USE"
UNKNOWN = "IDEMPOTENCY_OUTCOME_UNKNOWN"
Handle = Callable[[Request], Awaitable[Response]]


def mark_of(repeated: bool) -> dict[str, str]:
    """Return the header of an answer that has been given before, none of a first one."""
    return {REPLAYED: "true"} if repeated else {}


class ReplyName(NamedTuple):
    """Under what a reply is kept; callers who must not see each other's replies differ in `scope`."""

    tenant_id: str
    scope: str
    key: str


class StoredReply(Struct, frozen=True):
    """A request that came before, with its reply; without a status it still runs, or has broken off (`is_stale`)."""

    request_hash: bytes
    status: int | None = None
    body: bytes = b""
    is_stale: bool = False


class ReplyStore(Protocol):
    """Where requests and their replies are known for a day."""

    async def claim(self, name: ReplyName, request_hash: bytes, *, repeatable: bool = False) -> StoredReply | None:
        """Return what is known under `name`, or None: then the request is the caller's to run.

        `repeatable`: the same request may run again when the first one has broken off.
        """
        ...

    async def renew(self, name: ReplyName) -> None:
        """Say that a claimed request still runs."""
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

    async def claim(self, name: ReplyName, request_hash: bytes, *, repeatable: bool = False) -> StoredReply | None:
        """Return what is known, or claim."""
        now = self._clock.now().timestamp()
        at, known = self._kept.get(name, (now, None))
        if known is not None and now - at <= limits.IDEMPOTENCY_KEPT_S:
            is_stale = known.status is None and now - at >= bounds.REPLY_CLAIM_LIFE_S
            if not (is_stale and repeatable and known.request_hash == request_hash):
                return replace(known, is_stale=is_stale)
        self._kept[name] = (now, StoredReply(request_hash))
        self._kept.move_to_end(name)
        if len(self._kept) > self._held:
            self._kept.popitem(last=False)
        return None

    async def renew(self, name: ReplyName) -> None:
        """Say that a request still runs."""
        if name in self._kept:
            self._kept[name] = (self._clock.now().timestamp(), self._kept[name][1])

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

    async def once(
        self, request: Request, name: ReplyName, body: bytes, handle: Handle, *, repeatable: bool = False
    ) -> Response:
        """Return the stored reply under `name`, or handle the request and store what it answered.

        Errors are raised and so not stored: what was refused may be tried again under the same key. A request that
        ended without an answer (its gateway died, it was cancelled, the store was lost under it) may not, as it may
        have taken effect; a `repeatable` one may.

        Raises:
            Conflict: The key was used for another request, the first one still runs elsewhere, or has broken off.
        """
        address = f"{request.url.path}?{request.url.query}"
        asked = sha256(b"\0".join([request.method.encode(), address.encode(), body])).digest()
        turnstile = self._running.setdefault(name, Turnstile())
        turnstile.users += 1
        try:
            async with turnstile.lock:
                known = await self._known(name, asked, repeatable=repeatable)
                if known is not None:
                    return self._again(name, known)
                return await self._first(name, request, handle, repeatable=repeatable)
        finally:
            turnstile.users -= 1
            if not turnstile.users:
                del self._running[name]

    async def _known(self, name: ReplyName, asked: bytes, *, repeatable: bool) -> StoredReply | None:
        """Return the finished request under `name`, None when this one is to run."""
        give_up_s = monotonic() + bounds.REPLY_WAIT_S
        while (known := await self._store.claim(name, asked, repeatable=repeatable)) is not None:
            if known.request_hash != asked:
                raise Conflict("This Idempotency-Key was used for another request", details={"reason": REUSED})
            if known.status is not None:
                return known
            if known.is_stale and not repeatable:  # one that is may have become so since it was claimed
                raise Conflict(
                    "The first request with this Idempotency-Key has broken off; whether it has taken effect is not "
                    "known. Look with GET, and send it under a new key if it has not",
                    details={"reason": UNKNOWN},
                )
            if monotonic() >= give_up_s:
                raise Conflict(
                    "The first request with this Idempotency-Key is still running", details={"reason": IN_USE}
                )
            await asyncio.sleep(bounds.REPLY_POLL_S)
        return None

    async def _first(self, name: ReplyName, request: Request, handle: Handle, *, repeatable: bool) -> Response:
        renewing = asyncio.create_task(self._renew(name))
        try:
            response = await handle(request)
        except BaseException as error:
            if repeatable or _is_refusal(error):
                await self._store.release(name)
            raise
        finally:
            renewing.cancel()
        sealed = self._seal.seal(bytes(response.body), "\0".join(name))
        await self._store.keep(name, response.status_code, sealed)
        return response

    async def _renew(self, name: ReplyName) -> None:
        """Give a sign of life of a request while it runs, within the bound."""
        for _ in range(bounds.REPLY_RENEWALS_MAX):
            await asyncio.sleep(bounds.REPLY_RENEW_S)
            with suppress(Unavailable):  # the next one is given before the claim is stale
                await self._store.renew(name)

    def _again(self, name: ReplyName, known: StoredReply) -> Response:
        try:
            body = self._seal.open(known.body, "\0".join(name))
        except Broken as error:
            raise Conflict("The first reply can no longer be read", details={"reason": REUSED}) from error
        return Response(body, known.status or 200, {REPLAYED: "true"}, "application/json")


def _is_refusal(error: BaseException) -> bool:
    """Return whether an error says that nothing was done."""
    if isinstance(error, AppError):
        return not error.may_have_taken_effect
    return isinstance(error, RequestValidationError | HTTPException)


def sent_key(scope: Scope) -> str:
    """Return the `Idempotency-Key` of a request, empty where it sends none.

    Raises:
        InvalidInput: It sends the header without a value: whoever does believes to be safe from doing it twice.
    """
    key = headers_of(scope).get(HEADER)
    if key is not None and not key.strip():
        raise InvalidInput("Idempotency-Key must not be empty: send a key of your own, or leave the header out")
    return key or ""


def checked_key(key: str, *, min_chars: int = 0) -> str:
    """Return an idempotency key that is fit to be stored. Raises InvalidInput."""
    if not key.isascii() or not key.isprintable() or len(key) > limits.IDEMPOTENCY_KEY_MAX_CHARS:
        raise InvalidInput(
            f"Idempotency-Key must be at most {limits.IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters"
        )
    if len(key) < min_chars:
        raise InvalidInput(f"Idempotency-Key must have at least {min_chars} characters here")
    return key
