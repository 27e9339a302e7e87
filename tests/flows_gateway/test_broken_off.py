"""A request whose gateway is lost between the change and the keeping of its reply: a retry changes nothing again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from cli.serving import StoredReplies
from gateway.bounds import REPLY_CLAIM_LIFE_S
from gateway.idempotency import IN_USE, REPLAYED, REUSED, UNKNOWN, ReplyName
from storage.errors import ConnectionLost
from storage.statements import Statement
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
CLERK = 'AGENT: Clerk\nGOAL: "Help"\n'
AGE = Statement("UPDATE replies SET at = at - interval '1 second' * :age_s::integer WHERE idempotency_key = :key")


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, request.node.name, {"c.abl": CLERK}) as gateway:
        yield gateway


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys whose replies are not kept: their gateway is gone after the change, for all that anybody can see."""
    keys: list[str] = []
    keep = StoredReplies.keep

    async def kept(self: StoredReplies, name: ReplyName, status: int, body: bytes) -> None:
        if name.key in keys:
            raise ConnectionLost("The gateway is gone.")
        await keep(self, name, status, body)

    monkeypatch.setattr(StoredReplies, "keep", kept)
    monkeypatch.setattr("gateway.bounds.REPLY_WAIT_S", 0.0)
    return keys


async def post(gateway: LiveGateway, path: str, body: Any, key: str) -> Answer:
    return await gateway.call("POST", path, body, {"idempotency-key": key})


def reason(answer: Answer) -> str:
    assert answer.status == 409, answer.body
    return str(answer.json()["error"]["details"]["reason"])


async def test_a_change_whose_reply_was_lost_is_not_made_again(gateway: LiveGateway, lost: list[str]) -> None:
    key, body = f"webhook {gateway.project_id}", {"url": "https://example.com/hook", "events": ["session.ended"]}
    path = f"/api/projects/{gateway.project_id}/webhooks"
    lost.append(key)
    assert (await post(gateway, path, body, key)).status == 503
    assert reason(await post(gateway, path, body, key)) == IN_USE
    lost.clear()
    await gateway.running.database.execute(AGE, key=key, age_s=REPLY_CLAIM_LIFE_S)
    for _ in range(2):
        assert reason(await post(gateway, path, body, key)) == UNKNOWN
    assert reason(await post(gateway, path, {**body, "url": "https://example.com/other"}, key)) == REUSED
    listed = await gateway.call("GET", path)
    assert len(listed.json()["webhooks"]) == 1, "the client looks, finds it, and need not ask again"


async def test_what_may_be_repeated_is_answered_as_if_nothing_had_been_lost(
    gateway: LiveGateway, lost: list[str]
) -> None:
    key, path = f"session {gateway.project_id}", f"/api/projects/{gateway.project_id}/sessions"
    lost.append(key)
    assert (await post(gateway, path, {"agentId": "Clerk"}, key)).status == 503
    lost.clear()
    await gateway.running.database.execute(AGE, key=key, age_s=REPLY_CLAIM_LIFE_S)
    opened, again = [await post(gateway, path, {"agentId": "Clerk"}, key) for _ in range(2)]
    assert (opened.status, REPLAYED.lower() in opened.headers) == (201, False)
    assert (again.body, REPLAYED.lower() in again.headers) == (opened.body, True)
    assert (await gateway.call("GET", path)).json()["total"] == 1
