"""Human tasks over real sockets: an inbox, and what people do with it. Spec: platform-api 3.4, 10."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from actors.clocks import RandomIds, SystemClock
from actors.human_tasks import TaskDesk
from actors.projects import TENANT_ID, put_project
from domain.clock import iso_ms
from storage.repositories.users import Users
from storage.statements import Statement
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually
from tests.support.strangers import a_key, a_stranger, a_user

pytestmark = pytest.mark.anyio
AT_ONCE = 100
DESK = """\
AGENT: Desk
GOAL: "Help"

ESCALATE:
  triggers:
    - WHEN: input CONTAINS "lawyer"
      REASON: "Mentions a lawyer"
      PRIORITY: high
  on_human_complete:
    - IF: human.resolved
      COMPLETE
    - IF: human.expired
      COMPLETE
    - IF true: CONTINUE

COMPLETE:
  - WHEN: resolution == "resolved"
    RESPOND: "{{human.respondedBy}} settled it: {{verdict}}, {{human.verdict}}, {{human.notes}}."
  - WHEN: resolution == "expired"
    RESPOND: "Nobody came: {{human.decision}}."

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "heard {{input}}"
        THEN: listen
"""
PAST_DUE = Statement("""
    UPDATE human_tasks SET due_at = now() - interval '1 second' WHERE tenant_id = :tenant_id AND task_id = :task_id
""")
GIVE_FORM = Statement("""
    UPDATE human_tasks SET fields = '[{"name": "verdict", "type": "text", "required": true}]'
    WHERE tenant_id = :tenant_id AND task_id = :task_id
""")
"""A task of a session that has a form: agents have no words for one."""
CLEAR = Statement("DELETE FROM human_tasks WHERE tenant_id = :tenant_id")
AUDITED = Statement("""
    SELECT action, entry FROM audit_log
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND action LIKE 'human_task.%' ORDER BY number
""")
CALLBACKS = Statement("SELECT status FROM callbacks WHERE tenant_id = :tenant_id AND session_id = :session_id")


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "human-tasks", {"d.abl": DESK}) as found:
        await found.running.database.execute(CLEAR, tenant_id=TENANT_ID)
        yield found


async def tasks(
    gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None, headers: dict[str, str] | None = None
) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/human-tasks{path}", body, headers)


async def made(gateway: LiveGateway, **given: Any) -> dict[str, Any]:
    answer = await tasks(gateway, "POST", body={"type": "review", "title": "Look at this", **given})
    assert answer.status == 201, answer.body
    task: dict[str, Any] = answer.json()["task"]
    return task


async def listed(gateway: LiveGateway, query: str = "", headers: dict[str, str] | None = None) -> list[str]:
    return [one["title"] for one in (await tasks(gateway, path=query, headers=headers)).json()["tasks"]]


async def act(
    gateway: LiveGateway, task: dict[str, Any], verb: str, body: Any = None, headers: dict[str, str] | None = None
) -> Answer:
    return await tasks(gateway, "POST", f"/{task['id']}/{verb}", body, headers)


def reason_of(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["details"]["reason"]


async def escalated(gateway: LiveGateway) -> tuple[str, dict[str, Any]]:
    """Return a session that waits for a person, and its task."""
    body = {"projectId": gateway.project_id, "message": "I call my lawyer"}
    session_id = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()["sessionId"]
    (task,) = (await tasks(gateway, path=f"?sessionId={session_id}")).json()["tasks"]
    return session_id, task


async def said(gateway: LiveGateway, session_id: str, text: str) -> int:
    """Wait until the agent has said something; return how often it has."""
    path = f"/api/projects/{gateway.project_id}/sessions/{session_id}?include=messages"

    async def count() -> int:
        messages = (await gateway.call("GET", path)).json()["session"]["messages"]
        return sum(text in one["content"] for one in messages)

    async def has() -> bool:
        return bool(await count())

    await eventually(has)
    return await count()


async def test_a_task_has_all_its_fields(gateway: LiveGateway) -> None:
    one, other = [(await a_user(gateway, "admin"))[0] for _ in range(2)]
    due_at = iso_ms(datetime.now(UTC) + timedelta(hours=1))
    form = [
        {"name": "limit", "type": "number", "label": "Limit", "required": True},
        {"name": "colour", "type": "select", "label": "", "required": False, "options": ["red", "blue"]},
    ]
    given = {
        "type": "decision", "title": "Which?", "priority": "high", "description": "Choose", "fields": form,
        "context": {"a": 1}, "options": ["this", "that"], "dueAt": due_at, "assignedTo": one, "tags": ["t"],
        "escalationChain": [{"team": "night", "afterMinutes": 30}, {"userId": other, "afterMinutes": 5}],
    }  # fmt: skip
    task = await made(gateway, **given)
    moments = {name: task[name] for name in ("createdAt", "updatedAt", "assignedAt")}
    empty = dict.fromkeys(("assignedToTeam", "claimedBy", "claimedAt", "resolution", "cancelReason"))
    assert task == {
        **given, **moments, **empty, "id": task["id"], "projectId": gateway.project_id, "tenantId": TENANT_ID,
        "status": "assigned", "source": {"kind": "api"}, "currentEscalationLevel": 0, "createdBy": task["createdBy"],
    }  # fmt: skip
    assert task["id"].startswith("ht_")
    assert (await tasks(gateway, path=f"/{task['id']}")).json() == {"success": True, "task": task}


@pytest.mark.parametrize(
    "body",
    [
        {"title": ""},
        {"title": "x" * 301},
        {"type": "wish"},
        {"priority": "urgent"},
        {"type": "decision"},
        {"assignedTo": "a", "assignedToTeam": "b"},
        {"fields": [{"name": "a", "type": "colour"}]},
        {"fields": [{"name": "a", "type": "select"}]},
        {"fields": [{"name": "a", "type": "text"}, {"name": "a", "type": "date"}]},
        {"escalationChain": [{"afterMinutes": 5}]},
        {"escalationChain": [{"userId": "a", "team": "b", "afterMinutes": 5}]},
        {"escalationChain": [{"userId": "a", "afterMinutes": 0}]},
        {"dueAt": "soon"},
        {"context": {"a": "x" * 65_536}},
        {"tags": ["t"] * 51},
    ],
)
async def test_what_is_no_task_is_refused(gateway: LiveGateway, body: dict[str, Any]) -> None:
    answer = await tasks(gateway, "POST", body={"type": "review", "title": "Look", **body})
    assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert await listed(gateway) == []


async def test_the_inbox_is_ordered_by_priority_and_then_age(gateway: LiveGateway) -> None:
    for number, priority in enumerate(("low", "high", "medium", "critical", "high")):
        await made(gateway, title=f"{priority} {number}", priority=priority)
    assert await listed(gateway) == ["critical 3", "high 1", "high 4", "medium 2", "low 0"]
    page = (await tasks(gateway, path="?limit=2&offset=1")).json()
    assert [one["title"] for one in page["tasks"]] == ["high 1", "high 4"]
    assert page["pagination"] == {"total": 5, "limit": 2, "offset": 1}
    assert await listed(gateway, "?priority=high") == ["high 1", "high 4"]
    for query in ("?status=done", "?type=wish", "?priority=urgent", "?limit=201"):
        assert (await tasks(gateway, path=query)).status == 400


async def test_the_inbox_knows_me_teams_types_and_statuses(gateway: LiveGateway) -> None:
    user_id, me = await a_user(gateway, "member", **{gateway.project_id: "developer"})
    await made(gateway, title="nobody's")
    await made(gateway, title="mine", assignedTo=user_id, type="approval")
    await made(gateway, title="by email", assignedTo=f"{user_id}@example.com")
    await made(gateway, title="team's", assignedToTeam="night")
    assert await listed(gateway, "?assignedTo=me", me) == ["mine", "by email"]
    assert await listed(gateway, f"?assignedTo={user_id}") == ["mine"]
    assert await listed(gateway, "?assignedTo=me") == []
    assert await listed(gateway, "?team=night") == ["team's"]
    assert await listed(gateway, "?type=approval") == ["mine"]
    assert await listed(gateway, "?status=pending") == ["nobody's"]
    assert len(await listed(gateway, "?status=pending,assigned")) == 4
    assert await listed(gateway, "?status=completed") == []


async def test_of_those_who_claim_a_task_at_once_one_gets_it(gateway: LiveGateway) -> None:
    task = await made(gateway)
    users, claimants = Users(gateway.running.database), [RandomIds().new("usr") for _ in range(AT_ONCE)]
    for one in claimants:
        await users.create(TENANT_ID, one, email=f"{one}@example.com", role="admin", password_hash="")
    async with another_gateway(gateway) as other:
        answers = await asyncio.gather(
            *(act((gateway, other)[at % 2], task, "claim", {"userId": one}) for at, one in enumerate(claimants))
        )
    won = [one for one in answers if one.status == 200]
    assert len(won) == 1
    lost = [reason_of(one) for one in answers if one.status != 200]
    assert lost == [(409, "TASK_CLAIMED")] * (AT_ONCE - 1)
    kept = (await tasks(gateway, path=f"/{task['id']}")).json()["task"]
    assert (kept["status"], kept["claimedBy"]) == ("in_progress", won[0].json()["task"]["claimedBy"])
    again = await act(gateway, task, "claim", {"userId": kept["claimedBy"]})
    assert (again.status, again.json()["task"]) == (200, kept)


async def test_who_may_claim_assign_and_act_for_others(gateway: LiveGateway) -> None:
    ada_id, ada = await a_user(gateway, "viewer", **{gateway.project_id: "developer"})
    bob_id, bob = await a_user(gateway, "viewer", **{gateway.project_id: "developer"})
    task = await made(gateway, assignedTo=ada_id)
    assert (await act(gateway, task, "claim", {}, bob)).status == 403
    assert (await act(gateway, task, "claim", {"userId": ada_id}, bob)).status == 403
    assert (await act(gateway, task, "resolve", {"decision": "approved"}, bob)).status == 403
    claimed = (await act(gateway, task, "claim", None, ada)).json()["task"]
    assert (claimed["claimedBy"], claimed["status"]) == (ada_id, "in_progress")
    assert reason_of(await act(gateway, task, "resolve", {"decision": "approved"}, bob)) == (409, "TASK_CLAIMED")
    given = (await act(gateway, task, "assign", {"assignedTo": bob_id}, ada)).json()["task"]
    assert (given["status"], given["assignedTo"], given["claimedBy"]) == ("assigned", bob_id, None)
    done = (await act(gateway, task, "resolve", {"decision": "changes_requested", "notes": "again"}, bob)).json()[
        "task"
    ]
    assert (done["status"], done["claimedBy"], done["resolution"]["respondedBy"]) == ("completed", bob_id, bob_id)
    assert done["resolution"]["notes"] == "again"
    for body in ({}, {"assignedTo": "a", "assignedToTeam": "b"}):
        assert (await act(gateway, task, "assign", body)).status == 400


async def test_a_closed_task_is_a_conflict_for_everything(gateway: LiveGateway) -> None:
    task = await made(gateway)
    cancelled = (await act(gateway, task, "cancel", {"reason": "not needed"})).json()["task"]
    assert (cancelled["status"], cancelled["cancelReason"]) == ("cancelled", "not needed")
    bodies = {"claim": {}, "assign": {"assignedToTeam": "t"}, "resolve": {"decision": "approved"}, "cancel": None}
    for verb, body in bodies.items():
        assert reason_of(await act(gateway, task, verb, body)) == (409, "TASK_CLOSED")


async def test_the_form_of_a_task_is_checked(gateway: LiveGateway) -> None:
    form = [{"name": "limit", "type": "number", "required": True}, {"name": "on", "type": "date"}]
    task = await made(gateway, type="data_entry", fields=form)
    for fields, path in (
        ({}, "/fields/limit"),
        ({"limit": "5"}, "/fields/limit"),
        ({"limit": 5, "on": "x"}, "/fields/on"),
    ):
        answer = await act(gateway, task, "resolve", {"decision": "submitted", "fields": fields})
        assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
        assert [one["path"] for one in answer.json()["error"]["details"]["fields"]] == [path]
    wrong = await act(gateway, task, "resolve", {"decision": "approved", "fields": {"limit": 5}})
    assert wrong.json()["error"]["details"]["fields"][0]["path"] == "/decision"
    assert (await act(gateway, task, "resolve", {})).json()["error"]["code"] == "BAD_REQUEST"
    more = {"limit": 5, "other": 1, "a/b": None}
    refused = await act(gateway, task, "resolve", {"decision": "submitted", "fields": more})
    assert (refused.status, refused.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert [one["path"] for one in refused.json()["error"]["details"]["fields"]] == ["/fields/a~1b", "/fields/other"]
    done = await act(gateway, task, "resolve", {"decision": "submitted", "fields": {"limit": 5}})
    assert done.json()["task"]["resolution"]["fields"] == {"limit": 5}


async def test_a_decision_resumes_the_session_that_waits_exactly_once(gateway: LiveGateway) -> None:
    session_id, task = await escalated(gateway)
    assert task["type"] == "escalation"
    assert {name: task["source"][name] for name in ("kind", "sessionId", "agentName")} == {
        "kind": "session", "sessionId": session_id, "agentName": "Desk",
    }  # fmt: skip
    user_id, _ = await a_user(gateway, "admin")
    await gateway.running.database.execute(GIVE_FORM, tenant_id=TENANT_ID, task_id=task["id"])
    body = {"decision": "resolved", "notes": "kindly", "fields": {"verdict": "refund"}, "respondedBy": user_id}
    async with another_gateway(gateway) as other:
        answers = await asyncio.gather(*(act((gateway, other)[at % 2], task, "resolve", body) for at in range(AT_ONCE)))
        otherwise = await act(other, task, "resolve", {**body, "notes": "otherwise"})
    assert {(one.status, one.body) for one in answers} == {(200, answers[0].body)}, "said again it is the same decision"
    assert reason_of(otherwise) == (409, "TASK_CLOSED")
    assert await said(gateway, session_id, f"{user_id} settled it: refund, refund, kindly.") == 1
    rows = await gateway.running.database.rows(CALLBACKS, tenant_id=TENANT_ID, session_id=session_id)
    assert [row["status"] for row in rows] == ["cancelled"]
    open_now = (await tasks(gateway, path=f"?sessionId={session_id}&status=pending,assigned,in_progress")).json()
    assert open_now["pagination"]["total"] == 0


async def test_an_overdue_task_goes_up_its_chain_and_then_its_session_goes_on_as_expired(gateway: LiveGateway) -> None:
    chain = [{"team": "second", "afterMinutes": 30}]
    task = await made(gateway, escalationChain=chain)
    assert task["dueAt"] is not None
    desk = TaskDesk(gateway.running.database, SystemClock())
    await gateway.running.database.execute(PAST_DUE, tenant_id=TENANT_ID, task_id=task["id"])
    assert await desk.move_overdue(10) == 1
    moved = (await tasks(gateway, path=f"/{task['id']}")).json()["task"]
    assert (moved["status"], moved["assignedToTeam"], moved["currentEscalationLevel"]) == ("assigned", "second", 1)
    assert moved["dueAt"] > task["createdAt"]
    session_id, waited_for = await escalated(gateway)
    for one in (task, waited_for):
        await gateway.running.database.execute(PAST_DUE, tenant_id=TENANT_ID, task_id=one["id"])
    assert await desk.move_overdue(10) == 2
    assert await desk.move_overdue(10) == 0
    for one in (task, waited_for):
        assert (await tasks(gateway, path=f"/{one['id']}")).json()["task"]["status"] == "expired"
    assert await said(gateway, session_id, "Nobody came: expired.") == 1


@pytest.mark.parametrize(("method", "path"), [("POST", "/reset"), ("DELETE", ""), ("POST", "/end")])
async def test_a_session_that_ends_starts_again_or_goes_cancels_its_tasks(
    gateway: LiveGateway, method: str, path: str
) -> None:
    session_id, task = await escalated(gateway)
    about = await made(gateway, sessionId=session_id)
    assert about["source"] == {"kind": "api", "sessionId": session_id}
    place = "/api/v1/sessions" if path == "/end" else f"/api/projects/{gateway.project_id}/sessions"
    assert (await gateway.call(method, f"{place}/{session_id}{path}", {} if method == "POST" else None)).status == 200
    for one in (task, about):
        kept = await tasks(gateway, path=f"/{one['id']}")
        if method == "DELETE":
            assert kept.status == 404, "what a session leaves goes with it"
        else:
            assert kept.json()["task"]["status"] == "cancelled"
            assert reason_of(await act(gateway, one, "claim", {})) == (409, "TASK_CLOSED")


async def test_tasks_of_others_are_not_there(gateway: LiveGateway) -> None:
    task = await made(gateway)
    elsewhere, stranger = await a_stranger(gateway, {"d.abl": DESK})
    beside = (await put_project(gateway.running.database, "human-tasks-beside", {"d.abl": DESK})).project_id
    session_id, _ = await escalated(gateway)
    for project_id, headers in ((elsewhere, stranger), (beside, None)):
        base = f"/api/projects/{project_id}/human-tasks"
        assert (await gateway.call("GET", base, headers=headers)).json()["tasks"] == []
        missing = await gateway.call("GET", f"{base}/ht_none", headers=headers)
        assert (missing.status, missing.json()["error"]["message"]) == (404, "Task not found")
        assert (await gateway.call("GET", f"{base}/{task['id']}", headers=headers)).body == missing.body
        acts = {"claim": {}, "assign": {"assignedTo": "a"}, "resolve": {"decision": "approved"}, "cancel": {}}
        for verb, body in acts.items():
            answer = await gateway.call("POST", f"{base}/{task['id']}/{verb}", body, headers)
            assert (answer.status, answer.body) == (404, missing.body)
        body = {"type": "review", "title": "Look", "sessionId": session_id}
        answer = await gateway.call("POST", base, body, headers)
        assert (answer.status, answer.json()["error"]["message"]) == (404, "Session not found")
    assert (await tasks(gateway, path=f"/{task['id']}")).json()["task"] == task


async def test_reading_and_acting_take_their_permissions(gateway: LiveGateway) -> None:
    task = await made(gateway)
    _, viewer = await a_user(gateway, "viewer", **{gateway.project_id: "viewer"})
    reading = await a_key(gateway, "human_task:read")
    for headers in (viewer, reading):
        assert (await tasks(gateway, path=f"/{task['id']}", headers=headers)).status == 200
        assert (await act(gateway, task, "claim", {}, headers)).status == 403
    writing = await a_key(gateway, "human_task:write")
    assert (await tasks(gateway, headers=writing)).status == 403
    assert (await act(gateway, task, "claim", {}, writing)).status == 200


async def test_assigning_resolving_and_cancelling_are_audited(gateway: LiveGateway) -> None:
    for verb, body in (("assign", {"assignedToTeam": "t"}), ("resolve", {"decision": "approved", "notes": "private"})):
        task = await made(gateway)
        await act(gateway, task, verb, body)
    await act(gateway, await made(gateway), "cancel", {"reason": "private"})
    rows = await gateway.running.database.rows(AUDITED, tenant_id=TENANT_ID, project_id=gateway.project_id)
    assert [row["action"] for row in rows[-3:]] == [f"human_task.{verb}" for verb in ("assign", "resolve", "cancel")]
    assert "private" not in str([row["entry"] for row in rows])


async def test_a_key_makes_one_task_of_one_request(gateway: LiveGateway) -> None:
    body = {"type": "review", "title": "Once"}
    answers = [await tasks(gateway, "POST", body=body, headers={"idempotency-key": "one task"}) for _ in range(3)]
    assert len({one.json()["task"]["id"] for one in answers}) == 1
    assert await listed(gateway) == ["Once"]
