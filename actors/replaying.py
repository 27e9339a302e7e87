"""A session's journal folded again from its first record: do the same facts still lead to the same effects and state?

The hashes of what each step asked for are compared step by step, so a divergence is named where it begins; in the end
the state is compared with the stored snapshot, byte by byte. No model and no tool is called.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from actors.programs import StoredPrograms
from actors.session.records import HASH_CHARS, asked_of, decode_record
from actors.session.snapshot import decode_snapshot, encode_snapshot
from actors.session.store import SessionPin
from domain.errors import NotFound
from engine import ENGINE_VERSION, SessionBegun, SessionState, advance, begin
from storage.database import Database
from storage.journal import Journal
from storage.repositories.sessions import Sessions
from storage.statements import Statement

ALL_SESSIONS = Statement("SELECT tenant_id, session_id FROM sessions ORDER BY tenant_id, session_id")


class Replayed(Struct, frozen=True, kw_only=True):
    """What folding a journal again has shown.

    Attributes:
        difference: Where the two part for the first time; empty when they do not.
        engines: Versions of the engine that wrote the records, when they are not this one's.
    """

    session_id: str
    facts: int
    difference: str = ""
    engines: tuple[str, ...] = ()


class Replayer:
    """Folds journals again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._journal = Journal(database)
        self._sessions = Sessions(database)
        self._programs = StoredPrograms(database, {})

    async def sessions(self) -> list[tuple[str, str]]:
        """Return tenant and id of every stored session."""
        rows = await self._database.rows(ALL_SESSIONS)
        return [(row["tenant_id"], row["session_id"]) for row in rows]

    async def find(self, session_id: str) -> tuple[str, str]:
        """Return tenant and id of one session. Raises NotFound."""
        found = [one for one in await self.sessions() if one[1] == session_id]
        if not found:
            raise NotFound(f"There is no session {session_id}")
        return found[0]

    async def replay(self, tenant_id: str, session_id: str) -> Replayed:
        """Fold one session again and compare."""
        record = await self._sessions.get(tenant_id, session_id)
        program_id = msgspec.convert(record.pin, SessionPin).program_id
        program = await self._programs.get(tenant_id, record.project_id, program_id)
        state: SessionState | None = None
        facts = 0
        engines: set[str] = set()
        head = await self._journal.head(tenant_id, session_id)
        snapshot_seq = head.snapshot.seq if head is not None and head.snapshot is not None else 0
        at_snapshot: SessionState | None = None
        for seq, raw in await self._journal.read(tenant_id, session_id):
            entry = decode_record(raw)
            if entry.engine != ENGINE_VERSION:
                engines.add(entry.engine)
            if entry.reset:
                state = None
            if entry.fact is not None:
                facts += 1
                if isinstance(entry.fact, SessionBegun):
                    step = begin(program, entry.fact)
                elif state is None:
                    return Replayed(session_id=session_id, facts=facts, difference=f"{seq}: no SessionBegun before it")
                else:
                    step = advance(program, state, entry.fact)
                state = step.state
                recorded = {name: text[:HASH_CHARS] for name, text in entry.asked.items()}
                asked = asked_of(step.effects)
                if asked != recorded:
                    difference = f"{seq}: {_first_difference(recorded, asked)}"
                    return Replayed(
                        session_id=session_id, facts=facts, difference=difference, engines=tuple(sorted(engines))
                    )
            if seq == snapshot_seq:
                at_snapshot = state
        difference = ""
        if head is not None and head.snapshot is not None:
            stored = decode_snapshot(head.snapshot.state)
            again = encode_snapshot(at_snapshot, stored.last_seq, stored.messages, stored.traces, stored.last)
            if again != head.snapshot.state:
                difference = f"{snapshot_seq}: the state is not the stored one"
        return Replayed(session_id=session_id, facts=facts, difference=difference, engines=tuple(sorted(engines)))


def _first_difference(recorded: dict[str, str], now: dict[str, str]) -> str:
    for effect_id in sorted(recorded.keys() | now.keys()):
        if effect_id not in now:
            return f"effect {effect_id} was asked for and is not any more"
        if effect_id not in recorded:
            return f"effect {effect_id} is asked for and was not"
        if recorded[effect_id] != now[effect_id]:
            return f"effect {effect_id} asks for something else"
    return "the effects come in another order"
