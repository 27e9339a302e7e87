"""A server that is told to end while it starts ends at once, and leaves no process."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from actors.hosting import SOCKETS
from actors.hosts.stale_ray import RECORD, processes_in
from benchmarks.serving import children
from storage.embedded.processes import command_line
from tests.support.served import WITHIN_S, until

ENDS_WITHIN_S = 60.0
"""Ray needs several times as long to start, also where nothing else runs."""

pytestmark = pytest.mark.xdist_group("product")


def ray_folder(data: Path) -> str:
    """Return where the Ray of an installation runs; "" while there is none."""
    record = data / SOCKETS / RECORD
    return str(msgspec.json.decode(record.read_bytes())["folder"]) if record.exists() else ""


def started(data: Path, runtime: str, pid: int) -> bool:
    """Return whether what takes long at the start of a runtime has begun."""
    if runtime == "ray":
        return any("gcs_server" in command_line(one) for one in processes_in(ray_folder(data) or "nowhere"))
    return bool(children(pid))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("runtime", ["local", "process", "ray"])
def test_a_server_that_is_told_to_end_while_it_starts_ends_at_once(
    runtime: str, number: signal.Signals, tmp_path: Path
) -> None:
    async def story() -> None:
        data = tmp_path / "data"
        abl = str(Path(sys.executable).with_name("abl"))
        words = ["serve", "--runtime", runtime, "--hosts", "1", "--port", "0", "--data-dir", str(data)]
        with (tmp_path / "log").open("wb") as log:
            server = await asyncio.create_subprocess_exec(abl, *words, stdout=log, stderr=log)
        await until(lambda: started(data, runtime, server.pid), "it has begun to start")
        family = [pid for child in children(server.pid) for pid in (child, *children(child))]
        folder = ray_folder(data)
        server.send_signal(number)
        try:
            async with asyncio.timeout(ENDS_WITHIN_S):
                assert await server.wait() == 0
        finally:
            if server.returncode is None:
                server.kill()
        said = (tmp_path / "log").read_text()
        assert "Try:" not in said
        assert "Traceback" not in said
        await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), "its processes are gone")
        if folder:
            assert not processes_in(folder)
            assert not Path(folder).exists()

    asyncio.run(asyncio.wait_for(story(), 2 * WITHIN_S))
