"""Erasing a tenant over real sockets: nobody of it comes in any more, from the next request on. Decision: 0027."""

from __future__ import annotations

import pytest

from actors.clocks import RandomIds
from storage.database import Database
from storage.errors import Orphaned
from storage.repositories.projects import Projects
from storage.repositories.users import Users
from storage.statements import Statement
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import PASSWORD, a_stranger

pytestmark = pytest.mark.anyio
TEXTS = {"d.abl": 'AGENT: Desk\nGOAL: "Help"\n'}
TENANT_OF = Statement("SELECT tenant_id FROM projects WHERE project_id = :project_id")


async def logged_in(gateway: LiveGateway, tenant_id: str, role: str) -> dict[str, str]:
    """Return the headers of a new user of a tenant."""
    user_id = RandomIds().new("usr")
    kept = await gateway.running.desks.users._passwords.hashed(PASSWORD)  # type: ignore[attr-defined]
    email = f"{user_id}@example.com"
    await Users(gateway.running.database).create(tenant_id, user_id, email=email, role=role, password_hash=kept)
    answer = await gateway.call("POST", "/api/auth/login", {"email": email, "password": PASSWORD}, {"x-api-key": ""})
    return {"x-api-key": "", "authorization": f"Bearer {answer.json()['accessToken']}"}


async def test_nobody_of_an_erased_tenant_comes_in_again(servers: Servers) -> None:
    async with a_live_gateway(servers, "erased", TEXTS) as gateway:
        project_id, key = await a_stranger(gateway, TEXTS)
        database: Database = gateway.running.database
        tenant_id = str(await database.value(TENANT_OF, project_id=project_id))
        owner, other = [await logged_in(gateway, tenant_id, role) for role in ("owner", "admin")]
        for who in (owner, other, key):
            assert (await gateway.call("GET", f"/api/projects/{project_id}", headers=who)).status == 200
        erased = await gateway.call("POST", "/api/tenant/erase", {"confirm": tenant_id}, owner)
        assert erased.status == 200, erased.body
        contact = {"identityType": "email", "identityValue": "a@example.com"}
        for who in (owner, other, key):
            for path, body in (("/api/projects", {"name": "New"}), ("/api/contacts", contact)):
                assert (await gateway.call("POST", path, body, who)).status == 401
        assert (await gateway.call("GET", "/api/projects")).status == 200, "others are still there"


async def test_what_was_under_way_for_an_erased_tenant_finds_nothing(servers: Servers) -> None:
    async with a_live_gateway(servers, "erased-under-way", TEXTS) as gateway:
        with pytest.raises(Orphaned):
            await Projects(gateway.running.database).create("ten_erased", "c" + "e" * 24, name="New", slug="new")
