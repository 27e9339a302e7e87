"""Callers who may less, or see something else: keys of a tenant with some scopes, and another tenant beside it."""

from __future__ import annotations

import msgspec

from actors.clocks import RandomIds
from actors.first_keys import make_key
from actors.keys import new_key
from actors.projects import TENANT_ID, put_project
from storage.repositories.api_keys import ApiKeys
from storage.repositories.users import Users
from storage.statements import Statement
from tests.support.live_gateway import LiveGateway

PASSWORD = "a long enough password"


async def a_key(
    gateway: LiveGateway,
    *scopes: str,
    project_id: str | None = None,
    tenant_id: str = TENANT_ID,
    environments: tuple[str, ...] = (),
) -> dict[str, str]:
    """Return the headers of a new key with these scopes."""
    key = new_key(RandomIds(), name="some", scopes=scopes, project_id=project_id)
    key = msgspec.structs.replace(key, environments=environments)
    await ApiKeys(gateway.running.database).create(tenant_id, key)
    return {"x-api-key": key.plaintext}


NO_OWNER = Statement("UPDATE users SET role = 'admin' WHERE tenant_id = :tenant_id AND role = 'owner'")


async def a_stranger(gateway: LiveGateway, texts: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return a project of another tenant, and the headers of a key that may do everything there."""
    tenant_id = f"ten_{RandomIds().new('')}"
    seeded = await put_project(gateway.running.database, "elsewhere", texts, tenant_id=tenant_id)
    key = await make_key(gateway.running.database, RandomIds(), tenant_id=tenant_id)
    return seeded.project_id, {"x-api-key": key}


async def a_user(gateway: LiveGateway, role: str = "viewer", **projects: str) -> tuple[str, dict[str, str]]:
    """Return the id of a new user with these roles, and the headers of a log-in."""
    ids, users = RandomIds(), Users(gateway.running.database)
    user_id = ids.new("usr")
    if role == "owner":  # a tenant has one, and a test of another module may have made it
        await gateway.running.database.execute(NO_OWNER, tenant_id=TENANT_ID)
    kept = await gateway.running.desks.users._passwords.hashed(PASSWORD)  # type: ignore[attr-defined]
    email = f"{user_id}@example.com"
    await users.create(TENANT_ID, user_id, email=email, role=role, password_hash=kept, display_name="Somebody")
    for project_id, project_role in projects.items():
        await users.join(TENANT_ID, project_id, user_id, project_role)
    answer = await gateway.call("POST", "/api/auth/login", {"email": email, "password": PASSWORD}, {"x-api-key": ""})
    return user_id, {"x-api-key": "", "authorization": f"Bearer {answer.json()['accessToken']}"}
