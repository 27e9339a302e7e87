"""The secrets of tools: kept, changed and removed, each with its entry in the audit log. Spec: platform-api 7.2.

A value goes in and is never shown again; `actors.secrets` opens it for the tools of sessions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import Conflict, NotFound
from domain.ids import PREFIXES
from storage.database import Connection, Database
from storage.errors import Duplicate
from storage.repositories.audit import AuditLog
from storage.repositories.credentials import CredentialMeta, Credentials, Then
from storage.vault import Vault

KIND: Final = "secret"
RESOURCE: Final = "tool_secret"
NO_SECRET: Final = "Secret not found"
TAKEN: Final = "Secret already exists"


class NewSecret(Struct, frozen=True, kw_only=True):
    """A secret to keep; it never prints its value.

    Attributes:
        tool_name: `*` gives it to all tools of the project.
    """

    project_id: str
    tool_name: str
    secret_key: str
    value: str
    environment: str = "dev"
    expires_at: datetime | None = None

    def __repr__(self) -> str:
        return f"NewSecret({self.project_id}, {self.tool_name}, {self.secret_key})"


class SecretPage(NamedTuple):
    """Some secrets without their values, and how many there are."""

    rows: Sequence[CredentialMeta]
    total: int


class ToolSecretDesk(Protocol):
    """The secrets of projects."""

    async def create(self, tenant_id: str, wanted: NewSecret, by: Initiator) -> CredentialMeta:
        """Keep a secret.

        Raises:
            Conflict: DUPLICATE_SECRET: the tool has one of that name in that environment.
            Unavailable: There is no master key.
        """
        ...

    async def find(self, tenant_id: str, secret_id: str) -> CredentialMeta:
        """Return what is known of a secret. Raises NotFound."""
        ...

    async def rotate(self, tenant_id: str, secret_id: str, value: str, by: Initiator) -> CredentialMeta:
        """Put another value in the place of the last one, under the next version.

        Raises:
            NotFound: There is no such secret.
            Conflict: Somebody else has changed it at the same time.
            Unavailable: There is no master key.
        """
        ...

    async def remove(self, tenant_id: str, secret_id: str, by: Initiator) -> None:
        """Delete a secret for good. Raises NotFound."""
        ...

    async def list(
        self, tenant_id: str, project_id: str, *, tool_name: str, environment: str, limit: int, offset: int
    ) -> SecretPage:
        """Return secrets of a project, the oldest first; an empty filter means any."""
        ...


class StoredToolSecrets:
    """Satisfies `ToolSecretDesk`."""

    def __init__(self, database: Database, vault: Vault, audit: AuditLog, ids: IdSource) -> None:
        self._credentials = Credentials(database, vault)
        self._audit = audit
        self._ids = ids

    async def create(self, tenant_id: str, wanted: NewSecret, by: Initiator) -> CredentialMeta:
        """Keep a secret."""
        try:
            return await self._credentials.create(
                tenant_id,
                self._ids.new(PREFIXES[KIND]),
                project_id=wanted.project_id,
                tool_name=wanted.tool_name,
                secret_key=wanted.secret_key,
                value=wanted.value,
                environment=wanted.environment,
                expires_at=wanted.expires_at,
                then=self._audited(tenant_id, "create", by),
            )
        except Duplicate as error:
            raise Conflict(TAKEN, details={"reason": "DUPLICATE_SECRET"}) from error

    async def find(self, tenant_id: str, secret_id: str) -> CredentialMeta:
        """Return what is known of a secret."""
        found = await self._credentials.find(tenant_id, secret_id)
        if found is None:
            raise NotFound(NO_SECRET)
        return found

    async def rotate(self, tenant_id: str, secret_id: str, value: str, by: Initiator) -> CredentialMeta:
        """Put another value in the place of the last one, under the next version."""
        then = self._audited(tenant_id, "rotate", by)
        return await self._credentials.replace(tenant_id, secret_id, value, then=then)

    async def remove(self, tenant_id: str, secret_id: str, by: Initiator) -> None:
        """Delete a secret for good."""
        if not await self._credentials.delete(tenant_id, secret_id, then=self._audited(tenant_id, "delete", by)):
            raise NotFound(NO_SECRET)

    async def list(
        self, tenant_id: str, project_id: str, *, tool_name: str, environment: str, limit: int, offset: int
    ) -> SecretPage:
        """Return secrets of a project, the oldest first."""
        rows, total = await self._credentials.list(
            tenant_id,
            project_id,
            tool_name=tool_name or None,
            environment=environment or None,
            limit=limit,
            offset=offset,
        )
        return SecretPage(rows, total)

    def _audited(self, tenant_id: str, verb: str, by: Initiator) -> Then:
        def entered(connection: Connection, meta: CredentialMeta) -> Awaitable[object]:
            return self._audit.append(connection, tenant_id, _entry(meta, verb, by))

        return entered


def _entry(meta: CredentialMeta, verb: str, by: Initiator) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"{RESOURCE}.{verb}",
        category=AuditCategory.CREDENTIALS,
        resource=Resource(RESOURCE, meta.credential_id, meta.secret_key),
        project_id=meta.project_id,
        details={"toolName": meta.tool_name, "environment": meta.environment, "version": meta.version},
    )
