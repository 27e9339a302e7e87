"""Who may be named in a task. Spec: platform-api 10; decision 0029."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from actors.projects import TENANT_ID
from tests.flows_gateway.test_human_tasks import CLEAR, DESK, act, made, tasks
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_user

pytestmark = pytest.mark.anyio


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "task-answers", {"d.abl": DESK}) as found:
        await found.running.database.execute(CLEAR, tenant_id=TENANT_ID)
        yield found


async def test_a_task_is_of_users_who_see_its_project(gateway: LiveGateway) -> None:
    outsider, _ = await a_user(gateway, "operator")
    member, _ = await a_user(gateway, "viewer", **{gateway.project_id: "viewer"})
    task = await made(gateway)
    for nobody in ("usr_nobody", "nobody@example.com", outsider):
        chain = [{"team": "t", "afterMinutes": 5}, {"userId": nobody, "afterMinutes": 5}]
        new = {"type": "review", "title": "Look"}
        refused = [
            await tasks(gateway, "POST", body={**new, "assignedTo": nobody}),
            await tasks(gateway, "POST", body={**new, "escalationChain": chain}),
            await act(gateway, task, "assign", {"assignedTo": nobody}),
            await act(gateway, task, "claim", {"userId": nobody}),
            await act(gateway, task, "resolve", {"decision": "approved", "respondedBy": nobody}),
        ]
        assert {one.status for one in refused} == {404}
        assert {one.json()["error"]["message"] for one in refused} == {"User not found"}
    assert (await tasks(gateway)).json()["tasks"] == [task]
    email = f"{member}@EXAMPLE.com"
    assert (await act(gateway, task, "assign", {"assignedTo": email})).json()["task"]["assignedTo"] == email.lower()
    assert (await act(gateway, task, "claim", {"userId": email})).json()["task"]["claimedBy"] == member
    done = await act(gateway, task, "resolve", {"decision": "approved", "respondedBy": email})
    assert done.json()["task"]["resolution"]["respondedBy"] == member
