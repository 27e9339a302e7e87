"""The keys that the first start makes, and what the command line makes them with. Spec: platform-api 14.1, 14.4."""

from __future__ import annotations

from actors.clocks import SystemClock
from actors.key_desk import StoredKeys
from actors.keys import LOOPBACK_ORIGINS
from actors.projects import TENANT_ID
from domain.audit import SYSTEM
from domain.clock import IdSource
from domain.keys import NewApiKey, NewPublicKey
from domain.permissions import EVERYTHING
from storage.database import Database
from storage.repositories.api_keys import ApiKeys
from storage.repositories.audit import AuditLog


def key_desk(database: Database, ids: IdSource) -> StoredKeys:
    """Return the desk of keys beside a gateway."""
    return StoredKeys(database, AuditLog(database, SystemClock(), ids), ids)


async def make_key(database: Database, ids: IdSource, *, tenant_id: str = TENANT_ID, name: str = "first key") -> str:
    """Make an API key that may do everything in its tenant, and return it in clear."""
    made = await key_desk(database, ids).make(tenant_id, NewApiKey(name=name, scopes=(EVERYTHING,)), SYSTEM)
    return made.secret


async def make_public_key(
    database: Database,
    ids: IdSource,
    project_id: str,
    *,
    tenant_id: str = TENANT_ID,
    origins: tuple[str, ...] = LOOPBACK_ORIGINS,
) -> str:
    """Make a key that a page may carry, good for one project and for pages of `origins`; return it in clear."""
    wanted = NewPublicKey(name="first public key", allowed_origins=origins)
    made = await key_desk(database, ids).make_public(tenant_id, project_id, wanted, SYSTEM)
    return made.secret


async def is_key(database: Database, plaintext: str) -> bool:
    """Return whether this is a key that still opens something."""
    return await ApiKeys(database).find_by_plaintext(plaintext) is not None
