"""Every route over the store: who holds exactly the permission of its row is served as the row says, all others are not.

The rows are the contract's (`tests.spec.permissions_of_the_contract`). Spec: platform-api 2.1, 2.2.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.clocks import RandomIds, SystemClock
from actors.installation import sandbox_tokens
from actors.projects import TENANT_ID
from actors.sandbox_tokens import SandboxClaims
from domain.permissions import GRANTABLE
from gateway.access import BODY_METHODS
from tests.spec.permissions_of_the_contract import PREFIX, RULES, Rule
from tests.support.gateway import PAGE, PROJECT
from tests.support.live_gateway import SECRET, LiveGateway, a_live_gateway
from tests.support.route_examples import EXAMPLES, FILE_ROUTE, QUERIES
from tests.support.servers import Servers
from tests.support.strangers import PASSWORD, a_key, a_user
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
DESK = """\
AGENT: Desk
GOAL: "Answer"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    RESPOND: "hello"
"""
FORM = {"content-type": "multipart/form-data; boundary=cut"}
OWN_BODIES: dict[str, Any] = {
    f"{PREFIX}/sessions": {"agentId": "Desk"},
    f"{PREFIX}/agents": {"name": "Clerk"},
    PREFIX: {"description": "Another one"},
    "/api/auth/password": {"currentPassword": PASSWORD, "newPassword": "another long password"},
}
"""Path -> what is sent instead of the example, because here the project is a real one."""
GIVES_A_ROLE = {
    ("POST", "/api/users"),
    ("POST", f"{PREFIX}/members"),
    ("PATCH", f"{PREFIX}/members/{{user_id}}"),
}
"""Routes whose example gives somebody a role, which only those may who hold all of it (2.3)."""
LAST = [("DELETE", PREFIX), ("POST", "/api/auth/logout")]
WALK = [one for one in RULES if one not in LAST] + LAST
ORIGINS = {"origin": PAGE}


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with (
        StubModel(StubBehaviour()) as model,
        a_live_gateway(
            servers, "admitted", {"d.abl": DESK}, model_url=model.base_url, allowed_networks=("127.0.0.0/8",),
            sandbox_secret=SECRET.decode(),
        ) as found,
    ):  # fmt: skip
        yield found


async def test_each_route_serves_who_holds_its_permission_and_refuses_who_holds_all_others(
    gateway: LiveGateway,
) -> None:
    _, owner = await a_user(gateway, "owner")
    wrong = []
    for name in WALK:
        rule = RULES[name]
        for headers in await refused(gateway, rule):
            status = await status_of(gateway, name, headers)
            if status != 403:
                wrong.append((name, "without the permission", status))
        status = await status_of(gateway, name, await admitted(gateway, name, owner))
        if status != rule.status:
            wrong.append((name, "admitted", status, rule.status))
    assert not wrong, "\n".join(map(str, wrong))


async def status_of(gateway: LiveGateway, name: tuple[str, str], headers: dict[str, str]) -> int:
    """Return how a route answers its example, where every name in its path but the project's names nothing."""
    method, path = name
    parts = [
        gateway.project_id if part == "{project_id}" else "unknown" if part.startswith("{") else part
        for part in path.split("/")
    ]
    query = QUERIES.get(path, "").replace(PROJECT, gateway.project_id)
    body = OWN_BODIES.get(path, EXAMPLES.get(path, {})) if method in BODY_METHODS else None
    sent = None if body is None else json.loads(json.dumps(body).replace(PROJECT, gateway.project_id))
    form = FORM if name == ("POST", FILE_ROUTE) else {}
    return (await gateway.call(method, "/".join(parts) + query, sent, {**headers, **form})).status


async def refused(gateway: LiveGateway, rule: Rule) -> list[dict[str, str]]:
    """Return the headers of a key that may do everything but this; none where there is nothing to withhold."""
    if "api_key" not in rule.kinds or not rule.permissions:
        return []
    return [await a_key(gateway, *sorted(GRANTABLE - rule.permissions))]


async def admitted(gateway: LiveGateway, name: tuple[str, str], owner: dict[str, str]) -> dict[str, str]:
    """Return the headers of the least of the callers whom a route has to serve."""
    rule = RULES[name]
    if "api_key" in rule.kinds:
        return await a_key(gateway, "*" if name in GIVES_A_ROLE else sorted(rule.permissions)[0])
    if "user" in rule.kinds:
        return owner
    if "sandbox" in rule.kinds:
        made = await gateway.call("POST", f"/api/projects/{gateway.project_id}/sessions", {"agentId": "Desk"})
        claims = SandboxClaims(
            tenant_id=TENANT_ID, project_id=gateway.project_id, session_id=made.json()["session"]["id"], agent="Desk"
        )
        tokens = sandbox_tokens(gateway.running.settings, SystemClock(), RandomIds())
        assert tokens is not None
        return {"x-api-key": "", "authorization": f"Bearer {tokens.make(claims)}"}
    if "public_key" in rule.kinds:
        return {"x-api-key": gateway.public_key, "x-public-key": gateway.public_key, **ORIGINS}
    if "sdk" in rule.kinds:
        return {"x-api-key": "", "x-sdk-token": await gateway.page_token(), **ORIGINS}
    return {"x-api-key": ""}
