"""The ids of sessions: of one that has a name or a key always the same."""

from __future__ import annotations

import hashlib
from typing import Final

from actors.runtime import NewSession
from domain.clock import IdSource
from domain.ids import PREFIXES
from domain.request_keys import owned_key

ID_DIGEST_BYTES: Final = 12


def session_id_of(tenant_id: str, project_id: str, key: str, ids: IdSource) -> str:
    """Return the id of a new session; the same one for the same owned key."""
    if not key:
        return ids.new(PREFIXES["session"])
    text = f"{tenant_id}\0{project_id}\0{key}"
    digest = hashlib.blake2b(text.encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
    return f"{PREFIXES['session']}_c{digest}"


def opened_id(wanted: NewSession, ids: IdSource) -> str:
    """Return the id of a session that is opened without a message: that of its name, else that of its key."""
    if wanted.name:
        key = owned_key("name", wanted.key_owner, wanted.name)
    else:
        key = owned_key("open", wanted.key_owner, wanted.idempotency_key)
    return session_id_of(wanted.tenant_id, wanted.project_id, key, ids)
