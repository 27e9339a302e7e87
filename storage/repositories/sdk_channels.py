"""SDK channels: under which name and look a page or an app reaches which deployment. Spec: platform-api 6.6."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from domain.errors import NotFound
from domain.json_values import JsonObject
from storage.database import Connection, Database, Row
from storage.statements import Statement

NO_CHANNEL: Final = "Channel not found"
NO_PUBLIC_KEY: Final = "Public key not found"
_COLUMNS = """
    tenant_id, project_id, channel_id, name, channel_type, public_api_key_id, deployment_id, environment,
    follow_environment, config, is_active, created_at, updated_at
"""

CREATE = Statement(f"""
    INSERT INTO sdk_channels (
        tenant_id, channel_id, project_id, name, channel_type, public_api_key_id, deployment_id, environment,
        follow_environment, config, is_active
    ) VALUES (
        :tenant_id, :channel_id, :project_id, :name, :channel_type, :public_api_key_id, :deployment_id, :environment,
        :follow_environment, :config, :is_active
    )
    RETURNING {_COLUMNS}
""")
CHANGE = Statement(f"""
    UPDATE sdk_channels SET name = :name, channel_type = :channel_type, public_api_key_id = :public_api_key_id,
        deployment_id = :deployment_id, environment = :environment, follow_environment = :follow_environment,
        config = :config, is_active = :is_active, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND channel_id = :channel_id
    RETURNING {_COLUMNS}
""")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM sdk_channels
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND channel_id = :channel_id
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM sdk_channels WHERE tenant_id = :tenant_id AND project_id = :project_id
    ORDER BY created_at, channel_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement("SELECT count(*) FROM sdk_channels WHERE tenant_id = :tenant_id AND project_id = :project_id")
DELETE = Statement(f"""
    DELETE FROM sdk_channels WHERE tenant_id = :tenant_id AND project_id = :project_id AND channel_id = :channel_id
    RETURNING {_COLUMNS}
""")
COUNT_BOUND = Statement("""
    SELECT count(*) FROM sdk_channels
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND is_active AND (
        deployment_id = :deployment_id
        OR (:is_active AND follow_environment AND deployment_id IS NULL AND environment = :environment))
""")
OF_KEY = Statement(f"""
    SELECT {_COLUMNS} FROM sdk_channels
    WHERE tenant_id = :tenant_id AND public_api_key_id = :key_id AND is_active ORDER BY created_at LIMIT 1
""")
BOUND_KEY = Statement("""
    SELECT coalesce(d.environment, k.environments[1], '') AS environment, coalesce(d.deployment_id, '') AS deployment_id
    FROM api_keys k LEFT JOIN deployments d
        ON d.tenant_id = k.tenant_id AND d.project_id = k.project_id AND d.deployment_id = k.details->>'deploymentId'
    WHERE k.tenant_id = :tenant_id AND k.project_id = :project_id AND k.key_id = :key_id AND k.kind = 'public'
      AND k.revoked_at IS NULL
""")


class ChannelRecord(Struct, frozen=True, kw_only=True):
    """A channel; without a deployment it follows what is active in its environment."""

    tenant_id: str
    project_id: str
    channel_id: str
    name: str
    channel_type: str
    public_api_key_id: str
    deployment_id: str | None
    environment: str | None
    follow_environment: bool
    config: JsonObject
    is_active: bool
    created_at: datetime
    updated_at: datetime


class ChannelFields(Struct, frozen=True, kw_only=True):
    """What can be said of a channel."""

    name: str
    channel_type: str
    public_api_key_id: str
    deployment_id: str | None = None
    environment: str | None = None
    follow_environment: bool = True
    config: JsonObject = {}  # msgspec copies empty defaults
    is_active: bool = True


class KeyBinding(Struct, frozen=True):
    """What a public key runs whatever its channel says; both empty leave it to the channel."""

    environment: str
    deployment_id: str


class SdkChannels:
    """The channels of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, connection: Connection, tenant_id: str, project_id: str, channel_id: str, fields: ChannelFields
    ) -> ChannelRecord:
        """Keep a channel. Raises Duplicate."""
        values = asdict(fields)
        row = await connection.row(CREATE, tenant_id=tenant_id, project_id=project_id, channel_id=channel_id, **values)
        assert row is not None
        return _record(row)

    async def change(
        self, connection: Connection, tenant_id: str, project_id: str, channel_id: str, fields: ChannelFields
    ) -> ChannelRecord:
        """Write a channel anew. Raises NotFound, Duplicate."""
        values = asdict(fields)
        row = await connection.row(CHANGE, tenant_id=tenant_id, project_id=project_id, channel_id=channel_id, **values)
        return _found(row)

    async def get(
        self, tenant_id: str, project_id: str, channel_id: str, connection: Connection | None = None
    ) -> ChannelRecord:
        """Return a channel. Raises NotFound."""
        source = connection or self._database
        return _found(await source.row(FIND, tenant_id=tenant_id, project_id=project_id, channel_id=channel_id))

    async def list(
        self, tenant_id: str, project_id: str, *, limit: int, offset: int
    ) -> tuple[Sequence[ChannelRecord], int]:
        """Return channels of a project, the oldest first, and how many there are."""
        rows = await self._database.rows(LIST, tenant_id=tenant_id, project_id=project_id, limit=limit, offset=offset)
        total = await self._database.value(COUNT, tenant_id=tenant_id, project_id=project_id)
        return [_record(row) for row in rows], int(total)

    async def delete(self, connection: Connection, tenant_id: str, project_id: str, channel_id: str) -> ChannelRecord:
        """Remove a channel; return what it was. Raises NotFound."""
        return _found(await connection.row(DELETE, tenant_id=tenant_id, project_id=project_id, channel_id=channel_id))

    async def count_bound(
        self, tenant_id: str, project_id: str, deployment_id: str, environment: str, *, is_active: bool
    ) -> int:
        """Return how many active channels reach a deployment, directly or as the active one of their environment."""
        return int(
            await self._database.value(
                COUNT_BOUND,
                tenant_id=tenant_id,
                project_id=project_id,
                deployment_id=deployment_id,
                environment=environment,
                is_active=is_active,
            )
        )

    async def of_key(self, tenant_id: str, key_id: str) -> ChannelRecord | None:
        """Return the oldest active channel of a public key."""
        row = await self._database.row(OF_KEY, tenant_id=tenant_id, key_id=key_id)
        return _record(row) if row else None

    async def count(self, connection: Connection, tenant_id: str, project_id: str) -> int:
        """Return how many channels a project has."""
        return int(await connection.value(COUNT, tenant_id=tenant_id, project_id=project_id))

    async def public_key(self, connection: Connection, tenant_id: str, project_id: str, key_id: str) -> KeyBinding:
        """Return what a public key of a project is bound to. Raises NotFound: it is not there, or revoked."""
        row = await connection.row(BOUND_KEY, tenant_id=tenant_id, project_id=project_id, key_id=key_id)
        if row is None:
            raise NotFound(NO_PUBLIC_KEY)
        return KeyBinding(**dict(row))


def _found(row: Row | None) -> ChannelRecord:
    if row is None:
        raise NotFound(NO_CHANNEL)
    return _record(row)


def _record(row: Row) -> ChannelRecord:
    return ChannelRecord(**dict(row))
