"""API keys and public keys: made, changed, rotated and revoked, each with its entry in the audit log. Spec: 14.4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from actors.keys import new_key, new_public_key
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource, iso_ms
from domain.errors import NotFound
from domain.json_values import JsonObject
from domain.keys import ApiKeyView, KeyKind, MadeKey, MadePublicKey, NewApiKey, NewPublicKey, PublicKeyView
from domain.permissions import beyond, insufficient
from storage.database import Connection, Database
from storage.repositories.api_keys import ApiKeys, KeyRecord, NewKey
from storage.repositories.audit import AuditLog
from storage.repositories.deployments import Deployments

NO_KEY: Final = "API key not found"
NO_PUBLIC_KEY: Final = "Public key not found"
IN_DETAILS: Final = {
    "allowed_origins": "allowedOrigins",
    "chat": "chat",
    "voice": "voice",
    "deployment_id": "deploymentId",
    "show_activity_updates": "showActivityUpdates",
    "require_origin": "requireOrigin",
    "allow_agent_override": "allowAgentOverride",
}
"""Fields of a public key -> where they are kept, among what a channel has added."""


class KeyDesk(Protocol):
    """The keys of tenants. What a caller may see of them is the caller's business; ids of others are not found."""

    async def api_keys(
        self, tenant_id: str, project_ids: Sequence[str] | None, *, limit: int, offset: int
    ) -> tuple[Sequence[ApiKeyView], int]:
        """Return API keys, the newest first, and how many there are; None is every project and those of none."""
        ...

    async def api_key(self, tenant_id: str, key_id: str) -> ApiKeyView:
        """Return an API key that is not revoked. Raises NotFound."""
        ...

    async def make(self, tenant_id: str, wanted: NewApiKey, by: Initiator) -> MadeKey:
        """Keep a new API key; return it with its secret."""
        ...

    async def rotate(
        self, tenant_id: str, key_id: str, *, grace_s: int, granted: frozenset[str], by: Initiator
    ) -> MadeKey:
        """Give an API key another secret; the one it had works `grace_s` seconds longer.

        Raises:
            NotFound: There is no such key, or it is revoked.
            Forbidden: It may more than whoever would hold the new secret: `granted`.
        """
        ...

    async def revoke(self, tenant_id: str, key_id: str, by: Initiator) -> None:
        """End an API key for ever. Raises NotFound."""
        ...

    async def environment_of(self, tenant_id: str, project_id: str, deployment_id: str) -> str:
        """Return where a deployment of a project, given by its id or slug, runs. Raises NotFound."""
        ...

    async def public_keys(
        self, tenant_id: str, project_id: str, *, limit: int, offset: int
    ) -> tuple[Sequence[PublicKeyView], int]:
        """Return the public keys of a project, the newest first, and how many there are."""
        ...

    async def make_public(self, tenant_id: str, project_id: str, wanted: NewPublicKey, by: Initiator) -> MadePublicKey:
        """Keep a new public key; return it with itself in clear. Raises NotFound: its deployment."""
        ...

    async def change_public(
        self, tenant_id: str, project_id: str, key_id: str, changes: Mapping[str, Any], by: Initiator
    ) -> PublicKeyView:
        """Change fields of a public key, by their names in `NewPublicKey`. Raises NotFound: it, or its deployment."""
        ...

    async def revoke_public(self, tenant_id: str, project_id: str, key_id: str, by: Initiator) -> None:
        """End a public key for ever. Raises NotFound."""
        ...


class StoredKeys:
    """Satisfies `KeyDesk`."""

    def __init__(self, database: Database, audit: AuditLog, ids: IdSource) -> None:
        self._database = database
        self._keys = ApiKeys(database)
        self._deployments = Deployments(database)
        self._audit = audit
        self._ids = ids

    async def api_keys(
        self, tenant_id: str, project_ids: Sequence[str] | None, *, limit: int, offset: int
    ) -> tuple[Sequence[ApiKeyView], int]:
        """Return API keys, the newest first, and how many there are."""
        rows, total = await self._keys.page(tenant_id, KeyKind.SECRET, project_ids, limit=limit, offset=offset)
        return [_api_key(row) for row in rows], total

    async def api_key(self, tenant_id: str, key_id: str) -> ApiKeyView:
        """Return an API key that is not revoked."""
        async with self._database.transaction() as connection:
            return _api_key(await self._held(connection, tenant_id, KeyKind.SECRET, key_id))

    async def make(self, tenant_id: str, wanted: NewApiKey, by: Initiator) -> MadeKey:
        """Keep a new API key; return it with its secret."""
        key = msgspec.structs.replace(
            new_key(self._ids, name=wanted.name, scopes=wanted.scopes, project_id=wanted.project_id),
            environments=wanted.environments,
            expires_at=wanted.expires_at,
            created_by=by.actor.id,
        )
        return MadeKey(_api_key(await self._kept(tenant_id, key, by)), key.plaintext)

    async def rotate(
        self, tenant_id: str, key_id: str, *, grace_s: int, granted: frozenset[str], by: Initiator
    ) -> MadeKey:
        """Give an API key another secret."""
        secret = new_key(self._ids, name="", scopes=()).plaintext
        async with self._database.transaction() as connection:
            held = await self._held(connection, tenant_id, KeyKind.SECRET, key_id)
            if lacking := beyond(granted, held.scopes):
                raise insufficient(*lacking)
            made = await self._keys.rotate(connection, tenant_id, key_id, secret, grace_s)
            await self._audit.append(connection, tenant_id, _entry(made, "rotate", by, {"graceSec": grace_s}))
        return MadeKey(_api_key(made), secret)

    async def revoke(self, tenant_id: str, key_id: str, by: Initiator) -> None:
        """End an API key for ever."""
        await self._revoke(tenant_id, KeyKind.SECRET, key_id, by)

    async def _kept(self, tenant_id: str, key: NewKey, by: Initiator) -> KeyRecord:
        async with self._database.transaction() as connection:
            made = await self._keys.create(tenant_id, key, connection)
            await self._audit.append(connection, tenant_id, _entry(made, "create", by, _told_of(made)))
        return made

    async def environment_of(self, tenant_id: str, project_id: str, deployment_id: str) -> str:
        """Return where a deployment of a project runs."""
        return (await self._deployments.named(tenant_id, project_id, deployment_id)).environment

    async def public_keys(
        self, tenant_id: str, project_id: str, *, limit: int, offset: int
    ) -> tuple[Sequence[PublicKeyView], int]:
        """Return the public keys of a project, the newest first, and how many there are."""
        rows, total = await self._keys.page(tenant_id, KeyKind.PUBLIC, [project_id], limit=limit, offset=offset)
        return [_public_key(row) for row in rows], total

    async def make_public(self, tenant_id: str, project_id: str, wanted: NewPublicKey, by: Initiator) -> MadePublicKey:
        """Keep a new public key; return it with itself in clear."""
        deployment_id = await self._deployment_id(tenant_id, project_id, wanted.deployment_id)
        wanted = msgspec.structs.replace(wanted, deployment_id=deployment_id)
        key = msgspec.structs.replace(
            new_public_key(self._ids, project_id, name=wanted.name),
            environments=(wanted.environment,) if wanted.environment else (),
            details=_details(wanted),
            expires_at=wanted.expires_at,
            created_by=by.actor.id,
        )
        return MadePublicKey(_public_key(await self._kept(tenant_id, key, by)), key.plaintext)

    async def change_public(
        self, tenant_id: str, project_id: str, key_id: str, changes: Mapping[str, Any], by: Initiator
    ) -> PublicKeyView:
        """Change fields of a public key."""
        if named := changes.get("deployment_id", ""):
            changes = {**changes, "deployment_id": await self._deployment_id(tenant_id, project_id, named)}
        async with self._database.transaction() as connection:
            held = await self._held(connection, tenant_id, KeyKind.PUBLIC, key_id, project_id)
            view = _public_key(held)
            known = {name: getattr(view, name) for name in NewPublicKey.__struct_fields__}
            wanted = NewPublicKey(**{**known, **changes})
            changed = msgspec.structs.replace(
                held,
                name=wanted.name,
                environments=(wanted.environment,) if wanted.environment else (),
                details={**held.details, **_details(wanted)},
                expires_at=wanted.expires_at,
            )
            made = await self._keys.update(connection, tenant_id, changed)
            details = {"fields": sorted(changes), **_told_of(made)}
            await self._audit.append(connection, tenant_id, _entry(made, "update", by, details))
        return _public_key(made)

    async def revoke_public(self, tenant_id: str, project_id: str, key_id: str, by: Initiator) -> None:
        """End a public key for ever."""
        await self._revoke(tenant_id, KeyKind.PUBLIC, key_id, by, project_id)

    async def _revoke(
        self, tenant_id: str, kind: KeyKind, key_id: str, by: Initiator, project_id: str | None = None
    ) -> None:
        async with self._database.transaction() as connection:
            held = await self._held(connection, tenant_id, kind, key_id, project_id)
            await self._keys.revoke(tenant_id, key_id, connection)
            await self._audit.append(connection, tenant_id, _entry(held, "revoke", by, {}))

    async def _held(
        self, connection: Connection, tenant_id: str, kind: KeyKind, key_id: str, project_id: str | None = None
    ) -> KeyRecord:
        found = await self._keys.hold(connection, tenant_id, kind, key_id)
        if found is None or project_id not in (None, found.project_id):
            raise NotFound(NO_KEY if kind is KeyKind.SECRET else NO_PUBLIC_KEY)
        return found

    async def _deployment_id(self, tenant_id: str, project_id: str, named: str) -> str:
        """Return the id of the deployment with this id or slug; "" of none. Raises NotFound."""
        return (await self._deployments.named(tenant_id, project_id, named)).deployment_id if named else ""


def _details(key: NewPublicKey) -> JsonObject:
    return {kept: msgspec.to_builtins(getattr(key, name)) for name, kept in IN_DETAILS.items()}


def _api_key(key: KeyRecord) -> ApiKeyView:
    return ApiKeyView(
        id=key.key_id,
        name=key.name,
        prefix=key.prefix,
        scopes=key.scopes,
        project_id=key.project_id,
        environments=key.environments,
        expires_at=key.expires_at,
        last_used_at=key.last_used_at,
        created_at=key.created_at,
        created_by=key.created_by,
        revoked_at=key.revoked_at,
    )


def _public_key(key: KeyRecord) -> PublicKeyView:
    given = {name: key.details[kept] for name, kept in IN_DETAILS.items() if kept in key.details}
    return PublicKeyView(
        **{**given, "allowed_origins": tuple(given.get("allowed_origins", ()))},
        id=key.key_id,
        project_id=key.project_id or "",
        name=key.name,
        prefix=key.prefix,
        environment=key.environments[0] if key.environments else "",
        expires_at=key.expires_at,
        last_used_at=key.last_used_at,
        created_at=key.created_at,
        created_by=key.created_by,
        revoked_at=key.revoked_at,
    )


def _told_of(key: KeyRecord) -> JsonObject:
    """Return what the audit log says a key may."""
    may = {"scopes": list(key.scopes)} if key.kind == KeyKind.SECRET else key.details
    ends = iso_ms(key.expires_at) if key.expires_at is not None else None
    return {**may, "environments": list(key.environments), "expiresAt": ends}


def _entry(key: KeyRecord, verb: str, by: Initiator, details: JsonObject) -> AuditEntry:
    kind = "api_key" if key.kind == KeyKind.SECRET else "public_key"
    return AuditEntry(
        by=by,
        action=f"{kind}.{verb}",
        category=AuditCategory.ACCESS,
        resource=Resource(kind, key.key_id, key.name),
        project_id=key.project_id or "",
        details=details,
    )
