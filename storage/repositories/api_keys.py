"""API keys and public keys: stored as hashes, shown by their prefix. Spec: platform-api 2.1, 2.3, 14.4."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct, field

from domain.json_values import JsonObject
from domain.limits import KEY_PREFIX_CHARS
from storage.database import Connection, Database, Row
from storage.statements import Statement

USE_NOTED_EVERY: Final = timedelta(minutes=1)
"""How far `last_used_at` may lag behind: a key in use costs one write in this time."""

_COLUMNS = """
    tenant_id, key_id, project_id, kind, name, prefix, scopes, environments, details, created_at, created_by,
    last_used_at, expires_at, revoked_at
"""
_LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())"
_OF = """
    tenant_id = :tenant_id AND kind = :kind
    AND (:project_ids::text[] IS NULL OR project_id = ANY(:project_ids))
"""

CREATE = Statement(f"""
    INSERT INTO api_keys (
        tenant_id, key_id, project_id, kind, name, prefix, key_hash, scopes, environments, details, expires_at,
        created_by
    ) VALUES (
        :tenant_id, :key_id, :project_id, :kind, :name, :prefix, :key_hash, :scopes, :environments, :details,
        :expires_at, :created_by
    )
    RETURNING {_COLUMNS}
""")
BY_HASH = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys
    WHERE (key_hash = :key_hash OR (previous_hash = :key_hash AND previous_until > clock_timestamp())) AND {_LIVE}
""")
BY_ID = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys WHERE tenant_id = :tenant_id AND key_id = :key_id AND {_LIVE}
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys
    WHERE tenant_id = :tenant_id AND (:project_id::text IS NULL OR project_id = :project_id)
    ORDER BY created_at, key_id
""")
PAGE = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys WHERE {_OF} ORDER BY created_at DESC, key_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement(f"SELECT count(*) FROM api_keys WHERE {_OF}")
HOLD = Statement(f"""
    SELECT {_COLUMNS} FROM api_keys
    WHERE tenant_id = :tenant_id AND kind = :kind AND key_id = :key_id AND revoked_at IS NULL FOR UPDATE
""")
UPDATE = Statement(f"""
    UPDATE api_keys SET name = :name, environments = :environments, details = :details, expires_at = :expires_at
    WHERE tenant_id = :tenant_id AND key_id = :key_id
    RETURNING {_COLUMNS}
""")
ROTATE = Statement(f"""
    UPDATE api_keys SET previous_hash = key_hash,
        previous_until = clock_timestamp() + make_interval(secs => :grace_s::float8),
        key_hash = :key_hash, prefix = :prefix
    WHERE tenant_id = :tenant_id AND key_id = :key_id
    RETURNING {_COLUMNS}
""")
REVOKE = Statement("""
    UPDATE api_keys SET revoked_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND key_id = :key_id AND revoked_at IS NULL
""")
NOTE_USE = Statement(
    """
    UPDATE api_keys SET last_used_at = :now
    WHERE tenant_id = :tenant_id AND key_id = :key_id AND (last_used_at IS NULL OR last_used_at < :before)
    """,
    is_repeatable=True,
)


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
    created_by: str = ""
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


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
    created_by: str = ""


class ApiKeys:
    """The keys of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, tenant_id: str, key: NewKey, connection: Connection | None = None) -> KeyRecord:
        """Keep a key, within a transaction where one is given. Raises Duplicate."""
        row = await (connection or self._database).row(
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
            created_by=key.created_by,
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

    async def page(
        self, tenant_id: str, kind: str, project_ids: Sequence[str] | None, *, limit: int, offset: int
    ) -> tuple[Sequence[KeyRecord], int]:
        """Return keys of a kind, revoked ones too, the newest first, and how many there are; None is any project."""
        given = {"tenant_id": tenant_id, "kind": kind, "project_ids": project_ids}
        rows = await self._database.rows(PAGE, limit=limit, offset=offset, **given)
        return [_record(row) for row in rows], int(await self._database.value(COUNT, **given))

    async def hold(self, connection: Connection, tenant_id: str, kind: str, key_id: str) -> KeyRecord | None:
        """Return a key that is not revoked, and let nobody else change it until the transaction ends."""
        row = await connection.row(HOLD, tenant_id=tenant_id, kind=kind, key_id=key_id)
        return _record(row) if row else None

    async def update(self, connection: Connection, tenant_id: str, key: KeyRecord) -> KeyRecord:
        """Write name, environments, details and end of a key that is held."""
        row = await connection.row(
            UPDATE,
            tenant_id=tenant_id,
            key_id=key.key_id,
            name=key.name,
            environments=key.environments,
            details=key.details,
            expires_at=key.expires_at,
        )
        assert row is not None, "it is held"
        return _record(row)

    async def rotate(
        self, connection: Connection, tenant_id: str, key_id: str, plaintext: str, grace_s: float
    ) -> KeyRecord:
        """Give a key that is held another secret; the one it had works `grace_s` longer, an older one no more."""
        row = await connection.row(
            ROTATE,
            tenant_id=tenant_id,
            key_id=key_id,
            key_hash=hash_of(plaintext),
            prefix=plaintext[:KEY_PREFIX_CHARS],
            grace_s=grace_s,
        )
        assert row is not None, "it is held"
        return _record(row)

    async def revoke(self, tenant_id: str, key_id: str, connection: Connection | None = None) -> bool:
        """End a key for ever; return False when there is none to end."""
        return bool(await (connection or self._database).execute(REVOKE, tenant_id=tenant_id, key_id=key_id))

    async def note_use(self, key: KeyRecord, now: datetime) -> None:
        """Remember that a key was used, at most once in `USE_NOTED_EVERY`."""
        before = now - USE_NOTED_EVERY
        if key.last_used_at is None or key.last_used_at < before:
            await self._database.execute(NOTE_USE, tenant_id=key.tenant_id, key_id=key.key_id, now=now, before=before)


def hash_of(plaintext: str) -> bytes:
    """Return what is stored of a key. Keys are random, so a plain hash is enough."""
    return hashlib.sha256(plaintext.encode()).digest()


def _record(row: Row) -> KeyRecord:
    values = dict(row)
    return KeyRecord(**{**values, "scopes": tuple(values["scopes"]), "environments": tuple(values["environments"])})
