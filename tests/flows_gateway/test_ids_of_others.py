"""Every id that a body or query names, of another tenant: byte for byte one that is not there, and nothing is touched.

Which ids there are is read from the OpenAPI document. Each request is sent three times: with an id of the caller's own,
which shows that nothing else is wrong with it; with that of another tenant; and with one that nobody has.
Spec: platform-api 2.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any
from urllib.parse import urlencode

import pytest

from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.flows_gateway.test_attachments import upload
from tests.spec.test_seed_tables import described, kinds
from tests.support.analytics import counted
from tests.support.hostile_store import TABLES
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_stranger
from tests.support.stub_model import StubModel

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Talk"\nPERSONA: "Calm"\n'
Body = dict[str, Any]
Own = dict[str, str]
AN_ID = re.compile(r"(?:^|[a-z])(?:Id|Ids|_id)$|^(?:assignedTo|respondedBy|subject)$")
NO_REFERENCES = {
    "agentId": "an agent of the project that is asked for, by its name or path too; see AGENTS",
    "employeeId": "a text of the caller's about a contact",
    "modelId": "the name of a model",
    "defaultModelId": "the name of a model",
    "tool_call_id": "what a model made up",
    "spanId": "a place in the traces of the session of the path",
    "testContext.callerContext.userId": "a text of the caller's about who speaks",
    "threadId": "what a client of AG-UI made up for a conversation of its own: test_agui",
    "runId": "what a client of AG-UI made up for a turn",
    "parentRunId": "the same, given back as it came",
}
"""Fields, or whole places, that look like ids of things that are kept, and why they are none."""
BODY, QUERY = "body", "query"
TEXT = 0
PROJECT_OF = "projectId"
SAID = [{"role": "user", "content": "hello"}]
TENANT_OF = Statement("SELECT tenant_id FROM projects WHERE project_id = :project_id")
_numbers = count()


def name() -> str:
    return f"n{next(_numbers)}"


@dataclass(frozen=True)
class Case:
    """One request with one id.

    Attributes:
        kind: Of what the id is: a name of what `prepared` returns.
        made: Return the rest of the request: a body, or a query.
        answer: What comes of an id of nobody: 404, or 200 with nothing where it narrows a list down, 409
            where another was faster, or TEXT where it is a name that is only compared, with what is the tenant's own.
    """

    operation: str
    where: str
    field: str
    kind: str
    made: Callable[[Own, str], Body]
    answer: int = 404

    @property
    def id(self) -> str:
        return f"{self.operation} {self.where} {self.field}"


def body(operation: str, field: str, kind: str, made: Callable[[Own, str], Body], answer: int = 404) -> Case:
    return Case(operation, BODY, field, kind, made, answer)


def query(operation: str, field: str, kind: str, answer: int = 404, **more: str) -> Case:
    return Case(operation, QUERY, field, kind, lambda _own, one: {field: one, **more}, answer)


def chat(own: Own, **more: Any) -> Body:
    return {"projectId": own["project"], "message": "hello", **more}


def completion(own: Own, **more: Any) -> Body:
    return {"projectId": own["project"], "messages": SAID, **more}


def with_file(own: Own, one: str) -> Body:
    return {
        "projectId": own["project"],
        "messages": [{"role": "user", "content": [{"type": "file", "attachmentId": one}]}],
    }


def an_answer(_own: Own, one: str) -> Body:
    resumed = [{"interruptId": one, "status": "resolved", "payload": "hello"}]
    return {"threadId": "t", "runId": name(), "messages": [], "resume": resumed}


def a_task(own: Own, **more: Any) -> Body:
    return {"type": "review", "title": "Look", **more}


def a_budget(own: Own, scope: str, one: str) -> Body:
    return {"scope": scope, "subject": one, "maxTokens": 100_000_000}


def a_deployment(own: Own, **more: Any) -> Body:
    return {"environment": "dev", "agentVersionManifest": {"Talker": "auto"}, "entryAgentName": "Talker", **more}


def a_channel(own: Own, **more: Any) -> Body:
    return {"name": name(), "channelType": "web", "publicApiKeyId": own["page"], **more}


A_PAGE = {"name": "page", "allowedOrigins": ["*"], "requireOrigin": False}
WINDOW = {"timeRange": {"from": "2020-01-01T00:00:00Z", "to": "2035-01-01T00:00:00Z"}}
PP = "/api/projects/{project_id}"
CASES = [
    body("POST /api/v1/chat/agent", "projectId", "project", lambda own, one: chat(own, projectId=one)),
    body("POST /api/v1/chat/agent", "sessionId", "session", lambda own, one: chat(own, sessionId=one)),
    body("POST /api/v1/chat/agent", "deploymentId", "deployment", lambda own, one: chat(own, deploymentId=one)),
    body(
        "POST /api/v1/chat/agent", "attachmentIds", "attachment",
        lambda own, one: chat(own, sessionId=own["session"], attachmentIds=[one]),
    ),
    body("POST /api/v1/chat/send", "projectId", "project", lambda own, one: chat(own, projectId=one)),
    body("POST /api/v1/chat/send", "sessionId", "session", lambda own, one: {"sessionId": one, "message": "a"}),
    body(
        "POST /api/v1/chat/send", "attachmentIds", "attachment",
        lambda own, one: {"sessionId": own["session"], "message": "a", "attachmentIds": [one]},
    ),
    *(
        one
        for path in ("POST /api/v1/chat/stream", "POST /api/v1/chat/complete")
        for one in (
            body(path, "projectId", "project", lambda own, one: completion(own, projectId=one)),
            body(path, "messages.*.content.*.attachmentId", "attachment", with_file),
            body(path, "sessionId", "session", lambda own, one: completion(own, sessionId=one), TEXT),
        )
    ),
    body(
        "POST /v1/responses", "previous_response_id", "response",
        lambda own, one: {"model": "Talker", "input": "hello", "previous_response_id": one},
    ),
    *(
        body(path, "resume.*.interruptId", "interrupt", an_answer, 409)
        for path in ("POST /ag-ui/{project_id}", "POST /ag-ui/{project_id}/agents/{agent}")
    ),
    query("GET /api/v1/chat/usage", "projectId", "project"),
    query(f"GET {PP}/sessions/generations", "sessionId", "session", 200),
    query(f"GET {PP}/sessions/export", "sessionId", "session", 200, format="csv"),
    body(
        f"POST {PP}/sessions", "deploymentId", "deployment",
        lambda own, one: {"agentId": "Talker", "deploymentId": one},
    ),
    body(f"POST {PP}/sessions", "contactId", "contact", lambda own, one: {"agentId": "Talker", "contactId": one}),
    body(
        "POST /api/v1/feedback", "sessionId", "session",
        lambda own, one: {"sessionId": one, "messageId": own["message"], "rating": "positive"},
    ),
    body(
        "POST /api/v1/feedback", "messageId", "message",
        lambda own, one: {"sessionId": own["session"], "messageId": one, "rating": "positive"},
    ),
    query("GET /api/api-keys", "projectId", "project"),
    body("POST /api/api-keys", "projectId", "project", lambda own, one: {"name": name(), "projectId": one}),
    body(
        f"POST {PP}/public-keys", "deploymentId", "deployment",
        lambda own, one: {"name": name(), "allowedOrigins": [], "deploymentId": one},
    ),
    body(f"PATCH {PP}/public-keys/{{key_id}}", "deploymentId", "deployment", lambda own, one: {"deploymentId": one}),
    body(f"POST {PP}/members", "userId", "user", lambda own, one: {"userId": one, "role": "viewer"}),
    query("GET /api/audit-logs", "actorId", "actor", 200),
    query("GET /api/audit-logs", "projectId", "project"),
    query("GET /api/agents/{agent_name}", "projectId", "project"),
    body(
        f"POST {PP}/deployments", "settingsVersionId", "settings",
        lambda own, one: a_deployment(own, settingsVersionId=one),
    ),
    body(f"POST {PP}/sdk-channels", "publicApiKeyId", "page", lambda own, one: a_channel(own, publicApiKeyId=one)),
    body(f"POST {PP}/sdk-channels", "deploymentId", "deployment", lambda own, one: a_channel(own, deploymentId=one)),
    body(f"PATCH {PP}/sdk-channels/{{channel_id}}", "publicApiKeyId", "page", lambda own, one: {"publicApiKeyId": one}),
    body(
        f"PATCH {PP}/sdk-channels/{{channel_id}}", "deploymentId", "deployment",
        lambda own, one: {"deploymentId": one},
    ),
    query(f"GET {PP}/analytics/events", "sessionId", "session", 200),
    body(f"POST {PP}/analytics/query", "sessionId", "session", lambda own, one: {**WINDOW, "sessionId": one}, 200),
    body(
        f"POST {PP}/analytics/aggregate", "filters.sessionId", "session",
        lambda own, one: {**WINDOW, "groupBy": [], "metrics": ["count"], "filters": {"sessionId": one}}, 200,
    ),
    body(
        "POST /api/tool-secrets", "projectId", "project",
        lambda own, one: {"projectId": one, "toolName": name(), "secretKey": "K", "value": "v"},
    ),
    query("GET /api/tool-secrets", "projectId", "project"),
    body("POST /api/contacts/{contact_id}/link-session", "sessionId", "session", lambda own, one: {"sessionId": one}),
    query(f"GET {PP}/human-tasks", "assignedTo", "user", 200),
    body(f"POST {PP}/human-tasks", "assignedTo", "user", lambda own, one: a_task(own, assignedTo=one)),
    body(
        f"POST {PP}/human-tasks", "escalationChain.*.userId", "user",
        lambda own, one: a_task(own, escalationChain=[{"userId": one, "afterMinutes": 5}]),
    ),
    body(f"POST {PP}/human-tasks", "sessionId", "session", lambda own, one: a_task(own, sessionId=one)),
    body(f"POST {PP}/human-tasks/{{task_id}}/assign", "assignedTo", "user", lambda own, one: {"assignedTo": one}),
    body(f"POST {PP}/human-tasks/{{task_id}}/claim", "userId", "user", lambda own, one: {"userId": one}),
    body(
        f"POST {PP}/human-tasks/{{task_id}}/resolve", "respondedBy", "user",
        lambda own, one: {"decision": "approved", "respondedBy": one},
    ),
    query(f"GET {PP}/human-tasks", "sessionId", "session", 200),
    body(f"POST {PP}/budgets", "subject", "contact", lambda own, one: a_budget(own, "contact", one), TEXT),
]  # fmt: skip


def described_ids() -> Iterator[tuple[str, str, str]]:
    """Yield every id in a body or query of the OpenAPI document: operation, where, place."""
    for path, methods in described()["paths"].items():
        for method, operation in methods.items():
            label = f"{method.upper()} {path}"
            for one in operation.get("parameters", []):
                if one["in"] == QUERY and AN_ID.search(one["name"]):
                    yield label, QUERY, one["name"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                yield from ((label, BODY, place) for place in ids_in(content["schema"]))


def ids_in(schema: Body, before: str = "", depth: int = 6) -> Iterator[str]:
    found = set()
    for kind in kinds(schema) if depth else ():
        for field, inner in kind.get("properties", {}).items():
            found |= {before + field} if AN_ID.search(field) else set(ids_in(inner, f"{before}{field}.", depth - 1))
        if isinstance(kind.get("items"), dict):
            found |= set(ids_in(kind["items"], f"{before}*.", depth - 1))
    yield from sorted(found)


def test_each_id_of_the_openapi_document_has_its_case() -> None:
    wanted = {
        found
        for found in described_ids()
        if not {found[2], found[2].rpartition(".")[2]} & set(NO_REFERENCES) and found not in OF_NOBODY
    }
    assert wanted == {(case.operation, case.where, case.field) for case in CASES}


OF_NOBODY = {
    ("POST /api/v1/sdk/init", BODY, "projectId"),
    ("POST /api/v1/sdk/init", BODY, "channelId"),
    ("POST /api/budgets", BODY, "subject"),
    ("POST /api/v1/chat/agent", BODY, "action.actionId"),
    ("POST /api/v1/chat/agent", BODY, "action.renderId"),
}
"""Ids that come with a public key, one that has to be null, and words of an agent's text, looked for in its session."""


class Tenant:
    """A tenant with one of everything that can be named."""

    def __init__(self, gateway: LiveGateway, tenant_id: str, project_id: str, headers: dict[str, str]) -> None:
        self.gateway = gateway
        self.tenant_id = tenant_id
        self.headers = headers
        self.own: Own = {"project": project_id}

    async def ask(self, method: str, path: str, given: Body | None = None) -> Answer:
        return await self.gateway.call(method, path, given, {**self.headers, "openai-project": self.own["project"]})

    async def prepare(self) -> None:
        """Make one of each."""
        project = f"/api/projects/{self.own['project']}"
        said = (await self.ask("POST", "/api/v1/chat/agent", chat(self.own))).json()
        self.own |= {"session": said["sessionId"], "message": said["messageId"]}
        spoken = await self.ask("POST", "/v1/responses", {"model": "Talker", "input": "hello"})
        self.own["response"] = spoken.json()["id"]
        run = {"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": "hello"}]}
        told = await self.ask("POST", f"/ag-ui/{self.own['project']}", run)
        self.own["interrupt"] = json.loads(told.body.rpartition(b"data: ")[2])["result"]["messageId"]
        email = f"{RandomIds().new('')}@example.com"
        for kind, path, given, word in (
            ("page", f"{project}/public-keys", {"name": "p", "allowedOrigins": [], "requireOrigin": False}, "key"),
            ("user", "/api/users", {"email": email, "role": "admin"}, "user"),
            ("contact", "/api/contacts", {"displayName": "Ada"}, "data"),
            ("deployment", f"{project}/deployments", a_deployment(self.own), "deployment"),
            ("task", f"{project}/human-tasks", None, "task"),
        ):
            answer = await self.ask("POST", path, given or a_task(self.own, assignedTo=self.own["user"]))
            assert answer.status == 201, answer.body
            self.own[kind] = answer.json()[word]["id"]
            if kind == "deployment":
                self.own["settings"] = answer.json()[word]["settingsVersionId"]
        channel = await self.ask("POST", f"{project}/sdk-channels", a_channel(self.own))
        self.own["channel"] = channel.json()["channel"]["id"]
        here = replace(self.gateway, project_id=self.own["project"])
        kept = await upload(here, self.own["session"], "a.txt", b"a text", headers=self.headers)
        self.own["attachment"] = kept.json()["attachmentId"]
        entries = (await self.ask("GET", "/api/audit-logs?limit=1")).json()["entries"]
        self.own["actor"] = entries[0]["actor"]["id"]

    async def rows(self) -> dict[str, str]:
        """Return of each table what its rows of this tenant are, in short; those of analytics a job writes meanwhile."""
        database = self.gateway.running.database
        tables = [
            row["name"]
            for row in await database.rows(TABLES)
            if row["of_tenant"] and not row["name"].startswith("analytics_")
        ]
        summed = " UNION ALL ".join(
            f"SELECT '{table}' AS name, md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) AS sum "
            f"FROM {table} t WHERE tenant_id = :tenant_id"
            for table in tables
        )
        return {row["name"]: row["sum"] for row in await database.rows(Statement(summed), tenant_id=self.tenant_id)}


@pytest.fixture
async def tenants(servers: Servers) -> AsyncIterator[tuple[Tenant, Tenant]]:
    """Yield a tenant, and another one that wants what is the first one's."""
    async with (
        StubModel() as model,
        a_live_gateway(servers, "ids-of-others", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
    ):
        project_id, headers = await a_stranger(gateway, {"t.abl": TALKER})
        tenant_id = await gateway.running.database.value(TENANT_OF, project_id=project_id)
        ours = Tenant(gateway, TENANT_ID, gateway.project_id, {})
        theirs = Tenant(gateway, tenant_id, project_id, headers)
        for one in (ours, theirs):
            await one.prepare()
        await counted(gateway)
        yield ours, theirs


def nobodys(one: str) -> str:
    """Return an id like this one that nobody has."""
    return one[:-12] + "0" * 12


async def send(tenant: Tenant, case: Case, one: str) -> Answer:
    method, _, path = case.operation.partition(" ")
    words = {
        "project_id": "project", "key_id": "page", "channel_id": "channel", "contact_id": "contact", "task_id": "task"
    }  # fmt: skip
    path = re.sub(
        r"{(\w+)}",
        lambda found: {"agent_name": "Talker", "agent": "Talker"}.get(found[1]) or tenant.own[words[found[1]]],
        path,
    )
    made = case.made(tenant.own, one)
    return (
        await tenant.ask(method, path, made)
        if case.where == BODY
        else await tenant.ask(method, f"{path}?{urlencode(made)}")
    )


async def test_an_id_of_another_tenant_is_one_that_is_not_there(tenants: tuple[Tenant, Tenant]) -> None:
    ours, stranger = tenants
    before, wrong = await ours.rows(), []
    for case in CASES:
        own = stranger.own[case.kind]
        good, foreign, none = [await send(stranger, case, one) for one in (own, ours.own[case.kind], nobodys(own))]
        told = [(one.status, one.body[:160]) for one in (good, foreign, none)]
        unnamed = foreign.body.replace(ours.own[case.kind].encode(), b"") == none.body.replace(
            nobodys(own).encode(), b""
        )
        is_alike = foreign.status == none.status and (case.answer == TEXT or unnamed)
        is_answered = good.status < 300 and (case.answer == TEXT or none.status == case.answer)
        makes_a_difference = case.answer == TEXT or good.body != none.body
        if not (is_alike and is_answered and makes_a_difference):
            wrong.append((case.id, *told))
    assert not wrong, "\n".join(map(str, wrong))
    assert await ours.rows() == before


async def test_a_page_names_projects_and_channels_of_its_key_only(tenants: tuple[Tenant, Tenant]) -> None:
    ours, stranger = tenants
    before = await ours.rows()
    made = await stranger.ask("POST", f"/api/projects/{stranger.own['project']}/public-keys", A_PAGE)
    page = {"x-api-key": "", "x-public-key": made.json()["secret"]}
    for field, kind in (("projectId", "project"), ("channelId", "channel")):
        theirs, missing = ours.own[kind], nobodys(ours.own[kind])
        answers = [await ours.gateway.call("POST", "/api/v1/sdk/init", {field: one}, page) for one in (theirs, missing)]
        assert (answers[0].status, answers[0].body) == (404, answers[1].body)
    assert (await ours.gateway.call("POST", "/api/v1/sdk/init", {}, page)).status == 200
    assert await ours.rows() == before
