"""One server for a database, or several of Ray. Decision: 0057."""

from __future__ import annotations

import asyncio
import os
import socket
from time import monotonic

import pytest

from domain.errors import Conflict
from storage.database import Database
from storage.holding import Holding
from storage.statements import Statement
from tests.support.servers import Servers, start_program

pytestmark = pytest.mark.anyio
END_ALL = Statement("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'abl-server %'")
PATIENCE_S = 60.0
HOLDER = """
import asyncio, sys
from storage.database import Database
from storage.holding import Holding
async def hold():
    await Holding(await Database.open(sys.argv[1]), alone=True, wait_s=60.0).start()
    print("held", flush=True)
    await asyncio.Event().wait()
asyncio.run(hold())
"""


@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, True)])
async def test_a_second_server_is_refused_and_told_who_is_there(
    servers: Servers, database: Database, first: bool, second: bool
) -> None:
    here = Holding(database, alone=first, wait_s=PATIENCE_S)
    await here.start()
    other = Holding(database, alone=second, wait_s=0.0)
    with pytest.raises(Conflict, match=f"{socket.gethostname()[:30]}:{os.getpid()}.*database of its own"):
        await other.start()
    await other.stop()
    await here.stop()
    again = Holding(database, alone=second, wait_s=PATIENCE_S)
    await again.start()
    await again.stop()


async def test_gateways_of_ray_share_a_database(database: Database) -> None:
    both = [Holding(database, alone=False, wait_s=PATIENCE_S) for _ in range(2)]
    for one in both:
        await one.start()
    for one in both:
        await one.stop()


async def test_a_server_that_was_killed_holds_nothing(servers: Servers, database: Database) -> None:
    with start_program(HOLDER, servers.database_url) as dead:
        assert dead.stdout is not None
        assert await asyncio.to_thread(dead.stdout.readline) == "held\n"
        refused = Holding(database, alone=True, wait_s=0.0)
        with pytest.raises(Conflict, match=rf":{dead.pid}\."):
            await refused.start()
        await refused.stop()
        dead.kill()
    after = Holding(database, alone=True, wait_s=PATIENCE_S)
    await after.start()
    await after.stop()


async def test_a_hold_whose_connection_broke_is_taken_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.holding.KEEP_EVERY_S", 0.02)
    here = Holding(database, alone=True, wait_s=PATIENCE_S)
    await here.start()
    await database.rows(END_ALL)
    give_up_s = monotonic() + PATIENCE_S
    while await can_be_taken(database):
        assert monotonic() < give_up_s, "it was never taken again"
        await asyncio.sleep(0.05)
    await here.stop()
    after = Holding(database, alone=True, wait_s=PATIENCE_S)
    await after.start()
    await after.stop()


async def can_be_taken(database: Database) -> bool:
    other = Holding(database, alone=True, wait_s=0.0)
    try:
        await other.start()
    except Conflict:
        return False
    finally:
        await other.stop()
    return True
