"""Logging in, over real sockets: tokens, roles, and what ends a log-in. Spec: platform-api 2.1, 2.3, 14.2; RFC 8725."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import jwt
import pytest

from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from actors.users import make_owner
from domain.errors import Unavailable
from storage.repositories.audit import AuditLog
from storage.repositories.projects import Projects
from storage.repositories.users import Users
from tests.support.live_gateway import SECRET, Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Talk"\nPERSONA: "Calm"\n'
PASSWORD = "a long enough password"
LOGIN, REFRESH, ME = "/api/auth/login", "/api/auth/refresh", "/api/auth/me"


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "people", {"t.abl": TALKER}) as found:
        yield found


async def somebody(gateway: LiveGateway, role: str = "viewer", **projects: str) -> str:
    """Make a user and return the email."""
    ids, users = RandomIds(), Users(gateway.running.database)
    user_id = ids.new("usr")
    email = f"{user_id}@example.com"
    kept = await gateway.running.desks.users._passwords.hashed(PASSWORD)  # type: ignore[attr-defined]
    await users.create(TENANT_ID, user_id, email=email, role=role, password_hash=kept, display_name="Somebody")
    for project_id, project_role in projects.items():
        await users.join(TENANT_ID, project_id, user_id, project_role)
    return email


async def log_in(gateway: LiveGateway, email: str, password: str = PASSWORD) -> Answer:
    return await gateway.call("POST", LOGIN, {"email": email, "password": password}, {"x-api-key": ""})


def bearer(token: str) -> dict[str, str]:
    return {"x-api-key": "", "authorization": f"Bearer {token}"}


async def refreshed(gateway: LiveGateway, token: str) -> Answer:
    return await gateway.call("POST", REFRESH, {"refreshToken": token}, {"x-api-key": ""})


async def test_a_log_in_gives_tokens_and_says_who_it_is(gateway: LiveGateway) -> None:
    email = await somebody(gateway, "viewer", **{gateway.project_id: "developer"})
    body = (await log_in(gateway, email.upper())).json()
    assert set(body) == {"success", "accessToken", "refreshToken", "expiresIn", "user"}
    assert body["expiresIn"] == 3_600
    me = await gateway.call("GET", ME, headers=bearer(body["accessToken"]))
    assert me.json() == {"success": True, "user": body["user"]}
    assert body["user"]["email"] == email
    assert (body["user"]["role"], body["user"]["teams"]) == ("viewer", [])
    assert body["user"]["projects"] == [{"id": gateway.project_id, "role": "developer"}]


async def test_every_failure_has_the_same_answer(gateway: LiveGateway) -> None:
    email = await somebody(gateway)
    answers = [await log_in(gateway, email, "wrong"), await log_in(gateway, "nobody@example.com")]
    assert {(answer.status, answer.json()["error"]["message"]) for answer in answers} == {(401, "Invalid credentials")}


async def test_attempts_are_counted_by_email_and_address(gateway: LiveGateway) -> None:
    email = await somebody(gateway)
    statuses = [(await log_in(gateway, email, "wrong")).status for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    assert (await log_in(gateway, email)).status == 429
    assert (await log_in(gateway, await somebody(gateway))).status == 200


async def test_refresh_tokens_rotate_and_an_old_one_ends_the_log_in(gateway: LiveGateway) -> None:
    first = (await log_in(gateway, await somebody(gateway))).json()
    second = (await refreshed(gateway, first["refreshToken"])).json()
    assert set(second) == {"success", "accessToken", "refreshToken", "expiresIn"}
    third = (await refreshed(gateway, second["refreshToken"])).json()
    assert (await gateway.call("GET", ME, headers=bearer(third["accessToken"]))).status == 200
    assert (await refreshed(gateway, first["refreshToken"])).status == 401
    assert (await refreshed(gateway, third["refreshToken"])).status == 401


async def test_after_a_log_out_no_token_opens_anything(gateway: LiveGateway) -> None:
    tokens = (await log_in(gateway, await somebody(gateway))).json()
    out = await gateway.call("POST", "/api/auth/logout", headers=bearer(tokens["accessToken"]))
    assert (out.status, out.json()) == (200, {"success": True})
    assert (await gateway.call("GET", ME, headers=bearer(tokens["accessToken"]))).status == 401
    assert (await refreshed(gateway, tokens["refreshToken"])).status == 401


async def test_a_new_password_ends_the_other_log_ins(gateway: LiveGateway) -> None:
    email = await somebody(gateway)
    here, there = (await log_in(gateway, email)).json(), (await log_in(gateway, email)).json()
    path, headers = "/api/auth/password", bearer(here["accessToken"])
    new = "another long password"
    short = await gateway.call("POST", path, {"currentPassword": PASSWORD, "newPassword": "short"}, headers)
    wrong = await gateway.call("POST", path, {"currentPassword": "wrong", "newPassword": new}, headers)
    assert (short.status, wrong.status) == (400, 400)
    done = await gateway.call("POST", path, {"currentPassword": PASSWORD, "newPassword": new}, headers)
    assert done.status == 200, done.body
    assert (await refreshed(gateway, there["refreshToken"])).status == 401
    assert (await refreshed(gateway, here["refreshToken"])).status == 200
    assert ((await log_in(gateway, email)).status, (await log_in(gateway, email, new)).status) == (401, 200)


async def test_a_password_changes_with_its_audit_entry_or_not_at_all(
    gateway: LiveGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> None:
        raise Unavailable("The audit log is away")

    email, new = await somebody(gateway), "another long password"
    here, there = (await log_in(gateway, email)).json(), (await log_in(gateway, email)).json()
    body = {"currentPassword": PASSWORD, "newPassword": new}
    with monkeypatch.context() as patch:
        patch.setattr(AuditLog, "append", away)
        failed = await gateway.call("POST", "/api/auth/password", body, bearer(here["accessToken"]))
    assert failed.status == 503
    assert (await refreshed(gateway, there["refreshToken"])).status == 200
    assert ((await log_in(gateway, email, new)).status, (await log_in(gateway, email)).status) == (401, 200)


async def test_no_kind_of_token_stands_for_another_and_the_algorithm_is_pinned(gateway: LiveGateway) -> None:
    tokens = (await log_in(gateway, await somebody(gateway))).json()
    page = await gateway.page_token()
    claims: dict[str, Any] = jwt.decode(tokens["accessToken"], options={"verify_signature": False})
    assert {"iss", "sub", "tid", "typ", "iat", "exp", "jti", "email", "role"} <= set(claims)
    assert claims["typ"] == "access"
    forged = [
        tokens["refreshToken"],
        page,
        jwt.encode(claims, "", algorithm="none"),
        jwt.encode(claims, SECRET, algorithm="HS256"),
        tokens["accessToken"][:-2] + "xx",
    ]
    for token in forged:
        assert (await gateway.call("GET", ME, headers=bearer(token))).status == 401
    assert (await refreshed(gateway, tokens["accessToken"])).status == 401
    assert (await gateway.call("GET", ME)).status == 401  # an API key is nobody


async def test_a_role_in_a_project_says_what_may_be_done_there(gateway: LiveGateway) -> None:
    developer = await somebody(gateway, "viewer", **{gateway.project_id: "developer"})
    viewer = await somebody(gateway, "viewer", **{gateway.project_id: "viewer"})
    stranger, admin = await somebody(gateway, "member"), await somebody(gateway, "admin")
    sessions = f"/api/projects/{gateway.project_id}/sessions"
    chat = {"projectId": gateway.project_id, "message": "hello"}
    session_id = (await gateway.call("POST", sessions, {"agentId": "Talker"})).json()["session"]["id"]
    for email, may_read, may_chat in (
        (developer, 200, {200, 503}),
        (viewer, 200, {403}),
        (stranger, 404, {403, 404}),
        (admin, 200, {200, 503}),
    ):
        headers = bearer((await log_in(gateway, email)).json()["accessToken"])
        assert (await gateway.call("GET", sessions, headers=headers)).status == may_read
        assert (await gateway.call("POST", "/api/v1/chat/agent", chat, headers)).status in may_chat
        transcript = await gateway.call("GET", f"/api/v1/sessions/{session_id}/transcripts", headers=headers)
        assert transcript.status == may_read


async def test_the_first_start_makes_one_owner(gateway: LiveGateway) -> None:
    database, ids = gateway.running.database, RandomIds()
    tenant_id, email = ids.new("ten"), f"{ids.new('')}@example.com"
    await Projects(database).ensure_tenant(tenant_id, "another")
    password = await make_owner(database, ids, tenant_id, email)
    assert await make_owner(database, ids, tenant_id, f"other-{email}") == ""
    answer = await log_in(gateway, email, password)
    assert (answer.status, answer.json()["user"]["role"]) == (200, "owner")
