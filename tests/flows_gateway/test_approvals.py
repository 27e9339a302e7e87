"""Steps that wait for a yes: whose task it is. Spec: platform-api 3.4; decision 0029."""

from __future__ import annotations

from typing import Any

import pytest

from actors.projects import TENANT_ID
from tests.flows_gateway.test_human_tasks import CLEAR, act, listed, tasks
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_user

pytestmark = pytest.mark.anyio


def approver(assignee: str, name: str = "Approver") -> str:
    """Return an agent that asks somebody for a yes."""
    return (
        f'AGENT: {name}\nGOAL: "Ask"\n\nFLOW:\n  entry_point: ask\n  ask:\n    REASONING: false\n'
        f'    HUMAN_APPROVAL:\n      PROMPT: "Pay?"\n      ASSIGNEE: "{assignee}"\n      ON_APPROVE: ask\n'
    )


async def approval(gateway: LiveGateway, agent: str) -> dict[str, Any]:
    """Return the task of a session in which an agent waits for a yes."""
    body = {"projectId": gateway.project_id, "message": "hello", "agentId": agent}
    session_id = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()["sessionId"]
    (task,) = (await tasks(gateway, path=f"?sessionId={session_id}")).json()["tasks"]
    return dict(task)


async def test_an_approval_is_for_the_team_or_the_user_that_the_agent_names(servers: Servers) -> None:
    approvers = {"d.abl": approver("loan_officers"), "e.abl": approver("Ann@Example.org", "Other")}
    async with a_live_gateway(servers, "approvals", approvers) as gateway:
        await gateway.running.database.execute(CLEAR, tenant_id=TENANT_ID)
        user_id, officer = await a_user(gateway, "member", **{gateway.project_id: "developer"})
        _, stranger = await a_user(gateway, "member", **{gateway.project_id: "developer"})
        assert (await gateway.call("PATCH", f"/api/users/{user_id}", {"teams": ["loan_officers"]})).status == 200
        task = await approval(gateway, "Approver")
        assert (task["status"], task["assignedTo"], task["assignedToTeam"]) == ("assigned", None, "loan_officers")
        assert await listed(gateway, "?team=loan_officers", officer) == ["Pay?"]
        assert (await act(gateway, task, "claim", headers=stranger)).status == 403
        claimed = (await act(gateway, task, "claim", headers=officer)).json()["task"]
        assert (claimed["status"], claimed["claimedBy"]) == ("in_progress", user_id)
        changed = await gateway.call("PATCH", f"/api/users/{user_id}", {"email": "ann@example.org"})
        assert changed.status == 200
        task = await approval(gateway, "Other")
        assert (task["assignedTo"], task["assignedToTeam"]) == ("ann@example.org", None)
        assert (await act(gateway, task, "claim", headers=stranger)).status == 403
        assert (await act(gateway, task, "claim", headers=officer)).status == 200
