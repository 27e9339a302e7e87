"""Many imports at once, at two gateways over one store, and locks that were left behind. Spec: platform-api 9."""

from __future__ import annotations

import asyncio

import pytest

from actors.projects import TENANT_ID
from domain import limits
from storage.errors import NotConnected
from storage.repositories.transfer import Transfer
from storage.statements import Statement
from tests.flows_gateway.test_transfer import ACTIONS, FILES, TAKE_LOCK, a_gateway, a_project, export, imported
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
LOCKED_FOR = Statement("""
    SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 FROM import_locks
    WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
AGENT_ROWS = Statement(
    "SELECT agent_id FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id FOR UPDATE"
)


async def test_while_one_import_is_under_way_two_hundred_others_are_refused(servers: Servers) -> None:
    """At two gateways, each with a runtime and database connections of its own; all that is written is of one import."""
    async with a_gateway(servers, "io-race") as gateway, a_gateway(servers, "io-race") as other:
        database, elsewhere = gateway.running.database, await a_project(gateway, "io-race-two")
        await imported(gateway, FILES, elsewhere)
        wanted = [{path: f"{text}# changed by {number}\n" for path, text in FILES.items()} for number in range(201)]
        async with database.transaction() as connection:
            await connection.rows(AGENT_ROWS, tenant_id=TENANT_ID, project_id=elsewhere)
            tries = {
                asyncio.create_task(imported((gateway, other)[number % 2], files, elsewhere)): number
                for number, files in enumerate(wanted)
            }
            done, waiting = await asyncio.wait(tries, return_when=asyncio.FIRST_COMPLETED)
            async with asyncio.timeout(60):
                while len(waiting) > 1:
                    more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    done |= more
            refused = [one.result() for one in done]
            assert {one.status for one in refused} == {409}
            assert {one.json()["error"]["message"] for one in refused} == {"Import already in progress"}
            assert {tries[one] % 2 for one in done} == {0, 1}, "both gateways have refused some"
            left_s = await database.value(LOCKED_FOR, tenant_id=TENANT_ID, project_id=elsewhere)
            assert limits.IMPORT_LOCK_S - 20 < left_s <= limits.IMPORT_LOCK_S
            assert (await export(gateway, elsewhere))["files"] == FILES
        (winner,) = waiting
        assert (await winner).json()["applied"]["updated"] == 3
        assert (await export(other, elsewhere))["files"] == wanted[tries[winner]]
        assert await database.value(LOCKED_FOR, tenant_id=TENANT_ID, project_id=elsewhere) is None
        rows = await database.rows(ACTIONS, tenant_id=TENANT_ID, project_id=elsewhere)
        assert [row["action"] for row in rows].count("project.import") == 2


async def test_of_two_hundred_imports_at_two_gateways_each_is_there_as_a_whole_or_not_at_all(servers: Servers) -> None:
    async with a_gateway(servers, "io-crowd") as gateway, a_gateway(servers, "io-crowd") as other:
        elsewhere = await a_project(gateway, "io-crowd-two")
        wanted = [{path: f"{text}# changed by {number}\n" for path, text in FILES.items()} for number in range(200)]
        answers = await asyncio.gather(
            *(imported((gateway, other)[number % 2], files, elsewhere) for number, files in enumerate(wanted))
        )
        statuses = [answer.status for answer in answers]
        assert {200, 409} <= set(statuses) <= {200, 409, 503}
        overloaded = {answer.json()["error"]["message"] for answer in answers if answer.status == 503}
        assert overloaded <= {"The database is overloaded."}, "that is refused before it has begun"
        rows = await gateway.running.database.rows(ACTIONS, tenant_id=TENANT_ID, project_id=elsewhere)
        assert [row["action"] for row in rows] == ["project.import"] * statuses.count(200)
        stands = (await export(other, elsewhere))["files"]
        assert stands in [files for files, status in zip(wanted, statuses, strict=True) if status == 200]


async def test_an_import_that_is_written_is_answered_so_and_has_let_go_of_its_lock(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is asked of the database behind the transaction: there may be no connection for it any more."""

    async def no_connection(*_: object) -> None:
        raise NotConnected("The database is overloaded.")

    async with a_gateway(servers, "io-last") as gateway:
        monkeypatch.setattr(Transfer, "unlock", no_connection)
        assert [(await imported(gateway, FILES)).status for _ in range(2)] == [200, 200]


async def test_a_lock_that_was_left_behind_holds_until_its_time_is_over(servers: Servers) -> None:
    async with a_gateway(servers, "io-lock") as gateway:
        database, project_id = gateway.running.database, gateway.project_id
        await database.execute(TAKE_LOCK, tenant_id=TENANT_ID, project_id=project_id, left_s=60.0)
        refused = await imported(gateway, FILES)
        assert (refused.status, refused.json()["error"]["details"]["reason"]) == (409, "IMPORT_IN_PROGRESS")
        assert refused.json()["error"]["message"] == "Import already in progress"
        over = Statement("""
            UPDATE import_locks SET expires_at = clock_timestamp()
            WHERE tenant_id = :tenant_id AND project_id = :project_id
        """)
        await database.execute(over, tenant_id=TENANT_ID, project_id=project_id)
        assert (await imported(gateway, FILES)).status == 200
