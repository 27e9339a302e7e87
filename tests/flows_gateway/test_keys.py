"""API keys and public keys over real sockets: made, limited, rotated, revoked, and what that closes. Spec: 2.1, 14.4."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from actors.projects import TENANT_ID, put_project
from storage.statements import Statement
from tests.flows_gateway.test_auth import bearer, log_in, somebody
from tests.flows_gateway.test_contract import CLERK
from tests.flows_gateway.test_sockets import until
from tests.support.live_gateway import DEADLINE_S, Answer, LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio

KEYS = "/api/api-keys"
ENTRIES = Statement("SELECT action, entry FROM audit_log WHERE tenant_id = :tenant_id ORDER BY number")
ORIGIN = "https://shop.example.com"


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "keys", {"c.abl": CLERK}) as found:
        yield found


async def make(gateway: LiveGateway, headers: dict[str, str] | None = None, **body: Any) -> Answer:
    return await gateway.call("POST", KEYS, {"name": "a key", **body}, headers)


async def made(gateway: LiveGateway, **body: Any) -> tuple[dict[str, Any], str]:
    """Return a new key and its secret."""
    answer = await make(gateway, **body)
    assert answer.status == 201, answer.body
    return answer.json()["key"], answer.json()["secret"]


def holding(secret: str) -> dict[str, str]:
    return {"x-api-key": secret}


async def status(gateway: LiveGateway, secret: str, path: str = "") -> int:
    sessions = f"/api/projects/{gateway.project_id}/sessions"
    return (await gateway.call("GET", path or sessions, headers=holding(secret))).status


async def audited(gateway: LiveGateway, resource_id: str) -> list[str]:
    rows = await gateway.running.database.rows(ENTRIES, tenant_id=TENANT_ID)
    return [row["action"] for row in rows if row["entry"]["resource"]["id"] == resource_id]


async def test_a_key_is_made_seen_and_revoked_at_once(gateway: LiveGateway) -> None:
    key, secret = await made(gateway, name="ci")
    assert re.fullmatch("abl_[0-9a-f]{48}", secret)
    assert key == {
        "id": key["id"], "name": "ci", "prefix": secret[:12], "projectId": None, "environments": [], "expiresAt": None,
        "scopes": ["project:read", "agent:read", "session:read", "session:execute", "usage:read"],
        "lastUsedAt": None, "createdAt": key["createdAt"], "createdBy": key["createdBy"], "revokedAt": None,
    }  # fmt: skip
    assert await status(gateway, secret) == 200
    listed = (await gateway.call("GET", KEYS)).json()
    shown = next(one for one in listed["keys"] if one["id"] == key["id"])
    assert shown["lastUsedAt"] is not None
    assert secret not in json.dumps(listed)
    assert listed["pagination"]["total"] >= 1
    assert (await gateway.call("DELETE", f"{KEYS}/{key['id']}")).json() == {"success": True, "id": key["id"]}
    assert await status(gateway, secret) == 401
    assert (await gateway.call("DELETE", f"{KEYS}/{key['id']}")).status == 404
    assert (await gateway.call("POST", f"{KEYS}/{key['id']}/rotate")).status == 404
    assert await audited(gateway, key["id"]) == ["api_key.create", "api_key.revoke"]


async def test_another_gateway_refuses_a_revoked_key_within_the_recheck_time(gateway: LiveGateway) -> None:
    key, secret = await made(gateway)
    async with another_gateway(gateway) as other:
        assert await status(other, secret) == 200
        await gateway.call("DELETE", f"{KEYS}/{key['id']}")
        async with asyncio.timeout(DEADLINE_S):
            while await status(other, secret) != 401:  # noqa: ASYNC110 - the other process is not told
                await asyncio.sleep(0.05)


async def test_two_secrets_are_live_after_a_rotation_and_the_first_of_three_is_not(gateway: LiveGateway) -> None:
    key, first = await made(gateway)
    rotate = f"{KEYS}/{key['id']}/rotate"
    answer = await gateway.call("POST", rotate, {"graceSec": 60})
    second = answer.json()["secret"]
    assert answer.status == 200
    assert answer.json()["key"]["id"] == key["id"]
    assert [await status(gateway, one) for one in (first, second)] == [200, 200]
    third = (await gateway.call("POST", rotate, {"graceSec": 60})).json()["secret"]
    assert [await status(gateway, one) for one in (first, second, third)] == [401, 200, 200]
    last = (await gateway.call("POST", rotate)).json()["secret"]
    assert [await status(gateway, one) for one in (second, third, last)] == [401, 401, 200]
    for grace in (-1, 86_401, "5"):
        assert (await gateway.call("POST", rotate, {"graceSec": grace})).status == 400
    assert await audited(gateway, key["id"]) == ["api_key.create"] + ["api_key.rotate"] * 3


async def test_of_all_secrets_of_rotations_at_once_two_are_live(gateway: LiveGateway) -> None:
    key, first = await made(gateway)
    rotate = f"{KEYS}/{key['id']}/rotate"
    answers = await asyncio.gather(*(gateway.call("POST", rotate, {"graceSec": 60}) for _ in range(10)))
    secrets = [first, *(answer.json()["secret"] for answer in answers)]
    assert len(set(secrets)) == 11
    assert sorted([await status(gateway, one) for one in secrets]) == [200] * 2 + [401] * 9


async def test_the_old_secret_ends_with_its_grace(gateway: LiveGateway) -> None:
    key, first = await made(gateway)
    await gateway.call("POST", f"{KEYS}/{key['id']}/rotate", {"graceSec": 1})
    assert await status(gateway, first) == 200
    async with asyncio.timeout(DEADLINE_S):
        while await status(gateway, first) != 401:  # noqa: ASYNC110 - time has to pass
            await asyncio.sleep(0.05)


async def test_nobody_gives_a_key_more_than_they_may(gateway: LiveGateway) -> None:
    own = ["apikey:write", "apikey:read", "session:read"]
    _, secret = await made(gateway, scopes=own)
    allowed = await make(gateway, holding(secret), scopes=["session:read"])
    assert allowed.status == 201
    for scopes in (["session:execute"], ["*"], None):
        body = {} if scopes is None else {"scopes": scopes}
        refused = await make(gateway, holding(secret), **body)
        assert (refused.status, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    strong, _ = await made(gateway, scopes=["session:execute"])
    assert (await gateway.call("POST", f"{KEYS}/{strong['id']}/rotate", headers=holding(secret))).status == 403
    for scopes in (["fly"], ["session:send_message"]):
        assert (await make(gateway, scopes=scopes)).status == 400


async def test_a_key_of_one_project_sees_and_makes_keys_of_that_project_only(gateway: LiveGateway) -> None:
    other = await put_project(gateway.running.database, "other-keys", {"c.abl": CLERK})
    bound, secret = await made(gateway, scopes=["*"], projectId=gateway.project_id)
    elsewhere, _ = await made(gateway, projectId=other.project_id)
    seen = (await gateway.call("GET", f"{KEYS}?limit=200", headers=holding(secret))).json()["keys"]
    assert {one["projectId"] for one in seen} == {gateway.project_id}
    assert bound["id"] in {one["id"] for one in seen}
    assert await status(gateway, secret, f"{KEYS}?projectId={other.project_id}") == 404
    assert (await make(gateway, holding(secret))).status == 403
    assert (await make(gateway, holding(secret), projectId=other.project_id)).status == 404
    assert (await make(gateway, holding(secret), projectId=gateway.project_id)).status == 201
    assert (await gateway.call("POST", "/api/projects", {"name": "mine"}, holding(secret))).status == 403
    missing = await gateway.call("DELETE", f"{KEYS}/key_missing", headers=holding(secret))
    foreign = await gateway.call("DELETE", f"{KEYS}/{elsewhere['id']}", headers=holding(secret))
    assert (foreign.status, foreign.body) == (missing.status, missing.body) == (404, missing.body)
    assert (await gateway.call("POST", f"{KEYS}/{elsewhere['id']}/rotate", headers=holding(secret))).status == 404


async def test_an_administrator_of_a_project_makes_its_keys(gateway: LiveGateway) -> None:
    email = await somebody(gateway, "viewer", **{gateway.project_id: "admin"})
    headers = bearer((await log_in(gateway, email)).json()["accessToken"])
    assert (await make(gateway, headers)).status == 403
    assert (await make(gateway, headers, projectId="c" + "0" * 24)).status == 404
    ours = await make(gateway, headers, projectId=gateway.project_id)
    assert ours.status == 201
    assert (await gateway.call("GET", KEYS, headers=headers)).json()["keys"]
    developer = await somebody(gateway, "viewer", **{gateway.project_id: "developer"})
    headers = bearer((await log_in(gateway, developer)).json()["accessToken"])
    assert (await make(gateway, headers, projectId=gateway.project_id)).status == 403


async def test_a_key_ends_at_its_time_and_not_in_the_past(gateway: LiveGateway) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
    _, secret = await made(gateway, expiresAt=soon)
    async with asyncio.timeout(DEADLINE_S):
        while await status(gateway, secret) != 401:  # noqa: ASYNC110 - time has to pass
            await asyncio.sleep(0.05)
    for ends in ("2020-01-01T00:00:00Z", "tomorrow", "9999-12-31T23:59:59-23:00", 5):
        assert (await make(gateway, expiresAt=ends)).status == 400


async def test_a_key_of_some_environments_runs_agents_of_these_only(gateway: LiveGateway) -> None:
    _, secret = await made(gateway, environments=["working-copy"], scopes=["*"])
    chat = {"projectId": gateway.project_id, "message": "hello"}
    ask = "/api/v1/chat/agent"
    assert (await gateway.call("POST", ask, chat, holding(secret))).status == 200
    refused = await gateway.call("POST", ask, {**chat, "environment": "production"}, holding(secret))
    assert (refused.status, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    opened = f"/api/projects/{gateway.project_id}/sessions"
    body = {"agentId": "Clerk", "environment": "staging"}
    assert (await gateway.call("POST", opened, body, holding(secret))).status == 403
    assert (await make(gateway, holding(secret), scopes=["session:read"])).status == 403
    narrow = {"scopes": ["session:read"], "environments": ["working-copy"]}
    assert (await make(gateway, holding(secret), **narrow)).status == 201


async def test_the_secret_of_a_repeated_request_is_for_its_own_caller_only(gateway: LiveGateway) -> None:
    _, other = await made(gateway, scopes=["apikey:write"])
    body, key = {"name": "once", "scopes": ["apikey:write"]}, {"idempotency-key": "make-a-key-once"}
    first = await gateway.call("POST", KEYS, body, key)
    again = await gateway.call("POST", KEYS, body, key)
    assert again.json() == first.json()
    assert (await gateway.call("POST", KEYS, body, {**key, **holding(other)})).json()["secret"] != first.json()[
        "secret"
    ]


# --- public keys -------------------------------------------------------------------------------------------------------


async def public(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/public-keys{path}", body)


async def a_page(gateway: LiveGateway, **body: Any) -> tuple[str, LiveGateway]:
    """Return a new public key's id, and the gateway as its pages see it."""
    answer = await public(
        gateway, "POST", body={"name": "page", "allowedOrigins": ["*"], "requireOrigin": False, **body}
    )
    assert answer.status == 201, answer.body
    return answer.json()["key"]["id"], replace(gateway, public_key=answer.json()["secret"])


async def test_a_public_key_has_all_its_fields_and_is_shown_once(gateway: LiveGateway) -> None:
    ends = (datetime.now(UTC) + timedelta(days=1)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = {
        "name": "shop", "allowedOrigins": [ORIGIN.upper(), "http://localhost:*"], "permissions": {"voice": True},
        "environment": "staging", "showActivityUpdates": True, "requireOrigin": True, "allowAgentOverride": True,
        "expiresAt": ends,
    }  # fmt: skip
    answer = (await public(gateway, "POST", body=body)).json()
    assert re.fullmatch("pk_[0-9a-f]{48}", answer["secret"])
    key = answer["key"]
    assert key == {
        **body, "id": key["id"], "prefix": answer["secret"][:12], "projectId": gateway.project_id,
        "allowedOrigins": [ORIGIN, "http://localhost:*"], "permissions": {"chat": True, "voice": True},
        "deploymentId": None, "lastUsedAt": None, "createdAt": key["createdAt"], "createdBy": key["createdBy"],
        "revokedAt": None,
    }  # fmt: skip
    listed = (await public(gateway)).json()
    assert key in listed["keys"]
    assert answer["secret"] not in json.dumps(listed)
    cleared = {"environment": None, "expiresAt": None, "requireOrigin": False}
    changed = (await public(gateway, "PATCH", f"/{key['id']}", {"name": "new", **cleared})).json()["key"]
    assert changed == {**key, "name": "new", **cleared}
    assert (await public(gateway, "DELETE", f"/{key['id']}")).json() == {"success": True, "id": key["id"]}
    for method, sent in (("PATCH", {}), ("DELETE", None)):
        assert (await public(gateway, method, f"/{key['id']}", sent)).status == 404
    assert await audited(gateway, key["id"]) == ["public_key.create", "public_key.update", "public_key.revoke"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"allowedOrigins": ["shop.example.com"]},
        {"allowedOrigins": ["https://a/b"]},
        {"allowedOrigins": ["https://*.*.com"]},
        {"allowedOrigins": None, "name": ""},
        {"allowedOrigins": ["*"] * 101},
        {"environment": "moon"},
        {"permissions": {"chat": "yes"}},
        {"expiresAt": "2020-01-01T00:00:00Z"},
    ],
)
async def test_what_is_no_public_key_is_refused(gateway: LiveGateway, wrong: dict[str, Any]) -> None:
    answer = await public(gateway, "POST", body={"name": "page", "allowedOrigins": ["*"], **wrong})
    assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


async def test_a_deployment_of_nobody_is_not_found(gateway: LiveGateway) -> None:
    key_id, _ = await a_page(gateway)
    body = {"name": "page", "allowedOrigins": [], "deploymentId": "dep_missing"}
    assert (await public(gateway, "POST", body=body)).status == 404
    assert (await public(gateway, "PATCH", f"/{key_id}", {"deploymentId": "dep_missing"})).status == 404


async def closed_with(socket: ClientConnection) -> int | None:
    """Return the code with which a socket closes."""
    async with asyncio.timeout(DEADLINE_S):
        await socket.wait_closed()
    return socket.close_code


async def test_a_revoked_key_closes_its_sockets_now_and_those_of_other_keys_stay(gateway: LiveGateway) -> None:
    key_id, page = await a_page(gateway)
    token = await page.page_token()
    async with page.socket(token) as socket, gateway.socket(await gateway.page_token()) as stays:
        await until(socket, "session_start")
        await until(stays, "session_start")
        assert (await public(gateway, "DELETE", f"/{key_id}")).status == 200
        async with asyncio.timeout(20.0):  # below the time between two looks
            assert await closed_with(socket) == 4010
        await stays.send(json.dumps({"type": "ping", "t": 1}))
        await until(stays, "pong")
    refused = await gateway.call("POST", "/api/v1/sdk/refresh", {}, {"x-api-key": "", "x-sdk-token": token})
    assert refused.status == 401


async def test_a_changed_key_is_looked_at_again_by_its_sockets(gateway: LiveGateway) -> None:
    key_id, page = await a_page(gateway)
    async with page.socket(await page.page_token()) as socket:
        await until(socket, "session_start")
        await public(gateway, "PATCH", f"/{key_id}", {"permissions": {"chat": False}})
        await socket.send(json.dumps({"type": "chat_message", "text": "hello", "id": "f1"}))
        assert (await until(socket, "error"))[-1]["code"] == "FORBIDDEN"
        await public(gateway, "PATCH", f"/{key_id}", {"permissions": {"chat": True}})
        await socket.send(json.dumps({"type": "chat_message", "text": "hello"}))
        await until(socket, "response_end")
        await public(gateway, "PATCH", f"/{key_id}", {"requireOrigin": True})
        assert await closed_with(socket) == 4003


async def test_the_public_keys_of_another_project_are_not_found(gateway: LiveGateway) -> None:
    other = await put_project(gateway.running.database, "other-pages", {"c.abl": CLERK})
    key_id, _ = await a_page(gateway)
    for method, body in (("PATCH", {"name": "mine"}), ("DELETE", None)):
        path = f"/api/projects/{other.project_id}/public-keys"
        foreign = await gateway.call(method, f"{path}/{key_id}", body)
        missing = await gateway.call(method, f"{path}/key_missing", body)
        assert (foreign.status, foreign.body) == (404, missing.body)
