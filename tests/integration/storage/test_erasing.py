"""Tenants and projects are erased some rows at a time, and wholly."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.analytics import EventCategory, NewEvent
from storage.database import Database
from storage.erasure import erase_tenant
from storage.repositories.analytics_counting import Counting
from storage.repositories.events import Events
from storage.repositories.memory import Memory, MemoryValue
from storage.repositories.projects import Projects
from storage.statements import Statement
from tests.support.servers import own_database

pytestmark = pytest.mark.anyio
database = own_database
PROJECT, OTHER = "c" + "p" * 24, "c" + "q" * 24
ONCE = Statement("SELECT erase_tenant(:tenant_id, :limit)")
ONCE_OF_PROJECT = Statement("SELECT erase_project(:tenant_id, :project_id, :limit)")
LEFT = Statement("""
    SELECT (SELECT count(*) FROM memory WHERE tenant_id = :tenant_id AND project_id = :project_id)
        + (SELECT count(*) FROM analytics_told WHERE tenant_id = :tenant_id AND project_id = :project_id)
        + (SELECT count(*) FROM analytics_kinds WHERE tenant_id = :tenant_id AND project_id = :project_id)
        + (SELECT count(*) FROM projects WHERE tenant_id = :tenant_id AND project_id = :project_id)
""")


@pytest.fixture
async def filled(database: Database, tenant_id: str) -> str:
    """Return a tenant with two projects of 20 values and 20 events each."""
    projects, now = Projects(database), datetime.now(UTC)
    await projects.ensure_tenant(tenant_id, "T")
    for project_id in (PROJECT, OTHER):
        await projects.create(tenant_id, project_id, name=project_id, slug=project_id)
        kept = [MemoryValue(scope="project", subject=project_id, path=f"p{n}", value=n) for n in range(20)]
        await Memory(database).write(tenant_id, project_id, kept, written_by=project_id)
        event = NewEvent(category=EventCategory.SYSTEM, event_type="queue_full", project_id=project_id, at=now)
        async with database.transaction() as connection:
            await Events(database).append_many(connection, tenant_id, [event] * 20)
    while await Counting(database).go_on(now):
        pass
    return tenant_id


async def test_a_tenant_is_erased_in_pieces(database: Database, filled: str) -> None:
    for _ in range(3):
        assert await database.value(ONCE, tenant_id=filled, limit=7) == 7
    assert await erase_tenant(database, filled, 7) >= 82 - 21
    for project_id in (PROJECT, OTHER):
        assert await database.value(LEFT, tenant_id=filled, project_id=project_id) == 0
    assert await erase_tenant(database, filled, 7) == 0


async def test_a_project_is_erased_in_pieces_its_row_last(database: Database, filled: str) -> None:
    place = {"tenant_id": filled, "project_id": PROJECT}
    assert await database.value(ONCE_OF_PROJECT, **place, limit=7) == 7
    assert await Projects(database).find(filled, PROJECT) is not None
    assert await Projects(database).delete(filled, PROJECT, 7)
    assert await database.value(LEFT, **place) == 0
    assert await database.value(LEFT, tenant_id=filled, project_id=OTHER) == 42
    assert not await Projects(database).delete(filled, PROJECT)
