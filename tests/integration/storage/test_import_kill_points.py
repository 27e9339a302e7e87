"""An import that is cut at any of its statements, before it, behind it, or at its commit, leaves nothing or all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest

from actors.clocks import RandomIds, SystemClock
from actors.stored_transfer import StoredTransfer
from domain.audit import SYSTEM
from domain.errors import AppError
from domain.transfer import ImportMode, checked_files, source_hash
from storage.database import Connection, Database
from storage.errors import ConnectionLost
from storage.repositories.audit import AuditLog
from storage.repositories.projects import Projects
from storage.statements import Statement

pytestmark = pytest.mark.anyio
SENDERS = ("rows", "row", "value", "execute")
STANDS = Statement("""
    SELECT name, source_hash, description FROM agents WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY name
""")
ENTRY = Statement("SELECT entry_agent_name FROM projects WHERE tenant_id = :tenant_id AND project_id = :project_id")
LOGGED = Statement("SELECT count(*) FROM audit_log WHERE tenant_id = :tenant_id AND action = 'project.import'")
END_LOCK = Statement("""
    UPDATE import_locks SET expires_at = clock_timestamp() WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
BEFORE = {"agents/Kept.abl": "AGENT: Kept\nGOAL: x\n", "agents/Old.abl": "AGENT: Old\nGOAL: x\n"}
AFTER = {
    "agents/Kept.abl": "AGENT: Kept\nGOAL: y\n",
    "agents/New.abl": "AGENT: New\nGOAL: x\n",
    "tools/orders.tools.abl": "TOOLS:\n  find() -> object\n    description: find\n",
    "project.json": '{"formatVersion": 1, "entryAgent": "New", "agents": {"Kept": {"description": "stays"}}}',
}
ALL = [
    ("Kept", source_hash(AFTER["agents/Kept.abl"]), "stays"),
    ("New", source_hash(AFTER["agents/New.abl"]), None),
    ("orders.tools", source_hash(AFTER["tools/orders.tools.abl"]), None),
]
NOTHING = [(name, source_hash(BEFORE[f"agents/{name}.abl"]), None) for name in ("Kept", "Old")]


class Cut:
    """Cuts the connection at one of the statements of a transaction."""

    def __init__(self, at: int, *, behind: bool) -> None:
        self.at = at
        self.behind = behind
        self.sent = 0

    async def around(self, connection: Connection, send: Callable[[], Awaitable[Any]]) -> Any:
        self.sent += 1
        if self.sent != self.at:
            return await send()
        if self.behind:
            await send()
        connection.abandon()
        raise ConnectionLost("cut")


@contextmanager
def cutting(monkeypatch: pytest.MonkeyPatch, cut: Cut) -> Iterator[None]:
    """Let what this test sends within transactions go through `cut`; what is sent alone goes its way.

    So does what others send in this process: a gateway of another test may still live here.
    """
    mine = ContextVar("mine", default=False)
    mine.set(True)
    with monkeypatch.context() as patch:
        open_transaction = Connection.transaction
        inside: set[int] = set()

        def wrapped(name: str) -> Callable[..., Awaitable[Any]]:
            original = getattr(Connection, name)

            async def send(self: Connection, statement: Statement, **given: object) -> Any:
                if id(self) not in inside or not mine.get():
                    return await original(self, statement, **given)
                return await cut.around(self, lambda: original(self, statement, **given))

            return send

        @contextmanager
        def marked(connection: Connection) -> Iterator[None]:
            inside.add(id(connection))
            try:
                yield
            finally:
                inside.discard(id(connection))

        def transaction(self: Connection) -> Any:
            return _Marked(open_transaction(self), marked(self))

        for name in SENDERS:
            patch.setattr(Connection, name, wrapped(name))
        patch.setattr(Connection, "transaction", transaction)
        yield


class _Marked:
    """A transaction whose connection is marked while it is open."""

    def __init__(self, transaction: Any, mark: Any) -> None:
        self._transaction = transaction
        self._mark = mark

    async def __aenter__(self) -> None:
        await self._transaction.__aenter__()
        self._mark.__enter__()

    async def __aexit__(self, *exception: Any) -> Any:
        self._mark.__exit__(None, None, None)
        return await self._transaction.__aexit__(*exception)


class Imports:
    """A project with two agents, and an import that changes one, deletes one, makes two and sets the entry."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        clock, self.ids = SystemClock(), RandomIds()
        self.database = database
        self.tenant_id = tenant_id
        self.project_id = self.ids.new("")
        self.desk = StoredTransfer(database, AuditLog(database, clock, self.ids), clock, self.ids)

    async def prepare(self) -> None:
        projects = Projects(self.database)
        await projects.ensure_tenant(self.tenant_id, self.tenant_id)
        await projects.create(self.tenant_id, self.project_id, name=self.project_id, slug=self.project_id)
        await self.run(BEFORE, ImportMode.MERGE)

    async def run(self, files: dict[str, str], mode: ImportMode = ImportMode.REPLACE) -> None:
        await self.desk.import_files(self.tenant_id, self.project_id, checked_files(dict(files)), mode, SYSTEM)

    async def stands(self) -> tuple[list[tuple[str, str, str | None]], str | None, int]:
        named = {"tenant_id": self.tenant_id, "project_id": self.project_id}
        rows = await self.database.rows(STANDS, **named)
        entry = await self.database.value(ENTRY, **named)
        logged = await self.database.value(LOGGED, tenant_id=self.tenant_id)
        return [(row["name"], row["source_hash"], row["description"]) for row in rows], entry, int(logged)


@pytest.fixture
async def imports(database: Database, tenant_id: str) -> Imports:
    made = Imports(database, tenant_id)
    await made.prepare()
    return made


@pytest.mark.parametrize("behind", [False, True])
async def test_a_cut_at_every_statement_leaves_nothing(
    imports: Imports, monkeypatch: pytest.MonkeyPatch, behind: bool
) -> None:
    cuts = 0
    while True:
        cut = Cut(cuts + 1, behind=behind)
        with cutting(monkeypatch, cut):
            try:
                await imports.run(AFTER)
            except AppError:
                cuts += 1
            else:
                break
        assert await imports.stands() == (NOTHING, None, 1), f"cut at statement {cuts}"
    assert cuts >= 11, "each statement was one to be cut at"
    assert await imports.stands() == (ALL, "New", 2)


async def test_a_commit_whose_answer_was_lost_has_left_all(imports: Imports, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = Database.transaction

    def losing(self: Database) -> Any:
        return _Losing(commit(self))

    with monkeypatch.context() as patch:
        patch.setattr(Database, "transaction", losing)
        with pytest.raises(ConnectionLost):
            await imports.run(AFTER)
    assert await imports.stands() == (ALL, "New", 2)


class _Losing:
    """A transaction that is committed, and nobody is told."""

    def __init__(self, transaction: Any) -> None:
        self._transaction = transaction

    async def __aenter__(self) -> Any:
        return await self._transaction.__aenter__()

    async def __aexit__(self, *exception: Any) -> None:
        await self._transaction.__aexit__(*exception)
        raise ConnectionLost("lost")


async def test_an_import_that_lost_its_lock_writes_nothing(imports: Imports, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker has taken the project over: this one was away for longer than the lock lasts."""
    update = imports.desk._transfer.update
    later = StoredTransfer(
        imports.database, AuditLog(imports.database, SystemClock(), imports.ids), SystemClock(), imports.ids
    )

    async def slow(connection: Connection, tenant_id: str, project_id: str, changed: Any) -> None:
        await update(connection, tenant_id, project_id, changed)
        await imports.database.execute(END_LOCK, tenant_id=tenant_id, project_id=project_id)
        assert await later._transfer.lock(tenant_id, project_id, "another")

    monkeypatch.setattr(imports.desk._transfer, "update", slow)
    with pytest.raises(AppError, match="Import already in progress"):
        await imports.run(AFTER)
    assert await imports.stands() == (NOTHING, None, 1)
    assert not await later._transfer.lock(imports.tenant_id, imports.project_id, "third"), "the other's lock stays"


async def test_a_worker_that_dies_leaves_its_lock_and_no_more(
    imports: Imports, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: Any) -> None:
        raise ConnectionLost("dead")

    with monkeypatch.context() as patch, cutting(monkeypatch, Cut(4, behind=True)):
        patch.setattr(imports.desk._transfer, "unlock", never)
        with pytest.raises(ConnectionLost):
            await imports.run(AFTER)
    assert await imports.stands() == (NOTHING, None, 1)
    with pytest.raises(AppError, match="Import already in progress"):
        await imports.run(AFTER)
    await imports.database.execute(END_LOCK, tenant_id=imports.tenant_id, project_id=imports.project_id)
    await imports.run(AFTER)
    assert await imports.stands() == (ALL, "New", 2)
