"""What the gateway costs by itself: one chat request in this process against a bare FastAPI route.

Both are called as ASGI apps with a runtime that has its reply ready, in turns of many requests, so that nothing but
their own CPU is counted. The bare route reads its body with pydantic and answers the same JSON. `make bench-gateway`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import fields
from statistics import median
from time import process_time
from typing import Any, cast

import orjson
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from actors.clocks import SystemClock
from actors.counters import LocalCounters
from actors.desks import Desks
from actors.health import Health
from actors.runtime import Caller, ChatTurn, Runtime, StreamEvent, TurnReply
from benchmarks.asgi import App, exchange, scope_of
from benchmarks.report import Figure, publish
from domain.clock import Clock, CountingIds
from domain.json_values import JsonObject
from domain.rates import RateSettings
from gateway.app import build_app
from gateway.auth.public_keys import PublicKey
from gateway.idempotency import LocalReplyStore
from gateway.services import AccessServices
from gateway.settings import GatewaySettings

REQUESTS = 2_000
ROUNDS = 11
TARGET = 1.3
PROJECT = "c" + "a" * 24
SESSION = "sess_" + "c" * 25
KEY = "abl_" + "0" * 48
TEXT = "Where is my parcel? It should have come on Tuesday."
SECRET = b"0123456789abcdef0123456789abcdef"
MANY = 10**9
US_PER_S = 1e6
REPLY = TurnReply(
    session_id=SESSION,
    message_id="msg_" + "c" * 25,
    turn=3,
    response="Your parcel left the hub this morning and arrives tomorrow before noon at your door.",
    action={"type": "respond"},
    agent_name="Parcel_Desk",
    state={"currentStep": "track"},
    trace_events=(
        {"type": "decision", "turn": 3, "seq": 9, "data": {"decisionKind": "flow_transition", "outcome": "track"}},
        {"type": "response", "turn": 3, "seq": 10, "data": {"text": "Your parcel left the hub this morning."}},
    ),
)
CHUNKS = 500
STREAM = (
    *(
        StreamEvent(seq=number, turn=3, kind="response_chunk", data={"messageId": REPLY.message_id, "chunk": "word "})
        for number in range(1, CHUNKS)
    ),
    StreamEvent(seq=CHUNKS, turn=3, kind="complete", data={"sessionId": SESSION, "response": "word"}),
)
BODY = orjson.dumps({"projectId": PROJECT, "sessionId": SESSION, "message": TEXT})
HEADERS = [
    (b"host", b"127.0.0.1:8400"),
    (b"authorization", b"Bearer " + KEY.encode()),
    (b"content-type", b"application/json"),
    (b"content-length", str(len(BODY)).encode()),
    (b"user-agent", b"bench"),
]


class ReadyRuntime:
    """A runtime whose reply is there already; it has what a chat request asks of `Runtime`, and nothing else."""

    async def authenticate(self, api_key: str) -> Caller | None:
        """Return the one caller."""
        return Caller("ten_one", "key_1", frozenset({"*"})) if api_key == KEY else None

    async def chat(self, turn: ChatTurn) -> TurnReply:
        """Return the reply."""
        return REPLY

    async def stream(self, turn: ChatTurn) -> AsyncIterator[StreamEvent]:
        """Yield a turn of many pieces."""
        for event in STREAM:
            yield event

    async def health(self) -> Health:
        """Return that all is well."""
        return Health(ready=True)


class OneProject:
    """There is one project, and no public key."""

    async def exists(self, tenant_id: str, project_id: str) -> bool:
        """Return whether it is the one."""
        return project_id == PROJECT

    async def find_by_secret(self, secret: str) -> PublicKey | None:
        """Return None."""
        return None

    async def find_by_id(self, tenant_id: str, key_id: str) -> PublicKey | None:
        """Return None."""
        return None


async def no_settings(_tenant_id: str) -> JsonObject:
    """Return that nothing is set."""
    return {}


async def nothing_active(_tenant_id: str) -> int | None:
    """Return that it is not known."""
    return None


def gateway_app(clock: Clock, rates: RateSettings) -> FastAPI:
    """Return the gateway over a runtime that has its reply ready."""
    one = OneProject()
    access = AccessServices(
        desks=Desks(
            **dict.fromkeys((one.name for one in fields(Desks)), cast("Any", None))
        ),  # what is measured asks for none of them
        public_keys=one,
        projects=one,
        counters=LocalCounters(clock),
        replies=LocalReplyStore(clock),
        active_sessions=nothing_active,
        tenant_settings=no_settings,
        clock=clock,
        ids=CountingIds(),
    )
    return build_app(cast("Runtime", ReadyRuntime()), access, GatewaySettings(token_secret=SECRET, rates=rates))


class BareBody(BaseModel):
    """The body of the bare route, with the fields of the real one that a client sends."""

    projectId: str  # noqa: N815 - the name on the wire
    message: str
    sessionId: str | None = None  # noqa: N815
    metadata: dict[str, Any] | None = None


def bare_app() -> FastAPI:
    """Return a plain app with the same call and the same answer."""
    app = FastAPI()
    runtime = ReadyRuntime()

    @app.post("/api/v1/chat/agent")
    async def chat(body: BareBody) -> dict[str, Any]:
        turn = ChatTurn(tenant_id="", project_id=body.projectId, message=body.message, session_id=body.sessionId or "")
        reply = await runtime.chat(turn)
        return {
            "success": True,
            "sessionId": reply.session_id,
            "messageId": reply.message_id,
            "response": reply.response,
            "richContent": None,
            "actions": None,
            "action": reply.action,
            "state": reply.state,
            "traceEvents": reply.trace_events,
            "agentName": reply.agent_name,
        }

    @app.post("/stream")
    async def stream(body: BareBody) -> StreamingResponse:
        turn = ChatTurn(tenant_id="", project_id=body.projectId, message=body.message)

        async def written() -> AsyncIterator[bytes]:
            async for event in runtime.stream(turn):
                yield f"event: {event.kind}\ndata: {json.dumps(event.data)}\n\n".encode()

        return StreamingResponse(written(), media_type="text/event-stream")

    return app


async def request(app: App, path: str = "/api/v1/chat/agent", accept: bytes = b"*/*") -> tuple[int, bytes]:
    """Send one chat request; return status and body."""
    return await exchange(app, scope_of("POST", path, [*HEADERS, (b"accept", accept)]), BODY)


async def cpu_us(app: App, requests: int, **asked: Any) -> float:
    """Return the CPU of one request."""
    gc.collect()
    began = process_time()
    for _ in range(requests):
        await request(app, **asked)
    return (process_time() - began) / requests * US_PER_S


async def measure(requests: int = REQUESTS, rounds: int = ROUNDS) -> list[Figure]:
    """Return the figures; both apps take turns, so that both see the same machine."""
    bare, full = (
        bare_app(),
        gateway_app(
            SystemClock(), RateSettings(requests_per_second=MANY, requests_burst=MANY, session_messages_per_minute=MANY)
        ),
    )
    answers = [await request(app) for app in (bare, full)]
    if orjson.loads(answers[0][1]) != orjson.loads(answers[1][1]):
        raise SystemExit("the two apps do not answer the same")
    pairs = [(await cpu_us(bare, requests), await cpu_us(full, requests)) for _ in range(rounds)]
    bare_us, full_us = median(one[0] for one in pairs), median(one[1] for one in pairs)
    ratio = median(one[1] / one[0] for one in pairs)
    streams = [
        (
            await cpu_us(bare, requests // CHUNKS + 1, path="/stream") / CHUNKS,
            await cpu_us(full, requests // CHUNKS + 1, accept=b"text/event-stream") / CHUNKS,
        )
        for _ in range(rounds)
    ]
    bare_event_us, event_us = median(one[0] for one in streams), median(one[1] for one in streams)
    event_ratio = median(one[1] / one[0] for one in streams)
    return [
        Figure(
            "gateway CPU of a streamed event",
            event_us,
            "us",
            bare_event_us,
            f"<= {TARGET}x bare",
            event_ratio <= TARGET,
        ),
        Figure("gateway CPU of a chat request", full_us, "us", bare_us, f"<= {TARGET}x bare", ratio <= TARGET),
        Figure("gateway CPU against the bare route", ratio, "x", 1.0, f"<= {TARGET}", ratio <= TARGET),
    ]


if __name__ == "__main__":
    sys.exit(0 if publish("gateway", asyncio.run(measure())) else 1)
