"""What the platform's routes cost over a store with a month of events, against the bare SQL of the same answers.

Every request goes through the whole gateway in this process, key and permission included; the statements that it sends
are then sent again, with the same values, over a bare connection of the driver: for analytics alone, for lists from a
bare FastAPI route that answers the same JSON to anybody. Both take turns.
`make bench-platform`, or `python -m benchmarks.platform --events 1000000`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any

import asyncpg
from fastapi import FastAPI

from actors.clocks import RandomIds, SystemClock
from actors.first_keys import make_key
from actors.projects import TENANT_ID, put_project
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from benchmarks.bare_lists import bare_route
from benchmarks.counting_turns import counting
from benchmarks.platform_events import AGENTS, DAYS, write_events
from benchmarks.platform_transfer import transfers
from benchmarks.report import Figure, publish
from benchmarks.serving import a_folder
from cli.serving import access_services
from domain.clock import iso_ms
from domain.json_values import JsonObject
from domain.rates import RateSettings
from gateway.access import caller
from gateway.app import build_app
from gateway.settings import GatewaySettings
from storage.database import Connection
from storage.partitions import ensure_partitions
from storage.repositories.analytics_recount import recount
from storage.repositories.api_keys import ApiKeys, NewKey
from storage.statements import Statement

EVENTS = 10_000_000
SESSIONS = 5_000
CONTACTS = 300
ROUNDS, LEAST_ROUNDS = 60, 8
ROUTE_S = 15.0
LIST_ROUNDS = 300
WARM = 3
AUTHENTICATIONS = 3_000
AUTHENTICATION_ROUNDS = 5
ANALYTICS_TARGET, LIST_TARGET, AUTHENTICATION_TARGET_MS = 3.0, 2.0, 0.15
SECRET = b"0123456789abcdef0123456789abcdef"
PAGE = "https://shop.example.com"
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
_sent: ContextVar[list[tuple[Statement, JsonObject]] | None] = ContextVar("sent", default=None)
Body = JsonObject | None
Probe = Callable[["Bench"], Awaitable[list[Figure]]]


def watch(name: str) -> None:
    """Have a method of connections note what it sends for the request at hand."""
    plain = getattr(Connection, name)

    async def noted(self: Connection, statement: Statement, **given: object) -> Any:
        if (sent := _sent.get()) is not None:
            sent.append((statement, dict(given)))
        return await plain(self, statement, **given)

    setattr(Connection, name, noted)


class Bench:
    """A gateway over a store that is full."""

    def __init__(self, app: FastAPI, running: RunningRuntime, project_id: str, key: str, bare: Any) -> None:
        self.app = app
        self.running = running
        self.project_id = project_id
        self.key = key
        self.bare = bare
        self.pool: Any = None
        self.headers = {"x-api-key": key}

    async def request(self, method: str, path: str, body: Body = None) -> tuple[int, bytes]:
        """Send one request; return status and body."""
        raw = b"" if body is None else json.dumps(body).encode()
        head, pieces = {}, []
        place, _, query = path.partition("?")
        sent = {"host": "bench", "content-type": "application/json", "content-length": str(len(raw)), **self.headers}
        stays = asyncio.Event()
        asked = False

        async def receive() -> JsonObject:
            nonlocal asked
            if asked:
                await stays.wait()
            asked = True
            return {"type": "http.request", "body": raw, "more_body": False}

        async def send(message: Any) -> None:
            head.update({"status": message["status"]} if "status" in message else {})
            pieces.append(message.get("body", b""))

        scope = scope_of(method, place, query, sent)
        await self.app(scope, receive, send)
        return int(head["status"]), b"".join(pieces)

    async def statements(self, method: str, path: str, body: Body) -> list[tuple[str, list[object]]]:
        """Return what a request sends to the database, with its values."""
        found: list[tuple[Statement, JsonObject]] = []
        token = _sent.set(found)
        status, answer = await self.request(method, path, body)
        _sent.reset(token)
        if status >= 300:
            raise SystemExit(f"{method} {path} answered {status}: {answer[:300]!r}")
        return [(one.sql, one.arguments(given)) for one, given in found]

    async def compare_list(self, path: str) -> tuple[float, float]:
        """Return p50 of a list, and of a bare route that asks and answers the same, in milliseconds."""
        sent = await self.statements("GET", path, None)
        _, answer = await self.request("GET", path)
        bare = Bench(bare_route(self.pool, sent, answer), self.running, "", "", self.bare)
        routes: list[float] = []
        plain: list[float] = []
        for _ in range(LIST_ROUNDS):
            for bench, place, taken in ((self, path, routes), (bare, "/bare", plain)):
                start = perf_counter()
                await bench.request("GET", place)
                taken.append((perf_counter() - start) * 1_000)
        return median(routes[WARM:]), median(plain[WARM:])

    async def compare(self, method: str, path: str, body: Body = None) -> tuple[float, float]:
        """Return p95 of a route, and of its statements alone, in milliseconds."""
        for _ in range(WARM):
            await self.request(method, path, body)
        sent = await self.statements(method, path, body)
        routes: list[float] = []
        plain: list[float] = []
        began = perf_counter()
        while len(routes) < ROUNDS and (len(routes) < LEAST_ROUNDS or perf_counter() - began < ROUTE_S):
            start = perf_counter()
            await self.request(method, path, body)
            routes.append((perf_counter() - start) * 1_000)
            start = perf_counter()
            for sql, values in sent:
                await self.bare.fetch(sql, *values)
            plain.append((perf_counter() - start) * 1_000)
        return p95(routes), p95(plain)


async def hashes_as_bytes(bare: Any) -> None:
    """Have a connection of the driver take hashes as the product gives them; all else stays as the driver has it."""
    await bare.set_type_codec("uuid", schema="pg_catalog", encoder=bytes, decoder=bytes, format="binary")


def p95(values: Sequence[float]) -> float:
    """Return the value that one in twenty is above."""
    return quantiles(values, n=20, method="inclusive")[-1]


def scope_of(method: str, path: str, query: str, headers: dict[str, str]) -> JsonObject:
    """Return an ASGI scope."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8400),
        "state": {},
    }


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
        taken, plain = await bench.compare(method, base + path, body)
        figures.append(Figure(f"analytics {name}: p95", taken, "ms", plain))
        ratio = taken / plain
        wanted = f"at most {ANALYTICS_TARGET:g}"
        figures.append(Figure(f"analytics {name} / bare", ratio, "times", 1.0, wanted, ratio <= ANALYTICS_TARGET))
    start = perf_counter()
    await bench.bare.fetch(FROM_EVENTS, TENANT_ID, bench.project_id, now - timedelta(days=DAYS), now, timeout=600)
    figures.append(Figure("the same as metrics, 30 days, from single events", (perf_counter() - start) * 1_000, "ms"))
    return figures


LISTS = (
    ("sessions", "/api/projects/{project_id}/sessions"),
    ("generations", "/api/projects/{project_id}/sessions/generations"),
    ("project agents", "/api/projects/{project_id}/agents"),
    ("tenant agents", "/api/agents"),
    ("contacts", "/api/contacts"),
    ("human tasks", "/api/projects/{project_id}/human-tasks"),
    ("API keys", "/api/api-keys"),
    ("audit log", "/api/audit-logs"),
)
"""Lists and their paths."""


async def lists(bench: Bench) -> list[Figure]:
    """Return what lists take against a bare route with the same queries and the same answer."""
    figures = []
    for name, path in LISTS:
        taken, plain = await bench.compare_list(path.format(project_id=bench.project_id))
        ratio = taken / plain
        figures.append(Figure(f"list of {name}: p50", taken, "ms", plain))
        wanted = f"at most {LIST_TARGET:g}"
        figures.append(Figure(f"list of {name} / bare", ratio, "times", 1.0, wanted, ratio <= LIST_TARGET))
    return figures


async def authentication(bench: Bench) -> list[Figure]:
    """Return the processor time of letting a caller in, by kind of credential."""
    public_key, ids = f"pk_{RandomIds().new('')}", RandomIds()
    new = NewKey(
        key_id=ids.new("key"), plaintext=public_key, kind="public", project_id=bench.project_id,
        details={"allowedOrigins": [PAGE]},
    )  # fmt: skip
    await ApiKeys(bench.running.database).create(TENANT_ID, new)
    api_key, bench.headers = bench.headers, {"x-public-key": public_key, "origin": PAGE}
    _, answer = await bench.request("POST", "/api/v1/sdk/init", {"projectId": bench.project_id})
    bench.headers = api_key
    token = json.loads(answer)["token"]
    gate = bench.app.state.services.gate
    figures = []
    for name, access, headers in (
        ("an API key", caller("api_key").dependency, bench.headers),
        ("an SDK token", caller("sdk").dependency, {"x-sdk-token": token, "origin": PAGE}),
    ):
        taken = []
        for _ in range(AUTHENTICATION_ROUNDS):
            start = process_time()
            for _ in range(AUTHENTICATIONS):
                scope = scope_of("GET", "/", "", headers) | {"path_params": {"project_id": bench.project_id}}
                await gate.admit(scope, access)
            taken.append((process_time() - start) / AUTHENTICATIONS * 1_000)
        cost = min(taken)
        wanted = f"at most {AUTHENTICATION_TARGET_MS:g}"
        figures.append(Figure(f"CPU of letting in {name}", cost, "ms", None, wanted, cost <= AUTHENTICATION_TARGET_MS))
    return figures


async def transfer(bench: Bench) -> list[Figure]:
    """Return what putting in and taking out a large project takes."""

    async def new_project() -> str:
        name = RandomIds().new("large")
        _, answer = await bench.request("POST", "/api/projects", {"name": name})
        return str(json.loads(answer)["project"]["id"])

    return await transfers(bench.request, bench.bare, new_project)


PROBES: tuple[Probe, ...] = (analytics, lists, authentication, transfer)
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


async def measure(events: int = EVENTS) -> list[Figure]:
    """Return all figures."""
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
                figures = await fill(running, bare, seeded.project_id, key, events)
                access = access_services(running, SystemClock(), ids)
                app = build_app(running.runtime, access, GatewaySettings(token_secret=SECRET, rates=NO_RATES))
                bench = Bench(app, running, seeded.project_id, key, bare)
                bench.pool = await asyncpg.create_pool(running.settings.database_url, min_size=1, init=hashes_as_bytes)
                stack.push_async_callback(bench.pool.close)
                for number in range(CONTACTS):
                    person = {"identity": f"p{number}@example.com", "identityType": "email", "type": "customer"}
                    await bench.request("POST", "/api/contacts", person)
                for probe in PROBES:
                    figures += await probe(bench)
            finally:
                await bare.close()
    return figures + await counting()


def main() -> int:
    """Measure with as many events as wanted; return 0 when every promise is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    return 0 if publish("platform", asyncio.run(measure(parser.parse_args().events))) else 1


if __name__ == "__main__":
    sys.exit(main())
