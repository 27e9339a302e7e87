"""What it takes to put a large project in and to take it out, over the routes, beside the bare rows of its texts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from benchmarks.agents_project import agents_project
from benchmarks.report import Figure
from domain import limits
from domain.json_values import JsonObject

AGENTS, AT_ONCE = limits.EXPORT_AGENTS_MAX, limits.IMPORT_FILES_MAX
MOST_S = 5.0
ROUNDS = 3
IMPORT, EXPORT, ZIP = f"import of {AT_ONCE} agents", f"export of {AGENTS} agents", f"export of {AGENTS} agents, zip"
Request = Callable[[str, str, JsonObject | None], Awaitable[tuple[int, bytes]]]
"""Method, path and body -> status and answer."""
Texts = dict[str, str]


async def transfers(request: Request, bare: Any, new_project: Callable[[], Awaitable[str]]) -> list[Figure]:
    """Return what importing 500 agents and exporting 1,000 takes: the least of `ROUNDS`, each in a new project.

    The baseline of an import writes the same texts into a table of two columns, that of an export reads them from there
    and makes JSON of them.
    """
    texts = agents_project(AGENTS)
    library = {path: text for path, text in texts.items() if path.startswith("tools/")}
    agents = [(path, text) for path, text in texts.items() if path not in library]
    first, second = dict(agents[:AT_ONCE]), dict(agents[AT_ONCE:])
    taken: dict[str, list[float]] = defaultdict(list)
    plain: dict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        place = f"/api/projects/{await new_project()}/project-io"
        await timed(request, "POST", f"{place}/import", {"files": library})
        taken[IMPORT].append(await timed(request, "POST", f"{place}/import", {"files": first}))
        await timed(request, "POST", f"{place}/import", {"files": second})
        taken[EXPORT].append(await timed(request, "GET", f"{place}/export"))
        taken[ZIP].append(await timed(request, "GET", f"{place}/export?format=zip"))
        written, read = await bare_rows(bare, first, second)
        plain[IMPORT].append(written)
        plain[EXPORT].append(read)
        plain[ZIP].append(read)
    return [
        Figure(name, min(some), "s", min(plain[name]), f"at most {MOST_S:g}", min(some) <= MOST_S)
        for name, some in taken.items()
    ]


async def timed(request: Request, method: str, path: str, body: JsonObject | None = None) -> float:
    """Return the seconds that a request took; one that is refused ends the benchmark."""
    start = perf_counter()
    status, answer = await request(method, path, body)
    seconds = perf_counter() - start
    if status >= 300:
        raise SystemExit(f"{method} {path} answered {status}: {answer[:300]!r}")
    return seconds


async def bare_rows(bare: Any, first: Texts, second: Texts) -> tuple[float, float]:
    """Return the seconds of writing `first`, and of reading both as JSON, over a bare connection of the driver."""
    put = "INSERT INTO texts VALUES ($1, $2)"
    await bare.execute("CREATE TEMP TABLE texts (path text PRIMARY KEY, text text NOT NULL)")
    start = perf_counter()
    await bare.executemany(put, list(first.items()))
    written = perf_counter() - start
    await bare.executemany(put, list(second.items()))
    start = perf_counter()
    json.dumps({row["path"]: row["text"] for row in await bare.fetch("SELECT path, text FROM texts")})
    read = perf_counter() - start
    await bare.execute("DROP TABLE texts")
    return written, read
