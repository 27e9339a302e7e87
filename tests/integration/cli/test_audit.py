"""`abl audit verify`: what was written is unbroken, what was touched is told with its number and the exit status."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from actors.clocks import RandomIds, SystemClock
from cli.audit import verify_audit
from domain.audit import SYSTEM, AuditCategory, AuditEntry, Resource
from storage.database import Database
from storage.migrate import migrate
from storage.repositories.audit import AuditLog
from storage.statements import Statement
from tests.support.servers import Servers

TAKE_OUT = Statement("DELETE FROM audit_log WHERE tenant_id = :tenant_id AND number = :number")


def with_database(servers: Servers, act: Callable[[Database], Awaitable[None]]) -> None:
    async def run() -> None:
        database = await Database.open(servers.database_url)
        try:
            await migrate(database)
            await act(database)
        finally:
            await database.close()

    asyncio.run(run())


def test_it_tells_where_the_chain_is_broken(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", servers.database_url)
    tenant_id = RandomIds().new("ten")
    entry = AuditEntry(by=SYSTEM, action="a.b", category=AuditCategory.SYSTEM, resource=Resource("a", "1"))

    async def write(database: Database) -> None:
        for _ in range(5):
            await AuditLog(database, SystemClock(), RandomIds()).note(tenant_id, entry)

    async def take_out(database: Database) -> None:
        await database.execute(TAKE_OUT, tenant_id=tenant_id, number=3)

    with_database(servers, write)
    assert verify_audit(tenant=tenant_id, data_dir="") == 0
    assert capsys.readouterr().out == f"{tenant_id}: unbroken, 5 entries written so far\n"
    with_database(servers, take_out)
    assert verify_audit(tenant=tenant_id, data_dir="") == 1
    assert capsys.readouterr().out == f"{tenant_id}: broken at entry 4\n"
    assert verify_audit(tenant="", data_dir="") == 1
    with pytest.raises(SystemExit) as end:
        verify_audit(tenant="ten_nowhere", data_dir="")
    assert end.value.code == 2
