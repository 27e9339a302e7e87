"""Reading the audit log over real sockets, and `abl audit verify`. Spec: platform-api 14.7."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.clocks import RandomIds, SystemClock
from actors.projects import TENANT_ID, put_project
from domain.audit import Actor, AuditCategory, AuditEntry, Initiator, Resource
from storage.repositories.audit import AuditLog
from storage.repositories.projects import Projects
from storage.statements import Statement
from tests.flows_gateway.test_auth import bearer, log_in, somebody
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Talk"\nPERSONA: "Calm"\n'
LOGS = "/api/audit-logs"


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "audited", {"t.abl": TALKER}) as found:
        yield found


async def note(gateway: LiveGateway, actor: str, tenant_id: str = TENANT_ID, **fields: Any) -> str:
    given = {
        "by": Initiator(Actor("user", actor, "a@b"), "10.0.0.1", "req_1"),
        "action": "thing.make",
        "category": AuditCategory.SYSTEM,
        "resource": Resource("thing", "th_1", "=cmd()"),
        **fields,
    }
    return await AuditLog(gateway.running.database, SystemClock(), RandomIds()).note(tenant_id, AuditEntry(**given))


async def read(gateway: LiveGateway, query: str = "", headers: dict[str, str] | None = None) -> Answer:
    return await gateway.call("GET", f"{LOGS}{query}", headers=headers)


async def test_entries_are_seen_newest_first_and_found_by_all_that_they_say(gateway: LiveGateway) -> None:
    actor = RandomIds().new("usr")
    first = await note(gateway, actor)
    second = await note(
        gateway, actor, action="thing.break", outcome="failure", project_id=gateway.project_id,
        category=AuditCategory.CREDENTIALS, details={"count": 1},
    )  # fmt: skip
    body = (await read(gateway, f"?actorId={actor}")).json()
    assert [one["id"] for one in body["entries"]] == [second, first]
    assert body["pagination"] == {"total": 2, "limit": 50, "offset": 0}
    newest = body["entries"][0]
    assert newest == {
        "id": second, "timestamp": newest["timestamp"], "actor": {"type": "user", "id": actor, "label": "a@b"},
        "action": "thing.break", "category": "tools_and_credentials", "outcome": "failure", "ip": "10.0.0.1",
        "resource": {"type": "thing", "id": "th_1", "name": "=cmd()"}, "projectId": gateway.project_id,
        "requestId": "req_1", "details": {"count": 1},
    }  # fmt: skip
    for query, found in (
        ("action=thing.break", [second]),
        ("outcome=success", [first]),
        ("category=system", [first]),
        (f"projectId={gateway.project_id}", [second]),
        ("limit=1&offset=1", [first]),
        ("from=2999-01-01", []),
        ("to=2020-01-01T00:00:00Z", []),
        ("from=2020-01-01", [second, first]),
    ):
        answer = await read(gateway, f"?actorId={actor}&{query}")
        assert [one["id"] for one in answer.json()["entries"]] == found, query
    for query in ("category=x", "outcome=maybe", "from=then", "limit=0", "format=xml"):
        assert (await read(gateway, f"?{query}")).status == 400


async def test_as_csv_it_is_all_of_it_and_no_formula(gateway: LiveGateway) -> None:
    actor = RandomIds().new("usr")
    ids = [await note(gateway, actor) for _ in range(3)]
    answer = await read(gateway, f"?actorId={actor}&format=csv&limit=1")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    head, *rows = csv.reader(io.StringIO(answer.body.decode()))
    assert head[:6] == ["id", "timestamp", "actor_type", "actor_id", "actor_label", "action"]
    assert [row[0] for row in rows] == ids[::-1]
    assert rows[0][head.index("resource_name")] == "'=cmd()"


async def test_each_sees_what_is_of_their_tenant_and_projects(gateway: LiveGateway) -> None:
    other = await put_project(gateway.running.database, "other-audit", {"t.abl": TALKER})
    tenant_id, actor = RandomIds().new("ten"), RandomIds().new("usr")
    await Projects(gateway.running.database).ensure_tenant(tenant_id, "x")
    foreign = await note(gateway, actor, tenant_id)
    of_tenant = await note(gateway, actor)
    here = await note(gateway, actor, project_id=gateway.project_id)
    there = await note(gateway, actor, project_id=other.project_id)
    key = {"name": "k", "scopes": ["audit:read"], "projectId": gateway.project_id}
    bound = {"x-api-key": (await gateway.call("POST", "/api/api-keys", key)).json()["secret"]}
    operator = await somebody(gateway, "operator", **{gateway.project_id: "viewer"})
    operator_headers = bearer((await log_in(gateway, operator)).json()["accessToken"])
    for headers, seen in ((None, [there, here, of_tenant]), (bound, [here]), (operator_headers, [here, of_tenant])):
        found = (await read(gateway, f"?actorId={actor}", headers)).json()
        assert [one["id"] for one in found["entries"]] == seen
        assert foreign not in seen
    for headers in (bound, operator_headers):
        assert (await read(gateway, f"?projectId={other.project_id}", headers)).status == 404
    member = bearer((await log_in(gateway, await somebody(gateway, "member"))).json()["accessToken"])
    assert (await read(gateway, "", member)).status == 403


async def test_who_resets_and_deletes_a_session_is_noted(gateway: LiveGateway) -> None:
    sessions = f"/api/projects/{gateway.project_id}/sessions"
    made = (await gateway.call("POST", sessions, {"agentId": "Talker"})).json()["session"]
    assert (await gateway.call("POST", f"{sessions}/{made['runtimeSessionId']}/reset")).status == 200
    assert (await gateway.call("DELETE", f"{sessions}/{made['id']}")).status == 200
    for path in (f"{sessions}/{made['id']}", f"{sessions}/sess_unknown"):
        assert (await gateway.call("DELETE", path)).status == 404
    query = f"?projectId={gateway.project_id}&category=data_and_sessions"
    entries = (await read(gateway, query)).json()["entries"]
    assert [one["action"] for one in entries] == ["session.delete", "session.reset"]
    assert [one["resource"] for one in entries] == [{"type": "session", "id": made["id"], "name": ""}] * 2
    assert {one["actor"]["type"] for one in entries} == {"api_key"}


def test_the_categories_are_those_of_the_documented_list() -> None:
    assert [str(one) for one in AuditCategory] == [
        "auth_and_access", "workspace_governance", "project_and_agent_config", "tools_and_credentials",
        "data_and_sessions", "evaluation", "system",
    ]  # fmt: skip


async def test_an_entry_is_not_changed(gateway: LiveGateway) -> None:
    await note(gateway, "usr_1")
    with pytest.raises(Exception, match="not changed"):
        await gateway.running.database.execute(
            Statement("UPDATE audit_log SET action = 'x' WHERE tenant_id = :tenant_id"), tenant_id=TENANT_ID
        )
