"""Persistent memory of a session's agents, by scope: the user's, the project's, the execution tree's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta

from actors.session.store import SessionPin
from domain.clock import Clock
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from engine import MemoryWrite
from storage.database import Database
from storage.repositories.contact_memory import Inheritance
from storage.repositories.memory import Memory, MemoryValue

SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
VOUCHING = frozenset({"user", "api_key"})
"""Kinds of callers who are believed when they say who the user is; a page is not. Spec: platform-api 12.1."""
USER = "user"
"""The scope of what is remembered of a person."""
ANSWERED_FOR = "api_key"
"""The kind of callers who bring users of their own; the others of `VOUCHING` are users here."""
OTHER_SUBJECTS = (*(f"{kind}:" for kind in sorted(VOUCHING)), "contact:", f"{PREFIXES['session']}_")
_TTL = re.compile(r"(\d+)\s*([smhdw])")


class StoredMemories:
    """Satisfies `actors.session.effects.Memories`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._memory = Memory(database)
        self._clock = clock

    async def read(self, pin: SessionPin, scopes: Mapping[str, str]) -> JsonObject:
        """Return path -> value of the paths that have one."""
        by_scope: defaultdict[str, list[str]] = defaultdict(list)
        for path, scope in scopes.items():
            by_scope[scope].append(path)
        found: JsonObject = {}
        for scope, paths in by_scope.items():
            subject = subject_of(pin, scope)
            found.update(await self._memory.read(pin.tenant_id, pin.project_id, scope, subject, paths))
        return found

    async def write(self, pin: SessionPin, writes: tuple[MemoryWrite, ...], key: str) -> None:
        """Keep values; doing so again under the same key changes nothing."""
        now = self._clock.now()
        values = [
            MemoryValue(
                scope=one.scope,
                subject=subject_of(pin, one.scope),
                path=one.path,
                value=one.value,
                expires_at=now + timedelta(seconds=ttl_s(one.ttl)) if ttl_s(one.ttl) else None,
            )
            for one in writes
        ]
        await self._memory.write(pin.tenant_id, pin.project_id, values, written_by=key)


def subject_of(pin: SessionPin, scope: str) -> str:
    """Return whose memory a scope means for this session.

    A user's is that of the contact, else of the user if somebody vouches for it, else of the session with its children.
    No two of these can have the same name: contacts have their id, but where it looks like another subject's.
    Spec: abl-language 8; platform-api 12.1.
    """
    match scope:
        case "project":
            return pin.project_id
        case "execution_tree":
            return pin.root_session_id or pin.session_id
        case _ if pin.contact_id:
            return _of_contact(pin.contact_id)
        case _ if pin.user_id and pin.user_kind in VOUCHING:
            return f"{pin.user_kind}:{pin.user_id}"
        case _:
            return pin.root_session_id or pin.session_id


def inheritance(pin: SessionPin, contact_id: str) -> Inheritance | None:
    """Return the memory that a contact takes over when a session is linked to it; None when there is none.

    A stranger's is the session's own and moves. A user whom a program answers for is the contact: its memory is known
    to both. Who is logged in is not: somebody of the tenant who tries an agent out, as if he were the contact.
    """
    if pin.contact_id or pin.root_session_id not in ("", pin.session_id):
        return None
    subject = subject_of(pin, USER)
    if subject == pin.session_id:
        return Inheritance(subject, _of_contact(contact_id), moves=True)
    return Inheritance(subject, _of_contact(contact_id), moves=False) if pin.user_kind == ANSWERED_FOR else None


def _of_contact(contact_id: str) -> str:
    return f"contact:{contact_id}" if contact_id.startswith(OTHER_SUBJECTS) else contact_id


def ttl_s(text: str) -> int:
    """Return the seconds of a text such as `30d`; 0 for none.

    >>> ttl_s("30d"), ttl_s("")
    (2592000, 0)
    """
    found = _TTL.fullmatch(text.strip())
    return int(found[1]) * SECONDS[found[2]] if found else 0
