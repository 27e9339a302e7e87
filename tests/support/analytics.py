"""A project whose agents hand over, call tools and ask for fields, and how its analytics are asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from domain.clock import iso_ms
from storage.repositories.analytics_counting import Counting
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

DESK = """\
SUPERVISOR: Desk
GOAL: "Send people where they belong"
PERSONA: "Brief"

HANDOFF:
  - TO: Clerk
    WHEN: input contains "clerk"
    RETURN: true

FLOW:
  entry_point: ask

  ask:
    REASONING: false
    GATHER:
      - amount:
          type: number
          required: true
          prompt: "How much?"
    RESPOND: "Noted"
    THEN: COMPLETE
"""
CLERK = """\
AGENT: Clerk
GOAL: "Look orders up"
PERSONA: "Exact"

TOOLS:
  look_up(order: string) -> object
    description: "Looks an order up"
    type: http
    endpoint: "http://127.0.0.1:9/orders/{{order}}"
    method: GET
"""


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, *behaviours: StubBehaviour) -> AsyncIterator[LiveGateway]:
    texts = {"desk.abl": DESK, "clerk.abl": CLERK}
    async with (
        StubModel(*behaviours) as model,
        a_live_gateway(servers, name, texts, model_url=model.base_url) as gateway,
    ):
        yield gateway


async def say(gateway: LiveGateway, message: str, session_id: str = "") -> dict[str, Any]:
    body = {"projectId": gateway.project_id, "message": message, **({"sessionId": session_id} if session_id else {})}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body)
    assert answer.status == 200, answer.body
    return dict(answer.json())


async def counted(gateway: LiveGateway) -> None:
    """Count what has happened, beside the job that does."""
    counting = Counting(gateway.running.database)
    while await counting.go_on(datetime.now(UTC)):
        pass


async def ask(gateway: LiveGateway, path: str, body: Any = None, base: str = "analytics", **more: Any) -> Answer:
    method = "GET" if body is None else "POST"
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/{base}/{path}", body, **more)


async def data(gateway: LiveGateway, path: str, body: Any = None, base: str = "analytics") -> Any:
    answer = await ask(gateway, path, body, base)
    assert answer.status == 200, answer.body
    assert answer.json()["success"] is True
    return answer.json()["data"]


def a_range() -> dict[str, str]:
    now = datetime.now(UTC)
    return {"from": iso_ms(now - timedelta(hours=2)), "to": iso_ms(now + timedelta(hours=2))}


async def types(gateway: LiveGateway, **filters: Any) -> dict[str, int]:
    """Return type of event -> how many there are."""
    wanted = {"timeRange": a_range(), "groupBy": ["event_type"], "metrics": ["count"], "filters": filters}
    buckets = (await data(gateway, "aggregate", wanted))["buckets"]
    return {one["event_type"]: one["count"] for one in buckets}


async def polled(gateway: LiveGateway, path: str) -> AsyncIterator[Any]:
    """Yield what a route says, again and again until a deadline."""
    deadline = datetime.now(UTC) + timedelta(seconds=15)
    while datetime.now(UTC) < deadline:
        yield await data(gateway, path)
    raise AssertionError(f"{path} has not changed")
