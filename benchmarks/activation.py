"""How long a stored session takes to wake when there are 100,000 of them. `make bench-activation`.

The warm turn that it is compared with is here what the store does in one: its end made durable. Waking is the claim of
the lease and the reading of the session, its head and its state. The last figures are what a client waits, over HTTP.
"""

from __future__ import annotations

import asyncio
import sys
from random import Random
from statistics import median
from time import perf_counter, process_time

from benchmarks.activation_rows import fill, name_of
from benchmarks.journal import a_server, p99
from benchmarks.journal_turns import a_fact, a_state, a_turn
from benchmarks.report import Figure, publish
from benchmarks.waking import over_http
from storage.activation import ACTIVATE, Activations
from storage.crypto import MasterKeys, new_data_key
from storage.database import Database
from storage.frames import squeeze
from storage.journal import Journal
from storage.journal_statements import HEAD, READ
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.session_statements import FIND
from storage.repositories.transcripts import BACKWARD
from storage.repositories.turns import FIND as FIND_TURN
from storage.statements import Statement

TENANT = "ten_bench"
TEMPLATE = "sess_template"
STORED = 100_000
FEW = 1_000
WAKES = 2_000
AT_ONCE = 32
RELEASED_AT_ONCE = 1_000
TURNS_LIVED = 20

SESSION = Statement("""
    INSERT INTO sessions (
        tenant_id, session_id, project_id, runtime_session_id, pin, agent_name, entry_agent_name, turn_count
    ) VALUES (:tenant_id, :session_id, 'c', 'r0', :pin, 'Desk', 'Desk', 20)
""")
HEAD_AND_STATE = (
    Statement("""
        INSERT INTO session_heads (session_key, last_seq) VALUES (session_key(:tenant_id, :session_id), :seq)
    """),
    Statement("""
        INSERT INTO snapshots (at, session_key, seq, state)
        VALUES (now(), session_key(:tenant_id, :session_id), :seq, :state)
    """),
)
ASKED_OFTEN = (ACTIVATE, HEAD, READ, FIND, FIND_TURN, BACKWARD)
LITERALS = {
    "tenant_id": f"'{TENANT}'::text",
    "session_id": "'sess_c000000000000000000000007'::text",
    "epoch": "1::bigint",
    "after_seq": "5::bigint",
    "first_seq": "0::bigint",
    "request_key": "1::bigint",
    "cursor": "9::int",
    "limit": "10::bigint",
}


async def make_template(database: Database) -> None:
    """Store one session that has lived for a while."""
    pin = {"tenant_id": TENANT, "project_id": "c", "program_id": "prog_0123456789", "entry_agent": "Desk"}
    await database.execute(SESSION, tenant_id=TENANT, session_id=TEMPLATE, pin=pin)
    head, state = HEAD_AND_STATE
    await database.execute(head, tenant_id=TENANT, session_id=TEMPLATE, seq=TURNS_LIVED)
    packed = squeeze(a_state(TURNS_LIVED))
    await database.execute(state, tenant_id=TENANT, session_id=TEMPLATE, seq=TURNS_LIVED, state=packed)


class Host:
    """One host that wakes sessions and lives turns in them."""

    def __init__(self, database: Database, epoch: int) -> None:
        self.activations = Activations(database)
        self.journal = Journal(database)
        self._epoch = epoch

    async def wake(self, number: int) -> float:
        """Return how long a session takes to wake, in ms."""
        begin = perf_counter()
        await self.activations.activate(TENANT, name_of(number), self._epoch)
        return (perf_counter() - begin) * 1_000

    async def live(self, number: int, seq: int) -> float:
        """Return how long the end of a turn takes, in ms."""
        fact, end = a_fact(seq), a_turn(seq)
        begin = perf_counter()
        await self.journal.append(TENANT, name_of(number), self._epoch, [fact], expect_seq=seq, turn=end)
        return (perf_counter() - begin) * 1_000


async def waits(host: Host, numbers: list[int]) -> tuple[list[float], list[float]]:
    """Return the waits for waking these sessions, and those for a second turn of each, one after the other."""
    woken, warm = [], []
    for number in numbers:
        woken.append(await host.wake(number))
        await host.live(number, TURNS_LIVED)
        warm.append(await host.live(number, TURNS_LIVED + 1))
    return woken, warm


async def at_once(host: Host, numbers: list[int]) -> tuple[float, float]:
    """Return how many sessions wake a second when `AT_ONCE` do together, and the processor time of each in us."""
    left = iter(numbers)

    async def work() -> None:
        for number in left:
            await host.wake(number)

    begin, here = perf_counter(), process_time()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return len(numbers) / (perf_counter() - begin), (process_time() - here) / len(numbers) * 1e6


async def given_back(database: Database, epoch: int, numbers: list[int]) -> float:
    """Return how many sessions a second a host that is drained gives back."""
    leases = Leases(database)
    names = [(TENANT, name_of(number)) for number in numbers]
    begin = perf_counter()
    for first in range(0, len(names), RELEASED_AT_ONCE):
        await leases.release_sessions(epoch, names[first : first + RELEASED_AT_ONCE])
    return len(names) / (perf_counter() - begin)


async def scans(database: Database) -> int:
    """Return in how many of the frequent statements the planner reads a whole table of sessions."""
    found = 0
    for statement in ASKED_OFTEN:
        sql = statement.sql
        for place in range(len(statement.names), 0, -1):
            sql = sql.replace(f"${place}", LITERALS[statement.names[place - 1]])
        rows = await database.rows(Statement(f"EXPLAIN {sql}"))
        plan = "\n".join(row["QUERY PLAN"] for row in rows)
        is_scan = any("Seq Scan on " + table in plan for table in ("session", "snapshots", "journal", "transcripts"))
        found += is_scan
        if is_scan:
            print(plan)
    return found


async def measure() -> list[Figure]:
    """Return all figures."""
    random = Random(1)
    async with a_server() as server:
        database = await Database.open(server.url, master_keys=MasterKeys([new_data_key()]))
        await migrate(database)
        await ensure_partitions(database)
        epoch = await Leases(database).register_host("bench", "unix:here")
        host = Host(database, epoch)
        await make_template(database)
        await fill(database, 1, FEW, template=TEMPLATE, tenant_id=TENANT)
        few, _ = await waits(host, random.sample(range(1, FEW), FEW // 2))
        begin = perf_counter()
        await fill(database, FEW + 1, STORED, template=TEMPLATE, tenant_id=TENANT)
        filled_s = perf_counter() - begin
        numbers = random.sample(range(FEW + 1, STORED), 2 * WAKES)
        woken, warm = await waits(host, numbers[:WAKES])
        per_s, here_us = await at_once(host, numbers[WAKES:])
        released_per_s = await given_back(database, epoch, numbers)
        whole = await scans(database)
        await host.journal.close()
        await database.close()
    target, ceiling = "at most 2 times the warm turn", 2 * p99(warm)
    return [
        Figure(f"filling to {STORED:,} sessions", filled_s, "s"),
        Figure(f"waking one of {FEW:,}, p50", median(few), "ms"),
        Figure(f"waking one of {STORED:,}, p50", median(woken), "ms", median(warm)),
        Figure(f"waking one of {STORED:,}, p99", p99(woken), "ms", p99(warm), target, p99(woken) <= ceiling),
        Figure(f"wakings, {AT_ONCE} at once", per_s, "sessions/s"),
        Figure("processor time of a waking, here", here_us, "us"),
        Figure(f"given back, {RELEASED_AT_ONCE:,} in a statement", released_per_s, "sessions/s"),
        Figure("frequent statements that read a whole table", whole, "", None, "0", whole == 0),
    ]


if __name__ == "__main__":
    sys.exit(0 if publish("activation", [*asyncio.run(measure()), *over_http(STORED, WAKES)]) else 1)
