"""How fast turns are counted that have ended, and what one costs: on a server of its own, where nobody else counts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from time import perf_counter, process_time

from benchmarks.journal import a_server
from benchmarks.journal_turns import a_fact, a_turn
from benchmarks.report import Figure
from storage.crypto import MasterKeys, new_data_key
from storage.database import Database
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.analytics_counting import Counting
from storage.repositories.sessions import NewSession, Sessions

TENANT = "ten_bench"
SESSIONS, TURNS = 200, 20


async def counting() -> list[Figure]:
    """Return how many turns are counted in a second, and the processor time of one in this process."""
    async with a_server() as server:
        database = await Database.open(server.url, master_keys=MasterKeys([new_data_key()]))
        await migrate(database)
        await ensure_partitions(database)
        await _talk(database)
        counted, start, used = 0, perf_counter(), process_time()
        while more := await Counting(database).go_on(datetime.now(UTC)):
            counted += more
        took, used = perf_counter() - start, process_time() - used
        await database.close()
    return [
        Figure("turns counted for analytics", counted / took, "1/s"),
        Figure("CPU of counting a turn, here", used / counted * 1e6, "us"),
    ]


async def _talk(database: Database) -> None:
    """Write sessions with turns as the runtime does."""
    journal, epoch = Journal(database), await Leases(database).register_host("bench", "unix:here")
    names = [f"sess_c{place:024d}" for place in range(SESSIONS)]
    for name in names:
        new = NewSession(session_id=name, project_id="c", runtime_session_id=f"r{name}", entry_agent_name="Desk")
        await Sessions(database).create(TENANT, new, epoch=epoch)
    for turn in range(1, TURNS + 1):
        ends = [
            journal.append(TENANT, name, epoch, [a_fact(turn)], expect_seq=turn - 1, turn=a_turn(turn))
            for name in names
        ]
        await asyncio.gather(*ends)
    await journal.close()
