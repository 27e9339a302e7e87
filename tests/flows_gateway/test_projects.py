"""Projects over real sockets: made, seen, changed, deleted with everything of them. Spec: platform-api 6.1."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.project_removal import ProjectRemoval
from actors.projects import TENANT_ID
from storage.repositories.projects import Projects
from storage.statements import Statement
from tests.flows_gateway.test_auth import bearer, log_in, somebody
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
ECHO = 'AGENT: Echo\nGOAL: "Echo"\nFLOW:\n  a:\n    REASONING: false\n    RESPOND: "Hello"\n    THEN: COMPLETE\n'
PROJECTS = "/api/projects"
ACTIONS = Statement(
    "SELECT action FROM audit_log WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY number"
)
PLACES = Statement("""
    SELECT c.table_name FROM information_schema.columns c JOIN pg_class k ON k.oid = to_regclass(c.table_name)
    WHERE c.table_schema = current_schema() AND c.column_name IN ('tenant_id', 'project_id')
      AND k.relkind IN ('r', 'p') AND NOT k.relispartition AND c.table_name <> 'audit_log'
    GROUP BY c.table_name HAVING count(*) = 2
""")


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"e.abl": ECHO}) as found:
        yield found


async def made(gateway: LiveGateway, **body: Any) -> dict[str, Any]:
    answer = await gateway.call("POST", PROJECTS, body)
    assert answer.status == 201, answer.body
    project: dict[str, Any] = answer.json()["project"]
    return project


def refusal(answer: Answer) -> tuple[int, str, str]:
    error = answer.json()["error"]
    return answer.status, error["code"], (error.get("details") or {}).get("reason", "")


async def test_a_project_is_made_seen_changed_and_listed(gateway: LiveGateway) -> None:
    project = await made(gateway, name="Order Desk", description="Takes orders")
    assert (project["slug"], project["tenantId"], project["agentCount"]) == ("order-desk", TENANT_ID, 0)
    assert len(project["id"]) == 25
    assert project["entryAgentName"] is None
    place = f"{PROJECTS}/{project['id']}"
    assert (await gateway.call("GET", place)).json() == {"success": True, "project": project}
    await gateway.call("POST", f"{place}/agents", {"name": "Front"})
    change = {"name": "Orders", "slug": "orders", "entryAgentName": "Front", "settings": {"drainTimeoutSec": 60}}
    changed = (await gateway.call("PATCH", place, change)).json()["project"]
    assert (changed["name"], changed["slug"], changed["entryAgentName"]) == ("Orders", "orders", "Front")
    assert (changed["settings"]["drainTimeoutSec"], changed["settings"]["turnTimeoutSec"]) == (60, 120)
    assert changed["description"] == "Takes orders"
    cleared = (await gateway.call("PATCH", place, {"entryAgentName": None})).json()["project"]
    assert cleared["entryAgentName"] is None
    listed = (await gateway.call("GET", f"{PROJECTS}?limit=1&offset=1")).json()
    assert (len(listed["projects"]), listed["pagination"]["limit"]) == (1, 1)
    total, ids = listed["pagination"]["total"], []
    for offset in range(0, total, 200):  # other tests of this run have projects too
        page = (await gateway.call("GET", f"{PROJECTS}?limit=200&offset={offset}")).json()
        ids += [one["id"] for one in page["projects"]]
    assert project["id"] in ids
    assert total == len(ids)
    database = gateway.running.database
    rows = await database.rows(ACTIONS, tenant_id=TENANT_ID, project_id=project["id"])
    assert [row["action"] for row in rows] == [
        "project.create", "agent.create", "project.update", "project.update",
    ]  # fmt: skip


async def test_a_taken_name_or_slug_is_a_conflict_and_a_made_up_slug_is_made_anew(gateway: LiveGateway) -> None:
    first = await made(gateway, name="Desk of Ada")
    assert refusal(await gateway.call("POST", PROJECTS, {"name": "Desk of Ada"})) == (
        *(409, "CONFLICT", "DUPLICATE_NAME"),
    )
    taken = {"name": "Another", "slug": first["slug"]}
    assert refusal(await gateway.call("POST", PROJECTS, taken)) == (409, "CONFLICT", "DUPLICATE_SLUG")
    second = await made(gateway, name="Desk of Ada!")
    assert second["slug"].startswith("desk-of-ada-")
    answer = await gateway.call("PATCH", f"{PROJECTS}/{second['id']}", {"name": "Desk of Ada"})
    assert refusal(answer) == (409, "CONFLICT", "DUPLICATE_NAME")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": "x" * 121}, "/name"),
        ({"name": "X", "slug": "A"}, "/slug"),
        ({"name": "X", "description": "x" * 2_001}, "/description"),
    ],
)
async def test_what_is_no_project_is_refused(gateway: LiveGateway, body: Any, path: str) -> None:
    answer = await gateway.call("POST", PROJECTS, body)
    assert answer.status == 400
    assert answer.json()["error"]["details"]["fields"][0]["path"] == path


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"settings": {"turnTimeoutSec": 0}}, "/settings/turnTimeoutSec"),
        ({"settings": {"voice": {"mode": "loud"}}}, "/settings/voice/mode"),
        ({"entryAgentName": "Nobody"}, "/entryAgentName"),
    ],
)
async def test_what_cannot_be_set_is_refused(gateway: LiveGateway, body: Any, path: str) -> None:
    answer = await gateway.call("PATCH", f"{PROJECTS}/{gateway.project_id}", body)
    assert answer.status == 400
    assert answer.json()["error"]["details"]["fields"][0]["path"] == path


async def test_a_project_keeps_traces_no_longer_than_its_installation(gateway: LiveGateway) -> None:
    place, days = f"{PROJECTS}/{gateway.project_id}", int(gateway.running.settings.trace_days)
    refused = await gateway.call("PATCH", place, {"settings": {"traceRetentionDays": days + 1}})
    (field,) = refused.json()["error"]["details"]["fields"]
    assert (refused.status, field["path"]) == (400, "/settings/traceRetentionDays")
    assert f"at most {days} days" in field["message"]
    for fewer in (days, days - 1):
        changed = await gateway.call("PATCH", place, {"settings": {"traceRetentionDays": fewer}})
        assert changed.json()["project"]["settings"]["traceRetentionDays"] == fewer


async def test_whoever_makes_a_project_is_its_admin_and_sees_no_other(gateway: LiveGateway) -> None:
    email = await somebody(gateway, "member")
    me = bearer((await log_in(gateway, email)).json()["accessToken"])
    assert (await gateway.call("GET", PROJECTS, headers=me)).json()["projects"] == []
    assert (await gateway.call("GET", f"{PROJECTS}/{gateway.project_id}", headers=me)).status == 404
    answer = await gateway.call("POST", PROJECTS, {"name": "Mine"}, me)
    place = f"{PROJECTS}/{answer.json()['project']['id']}"
    assert (await gateway.call("PATCH", place, {"description": "mine"}, me)).status == 200
    assert [one["name"] for one in (await gateway.call("GET", PROJECTS, headers=me)).json()["projects"]] == ["Mine"]
    assert (await gateway.call("DELETE", place, headers=me)).json() == {"success": True, "deleted": True}
    viewer = bearer((await log_in(gateway, await somebody(gateway, "viewer"))).json()["accessToken"])
    assert (await gateway.call("POST", PROJECTS, {"name": "Not mine"}, viewer)).status == 403


async def test_a_deleted_project_takes_everything_along(gateway: LiveGateway) -> None:
    chat = {"projectId": gateway.project_id, "message": "hello"}
    for _ in range(3):
        assert (await gateway.call("POST", "/api/v1/chat/agent", chat)).status == 200
    place = f"{PROJECTS}/{gateway.project_id}"
    await gateway.call("PUT", f"{place}/variables", {"kind": "env", "key": "K", "value": "v"})
    deployed = {"environment": "dev", "agentVersionManifest": {"Echo": "auto"}, "entryAgentName": "Echo"}
    assert (await gateway.call("POST", f"{place}/deployments", deployed)).status == 201
    name = (await gateway.call("GET", place)).json()["project"]["name"]
    assert (await gateway.call("DELETE", place)).json() == {"success": True, "deleted": True}
    assert (await gateway.call("GET", place)).status == 404
    assert (await gateway.call("DELETE", place)).status == 404
    assert (await gateway.call("POST", "/api/v1/chat/agent", chat)).status == 404
    database = gateway.running.database
    left = {}
    for row in await database.rows(PLACES):
        table = row["table_name"]
        count = Statement(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant_id AND project_id = :project_id")
        left[table] = await database.value(count, tenant_id=TENANT_ID, project_id=gateway.project_id)
    assert len(left) > 20
    assert {table for table, rows in left.items() if rows} == set()
    assert await Projects(database).deleted(10) == []
    assert (await made(gateway, name=name))["slug"]


async def test_what_a_request_has_no_time_for_is_removed_afterwards(
    gateway: LiveGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.project_removal.SESSIONS_MAX", 2)
    chat = {"projectId": gateway.project_id, "message": "hello"}
    sessions = [(await gateway.call("POST", "/api/v1/chat/agent", chat)).json()["sessionId"] for _ in range(5)]
    place = f"{PROJECTS}/{gateway.project_id}"
    assert (await gateway.call("DELETE", place)).status == 200
    database = gateway.running.database
    assert (TENANT_ID, gateway.project_id) in await Projects(database).deleted(10)
    assert (await gateway.call("GET", f"{place}/sessions/{sessions[4]}")).status == 404
    removal: ProjectRemoval = gateway.running.desks.projects._removal  # type: ignore[attr-defined]
    rounds = 0
    while await removal.carry_on_all():
        rounds += 1
        assert rounds < 5
    assert await Projects(database).deleted(10) == []
    assert await Projects(database).sessions_of(TENANT_ID, gateway.project_id, 10) == []
