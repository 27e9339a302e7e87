"""Secrets of tools. What comes to the database is sealed; only `resolve` opens it. Spec: platform-api 7.2."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from msgspec import Struct

from domain.errors import Conflict, NotFound
from domain.limits import PAGE_LIMIT_DEFAULT
from storage.database import Connection, Database, Row
from storage.errors import CHANGED_MEANWHILE
from storage.statements import Statement
from storage.vault import Vault

FIRST_VERSION = 1

_META = """
    credential_id, project_id, tool_name, secret_key, environment, version, expires_at, created_at, updated_at
"""

CREATE = Statement(f"""
    INSERT INTO credentials (
        tenant_id, credential_id, project_id, tool_name, secret_key, environment, sealed, expires_at
    ) VALUES (
        :tenant_id, :credential_id, :project_id, :tool_name, :secret_key, :environment, :sealed, :expires_at
    )
    RETURNING {_META}
""")
REPLACE = Statement(f"""
    UPDATE credentials SET sealed = :sealed, version = version + 1, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND credential_id = :credential_id AND version = :version
    RETURNING {_META}
""")
DELETE = Statement(f"""
    DELETE FROM credentials WHERE tenant_id = :tenant_id AND credential_id = :credential_id RETURNING {_META}
""")
FIND = Statement(f"SELECT {_META} FROM credentials WHERE tenant_id = :tenant_id AND credential_id = :credential_id")
_FILTER = """
    WHERE tenant_id = :tenant_id AND project_id = :project_id
      AND (:tool_name::text IS NULL OR tool_name = :tool_name)
      AND (:environment::text IS NULL OR environment = :environment)
"""
LIST = Statement(f"""
    SELECT {_META} FROM credentials {_FILTER} ORDER BY created_at, credential_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement(f"SELECT count(*) FROM credentials {_FILTER}")
RESOLVE = Statement(f"""
    SELECT {_META}, sealed FROM credentials
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND secret_key = :secret_key
      AND environment = :environment AND tool_name = ANY(:tool_names)
    ORDER BY array_position(:tool_names::text[], tool_name) LIMIT 1
""")


class CredentialMeta(Struct, frozen=True, kw_only=True):
    """A credential without its value."""

    credential_id: str
    project_id: str
    tool_name: str
    secret_key: str
    environment: str
    version: int
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime


Then = Callable[[Connection, CredentialMeta], Awaitable[object]]
"""What belongs into the transaction of a change, after it."""


class Credential:
    """A credential with its value, which never prints itself."""

    __slots__ = ("meta", "value")

    def __init__(self, meta: CredentialMeta, value: str) -> None:
        self.meta = meta
        self.value = value

    def __repr__(self) -> str:
        return f"Credential({self.meta.credential_id})"


class Credentials:
    """The credentials of all projects."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    async def create(
        self,
        tenant_id: str,
        credential_id: str,
        *,
        project_id: str,
        tool_name: str,
        secret_key: str,
        value: str,
        environment: str = "dev",
        expires_at: datetime | None = None,
        then: Then | None = None,
    ) -> CredentialMeta:
        """Keep a credential. Raises Duplicate, and Unavailable without a master key."""
        names = {
            "project_id": project_id,
            "tool_name": tool_name,
            "secret_key": secret_key,
            "environment": environment,
        }
        about = _about(credential_id, FIRST_VERSION, **names)
        sealed = await self._vault.seal(tenant_id, value.encode(), about)
        async with self._database.transaction() as connection:
            row = await connection.row(
                CREATE, tenant_id=tenant_id, credential_id=credential_id, sealed=sealed, expires_at=expires_at, **names
            )
            assert row is not None
            return await _followed(connection, _meta(row), then)

    async def replace(
        self, tenant_id: str, credential_id: str, value: str, *, then: Then | None = None
    ) -> CredentialMeta:
        """Put another value in the place of the last one, under the next version.

        Raises:
            NotFound: There is no such credential.
            Conflict: Somebody else has replaced it meanwhile.
            Unavailable: There is no master key.
        """
        last = await self.find(tenant_id, credential_id)
        if last is None:
            raise NotFound("Secret not found")
        sealed = await self._vault.seal(tenant_id, value.encode(), _about_meta(last, last.version + 1))
        async with self._database.transaction() as connection:
            row = await connection.row(
                REPLACE, tenant_id=tenant_id, credential_id=credential_id, sealed=sealed, version=last.version
            )
            if row is None:
                raise Conflict("The secret was changed at the same time; try again", details=CHANGED_MEANWHILE)
            return await _followed(connection, _meta(row), then)

    async def find(self, tenant_id: str, credential_id: str) -> CredentialMeta | None:
        """Return what is known of a credential."""
        row = await self._database.row(FIND, tenant_id=tenant_id, credential_id=credential_id)
        return _meta(row) if row else None

    async def list(
        self,
        tenant_id: str,
        project_id: str,
        *,
        tool_name: str | None = None,
        environment: str | None = None,
        limit: int = PAGE_LIMIT_DEFAULT,
        offset: int = 0,
    ) -> tuple[Sequence[CredentialMeta], int]:
        """Return what is known of some of a project's credentials, the oldest first, and how many there are."""
        wanted = {"project_id": project_id, "tool_name": tool_name, "environment": environment}
        rows = await self._database.rows(LIST, tenant_id=tenant_id, limit=limit, offset=offset, **wanted)
        total = await self._database.value(COUNT, tenant_id=tenant_id, **wanted)
        return [_meta(row) for row in rows], int(total)

    async def resolve(
        self, tenant_id: str, project_id: str, secret_key: str, environment: str, tool_names: Sequence[str]
    ) -> Credential | None:
        """Return the credential of the first of these tools that has one, expired ones too. Raises Unopenable."""
        row = await self._database.row(
            RESOLVE,
            tenant_id=tenant_id,
            project_id=project_id,
            secret_key=secret_key,
            environment=environment,
            tool_names=list(tool_names),
        )
        if row is None:
            return None
        meta = _meta(row)
        about = _about_meta(meta, meta.version)
        return Credential(meta, (await self._vault.open(tenant_id, row["sealed"], about)).decode())

    async def delete(self, tenant_id: str, credential_id: str, *, then: Then | None = None) -> bool:
        """Remove a credential; return False when there is none."""
        async with self._database.transaction() as connection:
            row = await connection.row(DELETE, tenant_id=tenant_id, credential_id=credential_id)
            if row is None:
                return False
            await _followed(connection, _meta(row), then)
        return True


async def _followed(connection: Connection, meta: CredentialMeta, then: Then | None) -> CredentialMeta:
    if then is not None:
        await then(connection, meta)
    return meta


def _about_meta(meta: CredentialMeta, version: int) -> tuple[str, ...]:
    return _about(
        meta.credential_id,
        version,
        project_id=meta.project_id,
        tool_name=meta.tool_name,
        secret_key=meta.secret_key,
        environment=meta.environment,
    )


def _about(
    credential_id: str, version: int, *, project_id: str, tool_name: str, secret_key: str, environment: str
) -> tuple[str, ...]:
    """Return what a value is bound to beside its tenant: it can neither be moved, nor an old one be put back."""
    return (project_id, credential_id, tool_name, secret_key, environment, str(version))


def _meta(row: Row) -> CredentialMeta:
    return CredentialMeta(**{name: row[name] for name in CredentialMeta.__struct_fields__})
