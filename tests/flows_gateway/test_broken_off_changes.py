"""Changes whose gateway dies before them, or before their reply is kept: the key says in the end what stands.

Spec: platform-api 2.7, 3.2, 3.4, 6.4, 7.4, 10. Decision: 0049.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from cli.serving import StoredReplies
from gateway.bounds import REPLY_CLAIM_LIFE_S
from gateway.idempotency import REPLAYED, Replies, ReplyName
from storage.errors import ConnectionLost
from storage.statements import Statement
from tests.flows_gateway.test_contract import CLERK
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
AGE = Statement("UPDATE replies SET at = at - interval '1 second' * :age_s::integer WHERE idempotency_key = :key")
NOTED = Statement("SELECT count(*) FROM audit_log WHERE project_id = :project_id AND action = :action")
Cut = Callable[[str], None]


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"c.abl": CLERK}) as gateway:
        yield gateway


@pytest.fixture(params=["before the change", "after the change"])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Cut:
    """Return what lets the gateway die in the next request under a key, for all that anybody can see."""
    keys: list[str] = []
    keep, first = StoredReplies.keep, Replies._first

    async def kept(self: StoredReplies, name: ReplyName, status: int, body: bytes) -> None:
        if name.key in keys:
            keys.remove(name.key)
            raise ConnectionLost("The gateway is gone.")
        await keep(self, name, status, body)

    async def begun(self: Replies, name: ReplyName, *given: Any, **named: Any) -> Any:
        if name.key in keys:
            keys.remove(name.key)
            raise ConnectionLost("The gateway is gone.")
        return await first(self, name, *given, **named)

    if request.param == "after the change":
        monkeypatch.setattr(StoredReplies, "keep", kept)
    else:
        monkeypatch.setattr(Replies, "_first", begun)
    monkeypatch.setattr("gateway.bounds.REPLY_WAIT_S", 0.0)
    return keys.append


async def ask(gateway: LiveGateway, path: str, body: Any, key: str = "") -> Answer:
    headers = {"idempotency-key": key} if key else {}
    return await gateway.call("POST", f"/api/projects/{gateway.project_id}{path}", body, headers)


async def made(gateway: LiveGateway, path: str, body: Any, what: str) -> dict[str, Any]:
    answer = await ask(gateway, path, body)
    assert answer.status == 201, answer.body
    return dict(answer.json()[what])


async def a_task(gateway: LiveGateway) -> str:
    task = await made(gateway, "/human-tasks", {"type": "approval", "title": "May she?"}, "task")
    return f"/human-tasks/{task['id']}"


async def a_deployment(gateway: LiveGateway) -> str:
    version = await ask(gateway, "/agents/Clerk/versions", {})
    number = version.json()["version"]["version"] if version.status == 201 else "1.0.0"
    body = {"environment": "dev", "agentVersionManifest": {"Clerk": number}, "entryAgentName": "Clerk"}
    deployment = await made(gateway, "/deployments", body, "deployment")
    return f"/deployments/{deployment['id']}"


async def two_deployments(gateway: LiveGateway) -> str:
    await a_deployment(gateway)
    return await a_deployment(gateway)


TASKS = {
    "claim": {},
    "assign": {"assignedToTeam": "desk"},
    "resolve": {"decision": "approved", "notes": "yes"},
    "cancel": {"reason": "not needed"},
}
DEPLOYMENTS: dict[str, Any] = {"retire": {}, "rollback": {}, "promote": {"targetEnvironment": "staging"}}


async def changed(gateway: LiveGateway, cut: Cut, path: str, body: Any, action: str) -> dict[str, Any]:
    """Return what a change answers whose gateway died; see that it was made once."""
    database, named = gateway.running.database, {"project_id": gateway.project_id, "action": action}
    before = await database.value(NOTED, **named)
    cut(path)
    assert (await ask(gateway, path, body, path)).status == 503
    await database.execute(AGE, key=path, age_s=REPLY_CLAIM_LIFE_S)
    told, again = [await ask(gateway, path, body, path) for _ in range(2)]
    assert told.status in (200, 201), told.body
    assert (again.body, REPLAYED.lower() in again.headers) == (told.body, True)
    assert await database.value(NOTED, **named) == before + (action != "human_task.claim")
    return dict(told.json())


async def test_a_change_of_a_task_that_broke_off_is_made_once_and_told(gateway: LiveGateway, cut: Cut) -> None:
    for verb, body in TASKS.items():
        task = await a_task(gateway)
        told = await changed(gateway, cut, f"{task}/{verb}", body, f"human_task.{verb}")
        seen = await gateway.call("GET", f"/api/projects/{gateway.project_id}{task}")
        assert seen.json() == told


async def test_a_change_of_a_deployment_that_broke_off_is_made_once_and_told(gateway: LiveGateway, cut: Cut) -> None:
    for verb, body in DEPLOYMENTS.items():
        path = await two_deployments(gateway)
        told = await changed(gateway, cut, f"{path}/{verb}", body, f"deployment.{verb}")
        seen = (await gateway.call("GET", f"/api/projects/{gateway.project_id}{path}")).json()["deployment"]
        assert seen["status"] == ("active" if verb == "promote" else "retired")
        if verb == "rollback":
            assert (told["deployment"]["status"], told["previousDeployment"]["id"]) == ("active", seen["id"])
    listed = (await gateway.call("GET", f"/api/projects/{gateway.project_id}/deployments?environment=staging")).json()
    assert len(listed["deployments"]) == 1


async def test_what_was_made_before_its_gateway_died_is_not_made_again(
    gateway: LiveGateway, cut: Cut, request: pytest.FixtureRequest
) -> None:
    key, body = request.node.name, {"type": "approval", "title": f"Only one {request.node.name}"}
    cut(key)
    assert (await ask(gateway, "/human-tasks", body, key)).status == 503
    await gateway.running.database.execute(AGE, key=key, age_s=REPLY_CLAIM_LIFE_S)
    told = await ask(gateway, "/human-tasks", body, key)
    assert told.status == 201
    tasks = (await gateway.call("GET", f"/api/projects/{gateway.project_id}/human-tasks")).json()["tasks"]
    assert [one["id"] for one in tasks if one["title"] == body["title"]] == [told.json()["task"]["id"]]


async def test_what_is_the_same_twice_is_done_again_when_it_broke_off(
    gateway: LiveGateway, cut: Cut, request: pytest.FixtureRequest
) -> None:
    """Feedback, a preview, a check, a deployment and a session: each has an answer in the end, and the same one after."""
    chat = {"projectId": gateway.project_id, "message": "hello"}
    spoken = (await gateway.call("POST", "/api/v1/chat/agent", chat)).json()
    rated = {"sessionId": spoken["sessionId"], "messageId": spoken["messageId"], "rating": "positive"}
    project = f"/api/projects/{gateway.project_id}"
    version = await ask(gateway, "/agents/Clerk/versions", {})
    deployed = {"environment": "dev", "entryAgentName": "Clerk"}
    deployed["agentVersionManifest"] = {"Clerk": version.json()["version"]["version"]}  # type: ignore[assignment]
    for path, body in (
        ("/api/v1/feedback", {**rated, "projectId": gateway.project_id}),
        (f"{project}/project-io/import/preview", {"files": {"agents/Clerk.abl": CLERK}}),
        (f"{project}/agents/Clerk/validate", {}),
        (f"{project}/deployments", deployed),
        (f"{project}/sessions", {"agentId": "Clerk"}),
    ):
        key = f"{request.node.name} {path}"
        cut(key)
        assert (await gateway.call("POST", path, body, {"idempotency-key": key})).status == 503, path
        await gateway.running.database.execute(AGE, key=key, age_s=REPLY_CLAIM_LIFE_S)
        told, again = [await gateway.call("POST", path, body, {"idempotency-key": key}) for _ in range(2)]
        assert told.status in (200, 201), (path, told.body)
        assert (again.body, REPLAYED.lower() in again.headers) == (told.body, True), path
    for path, many in (("deployments", 1), ("sessions", 2)):
        assert len((await gateway.call("GET", f"{project}/{path}")).json()[path]) == many


async def test_whoever_missed_the_answer_may_say_the_same_again_without_a_key(gateway: LiveGateway) -> None:
    task = await a_task(gateway)
    said = {"decision": "approved", "notes": "yes", "fields": {"n": 1}}
    first, again = [await ask(gateway, task + "/resolve", said) for _ in range(2)]
    assert (first.status, again.body) == (200, first.body)
    for other in ({**said, "decision": "rejected"}, {**said, "notes": "no"}, {**said, "fields": {}}):
        assert (await ask(gateway, task + "/resolve", other)).status == 409
    other_task = await a_task(gateway)
    for verb, body in (("/assign", {"assignedToTeam": "desk"}), ("/claim", {})):
        first, again = [await ask(gateway, other_task + verb, body) for _ in range(2)]
        assert (first.status, again.body) == (200, first.body)
