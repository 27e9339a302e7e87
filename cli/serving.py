"""What the gateway asks for beside the runtime, answered from the store: projects, public keys, counters."""

from __future__ import annotations

from actors.wiring import RunningRuntime
from domain.clock import Clock, IdSource
from gateway.auth.public_keys import PublicKey
from gateway.counters import LocalCounters
from gateway.idempotency import LocalReplyStore
from gateway.services import AccessServices
from storage.database import Database
from storage.repositories.api_keys import ApiKeys, KeyRecord
from storage.repositories.projects import Projects
from storage.statements import Statement

KEY_BY_ID = Statement("SELECT tenant_id FROM api_keys WHERE key_id = :key_id AND kind = 'public'")
PUBLIC = "public"


class StoredProjects:
    """Satisfies `gateway.gate.Projects`."""

    def __init__(self, database: Database) -> None:
        self._projects = Projects(database)

    async def exists(self, tenant_id: str, project_id: str) -> bool:
        """Return whether the tenant has this project."""
        return await self._projects.find(tenant_id, project_id) is not None


class StoredPublicKeys:
    """Satisfies `gateway.auth.public_keys.PublicKeyStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys = ApiKeys(database)

    async def find_by_secret(self, secret: str) -> PublicKey | None:
        """Return the key whose clear text is `secret`."""
        found = await self._keys.find_by_plaintext(secret)
        return _public(found) if found is not None and found.kind == PUBLIC else None

    async def find_by_id(self, key_id: str) -> PublicKey | None:
        """Return the key with this id."""
        tenant_id = await self._database.value(KEY_BY_ID, key_id=key_id)
        if tenant_id is None:
            return None
        keys = await self._keys.list(str(tenant_id))
        return next((_public(one) for one in keys if one.key_id == key_id and one.revoked_at is None), None)


def access_services(running: RunningRuntime, clock: Clock, ids: IdSource) -> AccessServices:
    """Return what the gateway decides about callers with."""
    return AccessServices(
        public_keys=StoredPublicKeys(running.database),
        projects=StoredProjects(running.database),
        counters=LocalCounters(clock),
        replies=LocalReplyStore(clock),
        active_sessions=running.archive.count_active,
        clock=clock,
        ids=ids,
    )


def _public(key: KeyRecord) -> PublicKey:
    details = key.details
    return PublicKey(
        id=key.key_id,
        tenant_id=key.tenant_id,
        project_id=key.project_id or "",
        environment=key.environments[0] if key.environments else "",
        deployment_id=str(details.get("deploymentId", "")),
        allowed_origins=tuple(details.get("allowedOrigins", ())),
    )
