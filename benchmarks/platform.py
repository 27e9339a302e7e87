"""What the platform's routes cost over a store with a month of events, against the bare SQL of the same answers.

Every request goes through the whole gateway in this process, key and permission included; the statements that it sends
are then sent again, with the same values, over a bare connection of the driver: for analytics alone, for lists from a
bare FastAPI route that answers the same JSON to anybody. Both take turns.
`make bench-platform`, or `python -m benchmarks.platform --events 1000000`; `--only lists` measures one part and keeps
no figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from statistics import quantiles
from time import perf_counter
from typing import Any

import asyncpg

from actors.clocks import RandomIds, SystemClock
from actors.first_keys import make_key
from actors.projects import TENANT_ID, put_project
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from benchmarks.counting_turns import counting
from benchmarks.platform_bench import Bench, watch
from benchmarks.platform_callers import authentication
from benchmarks.platform_events import AGENTS, DAYS, write_events
from benchmarks.platform_lists import lists
from benchmarks.platform_transfer import transfers
from benchmarks.report import Figure, publish, table
from benchmarks.serving import a_folder
from cli.serving import access_services
from domain.clock import iso_ms
from domain.json_values import JsonObject
from domain.rates import RateSettings
from gateway.app import build_app
from gateway.settings import GatewaySettings
from storage.partitions import ensure_partitions
from storage.repositories.analytics_recount import recount
from storage.statements import Statement

EVENTS = 10_000_000
SESSIONS = 5_000
ROUNDS, LEAST_ROUNDS = 60, 8
ROUTE_S = 15.0
WARM = 3
ANALYTICS_TARGET = 3.0
SECRET = b"0123456789abcdef0123456789abcdef"
DESK = 'AGENT: {name}\nGOAL: "Help"\nPERSONA: "Brief"\n'
NO_RATES = RateSettings(
    requests_per_second=0,
    requests_burst=0,
    session_messages_per_minute=0,
    concurrent_sessions=0,
    sdk_inits_per_minute=0,
    tickets_per_minute=0,
    tickets_per_tenant_minute=0,
)
SOME_SESSIONS = Statement("""
    INSERT INTO sessions (
        tenant_id, session_id, project_id, runtime_session_id, agent_name, entry_agent_name, created_at,
        last_activity_at
    )
    SELECT :tenant_id, 'sess_l' || n, :project_id, 'run_l' || n, 'Parcel_Desk', 'Parcel_Desk',
        now() - make_interval(mins => n), now() - make_interval(mins => n)
    FROM generate_series(1, :number::int) AS n
""")
FROM_EVENTS = """
    SELECT category, count(*), avg((error IS NOT NULL)::int) FROM analytics_told
    WHERE tenant_id = $1 AND project_id = $2 AND project_key = project_key($1, $2) AND at >= $3 AND at < $4
    GROUP BY category
"""
Body = JsonObject | None
Probe = Callable[[Bench], Awaitable[list[Figure]]]


async def compare(bench: Bench, method: str, path: str, body: Body = None) -> tuple[float, float]:
    """Return p95 of a route, and of its statements alone, in milliseconds."""
    for _ in range(WARM):
        await bench.request(method, path, body)
    sent = await bench.statements(method, path, body)
    routes: list[float] = []
    plain: list[float] = []
    began = perf_counter()
    while len(routes) < ROUNDS and (len(routes) < LEAST_ROUNDS or perf_counter() - began < ROUTE_S):
        start = perf_counter()
        await bench.request(method, path, body)
        routes.append((perf_counter() - start) * 1_000)
        start = perf_counter()
        for sql, values in sent:
            await bench.bare.fetch(sql, *values)
        plain.append((perf_counter() - start) * 1_000)
    return p95(routes), p95(plain)


async def hashes_as_bytes(bare: Any) -> None:
    """Have a connection of the driver take hashes as the product gives them; all else stays as the driver has it."""
    await bare.set_type_codec("uuid", schema="pg_catalog", encoder=bytes, decoder=bytes, format="binary")


def p95(values: Sequence[float]) -> float:
    """Return the value that one in twenty is above."""
    return quantiles(values, n=20, method="inclusive")[-1]


async def analytics(bench: Bench) -> list[Figure]:
    """Return what each route of analytics takes, over a day and over all of the month."""
    now = datetime.now(UTC)
    month = {"from": iso_ms(now - timedelta(days=DAYS)), "to": iso_ms(now)}
    span = f"from={month['from']}&to={month['to']}"
    every = "count,avg_duration,error_rate,p95_duration,sum_tokens,sum_cost"
    base = f"/api/projects/{bench.project_id}/analytics"
    deep = {"timeRange": month, "limit": 100, "offset": 500_000}
    aggregate = {"timeRange": month, "groupBy": ["day", "agent_name"], "metrics": every.split(",")}
    asked: list[tuple[str, str, str, Body]] = [
        ("metrics, a day", "GET", "/metrics", None),
        ("metrics, 30 days", "GET", f"/metrics?{span}", None),
        ("metrics, 30 days by hour, all six", "GET", f"/metrics?{span}&groupBy=hour,category&metrics={every}", None),
        ("events, a day, 100", "GET", "/events", None),
        ("events, 30 days, 10,000", "GET", f"/events?{span}&limit=10000", None),
        ("events, 30 days, failed", "GET", f"/events?{span}&hasError=true", None),
        ("events, 30 days, of one session", "GET", f"/events?{span}&sessionId=sess_c{7:024d}", None),
        ("agents/:name, 30 days", "GET", f"/agents/{AGENTS[0]}?{span}", None),
        ("cost-breakdown, 30 days", "GET", f"/cost-breakdown?{span}", None),
        ("session-metrics, 30 days", "GET", f"/session-metrics?{span}", None),
        ("query, 30 days, offset 500,000", "POST", "/query", deep),
        ("aggregate, 30 days by day and agent, all six", "POST", "/aggregate", aggregate),
    ]
    figures = []
    for name, method, path, body in asked:
        taken, plain = await compare(bench, method, base + path, body)
        figures.append(Figure(f"analytics {name}: p95", taken, "ms", plain))
        ratio = taken / plain
        wanted = f"at most {ANALYTICS_TARGET:g}"
        figures.append(Figure(f"analytics {name} / bare", ratio, "times", 1.0, wanted, ratio <= ANALYTICS_TARGET))
    start = perf_counter()
    await bench.bare.fetch(FROM_EVENTS, TENANT_ID, bench.project_id, now - timedelta(days=DAYS), now, timeout=600)
    figures.append(Figure("the same as metrics, 30 days, from single events", (perf_counter() - start) * 1_000, "ms"))
    return figures


async def transfer(bench: Bench) -> list[Figure]:
    """Return what putting in and taking out a large project takes."""

    async def new_project() -> str:
        name = RandomIds().new("large")
        _, answer = await bench.request("POST", "/api/projects", {"name": name})
        return str(json.loads(answer)["project"]["id"])

    return await transfers(bench.request, bench.bare, new_project)


async def turns_counted(bench: Bench) -> list[Figure]:
    """Return how fast turns are counted, on a server of its own."""
    del bench
    return await counting()


PROBES: tuple[Probe, ...] = (analytics, lists, authentication, transfer, turns_counted)
"""What is measured, in this order; each gets the same full store, and what it adds is seen by those behind it."""


async def fill(running: RunningRuntime, bare: Any, project_id: str, key: str, events: int) -> list[Figure]:
    """Fill the store; return how long that took."""
    now = datetime.now(UTC)
    await ensure_partitions(running.database, since=now - timedelta(days=DAYS + 1))
    start = perf_counter()
    written = await write_events(bare, TENANT_ID, project_id, events, now)
    copied = perf_counter() - start
    await bare.execute("VACUUM ANALYZE analytics_events, analytics_kinds, analytics_sessions", timeout=3_600)
    start = perf_counter()
    sealed = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
    await recount(running.database, TENANT_ID, project_id, sealed_until=sealed)
    summed = perf_counter() - start
    given = {"tenant_id": TENANT_ID, "project_id": project_id, "number": SESSIONS}
    await bare.execute(SOME_SESSIONS.sql, *SOME_SESSIONS.arguments(given))
    await bare.execute("VACUUM ANALYZE", timeout=3_600)
    size = await bare.fetchval("""
        SELECT sum(pg_total_relation_size(oid))::float8 FROM pg_class
        WHERE relname LIKE 'analytics_events_%' AND relkind = 'r'
    """)
    return [
        Figure("events", written, "events"),
        Figure("events written by COPY", written / copied, "events/s"),
        Figure("sums of all of them made anew", summed, "s"),
        Figure("disk of an event, indexes included", size / written, "bytes"),
    ]


def told(figures: list[Figure]) -> list[Figure]:
    """Return figures that were said as soon as they were known: the whole takes half an hour."""
    print(table(figures), file=sys.stderr, flush=True)
    return figures


async def measure(events: int = EVENTS, probes: Sequence[Probe] = PROBES) -> list[Figure]:
    """Return the figures of some probes, and of filling the store."""
    for name in ("rows", "row", "value", "execute"):
        watch(name)
    with a_folder() as folder:
        settings = Settings(data_dir=str(folder), runtime="local", embedded_model="off", rate_limits=False)
        async with open_runtime(settings) as running, AsyncExitStack() as stack:
            texts = {f"{name}.abl": DESK.format(name=name) for name in AGENTS}
            seeded = await put_project(running.database, "bench", texts)
            ids = RandomIds()
            key = await make_key(running.database, ids)
            bare = await asyncpg.connect(running.settings.database_url)
            await hashes_as_bytes(bare)
            try:
                figures = told(await fill(running, bare, seeded.project_id, key, events))
                access = access_services(running, SystemClock(), ids)
                app = build_app(running.runtime, access, GatewaySettings(token_secret=SECRET, rates=NO_RATES))
                pool = await asyncpg.create_pool(running.settings.database_url, min_size=1, init=hashes_as_bytes)
                stack.push_async_callback(pool.close)
                bench = Bench(app, running, TENANT_ID, seeded.project_id, key, bare, pool)
                for probe in probes:
                    figures += told(await probe(bench))
            finally:
                await bare.close()
    return figures


def main() -> int:
    """Measure with as many events as wanted; return 0 when every promise is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--only", metavar="WORD", help="measure the parts with WORD in their names; keep no figures")
    given = parser.parse_args()
    if given.only is None:
        return 0 if publish("platform", asyncio.run(measure(given.events))) else 1
    probes = [probe for probe in PROBES if given.only in probe.__name__]
    if not probes:
        parser.error(f"--only: one of {', '.join(probe.__name__ for probe in PROBES)}")
    figures = asyncio.run(measure(given.events, probes))
    print(table(figures))
    return 0 if all(one.met for one in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
