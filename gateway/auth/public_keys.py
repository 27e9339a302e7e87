"""Public keys: what a web page may carry openly, and what it is bound to. Spec: platform-api 2.1, 12.1, 14.4."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from msgspec import Struct

from domain.clock import Clock
from domain.errors import Forbidden, Unauthenticated
from domain.permissions import insufficient
from gateway import bounds
from gateway.auth.origins import Whence, is_allowed
from gateway.auth.remembered import Remembered

MAY_CHAT: Final = "permissions.chat of the public key"
MAY_NAME_AGENTS: Final = "allowAgentOverride of the public key"


class PublicKey(Struct, frozen=True, kw_only=True):
    """A live public key.

    Attributes:
        environment, deployment_id: The agents that its sessions run; both empty takes the project's default.
        allowed_origins: Origins that may use it; none admits no page.
    """

    id: str
    tenant_id: str
    project_id: str
    channel_id: str = ""
    channel_name: str = ""
    environment: str = ""
    deployment_id: str = ""
    allowed_origins: tuple[str, ...] = ()
    require_origin: bool = True
    allow_agent_override: bool = False
    show_activity_updates: bool = False
    may_see_traces: bool = False
    chat: bool = True
    voice: bool = False


class PublicKeyStore(Protocol):
    """Where public keys are kept; revoked and expired ones are not there."""

    async def find_by_secret(self, secret: str) -> PublicKey | None:
        """Return the key whose clear text is `secret`."""
        ...

    async def find_by_id(self, tenant_id: str, key_id: str) -> PublicKey | None:
        """Return the key with this id."""
        ...


class PublicKeys:
    """Answers which public key is meant and whether a page of this origin may use it."""

    def __init__(self, store: PublicKeyStore, clock: Clock) -> None:
        believed_s, held = bounds.CREDENTIAL_RECHECK_S, bounds.CREDENTIALS_HELD
        self._by_secret = Remembered(store.find_by_secret, clock, believed_s=believed_s, held=held)
        self._by_id = Remembered(_by_name(store), clock, believed_s=believed_s, held=held)
        self._watching: dict[str, set[asyncio.Event]] = {}

    async def by_secret(self, secret: str) -> PublicKey:
        """Return the key; raises Unauthenticated when it is unknown, revoked or expired."""
        key = await self._by_secret.find(secret)
        if key is None:
            raise Unauthenticated("Invalid public key")
        return key

    async def by_id(self, tenant_id: str, key_id: str) -> PublicKey:
        """Return the key that a token was made from; raises Unauthenticated when it is no longer live."""
        key = await self._by_id.find(_name(tenant_id, key_id))
        if key is None:
            raise Unauthenticated("The public key of this token is no longer valid")
        return key

    def changed(self, tenant_id: str, key_id: str) -> None:
        """Ask for a key again, and have the open sockets of its pages look at it now."""
        name = _name(tenant_id, key_id)
        self._by_id.forget(name)
        self._by_secret.forget_all(lambda _, key: (key.tenant_id, key.id) == (tenant_id, key_id))
        for event in self._watching.get(name, ()):
            event.set()

    def forget_all(self, tenant_id: str) -> None:
        """Ask for all keys of a tenant again, and have the open sockets of its pages look now: it was erased."""
        self._by_id.forget_all(lambda _, key: key.tenant_id == tenant_id)
        self._by_secret.forget_all(lambda _, key: key.tenant_id == tenant_id)
        for name, events in self._watching.items():
            if name.startswith(_name(tenant_id, "")):
                for event in events:
                    event.set()

    @contextmanager
    def watched(self, key: PublicKey) -> Iterator[asyncio.Event]:
        """Lend an event that is set when this gateway changes a key."""
        name, event = _name(key.tenant_id, key.id), asyncio.Event()
        self._watching.setdefault(name, set()).add(event)
        try:
            yield event
        finally:
            watching = self._watching[name]
            watching.remove(event)
            if not watching:
                del self._watching[name]


def _name(tenant_id: str, key_id: str) -> str:
    return f"{tenant_id}\0{key_id}"


def _by_name(store: PublicKeyStore) -> Callable[[str], Awaitable[PublicKey | None]]:
    async def find(name: str) -> PublicKey | None:
        tenant_id, _, key_id = name.partition("\0")
        return await store.find_by_id(tenant_id, key_id)

    return find


def check_origin(key: PublicKey, page: Whence) -> None:
    """Refuse a page that may not use this key. Spec: platform-api 2.1, rule 5.

    Raises:
        Forbidden: The origin is not listed, or is missing where the key requires one.
    """
    if page.origin is not None:
        if not is_allowed(page.origin, key.allowed_origins):
            raise Forbidden("Origin not allowed", details={"hint": "List it in allowedOrigins of the public key"})
    elif key.require_origin and not any(is_allowed(own, key.allowed_origins) for own in page.own):
        raise Forbidden("Origin required", details={"hint": "For clients that are no browsers: requireOrigin: false"})


def check_may_chat(key: PublicKey | None) -> None:
    """Refuse a message by text of a page whose key is not for chat. Raises Forbidden."""
    if key is not None and not key.chat:
        raise insufficient(MAY_CHAT)
