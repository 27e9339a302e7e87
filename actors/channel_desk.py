"""SDK channels made, seen, changed and deleted. Spec: platform-api 6.6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import Conflict, InvalidInput
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.limits import CHANNELS_PER_PROJECT
from storage.database import Connection, Database
from storage.errors import Duplicate
from storage.repositories.audit import AuditLog
from storage.repositories.deployments import Deployments
from storage.repositories.projects import Projects
from storage.repositories.sdk_channels import ChannelFields, ChannelRecord, SdkChannels

KIND: Final = "channel"


class ChannelPage(NamedTuple):
    """Some channels and how many there are."""

    rows: Sequence[ChannelRecord]
    total: int


class ChannelDesk(Protocol):
    """The SDK channels of projects."""

    async def list(self, tenant_id: str, project_id: str, *, limit: int, offset: int) -> ChannelPage:
        """Return channels, the oldest first."""
        ...

    async def get(self, tenant_id: str, project_id: str, channel_id: str) -> ChannelRecord:
        """Return a channel. Raises NotFound."""
        ...

    async def widget(self, tenant_id: str, key_id: str) -> JsonObject:
        """Return what the channel of a public key says of its widget, `{}` without a channel."""
        ...

    async def create(self, tenant_id: str, project_id: str, fields: ChannelFields, by: Initiator) -> ChannelRecord:
        """Make a channel.

        Raises:
            NotFound: The public key or the deployment is none of this project.
            InvalidInput: There are too many, or the public key is bound to other agents than the channel names.
            Conflict: The name is taken.
        """
        ...

    async def change(
        self, tenant_id: str, project_id: str, channel_id: str, changed: JsonObject, by: Initiator
    ) -> ChannelRecord:
        """Change fields of a channel, named as in `ChannelFields`. Raises NotFound, InvalidInput, Conflict."""
        ...

    async def remove(self, tenant_id: str, project_id: str, channel_id: str, by: Initiator) -> None:
        """Delete a channel. Raises NotFound."""
        ...


class StoredChannels:
    """Satisfies `ChannelDesk`."""

    def __init__(self, database: Database, audit: AuditLog, ids: IdSource) -> None:
        self._database = database
        self._channels = SdkChannels(database)
        self._deployments = Deployments(database)
        self._projects = Projects(database)
        self._audit = audit
        self._ids = ids

    async def list(self, tenant_id: str, project_id: str, *, limit: int, offset: int) -> ChannelPage:
        """Return channels, the oldest first."""
        return ChannelPage(*await self._channels.list(tenant_id, project_id, limit=limit, offset=offset))

    async def get(self, tenant_id: str, project_id: str, channel_id: str) -> ChannelRecord:
        """Return a channel."""
        return await self._channels.get(tenant_id, project_id, channel_id)

    async def widget(self, tenant_id: str, key_id: str) -> JsonObject:
        """Return what the channel of a public key says of its widget, `{}` without a channel."""
        found = await self._channels.of_key(tenant_id, key_id)
        return found.config if found is not None else {}

    async def create(self, tenant_id: str, project_id: str, fields: ChannelFields, by: Initiator) -> ChannelRecord:
        """Make a channel."""
        try:
            async with self._database.transaction() as connection:
                await self._projects.lock(connection, tenant_id, project_id)
                fields = await self._checked(connection, tenant_id, project_id, fields)
                if await self._channels.count(connection, tenant_id, project_id) >= CHANNELS_PER_PROJECT:
                    raise InvalidInput(f"A project has at most {CHANNELS_PER_PROJECT} channels")
                channel_id = self._ids.new(PREFIXES[KIND])
                made = await self._channels.create(connection, tenant_id, project_id, channel_id, fields)
                await self._audit.append(connection, tenant_id, _entry(made, "create", by))
        except Duplicate as error:
            raise _taken() from error
        return made

    async def change(
        self, tenant_id: str, project_id: str, channel_id: str, changed: JsonObject, by: Initiator
    ) -> ChannelRecord:
        """Change fields of a channel."""
        try:
            async with self._database.transaction() as connection:
                await self._projects.lock(connection, tenant_id, project_id)  # two changes lose nothing of each other
                before = await self._channels.get(tenant_id, project_id, channel_id, connection)
                known: dict[str, Any] = {name: getattr(before, name) for name in ChannelFields.__struct_fields__}
                fields = msgspec.convert({**known, **changed}, ChannelFields)
                fields = await self._checked(connection, tenant_id, project_id, fields)
                after = await self._channels.change(connection, tenant_id, project_id, channel_id, fields)
                await self._audit.append(connection, tenant_id, _entry(after, "update", by))
        except Duplicate as error:
            raise _taken() from error
        return after

    async def remove(self, tenant_id: str, project_id: str, channel_id: str, by: Initiator) -> None:
        """Delete a channel."""
        async with self._database.transaction() as connection:
            gone = await self._channels.delete(connection, tenant_id, project_id, channel_id)
            await self._audit.append(connection, tenant_id, _entry(gone, "delete", by))

    async def _checked(
        self, connection: Connection, tenant_id: str, project_id: str, fields: ChannelFields
    ) -> ChannelFields:
        """Return fields that name what is there; a deployment also by its slug. Raises NotFound, InvalidInput."""
        key = await self._channels.public_key(connection, tenant_id, project_id, fields.public_api_key_id)
        if fields.environment:
            _check_same("environment", fields.environment, key.environment)
        if not fields.deployment_id:
            return fields
        found = await self._deployments.named(tenant_id, project_id, fields.deployment_id, connection)
        _check_same("deploymentId", found.environment, key.environment)
        _check_same("deploymentId", found.deployment_id, key.deployment_id)
        return msgspec.structs.replace(fields, deployment_id=found.deployment_id)


def _check_same(field: str, wanted: str, bound: str) -> None:
    """Refuse a channel that names other agents than its public key runs: the key would come first. Spec: 6.6, 14.4."""
    if bound not in ("", wanted):
        fields = [{"path": f"/{field}", "message": f"The public key is bound to {bound}"}]
        raise InvalidInput("Invalid request", details={"fields": fields})


def _taken() -> Conflict:
    return Conflict("A channel with this name exists already", details={"reason": "DUPLICATE_NAME"})


def _entry(channel: ChannelRecord, verb: str, by: Initiator) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"{KIND}.{verb}",
        category=AuditCategory.PROJECT,
        resource=Resource(KIND, channel.channel_id, channel.name),
        project_id=channel.project_id,
        details={"channelType": channel.channel_type},
    )
