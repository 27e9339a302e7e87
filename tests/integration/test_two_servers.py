"""A second server on the data directory or the database of a running one is refused at once, and leaves that one whole."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from actors.settings import Settings
from actors.wiring import open_runtime
from domain.errors import Conflict
from storage.coordination import Coordination
from storage.database import Database
from storage.embedded import DirectoryInUse, PostgresServer, RedisServer
from storage.holding import Holding
from storage.statements import Statement
from tests.support.servers import anyio_backend, folder

__all__ = ["anyio_backend", "folder"]

pytestmark = pytest.mark.anyio

ONE = Statement("SELECT 1")
REFUSED = """
import sys
from cli.starting import start
try:
    start(None, runtime=sys.argv[1], hosts=None, address="", host="", port=0, data_dir=sys.argv[2])
except SystemExit as end:
    print(end.code, *(name for name in ("gateway.app", "ray", "uvicorn") if name in sys.modules))
"""
"""Prints the exit status, and what slow to load was loaded before the refusal."""
WITHIN_S = 60.0


async def test_a_refused_second_server_leaves_the_first_one_its_sockets(folder: Path) -> None:
    settings = Settings(data_dir=str(folder))
    async with open_runtime(settings) as first:
        with pytest.raises(DirectoryInUse):
            async with open_runtime(settings):
                pytest.fail("two servers on one directory")
        database = await Database.open(first.settings.database_url)
        assert await database.value(ONE) == 1
        await database.close()
        coordination = Coordination.open(first.settings.redis_url)
        assert await coordination.is_there()
        await coordination.close()


@pytest.mark.parametrize("runtime", ["local", "process"])
async def test_a_second_folder_on_the_same_database_is_refused_and_told_who_is_there(
    runtime: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_runtime(Settings(data_dir=str(folder), is_server=True)) as first:
        monkeypatch.setitem(Holding.__init__.__kwdefaults__, "wait_s", 0.0)
        other = msgspec.structs.replace(first.settings, data_dir=str(tmp_path), runtime=runtime, redis_url="")
        with pytest.raises(Conflict, match=rf"Another server works on this database: .*:{os.getpid()}\."):
            async with open_runtime(other):
                pytest.fail("two servers on one database")
        assert await first.database.value(ONE) == 1


async def test_the_command_that_serves_asks_for_the_database_as_a_server_does(folder: Path, tmp_path: Path) -> None:
    postgres = PostgresServer(folder)
    await postgres.start()
    database = await Database.open(postgres.url)
    holding = Holding(database, alone=True)
    await holding.start()
    environment = {**os.environ, "DATABASE_URL": postgres.url, "ABL_EMBEDDED_MODEL": "off"}
    command = [str(Path(sys.executable).with_name("abl")), "serve", "--runtime", "local", "--port", "0"]
    try:
        server = await asyncio.create_subprocess_exec(
            *command, "--data-dir", str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        try:
            async with asyncio.timeout(WITHIN_S):
                _, told = await server.communicate()
        finally:
            if server.returncode is None:
                server.terminate()  # it serves, and would do so for ever
                await server.communicate()
    finally:
        await holding.stop()
        await database.close()
        await postgres.stop()
    assert server.returncode == 2
    assert f"Another server works on this database: {socket.gethostname()[:30]}:{os.getpid()}." in told.decode()


@pytest.mark.parametrize("runtime", ["local", "process", "ray"])
@pytest.mark.parametrize("server", [PostgresServer, RedisServer])
def test_the_command_refuses_before_anything_slow_is_loaded(
    server: type[PostgresServer | RedisServer], runtime: str, tmp_path: Path
) -> None:
    other = server(tmp_path)
    other.claim()
    command = [sys.executable, "-c", REFUSED, runtime, str(tmp_path)]
    environment = {**os.environ, "DATABASE_URL": "", "REDIS_URL": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, env=environment, check=True)
    assert done.stdout.split() == ["2"]
    assert f"in use by another running server (process {os.getpid()})" in done.stderr


@pytest.mark.parametrize("runtime", ["process", "ray"])
async def test_a_second_runtime_is_refused_before_its_hosts_are_brought_up(runtime: str, tmp_path: Path) -> None:
    other = RedisServer(tmp_path)
    other.claim()
    with pytest.raises(DirectoryInUse):
        async with open_runtime(Settings(data_dir=str(tmp_path), runtime=runtime)):
            pytest.fail("two servers on one directory")
    assert [place.name for place in tmp_path.rglob("*") if place.is_file()] == ["supervisor.lock"] * 2
    await other.stop()
    PostgresServer(tmp_path).claim()


async def test_a_claim_that_is_given_back_leaves_a_server_that_outlived_its_supervisor(folder: Path) -> None:
    killed = PostgresServer(folder)
    await killed.start()
    pid = killed.pid
    await killed.leave()  # and its lock is let go of, as the kernel does for a process that was killed
    killed._release_lock()
    claimed = PostgresServer(folder)
    claimed.claim()
    await claimed.stop()
    heir = PostgresServer(folder)
    await heir.start()
    try:
        assert heir.adopted
        assert heir.pid == pid
    finally:
        await heir.stop()
        assert killed._child is not None
        killed._child.wait()
