"""Attacks on the app in this process: what is sent, and what is wrong about how it was answered."""

from __future__ import annotations

import asyncio
import json
import resource
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any
from urllib.parse import unquote

from gateway.guarded import GuardedRoute, api_routes
from tests.support.hostile_store import Place

ANSWER_MAX_S = 60.0
"""How long one answer may take, on a machine that does other things too."""
ANSWER_MAX_BYTES = 64 * 1024
GROWTH_MAX_BYTES = 256 * 1024 * 1024
UNKNOWN = "unknown"
SHOWN = 40
"""How many complaints a failure tells."""
REFUSED = range(400, 500)
JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Attack:
    """One request; `pieces` are its body, `allowed` the statuses that it may be answered with."""

    name: str
    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterable[bytes] = ()
    allowed: Sequence[int] = REFUSED


@dataclass(frozen=True)
class Answered:
    """What came back, and how much of the body had been read by then."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    read_bytes: int
    took_s: float


def routes_of(place: Place) -> list[tuple[GuardedRoute, str]]:
    """Return every route with each of its methods."""
    return [(route, method) for route in api_routes(place.app) for method in sorted(route.methods)]


def target_of(place: Place, route: GuardedRoute, name: str = UNKNOWN) -> str:
    """Return a path of a route in the project, every other name in it being `name`."""
    names = dict.fromkeys(route.param_convertors, name)
    return route.path.format(**{**names, **({"project_id": place.project_id} if "project_id" in names else {})})


async def sent(place: Place, attack: Attack, headers: Mapping[str, str]) -> Answered:
    """Send one attack and return the answer."""
    raw_path, _, query = attack.target.partition("?")
    waiting, read_bytes, over = iter(attack.pieces), 0, False
    gone, messages = asyncio.Event(), []
    named = {"host": "testserver", **{key.lower(): value for key, value in headers.items()}, **attack.headers}

    async def receive() -> dict[str, Any]:
        nonlocal read_bytes, over
        if over:
            await gone.wait()
            return {"type": "http.disconnect"}
        piece = next(waiting, None)
        over = piece is None
        read_bytes += len(piece or b"")
        return {"type": "http.request", "body": piece or b"", "more_body": not over}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            gone.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": attack.method,
        "path": unquote(raw_path),
        "raw_path": raw_path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(key.encode(), value.encode("latin-1")) for key, value in named.items() if value is not None],
        "client": ("127.0.0.1", 5000),
        "server": ("testserver", 80),
    }
    began_s = perf_counter()
    async with asyncio.timeout(2 * ANSWER_MAX_S):
        await place.app(scope, receive, send)
    took_s = perf_counter() - began_s
    body = b"".join(message.get("body", b"") for message in messages[1:])
    return Answered(messages[0]["status"], messages[0]["headers"], body, read_bytes, took_s)


async def struck(place: Place, attacks: Iterable[Attack], role: str = "owner") -> tuple[int, list[str]]:
    """Send attacks one after the other; return how many there were, and what was wrong with the answers.

    Each must be answered in time, with a status that is allowed, in the form of the API, and nothing may be written.
    """
    complaints: list[str] = []
    before, began_bytes, count = await place.rows(), _peak_bytes(), 0
    for attack in attacks:
        count += 1
        try:
            answered = await sent(place, attack, place.headers[role])
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is told
            complaints.append(f"{attack.name}: {attack.method} {attack.target[:80]}: {error!r}")
            continue
        complaints += [
            f"{attack.name}: {attack.method} {attack.target[:80]}: {one}" for one in _wrong(attack, answered)
        ]
    after = await place.rows()
    complaints += [f"{table} has {after[table] - n} new rows" for table, n in before.items() if after[table] != n]
    grown_bytes = _peak_bytes() - began_bytes
    if grown_bytes > GROWTH_MAX_BYTES:
        complaints.append(f"memory grew by {grown_bytes} bytes")
    return count, complaints


def _wrong(attack: Attack, answered: Answered) -> list[str]:
    wrong = []
    if answered.status not in attack.allowed:
        wrong.append(f"{answered.status} {answered.body[:200]!r}")
    if answered.took_s > ANSWER_MAX_S:
        wrong.append(f"took {answered.took_s:.1f} s")
    if answered.status >= 400 and len(answered.body) > ANSWER_MAX_BYTES:
        wrong.append(f"{len(answered.body)} bytes of error")
    if any(sign in name + value for name, value in answered.headers for sign in (b"\r", b"\n", b"\0")):
        wrong.append(f"a header of more than one line: {answered.headers}")
    if answered.status >= 400 and not _is_error(answered.body):
        wrong.append(f"no error of the API: {answered.body[:200]!r}")
    return wrong


def _is_error(body: bytes) -> bool:
    try:
        told = json.loads(body)
    except ValueError:
        return False
    return told.get("success") is False or told.get("ok") is False or "error" in told


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
