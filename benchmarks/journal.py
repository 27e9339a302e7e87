"""How fast facts become durable: the journal's group commit against a loop of bare inserts on the same server.

Every append waits for its own acknowledgement; `synchronous_commit` is on. `make bench-journal`.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter, process_time

import msgspec

from benchmarks.report import Figure, publish
from storage.database import Database
from storage.embedded import PostgresServer
from storage.embedded.processes import descendants_cpu_s
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.sessions import NewSession, Sessions
from storage.statements import Statement
from storage.turn_end import Activity, KeyedReply, MessageRow, TraceRow, TurnEnd

TENANT = "ten_bench"
SESSIONS = 200
EVENTS_PER_SESSION = 100
TURNS_PER_SESSION = 20
ROUNDS = 3
TEXT = "Where is my parcel? It should have come on Tuesday."
AT = datetime(2026, 11, 21, tzinfo=UTC)

BARE_TABLE = """
    CREATE TABLE IF NOT EXISTS bare (
        session_id text, seq bigint, at timestamptz DEFAULT now(), fact bytea, PRIMARY KEY (session_id, seq)
    )
"""
BARE_INSERT = Statement("INSERT INTO bare (session_id, seq, fact) VALUES (:session_id, :seq, :fact)")
WAL = Statement("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8")
SIZE = Statement("SELECT pg_database_size(current_database())::float8")

_names = count(1)
_random = Random(1)


def a_hash() -> str:
    """Return a word of 32 digits as nobody has seen it."""
    return _random.randbytes(16).hex()


def a_fact() -> bytes:
    """Return a fact as a turn of a FLOW agent writes it, with hashes that do not repeat."""
    asked = {f"1.{place}": a_hash() for place in range(4)}
    opens = {"kind": "user", "message_id": f"msg_{a_hash()}", "key": a_hash(), "request_hash": a_hash() * 2}
    fact = {"type": "UserSpoke", "at": "2026-11-21T09:30:00.000Z", "text": TEXT, "message_id": f"msg_{a_hash()}"}
    return msgspec.json.encode({"engine": "1", "fact": fact, "asked": asked, "opens": opens})


def an_event(session_id: str, seq: int) -> bytes:
    """Return a trace event."""
    data = {"decisionKind": "flow_transition", "decision": "welcome", "outcome": "entered", "matched": True}
    head = {"id": f"evt_{session_id}_{seq}", "sessionId": session_id, "type": "decision", "agentName": "Desk"}
    return msgspec.json.encode({**head, "timestamp": "2026-11-21T09:30:00.000Z", "seq": seq, "data": data})


def make_folder() -> Path:
    """Return a temporary folder that the server's account can pass through."""
    folder = Path(tempfile.mkdtemp(prefix="abl-bench-"))
    folder.chmod(0o755)
    return folder


FACTS = [a_fact() for _ in range(100)]


@asynccontextmanager
async def a_server() -> AsyncIterator[PostgresServer]:
    """Yield a server of its own in a temporary folder."""
    folder = make_folder()
    server = PostgresServer(folder)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
        shutil.rmtree(folder)


async def starts() -> list[Figure]:
    """Measure the first and a later start of the embedded server, migrations included."""
    folder = make_folder()
    taken = []
    for _ in range(1 + ROUNDS):
        begin = perf_counter()
        server = PostgresServer(folder)
        await server.start()
        database = await Database.open(server.url)
        await migrate(database)
        await ensure_partitions(database)
        taken.append(perf_counter() - begin)
        await database.close()
        await server.stop()
    shutil.rmtree(folder)
    first, later = taken[0], median(taken[1:])
    return [
        Figure("first start, cluster and tables made", first, "s", target="at most 3", met=first <= 3),
        Figure("later start", later, "s", target="at most 0.5", met=later <= 0.5),
    ]


async def bare_inserts(database: Database, waits: list[float]) -> int:
    """Insert one row after the other on one connection; return how many."""
    connection = await database.own_connection()
    name = f"bare {next(_names)}"
    rows = 2_000
    for seq in range(rows):
        begin = perf_counter()
        await connection.execute(BARE_INSERT, session_id=name, seq=seq, fact=FACTS[seq % len(FACTS)])
        waits.append(perf_counter() - begin)
    await connection.close()
    return rows


async def group_commit(journal: Journal, sessions: list[str], epoch: int, waits: list[float]) -> int:
    """Let every session append one fact after the other; return how many."""
    starts = {name: await last_seq(journal, name) for name in sessions}

    async def talk(name: str) -> None:
        seq = starts[name]
        for _ in range(EVENTS_PER_SESSION):
            begin = perf_counter()
            seq = await journal.append(TENANT, name, epoch, [FACTS[seq % len(FACTS)]], expect_seq=seq)
            waits.append(perf_counter() - begin)

    await asyncio.gather(*(talk(name) for name in sessions))
    return len(sessions) * EVENTS_PER_SESSION


async def whole_turns(journal: Journal, sessions: list[str], epoch: int, waits: list[float]) -> int:
    """Let every session live turns of two appends with snapshot, reply, transcript and traces; return how many."""
    starts = {name: await last_seq(journal, name) for name in sessions}

    async def talk(name: str) -> None:
        seq = starts[name]
        for _ in range(TURNS_PER_SESSION):
            begin = perf_counter()
            seq = await journal.append(TENANT, name, epoch, [FACTS[seq % len(FACTS)]], expect_seq=seq)
            seq = await journal.append(
                TENANT, name, epoch, [a_fact(), a_fact()], expect_seq=seq, turn=a_turn(name, seq)
            )
            waits.append(perf_counter() - begin)

    await asyncio.gather(*(talk(name) for name in sessions))
    return len(sessions) * TURNS_PER_SESSION


def a_turn(name: str, seq: int) -> TurnEnd:
    """Return the end of a turn as a small conversation has it."""
    messages = tuple(
        MessageRow(seq=seq + place, message_id=f"msg_{a_hash()}", role=role, content=TEXT, turn=seq, at=AT)
        for place, role in enumerate(("user", "assistant"))
    )
    events = [an_event(name, seq + place) for place in range(4)]
    traces = tuple(TraceRow(seq=seq + place, turn=seq, type="decision", data=data) for place, data in enumerate(events))
    reply = {
        "session_id": name,
        "message_id": f"msg_{a_hash()}",
        "turn": seq,
        "response": TEXT,
        "trace_events": [msgspec.Raw(one) for one in events],
    }
    state = {"agents": [{"name": "Desk", "values": {"number": a_hash(), "history": [TEXT] * 10}}], "seq": seq}
    return TurnEnd(
        turn=seq,
        keyed=KeyedReply(name, f"key_{seq}", a_hash() * 2, msgspec.json.encode(reply)),
        snapshot=msgspec.json.encode(state),
        messages=messages,
        traces=traces,
        activity=Activity(agent_name="Desk", execution_state="idle", input_tokens=100, output_tokens=20),
    )


async def last_seq(journal: Journal, name: str) -> int:
    """Return where a session's journal ends."""
    head = await journal.head(TENANT, name)
    return head.last_seq if head else 0


async def rate(work: Callable[[list[float]], Awaitable[int]]) -> tuple[float, list[float]]:
    """Return how many a second, and the waits in seconds."""
    waits: list[float] = []
    begin = perf_counter()
    done = await work(waits)
    return done / (perf_counter() - begin), waits


def percentiles_ms(waits: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile in ms."""
    return median(waits) * 1_000, quantiles(waits, n=100)[98] * 1_000


async def measure() -> list[Figure]:
    """Return all figures."""
    figures = await starts()
    async with a_server() as server:
        database = await Database.open(server.url)
        await migrate(database)
        await ensure_partitions(database)
        async with database.connection() as connection:
            await connection.script(BARE_TABLE)
        journal = Journal(database)
        epoch = await Leases(database).register_host("bench", "unix:here")
        sessions = [f"sess_{next(_names):025d}" for _ in range(SESSIONS)]
        store = Sessions(database)
        for name in sessions:
            new = NewSession(session_id=name, project_id="c", runtime_session_id=f"r{name}", entry_agent_name="Desk")
            await store.create(TENANT, new, epoch=epoch)

        bare, grouped = [], []
        bare_waits: list[float] = []
        waits: list[float] = []
        for _ in range(ROUNDS):  # in turn, so that a busy moment of the machine hits both
            speed, taken = await rate(lambda waits: bare_inserts(database, waits))
            bare.append(speed)
            bare_waits += taken
            speed, taken = await rate(lambda waits: group_commit(journal, sessions, epoch, waits))
            grouped.append(speed)
            waits += taken
        figures += [
            Figure(
                f"durable appends, {SESSIONS} sessions",
                median(grouped),
                "events/s",
                median(bare),
                "at least 8 times the baseline",
                median(grouped) >= 8 * median(bare),
            ),
            Figure("wait of one append, p50", percentiles_ms(waits)[0], "ms", percentiles_ms(bare_waits)[0]),
            Figure("wait of one append, p99", percentiles_ms(waits)[1], "ms", percentiles_ms(bare_waits)[1]),
        ]
        figures += await turn_figures(database, journal, sessions, epoch, server)
        await journal.close()
        await database.close()
    return figures


async def turn_figures(
    database: Database, journal: Journal, sessions: list[str], epoch: int, server: PostgresServer
) -> list[Figure]:
    """Return what whole turns cost, together and alone."""
    await whole_turns(journal, sessions[:10], epoch, [])
    wal, size = await database.value(WAL), await database.value(SIZE)
    here, there = process_time(), descendants_cpu_s(server.pid or 0)
    speed, waits = await rate(lambda waits: whole_turns(journal, sessions, epoch, waits))
    turns = len(sessions) * TURNS_PER_SESSION
    here, there = process_time() - here, descendants_cpu_s(server.pid or 0) - there
    wal, size = (await database.value(WAL) - wal) / turns, (await database.value(SIZE) - size) / turns
    _, alone = await rate(lambda waits: whole_turns(journal, sessions[:1], epoch, waits))
    return [
        Figure(f"whole turns, {SESSIONS} sessions", speed, "turns/s"),
        Figure("wait of a turn's two appends, p50", percentiles_ms(waits)[0], "ms"),
        Figure("wait of a turn's two appends, alone, p50", percentiles_ms(alone)[0], "ms"),
        Figure("processor time of a turn, here", here / turns * 1e6, "us"),
        Figure("processor time of a turn, in the database", there / turns * 1e6, "us"),
        Figure("disk of a turn, tables and indexes", size, "bytes", target="at most 2048", met=size <= 2_048),
        Figure("log of a turn (WAL), later overwritten", wal, "bytes"),
    ]


if __name__ == "__main__":
    sys.exit(0 if publish("journal", asyncio.run(measure())) else 1)
