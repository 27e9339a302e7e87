"""How long a user waits: from `abl serve` to the first answer of a FLOW agent, on each runtime. `make bench-start-up`.

The first start makes the database; a later one finds it. Compiled bytecode is kept beside the run, as an installed
program has it. The baseline is the start of the interpreter with FastAPI and uvicorn imported.
"""

from __future__ import annotations

import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec

from benchmarks.report import Figure, publish
from benchmarks.serving import Served, a_folder, product
from benchmarks.turn_agents import FLOW
from benchmarks.turns import MESSAGE

ROUNDS = 3
TARGETS_S = {"local": 2.0, "ray": 15.0}
PROJECT = {"flow.agent.abl": FLOW}


def answer(served: Served) -> None:
    """Ask once. Raises AssertionError when the answer is no answer."""
    connection = HTTPConnection("127.0.0.1", served.port, timeout=30)
    body = msgspec.json.encode({"projectId": served.project_id, "message": MESSAGE})
    headers = {"X-API-Key": served.key, "Content-Type": "application/json"}
    connection.request("POST", "/api/v1/chat/agent", body, headers)
    text = connection.getresponse().read()
    connection.close()
    assert b'"success":true' in text, text


def starts(runtime: str, bytecode: Path) -> tuple[float, float]:
    """Return the seconds of the first start and the shortest of the later ones, each to its first answer."""
    taken = []
    options = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(bytecode)}
    with a_folder() as folder:
        for _ in range(1 + ROUNDS):
            began = perf_counter()
            with product(folder, PROJECT, runtime=runtime, options=options) as served:
                answer(served)
                taken.append(perf_counter() - began)
    return taken[0], min(taken[1:])


def bare_start() -> float:
    """Return the seconds that an interpreter with FastAPI and uvicorn takes to start and end."""
    taken = []
    for _ in range(ROUNDS):
        began = perf_counter()
        subprocess.run([sys.executable, "-c", "import fastapi, uvicorn"], check=True)
        taken.append(perf_counter() - began)
    return min(taken)


def main() -> int:
    """Measure the runtimes that the command line names, or all of them; return the exit status."""
    bare = bare_start()
    figures = []
    with TemporaryDirectory(prefix="abl-bytecode-") as bytecode:
        starts("local", Path(bytecode))  # the first start ever compiles every module
        for runtime in sys.argv[1:] or TARGETS_S:
            first, later = starts(runtime, Path(bytecode))
            most = TARGETS_S[runtime]
            figures.append(Figure(f"{runtime}: first start to first answer, database made", first, "s", bare))
            figures.append(
                Figure(f"{runtime}: start to first answer", later, "s", bare, f"at most {most:g}", met=later <= most)
            )
    return 0 if publish("start_up", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
