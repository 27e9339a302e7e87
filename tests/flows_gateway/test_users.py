"""Users of a tenant and members of projects over real sockets: who may make whom what. Spec: 2.3, 14.3, 14.7."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.clocks import RandomIds
from actors.projects import TENANT_ID, put_project
from storage.repositories.users import Users
from storage.statements import Statement
from tests.flows_gateway.test_auth import ME, PASSWORD, bearer, log_in, refreshed, somebody
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Talk"\nPERSONA: "Calm"\n'
USERS = "/api/users"
OWNER_OF = Statement("SELECT user_id, email FROM users WHERE tenant_id = :tenant_id AND role = 'owner'")
ENTRIES = Statement("SELECT action, outcome, entry FROM audit_log WHERE tenant_id = :tenant_id ORDER BY number")


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "users", {"t.abl": TALKER}) as found:
        yield found


def an_email() -> str:
    return f"{RandomIds().new('')}@example.com"


async def add(gateway: LiveGateway, headers: dict[str, str] | None = None, **body: Any) -> Answer:
    return await gateway.call("POST", USERS, {"email": an_email(), "role": "member", **body}, headers)


async def added(gateway: LiveGateway, **body: Any) -> dict[str, Any]:
    answer = await add(gateway, **body)
    assert answer.status == 201, answer.body
    user: dict[str, Any] = answer.json()["user"]
    return user


async def logged_in(gateway: LiveGateway, role: str = "viewer", **projects: str) -> dict[str, str]:
    """Return headers of somebody who is this."""
    email = await somebody(gateway, role, **projects)
    return bearer((await log_in(gateway, email)).json()["accessToken"])


async def change(gateway: LiveGateway, user: str, body: Any, headers: dict[str, str] | None = None) -> Answer:
    return await gateway.call("PATCH", f"{USERS}/{user}", body, headers)


async def audited(gateway: LiveGateway, resource_id: str) -> list[tuple[str, str]]:
    rows = await gateway.running.database.rows(ENTRIES, tenant_id=TENANT_ID)
    return [(row["action"], row["outcome"]) for row in rows if row["entry"]["resource"]["id"] == resource_id]


async def the_owner(gateway: LiveGateway) -> str:
    """Return the id of the owner, who is made when there is none."""
    database, ids = gateway.running.database, RandomIds()
    row = await database.row(OWNER_OF, tenant_id=TENANT_ID)
    if row is None:
        hashed = await gateway.running.desks.users._passwords.hashed(PASSWORD)  # type: ignore[attr-defined]
        await Users(database).create(TENANT_ID, ids.new("usr"), email=an_email(), role="owner", password_hash=hashed)
        row = await database.row(OWNER_OF, tenant_id=TENANT_ID)
    assert row is not None
    return str(row["user_id"])


async def test_a_user_is_added_logs_in_is_changed_and_removed(gateway: LiveGateway) -> None:
    email = an_email()
    user = await added(gateway, email=email, displayName="Ada", password=PASSWORD, teams=["a", "b", "a"])
    assert user == {
        "id": user["id"], "email": email, "displayName": "Ada", "tenantId": TENANT_ID, "role": "member",
        "teams": ["a", "b"], "projects": [],
    }  # fmt: skip
    tokens = (await log_in(gateway, email)).json()
    listed = (await gateway.call("GET", f"{USERS}?limit=200")).json()
    assert user in listed["users"]
    changed = await change(gateway, user["id"], {"displayName": "Eve", "role": "operator", "teams": []})
    assert changed.json()["user"] == {**user, "displayName": "Eve", "role": "operator", "teams": []}
    me = await gateway.call("GET", ME, headers=bearer(tokens["accessToken"]))
    assert me.json()["user"]["role"] == "operator"
    assert (await gateway.call("DELETE", f"{USERS}/{user['id']}")).json() == {"success": True, "deleted": True}
    assert (await gateway.call("GET", ME, headers=bearer(tokens["accessToken"]))).status == 401
    assert (await refreshed(gateway, tokens["refreshToken"])).status == 401
    assert (await log_in(gateway, email)).status == 401
    assert (await change(gateway, user["id"], {})).status == 404
    assert (await gateway.call("DELETE", f"{USERS}/{user['id']}")).status == 404
    assert await audited(gateway, user["id"]) == [
        ("user.create", "success"), ("user.login", "success"), ("user.update", "success"), ("user.delete", "success"),
    ]  # fmt: skip


async def test_an_email_is_one_persons(gateway: LiveGateway) -> None:
    user, other = await added(gateway), await added(gateway)
    for answer in (
        await add(gateway, email=user["email"].upper()),
        await change(gateway, other["id"], {"email": user["email"]}),
    ):
        assert (answer.status, answer.json()["error"]["details"]["reason"]) == (409, "DUPLICATE_EMAIL")


@pytest.mark.parametrize(
    "wrong",
    [
        {"email": "nobody"}, {"email": "a b@c"}, {"role": "emperor"}, {"password": "short"}, {"teams": ["x"] * 51},
        {"displayName": "x" * 201}, {"teams": [""]}, {"email": "a@" + "b" * 320},
    ],
)  # fmt: skip
async def test_what_is_no_user_is_refused(gateway: LiveGateway, wrong: dict[str, Any]) -> None:
    answer = await add(gateway, **wrong)
    assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


async def test_another_password_ends_the_log_ins(gateway: LiveGateway) -> None:
    user = await added(gateway, password=PASSWORD)
    tokens = (await log_in(gateway, user["email"])).json()
    assert (await change(gateway, user["id"], {"password": "another long password"})).status == 200
    assert (await gateway.call("GET", ME, headers=bearer(tokens["accessToken"]))).status == 401
    assert (await log_in(gateway, user["email"], "another long password")).status == 200


async def test_nobody_changes_their_own_password_without_the_one_that_is(gateway: LiveGateway) -> None:
    headers = await logged_in(gateway, "admin")
    user_id = (await gateway.call("GET", ME, headers=headers)).json()["user"]["id"]
    assert (await change(gateway, user_id, {"password": "another long password"}, headers)).status == 400
    assert (await change(gateway, user_id, {"displayName": "Me"}, headers)).status == 200


async def test_the_owner_is_neither_removed_nor_demoted_and_passes_the_role_on(gateway: LiveGateway) -> None:
    owner = await the_owner(gateway)
    for answer in (
        await change(gateway, owner, {"role": "admin"}),
        await gateway.call("DELETE", f"{USERS}/{owner}"),
        await add(gateway, role="owner"),
    ):
        assert (answer.status, answer.json()["error"]["details"]["reason"]) == (409, "LAST_OWNER")
    heir = await added(gateway)
    assert (await change(gateway, heir["id"], {"role": "owner"})).json()["user"]["role"] == "owner"
    assert await the_owner(gateway) == heir["id"]
    assert (await change(gateway, owner, {"role": "viewer"})).status == 200


async def test_nobody_grants_or_touches_a_role_above_their_own(gateway: LiveGateway) -> None:
    admin, owner, viewer = await logged_in(gateway, "admin"), await the_owner(gateway), await added(gateway)
    assert (await add(gateway, admin, role="admin")).status == 201
    for answer in (
        await change(gateway, viewer["id"], {"role": "owner"}, admin),
        await change(gateway, owner, {"email": an_email()}, admin),
        await change(gateway, owner, {"password": "another long password"}, admin),
        await gateway.call("DELETE", f"{USERS}/{owner}", headers=admin),
        await add(gateway, admin, role="owner"),
    ):
        assert (answer.status, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    key = await gateway.call("POST", "/api/api-keys", {"name": "k", "scopes": ["member:write", "member:read"]})
    holding = {"x-api-key": key.json()["secret"]}
    assert (await add(gateway, holding, role="viewer")).status == 403


async def test_who_is_no_administrator_of_the_tenant_adds_nobody_to_it(gateway: LiveGateway) -> None:
    boss = await logged_in(gateway, "viewer", **{gateway.project_id: "admin"})
    assert (await add(gateway, boss, role="viewer")).status == 403
    seen = (await gateway.call("GET", f"{USERS}?limit=200", headers=boss)).json()["users"]
    assert {one["id"] for user in seen for one in user["projects"]} == {gateway.project_id}
    assert (await gateway.call("GET", USERS, headers=await logged_in(gateway, "operator"))).status == 403


# --- members -----------------------------------------------------------------------------------------------------------


async def members(
    gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None, headers: dict[str, str] | None = None
) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/members{path}", body, headers)


async def test_a_member_joins_gets_another_role_and_leaves(gateway: LiveGateway) -> None:
    user = await added(gateway, role="viewer", password=PASSWORD)
    headers = bearer((await log_in(gateway, user["email"])).json()["accessToken"])
    sessions = f"/api/projects/{gateway.project_id}/sessions"
    assert (await gateway.call("GET", sessions, headers=headers)).status == 404
    joined = await members(gateway, "POST", body={"userId": user["id"], "role": "viewer"})
    member = {"userId": user["id"], "email": user["email"], "displayName": "", "role": "viewer"}
    assert (joined.status, joined.json()) == (201, {"success": True, "member": member})
    again = await members(gateway, "POST", body={"userId": user["id"], "role": "viewer"})
    assert (again.status, again.json()["error"]["details"]["reason"]) == (409, "ALREADY_MEMBER")
    assert (await gateway.call("GET", sessions, headers=headers)).status == 200
    assert (await gateway.call("POST", sessions, {"agentId": "Talker"}, headers)).status == 403
    assert member in (await members(gateway)).json()["members"]
    place = f"/{user['id']}"
    assert (await members(gateway, "PATCH", place, {"role": "tester"})).json()["member"]["role"] == "tester"
    assert (await gateway.call("POST", sessions, {"agentId": "Talker"}, headers)).status == 201
    assert (await members(gateway, "DELETE", place)).json() == {"success": True, "deleted": True}
    assert (await gateway.call("GET", sessions, headers=headers)).status == 404
    for method, body in (("PATCH", {"role": "viewer"}), ("DELETE", None)):
        assert (await members(gateway, method, place, body)).status == 404
    assert [action for action, _ in await audited(gateway, user["id"])][2:] == [
        "member.add", "member.update", "member.remove",
    ]  # fmt: skip


async def test_an_administrator_of_a_project_manages_its_members_and_a_developer_does_not(
    gateway: LiveGateway,
) -> None:
    boss = await logged_in(gateway, "viewer", **{gateway.project_id: "admin"})
    developer = await logged_in(gateway, "viewer", **{gateway.project_id: "developer"})
    user = await added(gateway)
    body = {"userId": user["id"], "role": "admin"}
    assert (await members(gateway, "POST", body=body, headers=developer)).status == 403
    assert (await members(gateway, headers=developer)).status == 403
    assert (await members(gateway, "POST", body=body, headers=boss)).status == 201
    other = await put_project(gateway.running.database, "other-members", {"t.abl": TALKER})
    path = f"/api/projects/{other.project_id}/members"
    assert (await gateway.call("POST", path, body, boss)).status == 404


async def test_a_key_gives_no_role_in_a_project_that_may_more_than_itself(gateway: LiveGateway) -> None:
    scopes = ["member:write", "agent:read", "session:read", "eval:read", "human_task:read", "usage:read"]
    key = await gateway.call("POST", "/api/api-keys", {"name": "k", "scopes": scopes})
    holding = {"x-api-key": key.json()["secret"]}
    user = (await added(gateway))["id"]
    assert (await members(gateway, "POST", "", {"userId": user, "role": "tester"}, holding)).status == 403
    assert (await members(gateway, "POST", "", {"userId": user, "role": "viewer"}, holding)).status == 201
    assert (await members(gateway, "PATCH", f"/{user}", {"role": "tester"})).status == 200
    assert (await members(gateway, "DELETE", f"/{user}", None, holding)).status == 403


async def test_a_user_of_another_tenant_is_not_found(gateway: LiveGateway) -> None:
    database, ids = gateway.running.database, RandomIds()
    tenant_id, user_id = ids.new("ten"), ids.new("usr")
    await database.execute(
        Statement("INSERT INTO tenants (tenant_id, name) VALUES (:tenant_id, 'x')"), tenant_id=tenant_id
    )
    await Users(database).create(tenant_id, user_id, email=an_email(), role="viewer", password_hash="")
    for known, missing in (
        (await change(gateway, user_id, {"role": "viewer"}), await change(gateway, "usr_0", {"role": "viewer"})),
        (await gateway.call("DELETE", f"{USERS}/{user_id}"), await gateway.call("DELETE", f"{USERS}/usr_0")),
        (
            await members(gateway, "POST", body={"userId": user_id, "role": "viewer"}),
            await members(gateway, "POST", body={"userId": "usr_0", "role": "viewer"}),
        ),
    ):
        assert (known.status, known.body) == (404, missing.body)


async def test_each_log_in_is_noted_and_what_failed_too(gateway: LiveGateway) -> None:
    user = await added(gateway, password=PASSWORD)
    tokens = (await log_in(gateway, user["email"])).json()
    await log_in(gateway, user["email"], "wrong")
    await log_in(gateway, an_email(), "wrong")
    headers = bearer(tokens["accessToken"])
    await gateway.call("POST", "/api/auth/password", {"currentPassword": "no", "newPassword": PASSWORD * 2}, headers)
    await gateway.call(
        "POST", "/api/auth/password", {"currentPassword": PASSWORD, "newPassword": PASSWORD * 2}, headers
    )
    await gateway.call("POST", "/api/auth/logout", headers=headers)
    assert await audited(gateway, user["id"]) == [
        ("user.create", "success"), ("user.login", "success"), ("user.login", "failure"),
        ("user.password_change", "failure"), ("user.password_change", "success"), ("user.logout", "success"),
    ]  # fmt: skip
    assert not await gateway.running.database.rows(ENTRIES, tenant_id="")


async def test_an_old_refresh_token_that_turns_up_is_noted(gateway: LiveGateway) -> None:
    user = await added(gateway, password=PASSWORD)
    first = (await log_in(gateway, user["email"])).json()["refreshToken"]
    assert (await refreshed(gateway, first)).status == 200
    assert (await refreshed(gateway, first)).status == 401
    assert (await audited(gateway, user["id"]))[-1] == ("user.refresh_reuse", "failure")


async def test_of_all_who_are_made_owner_at_once_one_is(gateway: LiveGateway) -> None:
    await the_owner(gateway)
    heirs = [await added(gateway) for _ in range(5)]
    answers = await asyncio.gather(*(change(gateway, one["id"], {"role": "owner"}) for one in heirs))
    assert 200 in {answer.status for answer in answers} <= {200, 409}
    owners = await gateway.running.database.rows(OWNER_OF, tenant_id=TENANT_ID)
    assert len(owners) == 1
    assert owners[0]["user_id"] in {one["id"] for one in heirs}
