"""API keys and public keys: stored as hashes, shown by their prefix. Spec: platform-api 2.1, 2.3."""

from __future__ import annotations

import hashlib
from datetime import datetime

from msgspec import Struct, field

from domain.json_values import JsonObject
from domain.limits import KEY_PREFIX_CHARS
from storage.database import Database, Row
from storage.statements import Statement

_COLUMNS = """
    tenant_id, key_id, project_id, kind, name, prefix, scopes, environments, details, created_at, expires_at, revoked_at
"""

CREATE = Statement(f"""
    INSERT INTO api_keys (
        tenant_id, key_id, project_id, kind, name, prefix, key_hash, scopes, environments, details, expires_at
    ) VALUES (
        :tenant_id, :key_id, :project_id, :kind, :name, :prefix, :key_hash, :scopes, :environments, :details,
        :expires_at
    )
    RETURNING {_COLUMNS}
""")
BY_HASH = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys
    WHERE key_hash = :key_hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())
""")
BY_ID = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys
    WHERE tenant_id = :tenant_id AND key_id = :key_id
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys
    WHERE tenant_id = :tenant_id AND (:project_id::text IS NULL OR project_id = :project_id)
    ORDER BY created_at, key_id
""")
REVOKE = Statement("""
    UPDATE api_keys SET revoked_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND key_id = :key_id AND revoked_at IS NULL
""")


class KeyRecord(Struct, frozen=True, kw_only=True):
    """A key without the key itself; without a project it opens every project of the tenant."""

    tenant_id: str
    key_id: str
    project_id: str | None
    kind: str
    name: str
    prefix: str
    scopes: tuple[str, ...]
    environments: tuple[str, ...]
    details: JsonObject
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class NewKey(Struct, frozen=True, kw_only=True):
    """A key to keep; `plaintext` is only hashed."""

    key_id: str
    plaintext: str
    project_id: str | None = None
    kind: str = "secret"
    name: str = ""
    scopes: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    details: JsonObject = field(default_factory=dict)
    expires_at: datetime | None = None


class ApiKeys:
    """The keys of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, tenant_id: str, key: NewKey) -> KeyRecord:
        """Keep a key. Raises Duplicate."""
        row = await self._database.row(
            CREATE,
            tenant_id=tenant_id,
            key_id=key.key_id,
            project_id=key.project_id,
            kind=key.kind,
            name=key.name,
            prefix=key.plaintext[:KEY_PREFIX_CHARS],
            key_hash=hash_of(key.plaintext),
            scopes=key.scopes,
            environments=key.environments,
            details=key.details,
            expires_at=key.expires_at,
        )
        assert row is not None
        return _record(row)

    async def find_by_plaintext(self, plaintext: str) -> KeyRecord | None:
        """Return the valid key that this is, of whichever tenant: the key is what tells the tenant."""
        row = await self._database.row(BY_HASH, key_hash=hash_of(plaintext))
        return _record(row) if row else None

    async def find_valid(self, tenant_id: str, key_id: str) -> KeyRecord | None:
        """Return the key with this id while it opens something."""
        row = await self._database.row(BY_ID, tenant_id=tenant_id, key_id=key_id)
        return _record(row) if row else None

    async def list(self, tenant_id: str, project_id: str | None = None) -> tuple[KeyRecord, ...]:
        """Return the keys of a tenant or of one of its projects, revoked ones too."""
        rows = await self._database.rows(LIST, tenant_id=tenant_id, project_id=project_id)
        return tuple(_record(row) for row in rows)

    async def revoke(self, tenant_id: str, key_id: str) -> bool:
        """End a key for ever; return False when there is none to end."""
        return bool(await self._database.execute(REVOKE, tenant_id=tenant_id, key_id=key_id))


def hash_of(plaintext: str) -> bytes:
    """Return what is stored of a key. Keys are random, so a plain hash is enough."""
    return hashlib.sha256(plaintext.encode()).digest()


def _record(row: Row) -> KeyRecord:
    values = dict(row)
    return KeyRecord(**{**values, "scopes": tuple(values["scopes"]), "environments": tuple(values["environments"])})
