"""Secrets of tools, sealed before they come here. Spec: platform-api 7.2."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from domain.errors import NotFound
from storage.database import Database, Row
from storage.statements import Statement

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
DELETE = Statement("DELETE FROM credentials WHERE tenant_id = :tenant_id AND credential_id = :credential_id")
FIND = Statement(f"SELECT {_META} FROM credentials WHERE tenant_id = :tenant_id AND credential_id = :credential_id")
LIST = Statement(f"""
    SELECT {_META} FROM credentials
    WHERE tenant_id = :tenant_id AND project_id = :project_id
      AND (:tool_name::text IS NULL OR tool_name = :tool_name)
      AND (:environment::text IS NULL OR environment = :environment)
    ORDER BY created_at, credential_id
""")
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


class Sealed(Struct, frozen=True):
    """A credential with its sealed value."""

    meta: CredentialMeta
    value: bytes


class Credentials:
    """The credentials of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        tenant_id: str,
        credential_id: str,
        *,
        project_id: str,
        tool_name: str,
        secret_key: str,
        sealed: bytes,
        environment: str = "dev",
        expires_at: datetime | None = None,
    ) -> CredentialMeta:
        """Keep a credential. Raises Duplicate."""
        row = await self._database.row(
            CREATE,
            tenant_id=tenant_id,
            credential_id=credential_id,
            project_id=project_id,
            tool_name=tool_name,
            secret_key=secret_key,
            environment=environment,
            sealed=sealed,
            expires_at=expires_at,
        )
        assert row is not None
        return _meta(row)

    async def replace(self, tenant_id: str, credential_id: str, sealed: bytes, *, version: int) -> CredentialMeta:
        """Put another value in the place of the last one. Raises NotFound, also when `version` is not the last."""
        row = await self._database.row(
            REPLACE, tenant_id=tenant_id, credential_id=credential_id, sealed=sealed, version=version
        )
        if row is None:
            raise NotFound("Secret not found")
        return _meta(row)

    async def find(self, tenant_id: str, credential_id: str) -> CredentialMeta | None:
        """Return what is known of a credential."""
        row = await self._database.row(FIND, tenant_id=tenant_id, credential_id=credential_id)
        return _meta(row) if row else None

    async def list(
        self, tenant_id: str, project_id: str, *, tool_name: str | None = None, environment: str | None = None
    ) -> Sequence[CredentialMeta]:
        """Return what is known of a project's credentials, the oldest first."""
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, tool_name=tool_name, environment=environment
        )
        return [_meta(row) for row in rows]

    async def resolve(
        self, tenant_id: str, project_id: str, secret_key: str, environment: str, tool_names: Sequence[str]
    ) -> Sealed | None:
        """Return the credential of the first of these tools that has one, expired ones too."""
        row = await self._database.row(
            RESOLVE,
            tenant_id=tenant_id,
            project_id=project_id,
            secret_key=secret_key,
            environment=environment,
            tool_names=list(tool_names),
        )
        return Sealed(_meta(row), row["sealed"]) if row else None

    async def delete(self, tenant_id: str, credential_id: str) -> bool:
        """Remove a credential; return False when there is none."""
        return bool(await self._database.execute(DELETE, tenant_id=tenant_id, credential_id=credential_id))


def _meta(row: Row) -> CredentialMeta:
    return CredentialMeta(**{name: row[name] for name in CredentialMeta.__struct_fields__})
