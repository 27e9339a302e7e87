"""Tool secrets over real sockets: kept, listed without values, rotated, expired, deleted. Spec: platform-api 7.2."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from actors.projects import TENANT_ID, put_project
from domain.clock import iso_ms
from storage.statements import Statement
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stories import Workshop, a_workshop
from tests.support.strangers import a_key, a_stranger, a_user

pytestmark = pytest.mark.anyio
PATH = "/api/tool-secrets"
LOOPBACK = ("127.0.0.1/32",)
CALLER = """\
AGENT: Caller
GOAL: "Call"

TOOLS:
  send(order: string) -> {{done: boolean}}
    description: "Sends"
    type: http
    endpoint: "{url}"
    method: POST
    headers:
      X-Token: "{{{{secrets.TOKEN}}}}"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: send
  send:
    REASONING: false
    CALL: send("tea")
      AS: sent
    ON_SUCCESS:
      RESPOND: "sent {{{{sent.echo}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "not sent"
      THEN: listen
"""
AUDITED = Statement("""
    SELECT action, entry FROM audit_log
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND action LIKE 'tool_secret.%' ORDER BY number
""")
MAKE_PAST = Statement("""
    UPDATE credentials SET expires_at = now() - interval '1 second'
    WHERE tenant_id = :tenant_id AND credential_id = :credential_id
""")


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    async with a_workshop() as found:
        yield found


@pytest.fixture
async def gateway(servers: Servers, workshop: Workshop) -> AsyncIterator[LiveGateway]:
    texts = {"c.abl": CALLER.format(url=workshop.url)}
    async with a_live_gateway(servers, "tool-secrets", texts, allowed_networks=LOOPBACK) as found:
        yield found
        rows = (await found.call("GET", f"{PATH}?projectId={found.project_id}")).json()["secrets"]
        for row in rows:
            await found.call("DELETE", f"{PATH}/{row['id']}")


def a_secret(gateway: LiveGateway, **more: Any) -> dict[str, Any]:
    named = {"projectId": gateway.project_id, "toolName": "send", "secretKey": "TOKEN", "value": "s3cret-value"}
    return {**named, **more}


async def create(gateway: LiveGateway, headers: dict[str, str] | None = None, **more: Any) -> Answer:
    return await gateway.call("POST", PATH, a_secret(gateway, **more), headers)


async def listed(gateway: LiveGateway, query: str = "", headers: dict[str, str] | None = None) -> Answer:
    return await gateway.call("GET", f"{PATH}?projectId={gateway.project_id}{query}", headers=headers)


async def say(gateway: LiveGateway) -> str:
    answer = await gateway.call("POST", "/api/v1/chat/agent", {"projectId": gateway.project_id, "message": "go"})
    return str(answer.json()["response"])


async def test_a_secret_is_created_listed_rotated_and_deleted_and_never_shown(gateway: LiveGateway) -> None:
    before = len(await gateway.running.database.rows(AUDITED, tenant_id=TENANT_ID, project_id=gateway.project_id))
    made = await create(gateway)
    assert made.status == 201
    secret = made.json()["secret"]
    assert secret == {
        "id": secret["id"], "toolName": "send", "secretKey": "TOKEN", "environment": "dev", "version": 1,
        "expiresAt": None, "createdAt": secret["createdAt"],
    }  # fmt: skip
    assert secret["id"].startswith("sec_")
    rotated = await gateway.call("PUT", f"{PATH}/{secret['id']}", {"value": "another-value"})
    shown = rotated.json()["secret"]
    assert shown == {
        "id": secret["id"], "toolName": "send", "secretKey": "TOKEN", "environment": "dev", "version": 2,
        "updatedAt": shown["updatedAt"],
    }  # fmt: skip
    page = (await listed(gateway)).json()
    assert page == {
        "success": True, "total": 1, "page": 1, "limit": 50,
        "secrets": [{**secret, "version": 2, "updatedAt": shown["updatedAt"]}],
    }  # fmt: skip
    deleted = await gateway.call("DELETE", f"{PATH}/{secret['id']}")
    assert (deleted.status, deleted.json()) == (200, {"success": True})
    for method, body in (("DELETE", None), ("PUT", {"value": "x"})):
        gone = await gateway.call(method, f"{PATH}/{secret['id']}", body)
        assert (gone.status, gone.json()["error"]["message"]) == (404, "Secret not found")
    rows = await gateway.running.database.rows(AUDITED, tenant_id=TENANT_ID, project_id=gateway.project_id)
    verbs = [f"tool_secret.{verb}" for verb in ("create", "rotate", "delete")]
    assert [row["action"] for row in rows[before:]] == verbs
    assert "value" not in str([row["entry"] for row in rows])


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"value": None}, "BAD_REQUEST", "Missing required fields"),
        ({"value": ""}, "BAD_REQUEST", "Missing required fields"),
        ({"projectId": None}, "BAD_REQUEST", "Missing required fields"),
        ({"toolName": ""}, "BAD_REQUEST", "Missing required fields"),
        ({"secretKey": None}, "BAD_REQUEST", "Missing required fields"),
        ({"value": "x" * 16_385}, "VALIDATION_ERROR", "Secret value exceeds maximum length"),
        ({"toolName": "x" * 257}, "VALIDATION_ERROR", "Field names must not exceed 256 characters"),
        ({"secretKey": "x" * 257}, "VALIDATION_ERROR", "Field names must not exceed 256 characters"),
        ({"value": 5}, "VALIDATION_ERROR", "Invalid request"),
        ({"environment": "moon"}, "VALIDATION_ERROR", "Invalid request"),
        ({"expiresAt": "2020-01-01T00:00:00Z"}, "VALIDATION_ERROR", "expiresAt must be in the future"),
        ({"expiresAt": "soon"}, "VALIDATION_ERROR", "Invalid request"),
    ],
)
async def test_what_is_no_secret_is_refused(
    gateway: LiveGateway, change: dict[str, Any], code: str, message: str
) -> None:
    answer = await create(gateway, **change)
    assert (answer.status, answer.json()["error"]["code"]) == (400, code)
    assert answer.json()["error"]["message"] == message
    assert (await listed(gateway)).json()["total"] == 0


async def test_the_longest_secret_and_names_are_taken(gateway: LiveGateway) -> None:
    assert (await create(gateway, value="x" * 16_384, toolName="t" * 256, secretKey="k" * 256)).status == 201
    made = (await create(gateway)).json()["secret"]
    for body in ({}, {"value": ""}):
        answer = await gateway.call("PUT", f"{PATH}/{made['id']}", body)
        assert (answer.status, answer.json()["error"]["message"]) == (400, "Missing required fields")
    longer = await gateway.call("PUT", f"{PATH}/{made['id']}", {"value": "x" * 16_385})
    assert (longer.status, longer.json()["error"]["message"]) == (400, "Secret value exceeds maximum length")


async def test_a_tool_has_a_secret_once_in_an_environment(gateway: LiveGateway) -> None:
    assert (await create(gateway)).status == 201
    again = await create(gateway)
    assert (again.status, again.json()["error"]["message"]) == (409, "Secret already exists")
    assert again.json()["error"]["details"] == {"reason": "DUPLICATE_SECRET"}
    for change in ({"environment": "production"}, {"toolName": "other"}, {"secretKey": "OTHER"}):
        assert (await create(gateway, **change)).status == 201


async def test_lists_are_counted_in_pages(gateway: LiveGateway) -> None:
    for number in range(5):
        await create(gateway, secretKey=f"K{number}", environment="staging" if number == 4 else "dev")
    second = (await listed(gateway, "&page=2&limit=2")).json()
    assert ([one["secretKey"] for one in second["secrets"]], second["total"], second["page"]) == (["K2", "K3"], 5, 2)
    assert (await listed(gateway, "&environment=staging")).json()["total"] == 1
    assert (await listed(gateway, "&toolName=other")).json()["secrets"] == []
    assert (await gateway.call("GET", PATH)).json()["error"]["code"] == "BAD_REQUEST"
    for query in ("&page=0", "&limit=201", "&limit=0"):
        assert (await listed(gateway, query)).status == 400


async def test_secrets_of_others_are_not_there(gateway: LiveGateway) -> None:
    made = (await create(gateway)).json()["secret"]
    _, stranger = await a_stranger(gateway, {"e.abl": 'AGENT: E\nGOAL: "E"\nPERSONA: "E"\n'})
    seeded = await put_project(
        gateway.running.database, "tool-secrets-beside", {"e.abl": CALLER.format(url="http://x")}
    )
    bound = await a_key(gateway, "*", project_id=seeded.project_id)
    for headers in (stranger, bound):
        assert (await create(gateway, headers)).status == 404
        assert (await listed(gateway, headers=headers)).status == 404
        missing = await gateway.call("DELETE", f"{PATH}/sec_none", headers=headers)
        for method, body in (("PUT", {"value": "x"}), ("DELETE", None)):
            answer = await gateway.call(method, f"{PATH}/{made['id']}", body, headers)
            assert (answer.status, answer.body) == (404, missing.body)
    assert (await listed(gateway)).json()["secrets"][0]["version"] == 1


async def test_a_user_needs_the_permission_in_the_project_of_the_secret(gateway: LiveGateway) -> None:
    made = (await create(gateway)).json()["secret"]
    _, tester = await a_user(gateway, "viewer", **{gateway.project_id: "tester"})
    _, developer = await a_user(gateway, "viewer", **{gateway.project_id: "developer"})
    assert (await listed(gateway, headers=tester)).status == 403
    assert (await listed(gateway, headers=developer)).json()["total"] == 1
    assert (await gateway.call("PUT", f"{PATH}/{made['id']}", {"value": "x"}, tester)).status == 403
    assert (await gateway.call("PUT", f"{PATH}/{made['id']}", {"value": "x"}, developer)).status == 200


async def test_without_a_master_key_nothing_is_sealed(servers: Servers) -> None:
    texts = {"c.abl": CALLER.format(url="http://127.0.0.1:1/")}
    async with a_live_gateway(servers, "no-master-key", texts, master_keys=" ") as gateway:
        answer = await create(gateway)
        assert (answer.status, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
        assert answer.json()["error"]["message"] == "Encryption service unavailable"
        assert (await listed(gateway)).json()["total"] == 0


async def test_a_tool_uses_a_secret_until_it_expires(gateway: LiveGateway, workshop: Workshop) -> None:
    expires_at = iso_ms(datetime.now(UTC) + timedelta(hours=1))
    made = (await create(gateway, expiresAt=expires_at)).json()["secret"]
    assert made["expiresAt"] == expires_at
    assert (await say(gateway)).startswith("sent")
    assert workshop.headers[-1]["X-Token"] == "s3cret-value"
    await gateway.call("PUT", f"{PATH}/{made['id']}", {"value": "new-s3cret"})
    await say(gateway)
    assert workshop.headers[-1]["X-Token"] == "new-s3cret"
    await gateway.running.database.execute(MAKE_PAST, tenant_id=TENANT_ID, credential_id=made["id"])
    calls = len(workshop.headers)
    answer = await gateway.call("POST", "/api/v1/chat/agent", {"projectId": gateway.project_id, "message": "go"})
    assert answer.json()["response"] == "not sent"
    session = f"/api/projects/{gateway.project_id}/sessions/{answer.json()['sessionId']}"
    assert b"SECRET_EXPIRED" in (await gateway.call("GET", f"{session}/traces")).body
    assert len(workshop.headers) == calls, "the tool is not called"


@pytest.mark.parametrize(
    "spelt",
    [
        lambda value: value,
        lambda value: base64.b64encode(value.encode()).decode(),
        lambda value: base64.b64encode(f"user:{value}".encode()).decode(),
        lambda value: value.encode().hex(),
        lambda value: value.encode().hex().upper(),
        lambda value: value[::-1],
        lambda value: "".join(f"%{byte:02X}" for byte in value.encode()),
    ],
    ids=["plain", "base64", "basic", "hex", "HEX", "reversed", "percent"],
)
async def test_a_secret_that_an_endpoint_says_back_is_masked_however_it_is_spelt(
    gateway: LiveGateway, workshop: Workshop, spelt: Any
) -> None:
    await create(gateway)
    workshop.answer = {"echo": f"<{spelt('s3cret-value')}>"}
    said = await say(gateway)
    assert said.startswith("sent <")
    assert "[secret]" in said
    assert spelt("s3cret-value") not in said


async def test_a_key_for_some_environments_changes_secrets_of_these_only(gateway: LiveGateway) -> None:
    key = await a_key(gateway, "*", environments=("dev",))
    guarded = (await create(gateway, environment="production")).json()["secret"]
    assert (await create(gateway, key, environment="production", toolName="other")).status == 403
    for method, body in (("PUT", {"value": "x"}), ("DELETE", None)):
        assert (await gateway.call(method, f"{PATH}/{guarded['id']}", body, key)).status == 403
    assert [one["version"] for one in (await listed(gateway)).json()["secrets"]] == [1]
    made = await create(gateway, key)
    assert made.status == 201
    own = made.json()["secret"]["id"]
    for method, body in (("PUT", {"value": "x"}), ("DELETE", None)):
        assert (await gateway.call(method, f"{PATH}/{own}", body, key)).status == 200
