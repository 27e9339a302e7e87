"""Every list of the API, page by page as it is asked for without words, against a bare route of the same answer.

The lists are found in the routes of the app, so that a new one is measured or said to be left out. Both sides take
turns, after the same warm-up, and what the product sends to the database is noted when nothing is looked up for the
first time any more: the bare route sends exactly that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import median
from time import perf_counter
from types import MappingProxyType
from typing import Any, get_origin

from fastapi import FastAPI

from actors.model_desk import MAX_PROVIDERS
from benchmarks.bare_lists import bare_route
from benchmarks.platform_bench import Bench
from benchmarks.report import Figure
from domain.limits import PAGE_LIMIT_DEFAULT, WEBHOOKS_PER_PROJECT
from gateway.guarded import GuardedRoute, api_routes
from storage.statements import Statement

ROUNDS, WARM = 600, 20
TARGET = 2.0
ROWS = 60
"""Of each list: more than a page, so that each answers a whole one."""
CONTACTS = 300
PROJECT = "/api/projects/{project_id}"
LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        "/v1/models": "no list of the contract but of OpenAI's: the agents of a project as models",
        "/api/v1/chat/usage": "sums; its list is their breakdown by model",
        f"{PROJECT}/analytics/events": "measured with analytics, over all of the month",
        f"{PROJECT}/sessions/{{session_id}}/traces/{{span_id}}/children": "folds all events of a session, has no pages",
        f"{PROJECT}/budgets/{{budget_id}}": "one budget, with its accounts",
        "/api/budgets/{budget_id}": "the same",
        f"{PROJECT}/voice-analytics/hourly": "sums by the hour of calls, of which there are none yet",
        f"{PROJECT}/project-io/export": "the texts of a whole project, measured with its transfer",
        f"{PROJECT}/project-io/export/preview": "looks at all agents of a project, has no pages",
        "/ready": "asks the parts how they are",
    }
)
"""Routes that answer lists and are not measured here, and why."""
TALKER = """\
AGENT: Talker
GOAL: "Talk"

FLOW:
  entry_point: a
  a:
    REASONING: false
    RESPOND: "Yes?"
    ON_INPUT:
      - ELSE:
        RESPOND: "I have heard it."
"""
SOME_CALLBACKS = Statement("""
    INSERT INTO callbacks (
        tenant_id, callback_id, project_id, session_id, suspension_id, agent_name, tool_name, expires_at
    )
    SELECT :tenant_id, 'cb_l' || n, :project_id, :session_id, 'sus_l' || n, 'Talker', 'order',
        now() + interval '1 day'
    FROM generate_series(1, :number::int) AS n
""")
SOME_DELIVERIES = Statement("""
    INSERT INTO webhook_deliveries (
        tenant_id, webhook_id, event_id, project_id, event, data, status, attempts, response_status, attempted_at
    )
    SELECT :tenant_id, :webhook_id, 'evt_l' || n, :project_id, 'session.started', '{"sessionId": "sess_1"}',
        'delivered', 1, 200, now()
    FROM generate_series(1, :number::int) AS n
""")


def list_routes(app: FastAPI) -> list[GuardedRoute]:
    """Return the routes that answer lists: they take a `limit`, or a field of their answer is a list."""
    return [route for route in api_routes(app) if route.methods == {"GET"} and _is_list(route)]


def _is_list(route: GuardedRoute) -> bool:
    fields = getattr(route.response_model, "model_fields", {}).values()
    takes_limit = any(one.alias == "limit" for one in route.dependant.query_params)
    return takes_limit or any(get_origin(one.annotation) is list for one in fields)


async def lists(bench: Bench) -> list[Figure]:
    """Return what lists take against a bare route with the same queries and the same answer."""
    names = await _fill(bench)
    figures = []
    for route in list_routes(bench.app):
        if route.path in LEFT_OUT:
            continue
        wanted = [one.alias for one in route.dependant.query_params if one.field_info.is_required()]
        path = route.path.format(**names) + "".join(f"?{name}={names[name]}" for name in wanted)
        taken, plain = await _compared(bench, path)
        ratio = taken / plain
        shown = route.path.replace(PROJECT, "PP")
        figures.append(Figure(f"list {shown}: p50", taken, "ms", plain))
        at_most = f"at most {TARGET:g}"
        figures.append(Figure(f"list {shown} / bare", ratio, "times", 1.0, at_most, ratio <= TARGET))
    return figures


async def _compared(bench: Bench, path: str) -> tuple[float, float]:
    """Return p50 of a list, and of a bare route that asks and answers the same, in milliseconds."""
    for _ in range(WARM):
        await bench.answer("GET", path)
    told = await bench.answer("GET", path)
    rows = max(len(value) for value in told.values() if isinstance(value, list))
    if rows < PAGE_LIMIT_DEFAULT:
        raise SystemExit(f"{path} has only {rows} rows")
    sent = await bench.statements("GET", path, None)
    if not sent:
        raise SystemExit(f"{path} asks the database nothing")
    answer = json.dumps(told).encode()
    bare = Bench(bare_route(bench.pool, sent, answer), bench.running, "", "", "", bench.bare, bench.pool)
    sides = [(bench, path, list[float]()), (bare, "/bare", list[float]())]
    for number in range(WARM + ROUNDS):
        for side, place, taken in sides if number % 2 else sides[::-1]:
            start = perf_counter()
            await side.request("GET", place)
            taken.append((perf_counter() - start) * 1_000)
    return median(sides[0][2][WARM:]), median(sides[1][2][WARM:])


async def _fill(bench: Bench) -> dict[str, str]:
    """Put more than a page into each list; return the names that their paths need."""
    project = PROJECT.format(project_id=bench.project_id)
    session_id = await _talk(bench, project)
    names = {"project_id": bench.project_id, "projectId": bench.project_id, "session_id": session_id}
    names["agent_name"] = "Talker"
    user_ids = await _people(bench)
    keys = await _made(bench, f"{project}/public-keys", [{"name": f"key {n}", "allowedOrigins": []} for n in _rows()])
    key_id = keys[0]["key"]["id"]
    hook = {"url": "https://hooks.example.com/a", "events": ["*"], "isActive": False}
    new: dict[str, Sequence[dict[str, Any]]] = {
        f"{project}/members": [{"userId": user_id, "role": "tester"} for user_id in user_ids],
        "/api/contacts": [{"identity": f"p{n}@example.com", "identityType": "email"} for n in range(CONTACTS)],
        "/api/api-keys": [{"name": f"key {n}"} for n in _rows()],
        "/api/model-providers": [
            {"name": f"p{n}", "kind": "mock", "models": [{"id": "a"}]} for n in range(MAX_PROVIDERS)
        ],
        "/api/projects": [{"name": f"Project {n}"} for n in _rows()],
        f"{project}/agents": [
            {"name": f"Agent_{n}", "dslContent": TALKER.replace("Talker", f"Agent_{n}")} for n in _rows()
        ],
        f"{project}/agents/Talker/versions": [{"label": f"the one of {n}"} for n in _rows()],
        f"{project}/sdk-channels": [{"name": f"c{n}", "channelType": "web", "publicApiKeyId": key_id} for n in _rows()],
        f"{project}/human-tasks": [{"type": "approval", "title": f"May it, {n}?"} for n in _rows()],
        "/api/tool-secrets": [
            {"projectId": bench.project_id, "toolName": f"t{n}", "secretKey": "key", "value": "v"} for n in _rows()
        ],
        f"{project}/budgets": [{"scope": "agent", "subject": f"a{n}", "maxTokens": 10**12} for n in _rows()],
        "/api/budgets": [{"maxTokens": 10**12 + n} for n in _rows()],
        f"{project}/deployments": [
            {"environment": "dev", "agentVersionManifest": {"Talker": "1"}, "entryAgentName": "Talker"} for _ in _rows()
        ],
    }
    for path, bodies in new.items():
        await _made(bench, path, bodies)
    for number in _rows():
        variable = {"kind": "env", "key": f"KEY_{number}", "environment": "base", "value": "v"}
        await bench.answer("PUT", f"{project}/variables", variable)
    hooks = await _made(bench, f"{project}/webhooks", [hook] * WEBHOOKS_PER_PROJECT)
    names["webhook_id"] = hooks[0]["webhook"]["id"]
    given = {**names, "tenant_id": bench.tenant_id, "number": ROWS}
    for statement in (SOME_CALLBACKS, SOME_DELIVERIES):
        wanted = {name: value for name, value in given.items() if name in statement.names}
        await bench.bare.execute(statement.sql, *statement.arguments(wanted))
    await bench.bare.execute("VACUUM ANALYZE", timeout=3_600)
    return names


def _rows() -> range:
    return range(1, ROWS + 1)


async def _made(bench: Bench, path: str, bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [await bench.answer("POST", path, body) for body in bodies]


async def _people(bench: Bench) -> list[str]:
    new = [{"email": f"reader{n}@example.com", "role": "member", "displayName": f"Reader {n}"} for n in _rows()]
    return [one["user"]["id"] for one in await _made(bench, "/api/users", new)]


async def _talk(bench: Bench, project: str) -> str:
    """Return a session with a conversation and files."""
    await bench.answer("POST", f"{project}/agents", {"name": "Talker", "dslContent": TALKER})
    opened = {"projectId": bench.project_id, "message": "hello", "agentId": "Talker"}
    session_id = str((await bench.answer("POST", "/api/v1/chat/agent", opened))["sessionId"])
    for number in _rows():
        said = {"projectId": bench.project_id, "sessionId": session_id, "message": f"and {number}"}
        await bench.answer("POST", "/api/v1/chat/agent", said)
        head = f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{number}.txt"\r\n\r\n'
        sent = f"{head}text {number}\r\n--cut--\r\n".encode()
        place = f"{project}/sessions/{session_id}/attachments"
        await bench.answer("POST", place, sent, "multipart/form-data; boundary=cut")
    return session_id
