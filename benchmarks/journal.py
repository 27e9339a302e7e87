"""How fast facts become durable, and what a turn costs: the journal's group commit against bare inserts.

Every append waits for its own acknowledgement; `synchronous_commit` is on. What is written is made before the clock
starts, and bare inserts run in turn with everything else, on the same server. `make bench-journal`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from statistics import median, quantiles
from time import perf_counter, process_time

from msgspec import Struct

from benchmarks.journal_turns import a_fact, a_turn
from benchmarks.report import Figure, publish
from benchmarks.serving import a_folder
from storage.crypto import MasterKeys, new_data_key
from storage.database import Database
from storage.embedded import PostgresServer
from storage.embedded.processes import descendants_cpu_s
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.sessions import NewSession, Sessions
from storage.statements import Statement
from storage.turn_end import TurnEnd

TENANT = "ten_bench"
SESSIONS = 200
EVENTS_PER_SESSION = 100
TURNS_PER_SESSION = 20
ALONE = 1_000
BARE_ROWS = 2_000
ROUNDS = 3
TARGET_BYTES = 2_048

BARE_TABLE = """
    CREATE TABLE IF NOT EXISTS bare (
        session_id text, seq bigint, at timestamptz DEFAULT now(), fact bytea, PRIMARY KEY (session_id, seq)
    )
"""
BARE_INSERT = Statement("INSERT INTO bare (session_id, seq, fact) VALUES (:session_id, :seq, :fact)")
WAL = Statement("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8")
SIZES = Statement("""
    SELECT regexp_replace(relname, '_[0-9]{8}$', '') AS name, sum(pg_table_size(oid))::float8 AS rows,
        sum(pg_indexes_size(oid))::float8 AS indexes
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY 1
""")

_names = count(1)


class Cost(Struct, frozen=True):
    """What a number of turns has cost, for each of them."""

    per_s: float
    waits_ms: list[float]
    here_us: float
    there_us: float
    wal_bytes: float
    disk_bytes: dict[str, tuple[float, float]]

    @property
    def disk(self) -> float:
        """Return the bytes of all tables and indexes."""
        return sum(rows + indexes for rows, indexes in self.disk_bytes.values())


class Bench:
    """A server with sessions on it."""

    def __init__(self, database: Database, server: PostgresServer, journal: Journal, epoch: int) -> None:
        self.database = database
        self._server = server
        self._journal = journal
        self._epoch = epoch

    async def sessions(self, number: int) -> list[str]:
        """Return new sessions."""
        names = [f"sess_c{next(_names):024d}" for _ in range(number)]
        store = Sessions(self.database)
        for name in names:
            new = NewSession(session_id=name, project_id="c", runtime_session_id=f"r{name}", entry_agent_name="Desk")
            await store.create(TENANT, new, epoch=self._epoch)
        return names

    async def talk(self, name: str, appends: Sequence[tuple[bytes, TurnEnd | None]], waits: list[float]) -> None:
        """Append one after the other to a new session."""
        seq = 0
        for fact, end in appends:
            begin = perf_counter()
            seq = await self._journal.append(TENANT, name, self._epoch, [fact], expect_seq=seq, turn=end)
            waits.append((perf_counter() - begin) * 1_000)

    async def cost(self, talks: Sequence[Sequence[tuple[bytes, TurnEnd | None]]], turns: int) -> Cost:
        """Return what it costs that as many new sessions as there are talks append all at once."""
        names = await self.sessions(len(talks))
        waits: list[float] = []
        wal, sizes = await self.database.value(WAL), await self._sizes()
        begin, here, there = perf_counter(), process_time(), self._there_s()
        await asyncio.gather(*(self.talk(name, talk, waits) for name, talk in zip(names, talks, strict=True)))
        took, here, there = perf_counter() - begin, process_time() - here, self._there_s() - there
        grown = {
            name: ((rows - before[0]) / turns, (indexes - before[1]) / turns)
            for name, (rows, indexes) in (await self._sizes()).items()
            for before in [sizes.get(name, (0.0, 0.0))]
        }
        wal = (await self.database.value(WAL) - wal) / turns
        return Cost(turns / took, waits, here / turns * 1e6, there / turns * 1e6, wal, grown)

    async def bare(self) -> Cost:
        """Return what it costs to insert one row after the other on one connection."""
        connection = await self.database.own_connection()
        facts = [a_fact(turn) for turn in range(BARE_ROWS)]
        name, waits = f"bare {next(_names)}", []
        begin, here, there = perf_counter(), process_time(), self._there_s()
        for seq, fact in enumerate(facts):
            start = perf_counter()
            await connection.execute(BARE_INSERT, session_id=name, seq=seq, fact=fact)
            waits.append((perf_counter() - start) * 1_000)
        took, here, there = perf_counter() - begin, process_time() - here, self._there_s() - there
        await connection.close()
        return Cost(BARE_ROWS / took, waits, here / BARE_ROWS * 1e6, there / BARE_ROWS * 1e6, 0.0, {})

    async def _sizes(self) -> dict[str, tuple[float, float]]:
        return {row["name"]: (row["rows"], row["indexes"]) for row in await self.database.rows(SIZES)}

    def _there_s(self) -> float:
        return descendants_cpu_s(self._server.pid or 0)


@asynccontextmanager
async def a_server() -> AsyncIterator[PostgresServer]:
    """Yield a server of its own in a temporary folder."""
    with a_folder() as folder:
        server = PostgresServer(folder)
        await server.start()
        try:
            yield server
        finally:
            await server.stop()


async def starts() -> list[Figure]:
    """Measure the first and a later start of the embedded server, migrations included."""
    taken = []
    with a_folder() as folder:
        for _ in range(1 + ROUNDS):
            begin = perf_counter()
            server = PostgresServer(folder)
            await server.start()
            database = await Database.open(server.url, master_keys=MasterKeys([new_data_key()]))
            await migrate(database)
            await ensure_partitions(database)
            taken.append(perf_counter() - begin)
            await database.close()
            await server.stop()
    first, later = taken[0], median(taken[1:])
    return [
        Figure("first start, cluster and tables made", first, "s", target="at most 3", met=first <= 3),
        Figure("later start", later, "s", target="at most 0.5", met=later <= 0.5),
    ]


async def measure() -> list[Figure]:
    """Return all figures."""
    figures = await starts()
    async with a_server() as server:
        database = await Database.open(server.url, master_keys=MasterKeys([new_data_key()]))
        await migrate(database)
        await ensure_partitions(database)
        async with database.connection() as connection:
            await connection.script(BARE_TABLE)
        journal = Journal(database)
        epoch = await Leases(database).register_host("bench", "unix:here")
        bench = Bench(database, server, journal, epoch)
        await bench.cost(talks(10, 5, lambda turn: [(a_fact(turn), a_turn(turn))]), 50)  # plans made, pages there
        figures += await append_figures(bench)
        figures += await turn_figures(bench)
        await journal.close()
        await database.close()
    return figures


def talks(
    sessions: int, turns: int, a_talk: Callable[[int], list[tuple[bytes, TurnEnd | None]]]
) -> list[list[tuple[bytes, TurnEnd | None]]]:
    """Return what each session appends."""
    return [[one for turn in range(1, turns + 1) for one in a_talk(turn)] for _ in range(sessions)]


async def in_turn(*subjects: Callable[[], Awaitable[Cost]]) -> list[list[Cost]]:
    """Return the costs of each subject, measured in turn, so that a busy moment of the machine hits all."""
    costs: list[list[Cost]] = [[] for _ in subjects]
    for _ in range(ROUNDS):
        for found, work in zip(costs, subjects, strict=True):
            found.append(await work())
    return costs


async def append_figures(bench: Bench) -> list[Figure]:
    """Return how fast single facts become durable."""

    def facts() -> Awaitable[Cost]:
        given = talks(SESSIONS, EVENTS_PER_SESSION, lambda turn: [(a_fact(turn), None)])
        return bench.cost(given, SESSIONS * EVENTS_PER_SESSION)

    bare, grouped = await in_turn(bench.bare, facts)
    speed, bare_speed = median(one.per_s for one in grouped), median(one.per_s for one in bare)
    waits, bare_waits = flat(grouped), flat(bare)
    here, bare_here = best_here(grouped), best_here(bare)
    wanted = "at least 8 times the baseline"
    return [
        Figure(f"durable appends, {SESSIONS} sessions", speed, "events/s", bare_speed, wanted, speed >= 8 * bare_speed),
        Figure("wait of one append, p50", median(waits), "ms", median(bare_waits)),
        Figure("wait of one append, p99", p99(waits), "ms", p99(bare_waits)),
        Figure("processor time of one append, here", here, "us", bare_here),
    ]


async def turn_figures(bench: Bench) -> list[Figure]:
    """Return what whole turns cost, together and alone, against one bare insert each."""
    turns = SESSIONS * TURNS_PER_SESSION

    def plain(turn: int) -> list[tuple[bytes, TurnEnd | None]]:
        return [(a_fact(turn), a_turn(turn))]

    def keyed(turn: int) -> list[tuple[bytes, TurnEnd | None]]:
        return [(a_fact(turn), None), (a_fact(turn), a_turn(turn, is_keyed=True))]

    bare, together, with_tool, alone = await in_turn(
        bench.bare,
        lambda: bench.cost(talks(SESSIONS, TURNS_PER_SESSION, plain), turns),
        lambda: bench.cost(talks(SESSIONS, TURNS_PER_SESSION, keyed), turns),
        lambda: bench.cost(talks(1, ALONE, plain), ALONE),
    )
    one, two = together[-1], with_tool[-1]
    here, bare_here = best_here(together), best_here(bare)
    there, bare_there = best_there(together), best_there(bare)
    target = f"at most {TARGET_BYTES:,}"
    figures = [
        Figure(f"whole turns, {SESSIONS} sessions", median(cost.per_s for cost in together), "turns/s"),
        Figure("wait for a turn's end, p50", median(flat(together)), "ms", median(flat(bare))),
        Figure("wait for a turn's end, alone, p50", median(flat(alone)), "ms", median(flat(bare))),
        Figure(
            *("processor time of a turn, here", here, "us", bare_here),
            *("at most one bare insert", here <= bare_here),
        ),
        Figure("processor time of a turn, in the database", there, "us", bare_there),
        Figure("processor time of a turn that is alone, here", best_here(alone), "us", bare_here),
        Figure("processor time of a turn that is alone, in the database", best_there(alone), "us", bare_there),
        Figure("disk of a turn, tables and indexes", one.disk, "bytes", None, target, one.disk <= TARGET_BYTES),
        Figure("disk of a keyed turn of two appends", two.disk, "bytes", None, target, two.disk <= TARGET_BYTES),
        Figure("log of a turn (WAL), later overwritten", one.wal_bytes, "bytes"),
    ]
    parts = sorted(two.disk_bytes.items(), key=lambda part: -sum(part[1]))
    return figures + [
        Figure(f"  of the keyed turn in {name}, {what}", size, "bytes")
        for name, sizes in parts
        for what, size in zip(("rows", "indexes"), sizes, strict=True)
        if size >= 1
    ]


def flat(costs: Sequence[Cost]) -> list[float]:
    """Return the waits of all rounds."""
    return [wait for cost in costs for wait in cost.waits_ms]


def best_here(costs: Sequence[Cost]) -> float:
    """Return the shortest processor time of this process, in us."""
    return min(cost.here_us for cost in costs)


def best_there(costs: Sequence[Cost]) -> float:
    """Return the shortest processor time of the database, in us."""
    return min(cost.there_us for cost in costs)


def p99(waits: list[float]) -> float:
    """Return the 99th percentile."""
    return quantiles(waits, n=100)[98]


if __name__ == "__main__":
    sys.exit(0 if publish("journal", asyncio.run(measure())) else 1)
