"""Which sessions words are in. Transcripts are sealed, so they are opened and looked through here, turn by turn."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from domain.errors import LastingOutage
from domain.json_values import JsonObject
from domain.limits import SESSIONS_SEARCHED_MAX
from storage.database import Database
from storage.repositories.session_statements import FILTERS
from storage.repositories.transcripts import opened_turns, texts_of
from storage.statements import Statement

log = logging.getLogger(__name__)
SESSIONS_AT_ONCE = 50
TURNS_AT_ONCE = 500
FIRST_KEY = bytes(16)

NEWEST = {
    includes_eval: Statement(f"""
        SELECT s.session_key, s.created_at FROM sessions s {which} ORDER BY s.created_at DESC LIMIT :searched
    """)
    for includes_eval, which in FILTERS.items()
}
NAMED = {
    includes_eval: Statement(f"""
        SELECT s.session_key FROM sessions s {which} AND s.session_key = session_key(:tenant_id, :words)
        UNION
        SELECT s.session_key FROM sessions s {which} AND s.runtime_session_id = :words
    """)
    for includes_eval, which in FILTERS.items()
}
SAID = Statement("""
    SELECT session_key, seq, spoke, answer, details FROM transcripts
    WHERE session_key = ANY(:session_keys::uuid[]) AND (session_key, seq) > (:after_key::uuid, :after_seq::int)
    ORDER BY session_key, seq LIMIT :limit
""")


class Found(Struct, frozen=True):
    """What a search has found.

    Attributes:
        keys: Of the sessions.
        since: When the oldest session was made that was looked through; None when all were.
    """

    keys: Sequence[bytes]
    since: datetime | None


async def search(database: Database, which: JsonObject, words: str, *, includes_eval: bool) -> Found:
    """Return the sessions that have this id, or whose transcripts have these words, of the newest ones.

    Args:
        which: The conditions that sessions are listed by, the tenant among them.
        words: Looked for as they stand, in upper or lower case.
    """
    named = await database.rows(NAMED[includes_eval], **which, words=words)
    newest = await database.rows(NEWEST[includes_eval], **which, searched=SESSIONS_SEARCHED_MAX)
    found = {row["session_key"] for row in named}
    for first in range(0, len(newest), SESSIONS_AT_ONCE):
        keys = [row["session_key"] for row in newest[first : first + SESSIONS_AT_ONCE]]
        found |= await _saying(database, str(which["tenant_id"]), keys, words.lower())
    return Found([*found], newest[-1]["created_at"] if len(newest) >= SESSIONS_SEARCHED_MAX else None)


async def _saying(database: Database, tenant_id: str, keys: Sequence[bytes], words: str) -> set[bytes]:
    """Return which of these sessions have the words in their transcripts."""
    found: set[bytes] = set()
    after_key, after_seq = FIRST_KEY, 0
    while True:
        rows = await database.rows(
            SAID, session_keys=keys, after_key=after_key, after_seq=after_seq, limit=TURNS_AT_ONCE
        )
        for row in rows:
            if row["session_key"] in found:
                continue
            try:
                ((_, details),) = await opened_turns(database, tenant_id, row["session_key"], [row])
            except LastingOutage as error:
                log.warning("a turn is not searched: %s", error.message)
                continue
            if any(words in text.lower() for text in texts_of(row, details)):
                found.add(row["session_key"])
        if len(rows) < TURNS_AT_ONCE:
            return found
        after_key, after_seq = rows[-1]["session_key"], rows[-1]["seq"]
