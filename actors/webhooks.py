"""Outbound webhooks: hooks of projects, and telling them what has happened. Spec: platform-api 14.6.

`emit` is for everybody who changes something that a hook may ask for; `actors.webhook_delivery` sends.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from msgspec import Struct

from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import InvalidInput, NotFound
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.limits import WEBHOOKS_PER_PROJECT
from domain.recent import Recent
from domain.webhooks import SECRET_BYTES, Delivery, DeliveryStatus, Webhook, WebhookEvent, new_secret
from providers.addresses import AddressPolicy, host_refusal, is_loopback_name, literal_address
from storage.database import Connection, Database
from storage.repositories import webhooks as outbox
from storage.repositories.audit import AuditLog
from storage.repositories.webhooks import NewWebhook, WebhookChange, Webhooks
from storage.vault import Vault

KIND: Final = "webhook"
NO_HOOK: Final = "Webhook not found"
KNOWN_FOR_S: Final = 2.0
"""How long it is remembered whether a project has hooks: so late may a new one hear of its first session."""
MAX_KNOWN: Final = 10_000
URL_MAX_CHARS: Final = 2_048
DEFAULT_PORTS: Final = {"https": 443, "http": 80}


class WantedHook(Struct, frozen=True, kw_only=True):
    """A hook as it is asked for; of a change, None leaves what is there."""

    url: str | None = None
    events: tuple[str, ...] | None = None
    description: str | None = None
    is_active: bool | None = None


class MadeHook(NamedTuple):
    """A new hook and its secret, which is never shown again."""

    hook: Webhook
    secret: str


class TestOutcome(Struct, frozen=True, kw_only=True):
    """What came of a test: the status of the answer, None when there was none, and why it does not count."""

    ok: bool
    response_status: int | None
    latency_ms: int
    error: str


class HookPage(NamedTuple):
    """Some hooks and how many there are."""

    rows: Sequence[Webhook]
    total: int


class DeliveryPage(NamedTuple):
    """Some deliveries and how many there are."""

    rows: Sequence[Delivery]
    total: int


class WebhookDesk(Protocol):
    """The hooks of projects."""

    async def list(self, tenant_id: str, project_id: str, *, limit: int, offset: int) -> HookPage:
        """Return hooks, the oldest first."""
        ...

    async def create(self, tenant_id: str, project_id: str, wanted: WantedHook, by: Initiator) -> MadeHook:
        """Keep a new hook. Raises InvalidInput: an address that may not be called, or too many hooks."""
        ...

    async def get(self, tenant_id: str, project_id: str, webhook_id: str) -> Webhook:
        """Return a hook. Raises NotFound."""
        ...

    async def change(
        self, tenant_id: str, project_id: str, webhook_id: str, wanted: WantedHook, by: Initiator
    ) -> Webhook:
        """Change a hook; switching it on forgets its failures. Raises NotFound, InvalidInput."""
        ...

    async def remove(self, tenant_id: str, project_id: str, webhook_id: str, by: Initiator) -> None:
        """Delete a hook with its deliveries. Raises NotFound."""
        ...

    async def test(self, tenant_id: str, project_id: str, webhook_id: str) -> TestOutcome:
        """Send a test event at once and return what came of it; it is not tried again. Raises NotFound."""
        ...

    async def deliveries(
        self, tenant_id: str, project_id: str, webhook_id: str, *, status: str, limit: int, offset: int
    ) -> DeliveryPage:
        """Return deliveries of a hook, the newest first; an empty status means any. Raises NotFound."""
        ...


class TestSender(Protocol):
    """Sends a test event. Satisfied by `actors.webhook_delivery.WebhookSender`."""

    @property
    def hooked(self) -> HookedProjects:
        """Which projects have hooks, as this process remembers."""
        ...

    async def test(self, tenant_id: str, hook: Webhook, sealed: bytes) -> TestOutcome:
        """Send it once and return what came of it."""
        ...


async def emit(connection: Connection, tenant_id: str, project_id: str, event: WebhookEvent, data: JsonObject) -> int:
    """Have the hooks of a project told of an event when this transaction is committed; return how many there are.

    One statement; where no hook asks for the event it writes nothing.
    """
    return await outbox.emit(connection, tenant_id, project_id, event, data)


class HookedProjects:
    """Remembers for a moment which projects have hooks, so that the others pay nothing."""

    def __init__(self, database: Database) -> None:
        self._webhooks = Webhooks(database)
        self._known: Recent[tuple[str, str], bool] = Recent(KNOWN_FOR_S, MAX_KNOWN, time.monotonic)

    async def has(self, tenant_id: str, project_id: str) -> bool:
        """Return whether a project has a hook that is on, as of at most `KNOWN_FOR_S` ago."""
        key = (tenant_id, project_id)
        known = self._known.get(key)
        if known is None:
            known = await self._webhooks.has_active(tenant_id, project_id)
            self._known.put(key, known)
        return known

    def forget(self, tenant_id: str, project_id: str) -> None:
        """Look again at the next question: a hook has changed."""
        self._known.forget((tenant_id, project_id))


class StoredWebhooks:
    """Satisfies `WebhookDesk`."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        audit: AuditLog,
        ids: IdSource,
        policy: AddressPolicy,
        sender: TestSender,
        *,
        is_production: bool = False,
    ) -> None:
        """In production an address of this machine itself has to be https too."""
        self._database = database
        self._webhooks = Webhooks(database)
        self._vault = vault
        self._audit = audit
        self._ids = ids
        self._policy = policy
        self._allows_http = not is_production
        self._sender = sender
        self._hooked = sender.hooked

    async def list(self, tenant_id: str, project_id: str, *, limit: int, offset: int) -> HookPage:
        """Return hooks, the oldest first."""
        return HookPage(*await self._webhooks.list(tenant_id, project_id, limit=limit, offset=offset))

    async def create(self, tenant_id: str, project_id: str, wanted: WantedHook, by: Initiator) -> MadeHook:
        """Keep a new hook."""
        webhook_id, secret = self._ids.new(PREFIXES[KIND]), new_secret(secrets.token_bytes(SECRET_BYTES))
        new = NewWebhook(
            webhook_id=webhook_id,
            project_id=project_id,
            url=checked_url(wanted.url or "", self._policy, allows_http=self._allows_http),
            events=wanted.events or (),
            description=wanted.description or "",
            is_active=wanted.is_active is not False,
            sealed=await self._vault.seal(tenant_id, secret.encode(), (KIND, webhook_id)),
            created_by=by.actor.id,
        )
        async with self._database.transaction() as connection:
            made = await self._webhooks.create(connection, tenant_id, new, most=WEBHOOKS_PER_PROJECT)
            if made is None:
                raise InvalidInput(f"The project has {WEBHOOKS_PER_PROJECT} webhooks already; delete one first")
            await self._audit.append(connection, tenant_id, _entry(made, "create", by))
        self._hooked.forget(tenant_id, project_id)
        return MadeHook(made, secret)

    async def get(self, tenant_id: str, project_id: str, webhook_id: str) -> Webhook:
        """Return a hook."""
        found = await self._webhooks.find(tenant_id, project_id, webhook_id)
        if found is None:
            raise NotFound(NO_HOOK)
        return found

    async def change(
        self, tenant_id: str, project_id: str, webhook_id: str, wanted: WantedHook, by: Initiator
    ) -> Webhook:
        """Change a hook; switching it on forgets its failures and sends what waited."""
        url = None
        if wanted.url is not None:
            url = checked_url(wanted.url, self._policy, allows_http=self._allows_http)
        change = WebhookChange(url, wanted.events, wanted.description, wanted.is_active)
        async with self._database.transaction() as connection:
            changed = await self._webhooks.update(connection, tenant_id, project_id, webhook_id, change)
            if changed is None:
                raise NotFound(NO_HOOK)
            if changed.is_active:
                await self._webhooks.go_on(connection, tenant_id, webhook_id)
            await self._audit.append(connection, tenant_id, _entry(changed, "update", by))
        self._hooked.forget(tenant_id, project_id)
        return changed

    async def remove(self, tenant_id: str, project_id: str, webhook_id: str, by: Initiator) -> None:
        """Delete a hook with its deliveries."""
        hook = await self.get(tenant_id, project_id, webhook_id)
        async with self._database.transaction() as connection:
            if not await self._webhooks.delete(connection, tenant_id, project_id, webhook_id):
                raise NotFound(NO_HOOK)
            await self._audit.append(connection, tenant_id, _entry(hook, "delete", by))
        self._hooked.forget(tenant_id, project_id)

    async def test(self, tenant_id: str, project_id: str, webhook_id: str) -> TestOutcome:
        """Send a test event at once and return what came of it."""
        hook = await self.get(tenant_id, project_id, webhook_id)
        sealed = await self._webhooks.sealed(tenant_id, webhook_id)
        if sealed is None:
            raise NotFound(NO_HOOK)
        return await self._sender.test(tenant_id, hook, sealed)

    async def deliveries(
        self, tenant_id: str, project_id: str, webhook_id: str, *, status: str, limit: int, offset: int
    ) -> DeliveryPage:
        """Return deliveries of a hook, the newest first."""
        await self.get(tenant_id, project_id, webhook_id)
        wanted = DeliveryStatus(status) if status else None
        page = await self._webhooks.deliveries(tenant_id, webhook_id, status=wanted, limit=limit, offset=offset)
        return DeliveryPage(*page)


def checked_url(text: str, policy: AddressPolicy, *, allows_http: bool = True) -> str:
    """Return the address of a hook; names are judged again, by their addresses, at each delivery.

    Raises:
        InvalidInput: It is not https (http: this machine itself, where that is allowed), or an address that is refused.
    """
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port or DEFAULT_PORTS.get(url.scheme)
    except ValueError as error:
        raise _refused("cannot be read") from error
    if url.scheme not in DEFAULT_PORTS or not host or port is None:
        raise _refused("must be an https address with a host")
    if len(text) > URL_MAX_CHARS or not text.isprintable():
        raise _refused(f"must be an https address of at most {URL_MAX_CHARS} characters")
    if url.username is not None or url.password is not None:
        raise _refused("must not hold a user or password")
    address = literal_address(host)
    is_here = is_loopback_name(host) or (address is not None and address.is_loopback)
    if url.scheme == "http" and not (is_here and allows_http):
        raise _refused("must be https; http is for loopback addresses in development only")
    if (judged := host_refusal(host, port, policy)) is not None:
        raise _refused(f"may not be called: {address or host} is {judged}")
    return text


def _refused(message: str) -> InvalidInput:
    return InvalidInput("Invalid webhook url", details={"fields": [{"path": "/url", "message": message}]})


def _entry(hook: Webhook, verb: str, by: Initiator) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"{KIND}.{verb}",
        category=AuditCategory.PROJECT,
        resource=Resource(KIND, hook.webhook_id, urlsplit(hook.url).hostname or ""),
        project_id=hook.project_id,
        details={"events": list(hook.events), "isActive": hook.is_active},
    )
