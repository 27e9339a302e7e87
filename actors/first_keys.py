"""The keys that the first start makes, and what the command line makes them with. Spec: platform-api 14.1, 14.4."""

from __future__ import annotations

import hashlib
from typing import Final
from uuid import UUID

from actors.clocks import SystemClock
from actors.key_desk import StoredKeys
from actors.projects import TENANT_ID
from domain.audit import SYSTEM
from domain.clock import IdSource
from domain.ids import CUID_CHARS
from domain.keys import NewApiKey, NewPublicKey
from domain.permissions import EVERYTHING
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.api_keys import ApiKeys
from storage.repositories.audit import AuditLog

FIRST_KEY: Final = f"first key of {TENANT_ID}"
FIRST_PUBLIC_KEY: Final = "first public key of {}"


def key_desk(database: Database, ids: IdSource) -> StoredKeys:
    """Return the desk of keys beside a gateway."""
    return StoredKeys(database, AuditLog(database, SystemClock(), ids), ids)


async def make_key(database: Database, ids: IdSource, *, tenant_id: str = TENANT_ID, name: str = "first key") -> str:
    """Make an API key that may do everything in its tenant, and return it in clear."""
    made = await key_desk(database, ids).make(tenant_id, NewApiKey(name=name, scopes=(EVERYTHING,)), SYSTEM)
    return made.secret


async def make_first_key(database: Database, ids: IdSource) -> str:
    """Make the first API key of an installation, once for its database; return it in clear, "" when it was made before.

    Its id is the same at every start, so of many servers that start at once the table takes one's.
    """
    desk = StoredKeys(database, AuditLog(database, SystemClock(), ids), OneId(FIRST_KEY))
    try:
        return (await desk.make(TENANT_ID, NewApiKey(name="first key", scopes=(EVERYTHING,)), SYSTEM)).secret
    except Duplicate:
        return ""


async def make_first_public_key(database: Database, ids: IdSource, project_id: str, *, origins: tuple[str, ...]) -> str:
    """Make the first page key of a project, once for its database; return it in clear, "" when it was made before.

    It is good for pages of `origins`, which may name the agent that they begin with.
    """
    desk = StoredKeys(database, AuditLog(database, SystemClock(), ids), OneId(FIRST_PUBLIC_KEY.format(project_id)))
    wanted = NewPublicKey(name="first public key", allowed_origins=origins, allow_agent_override=True)
    try:
        return (await desk.make_public(TENANT_ID, project_id, wanted, SYSTEM)).secret
    except Duplicate:
        return ""


class OneId:
    """Always the same id, made of what it is for. Satisfies `IdSource` for a desk that makes one key."""

    def __init__(self, purpose: str) -> None:
        self._signs = hashlib.sha256(purpose.encode()).hexdigest()

    def new(self, prefix: str) -> str:
        """Return `<prefix>_<cuid>`."""
        return f"{prefix}_c{self._signs[: CUID_CHARS - 1]}"

    def uuid(self) -> str:
        """Return a UUID of the same signs."""
        return str(UUID(hex=self._signs[:32]))


async def is_key(database: Database, plaintext: str) -> bool:
    """Return whether this is a key that still opens something."""
    return await ApiKeys(database).find_by_plaintext(plaintext) is not None
