"""The process of the local model, with a fake one in its place: restarted with pauses, ended with us, never in the way."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from domain.model_calls import MODEL_NOT_READY
from providers.embedded import llm_server
from providers.embedded.llm_server import LlmServer, Serving, default_threads
from providers.embedded.waiting import Waiting
from providers.embedded.weights import known_weights, unfinished_file
from providers.failures import ModelCallFailed
from tests.support.repository import ROOT

pytestmark = pytest.mark.anyio

WORKER = """
import http.server, json, os, socket, sys, threading
wanted = json.loads(sys.stdin.readline())
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *words):
        pass
class Server(http.server.HTTPServer):
    def server_bind(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.socket.bind(self.server_address)
server = Server((wanted["host"], wanted["port"]), Health)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"ready": wanted["name"]}), flush=True)
sys.stdin.read()
os._exit(0)
"""
DIES = "import sys; sys.stdin.readline(); sys.exit('no such model')"
WITHIN_S = 60.0


def a_server(folder: Path, code: str = WORKER, model: Path | None = None) -> LlmServer:
    found = model or folder
    return LlmServer(Serving("tiny", folder, command=(sys.executable, "-c", code)), lambda: found)


async def ready(server: LlmServer) -> int:
    async with asyncio.timeout(WITHIN_S):
        await server.ready()
    assert server.pid is not None
    return server.pid


async def holds(condition: Callable[[], bool]) -> None:
    give_up_s = monotonic() + WITHIN_S
    while not condition():
        assert monotonic() < give_up_s
        await asyncio.to_thread(os.sched_yield)


async def gone(pid: int) -> None:
    await holds(lambda: not Path(f"/proc/{pid}").exists())


async def test_it_is_started_and_ends_with_us(tmp_path: Path) -> None:
    server = a_server(tmp_path)
    server.start()
    pid = await ready(server)
    await Waiting(server.url, tmp_path, "").until_ready()
    await server.stop()
    await gone(pid)


async def test_one_that_dies_is_started_again_on_the_same_port(tmp_path: Path) -> None:
    server = a_server(tmp_path)
    server.start()
    try:
        url, first = server.url, await ready(server)
        os.kill(first, signal.SIGKILL)
        await gone(first)
        await holds(lambda: server.pid not in (None, first))
        await ready(server)
        assert (server.url, server.restarts) == (url, 1)
    finally:
        await server.stop()


async def test_one_that_cannot_start_is_tried_again_with_growing_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    enough = asyncio.Event()

    async def pause(delay_s: float) -> None:
        pauses.append(delay_s)
        if len(pauses) == 4:
            enough.set()
            await asyncio.Event().wait()

    monkeypatch.setattr(llm_server, "pause", pause)
    server = a_server(tmp_path, DIES)
    server.start()
    try:
        async with asyncio.timeout(WITHIN_S):
            await enough.wait()
        assert pauses == [0.5, 1.0, 2.0, 4.0]
        assert "no such model" in (tmp_path / llm_server.LOG_NAME).read_text()
    finally:
        await server.stop()


async def test_it_waits_for_its_file(tmp_path: Path) -> None:
    here: list[Path] = []
    server = LlmServer(
        Serving("tiny", tmp_path, command=(sys.executable, "-c", WORKER)), lambda: here[0] if here else None
    )
    server.start()
    try:
        await asyncio.sleep(0)
        assert server.pid is None
        here.append(tmp_path)
        await ready(server)
    finally:
        await server.stop()


async def test_it_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom providers.embedded.llm_server import LlmServer, Serving\n"
        "async def main():\n"
        "    server = LlmServer(Serving('t', Path(sys.argv[1]), command=(sys.executable, '-c', sys.argv[2])), "
        "lambda: Path(sys.argv[1]))\n"
        "    server.start()\n    await server.ready()\n    print(server.pid, flush=True)\n    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", parent, str(tmp_path), WORKER], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    pid = int(await asyncio.to_thread(process.stdout.readline))
    process.kill()
    process.wait()
    process.stdout.close()
    await gone(pid)


async def test_two_servers_have_ports_and_keys_of_their_own(tmp_path: Path) -> None:
    one, other = a_server(tmp_path), a_server(tmp_path)
    try:
        assert one.url != other.url
        assert one.key != other.key
    finally:
        await one.stop()
        await other.stop()


async def test_one_core_is_left_to_everything_else() -> None:
    assert 1 <= default_threads() <= max(1, (os.cpu_count() or 1) - 1)


async def refused(waiting: Waiting) -> str:
    with pytest.raises(ModelCallFailed) as failure:
        await waiting.until_ready()
    assert (failure.value.kind, failure.value.retryable) == (MODEL_NOT_READY, False)
    return failure.value.message


async def test_until_the_file_is_here_a_call_says_how_far_it_is(tmp_path: Path) -> None:
    weights = known_weights()[0]
    waiting = Waiting("http://127.0.0.1:9/v1", tmp_path / weights.file, weights.name)
    assert "abl models pull --size 0.5b" in await refused(waiting)
    with unfinished_file(tmp_path, weights).open("wb") as file:
        file.truncate(weights.size_bytes // 2)
    assert "49 % of 491 MB" in await refused(waiting) or "50 % of 491 MB" in await refused(waiting)


async def test_a_process_that_is_not_loaded_in_time_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("providers.embedded.waiting.LOADING_S", 0.05)
    assert "being loaded" in await refused(Waiting("http://127.0.0.1:9/v1", tmp_path, ""))
    assert "is gone" in await refused(Waiting("http://127.0.0.1:9/v1", tmp_path / "none.gguf", ""))
