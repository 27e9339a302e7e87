"""The bundled servers: adopted, started again, refused, stopped; as root and as an ordinary user."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from benchmarks.serving import children
from domain.errors import Unavailable
from storage.coordination import Coordination
from storage.database import Database
from storage.embedded import DirectoryInUse, PostgresServer, RedisServer
from storage.embedded.processes import mark, working_in
from storage.statements import Statement
from tests.support.servers import start_program, until

pytestmark = pytest.mark.anyio

ONE = Statement("SELECT 1")

HOLDER = """
import asyncio, sys
from pathlib import Path
from storage.embedded import PostgresServer, RedisServer

async def main():
    servers = PostgresServer(Path(sys.argv[1])), RedisServer(Path(sys.argv[1]))
    for server in servers:
        await server.start()
    print(*(server.pid for server in servers), flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

# The modules are read before the change, as this interpreter may stand where only root can read.
BECOME = """
import concurrent.futures.thread, os, pwd
asyncio.run(asyncio.sleep(0))
PostgresServer(Path(sys.argv[1])), RedisServer(Path(sys.argv[1]))
user = pwd.getpwnam("nobody")
os.setgroups([])
os.setgid(user.pw_gid)
os.setuid(user.pw_uid)
"""


async def answers(server: PostgresServer) -> bool:
    database = await Database.open(server.url)
    try:
        return await database.value(ONE) == 1
    finally:
        await database.close()


async def test_a_cluster_is_made_once_and_found_again(folder: Path) -> None:
    for _ in range(2):
        server = PostgresServer(folder)
        await server.start()
        assert await answers(server)
        assert not server.adopted
        await server.stop()
        assert server.pid is None


async def test_a_killed_server_is_started_again(folder: Path) -> None:
    postgres, redis = PostgresServer(folder), RedisServer(folder)
    for server in (postgres, redis):
        await server.start()
        first = server.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)

        async def is_back(server: PostgresServer | RedisServer = server, first: int = first) -> bool:
            return server.restarts > 0 and server.pid not in (None, first)

        await until(is_back)
    await until(lambda: answers_soon(postgres))
    await postgres.stop()
    await redis.stop()


async def answers_soon(server: PostgresServer) -> bool:
    try:
        connection = await asyncpg.connect(server.url)
    except (OSError, asyncpg.CannotConnectNowError):
        return False
    await connection.close()
    return True


async def test_a_second_supervisor_is_refused_and_one_after_a_kill_adopts(folder: Path) -> None:
    holder = start_program(HOLDER, str(folder))
    assert holder.stdout is not None
    pids = [int(word) for word in (await asyncio.to_thread(holder.stdout.readline)).split()]
    for kind in (PostgresServer, RedisServer):
        refused = kind(folder)
        with pytest.raises(DirectoryInUse, match=rf"is in use by another running server \(process {holder.pid}\)"):
            await refused.start()
        await refused.stop()  # touches nothing: the sockets and the record are the holder's
    assert await answers(PostgresServer(folder))
    holder.kill()
    holder.communicate()
    postgres, redis = PostgresServer(folder), RedisServer(folder)
    await postgres.start()
    await redis.start()
    assert postgres.adopted
    assert redis.adopted
    assert [postgres.pid, redis.pid] == pids
    assert await answers(postgres)
    await postgres.stop()
    await redis.stop()
    assert [mark(pid) for pid in pids] == [None, None]


async def test_a_server_that_has_lost_its_socket_is_not_adopted_but_started_anew(folder: Path) -> None:
    first = PostgresServer(folder)
    await first.start()
    pid = first.pid
    await first.leave()
    first._release_lock()
    shutil.rmtree(first._sockets)
    second = PostgresServer(folder)
    await second.start()
    assert not second.adopted
    assert second.pid != pid
    assert await answers(second)
    await second.stop()
    assert first.pid is None  # reaps it


async def test_a_server_that_nobody_wrote_down_is_adopted_too(folder: Path) -> None:
    first = PostgresServer(folder)
    await first.start()
    pid = first.pid
    await first.leave()
    (folder / "postgres" / "server.json").unlink()
    first._release_lock()
    second = PostgresServer(folder)
    await second.start()
    assert second.adopted
    assert second.pid == pid
    await second.stop()
    assert first.pid is None  # reaps it


async def test_the_pid_file_of_a_dead_server_is_no_obstacle_even_if_its_pid_lives_on(folder: Path) -> None:
    server = PostgresServer(folder)
    await server.start()
    await server.stop()
    cluster = next((folder / "postgres").glob("cluster"))
    stale = cluster / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{cluster}\n0\n5432\n\n\n0\nready\n", encoding="utf-8")
    again = PostgresServer(folder)
    await again.start()
    assert not again.adopted
    assert await answers(again)
    await again.stop()


async def test_a_server_that_was_started_under_another_name_of_its_folder_is_not_given_a_second_one(
    folder: Path,
) -> None:
    """Two servers of one cluster would destroy it."""
    (folder / "real").mkdir(mode=0o755)
    (folder / "link").symlink_to(folder / "real")
    first = PostgresServer(folder / "link")
    await first.start()
    await first.leave()
    (folder / "real" / "postgres" / "server.json").unlink()
    first._release_lock()
    second = PostgresServer(folder / "real")
    await second.start()
    assert await answers(second)
    assert postmasters(folder / "real") == [second.pid]
    await second.stop()
    assert first.pid is None  # reaps it


async def test_the_pid_file_stands_while_anything_of_a_server_works_in_its_cluster(folder: Path) -> None:
    """A server that was killed leaves processes for a moment: PostgreSQL itself looks whether they are gone."""
    server = PostgresServer(folder)
    await server.start()
    await server.stop()
    cluster = folder / "postgres" / "cluster"
    file = cluster / "postmaster.pid"
    dead = start_program("")
    dead.communicate()
    file.write_text(f"{dead.pid}\n{cluster}\n0\n5432\n\n\n0\nready\n", encoding="utf-8")
    assert server._program.recorded_pid() is None
    assert file.exists(), "its process is gone: PostgreSQL reads it"
    command = ["postgres", "-c", "import sys; print(flush=True); sys.stdin.read()"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, executable=sys.executable, cwd=cluster, **pipes) as left:
        assert left.stdout is not None
        left.stdout.readline()
        for says in ("", str(os.getpid())):
            file.write_text(says, encoding="utf-8")
            assert server._program.recorded_pid() is None
            assert file.exists()
        left.stdin.close()
    assert server._program.recorded_pid() is None
    assert not file.exists()


def postmasters(data: Path) -> list[int]:
    """Return the servers that work in the cluster of a data folder, without the processes that these have started."""
    here = working_in(data / "postgres" / "cluster", "postgres")
    return [pid for pid in here if not any(pid in children(other) for other in here)]


def mode(place: Path) -> int | None:
    return place.stat().st_mode & 0o777 if place.exists() else None


async def test_nobody_else_reaches_the_sockets(folder: Path) -> None:
    server = PostgresServer(folder)
    await server.start()
    sockets = Path(server.url.partition("host=")[2].partition("&")[0])
    assert [mode(sockets), mode(folder / "postgres" / "cluster")] == [0o700, 0o700]
    await server.stop()
    assert mode(sockets) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user; as one, all tests here are this")
async def test_an_ordinary_user_starts_the_servers(folder: Path) -> None:
    user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    program = HOLDER.replace("asyncio.run(main())", BECOME + "asyncio.run(main())").replace(
        "await asyncio.Event().wait()", "[await server.stop() for server in servers]"
    )
    finished = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, timeout=60
    )
    assert finished.returncode == 0, finished.stderr
    assert (folder / "postgres" / "cluster").stat().st_uid == user.pw_uid


async def test_two_installations_side_by_side_do_not_know_each_other(folder: Path) -> None:
    """One of them below a path that is far too long for a socket."""
    homes = [folder / "one", folder / ("two" * 40) / ("deep" * 20)]
    servers = [kind(home) for home in homes for kind in (PostgresServer, RedisServer)]
    try:
        await asyncio.gather(*(server.start() for server in servers))
        for server in (servers[0], servers[2]):
            database = await Database.open(server.url)
            async with database.connection() as connection:
                await connection.script("CREATE TABLE mine (a int)")
            await database.close()
        assert len({server.pid for server in servers}) == len(servers)
        for server in (servers[1], servers[3]):
            coordination = Coordination.open(server.url)
            assert await coordination.first("only", ttl_ms=60_000)
            await coordination.close()
    finally:
        await asyncio.gather(*(server.stop() for server in servers))


async def test_a_directory_that_cannot_be_used_is_named(folder: Path) -> None:
    (folder / "taken").write_text("a file, not a directory", encoding="utf-8")
    for kind in (PostgresServer, RedisServer):
        with pytest.raises(Unavailable, match=rf"cannot use {folder}/taken/\w+: Not a directory"):
            await kind(folder / "taken").start()


async def test_what_was_acknowledged_is_there_after_everything_was_killed(folder: Path) -> None:
    """The supervisor and the server die at the same moment; the next start recovers the log."""
    holder = start_program(HOLDER, str(folder))
    assert holder.stdout is not None
    pids = [int(word) for word in (await asyncio.to_thread(holder.stdout.readline)).split()]
    server = PostgresServer(folder)
    database = await Database.open(server.url)
    async with database.connection() as connection:
        await connection.script("CREATE TABLE kept (n int)")
    for number in range(50):
        await database.execute(Statement("INSERT INTO kept VALUES (:number)"), number=number)
    for pid in (holder.pid, *pids):
        os.kill(pid, signal.SIGKILL)
    await asyncio.to_thread(holder.communicate)
    await server.start()
    assert not server.adopted
    assert await database.value(Statement("SELECT count(*) FROM kept")) == 50
    await database.close()
    await server.stop()
