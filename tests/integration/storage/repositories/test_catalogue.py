from __future__ import annotations

import pytest

from storage.database import Database
from storage.repositories.catalogue import CatalogueEntry, Catalogues
from storage.repositories.projects import Projects

pytestmark = pytest.mark.anyio
CRM = CatalogueEntry("connector", "crm", {"base_url": "https://a"})
PAY = CatalogueEntry("workflow", "pay", {"url": "https://p"})


async def a_project(database: Database, tenant_id: str, name: str) -> str:
    projects = Projects(database)
    await projects.ensure_tenant(tenant_id, tenant_id)
    return (await projects.create(tenant_id, f"{tenant_id}_{name}", name=name, slug=name)).project_id


async def test_what_a_project_says_replaces_what_it_said_before(database: Database, tenant_id: str) -> None:
    catalogues = Catalogues(database)
    mine, other = [await a_project(database, tenant_id, name) for name in ("mine", "other")]
    await catalogues.replace(tenant_id, other, [CRM])
    await catalogues.replace(tenant_id, mine, [CRM, PAY])
    await catalogues.replace(tenant_id, mine, [CRM, PAY])
    assert await catalogues.list(tenant_id, mine) == [CRM, PAY]
    moved = CatalogueEntry("connector", "crm", {"base_url": "https://b"})
    await catalogues.replace(tenant_id, mine, [moved])
    assert await catalogues.list(tenant_id, mine) == [moved]
    assert await catalogues.find(tenant_id, other, "connector", "crm") == CRM.entry
    assert await catalogues.find(tenant_id, mine, "workflow", "pay") is None
    assert await catalogues.find("ten_stranger", mine, "connector", "crm") is None


async def test_a_catalogue_goes_with_its_project(database: Database, tenant_id: str) -> None:
    project_id = await a_project(database, tenant_id, "gone")
    await Catalogues(database).replace(tenant_id, project_id, [CRM])
    await Projects(database).delete(tenant_id, project_id)
    assert await Catalogues(database).list(tenant_id, project_id) == []
