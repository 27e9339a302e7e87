"""Whole stories through HTTP on the embedded servers: the real runtime, the real gateway, one process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from actors.clocks import RandomIds, SystemClock
from actors.first_keys import make_key
from actors.projects import put_project
from actors.runtime import ChatTurn, SessionRef, StreamEvent, TraceFilter
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from cli.serve import _project
from cli.serving import access_services
from domain.errors import Conflict
from domain.limits import SESSION_QUEUE_TURNS
from domain.rates import UNLIMITED
from gateway.app import build_app
from gateway.settings import GatewaySettings
from tests.support.asgi import Client
from tests.support.front_and_clerk import CLERK, FRONT
from tests.support.stories import addresses

ROOT = Path(__file__).parents[2]
PARCELS = ROOT / "examples" / "parcel-desk"


@asynccontextmanager
async def a_runtime(data_dir: str, **more: object) -> AsyncIterator[tuple[RunningRuntime, str, str]]:
    """Yield a runtime that serves the parcel desk, with tenant and project."""
    settings = msgspec.structs.replace(Settings(data_dir=data_dir), **addresses(data_dir), **more)
    name, files, _ = _project(str(PARCELS))
    async with open_runtime(settings) as running:
        seeded = await put_project(running.database, name, files)
        yield running, seeded.tenant_id, seeded.project_id


def test_a_conversation_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_runtime(str(tmp_path)) as (running, tenant, project):
            first = await running.runtime.chat(
                ChatTurn(tenant_id=tenant, project_id=project, message="how much does it cost")
            )
            assert "How heavy is the parcel" in first.response
        async with a_runtime(str(tmp_path)) as (running, tenant, project):
            second = await running.runtime.chat(
                ChatTurn(tenant_id=tenant, project_id=project, message="2.5", session_id=first.session_id)
            )
            assert "5.3 euros" in second.response
            ref = SessionRef(tenant, project, first.session_id)
            page = await running.runtime.transcript(ref)
            assert [row["role"] for row in page.rows] == ["user", "assistant"] * 2
            traces = await running.runtime.traces(ref, TraceFilter())
            assert [row["seq"] for row in traces.rows] == list(range(1, traces.total + 1))

    asyncio.run(story())


def test_a_key_answers_once_and_names_the_same_new_session(data_dir: str) -> None:
    async def story() -> None:
        async with a_runtime(data_dir) as (running, tenant, project):
            turn = ChatTurn(tenant_id=tenant, project_id=project, message="price please", idempotency_key="k1")
            first = await running.runtime.chat(turn)
            again = await running.runtime.chat(turn)
            assert (again.session_id, again.message_id, again.response) == (
                first.session_id,
                first.message_id,
                first.response,
            )
            with pytest.raises(Conflict):
                await running.runtime.chat(msgspec.structs.replace(turn, message="something else"))

    asyncio.run(story())


def test_a_stream_cut_at_every_event_is_resumed_without_loss_or_repetition(data_dir: str) -> None:
    async def story() -> None:
        async with a_runtime(data_dir) as (running, tenant, project):
            turn = ChatTurn(tenant_id=tenant, project_id=project, message="price please")
            whole = [event async for event in running.runtime.stream(turn)]
            assert [event.kind for event in whole][:2] == ["session_start", "response_start"]
            assert whole[-1].kind == "complete"
            session_id = whole[0].data["sessionId"]
            for cut in range(len(whole)):
                rest = await _resumed(running, SessionRef(tenant, project, session_id), whole[cut].seq)
                assert rest == whole[cut + 1 :]

    asyncio.run(story())


async def _resumed(running: RunningRuntime, ref: SessionRef, after: int) -> list[StreamEvent]:
    return [event async for event in running.runtime.resume(ref, after)]


def test_as_many_posts_at_once_as_a_session_takes_are_answered_in_one_order(data_dir: str) -> None:
    async def story() -> None:
        async with a_runtime(data_dir) as (running, tenant, project):
            turn = ChatTurn(tenant_id=tenant, project_id=project, message="hm 0")
            first = await running.runtime.chat(turn)
            turns = [
                msgspec.structs.replace(turn, message=f"hm {n}", session_id=first.session_id)
                for n in range(1, SESSION_QUEUE_TURNS + 1)
            ]
            replies = await asyncio.gather(*(running.runtime.chat(one) for one in turns))
            assert sorted(reply.turn for reply in replies) == list(range(2, SESSION_QUEUE_TURNS + 2))
            page = await running.runtime.transcript(SessionRef(tenant, project, first.session_id), limit=200)
            assert [row["role"] for row in page.rows] == ["user", "assistant"] * (SESSION_QUEUE_TURNS + 1)

    asyncio.run(story())


def test_the_pasted_request_gets_an_answer_over_http(data_dir: str) -> None:
    async def story() -> None:
        async with a_runtime(data_dir) as (running, _tenant, project):
            key = await make_key(running.database, RandomIds())
            access = access_services(running, SystemClock(), RandomIds())
            app = build_app(running.runtime, access, GatewaySettings(token_secret=b"x" * 48, rates=UNLIMITED))
            body = {"projectId": project, "message": "Hello"}
            assert (await Client(app).post("/api/v1/chat/agent", body)).status == 401
            client = Client(app, {"X-API-Key": key})
            answer = await client.post("/api/v1/chat/agent", body)
            assert answer.status == 200
            assert answer.json()["response"].startswith("Parcel desk here.")
            session_id = answer.json()["sessionId"]
            listed = (await client.get(f"/api/projects/{project}/sessions")).json()
            assert session_id in [one["id"] for one in listed["sessions"]]
            shown = await client.get(f"/api/projects/{project}/sessions/{session_id}")
            assert shown.json()["session"]["currentStep"] == "welcome"
            reset = await client.post(f"/api/projects/{project}/sessions/{session_id}/reset")
            assert reset.json()["session"]["status"] == "active"
            again = await client.post("/api/v1/chat/agent", {**body, "sessionId": session_id})
            assert again.json()["response"].startswith("Parcel desk here.")
            gone = await client.delete(f"/api/projects/{project}/sessions/{session_id}")
            assert gone.status == 200
            assert (await client.delete(f"/api/projects/{project}/sessions/{session_id}")).status == 404

    asyncio.run(story())


def test_an_agent_delegates_to_a_session_of_its_own(data_dir: str) -> None:
    async def story() -> None:
        async with open_runtime(Settings(data_dir=data_dir, **addresses(data_dir))) as running:
            seeded = await put_project(running.database, "team", {"front.abl": FRONT, "clerk.abl": CLERK})
            turn = ChatTurn(tenant_id=seeded.tenant_id, project_id=seeded.project_id, message="please", agent="Front")
            reply = await running.runtime.chat(turn)
            kinds = [event["type"] for event in reply.trace_events]
            assert "delegate" in kinds, kinds
            delegate = next(event for event in reply.trace_events if event["type"] == "delegate")
            assert delegate["data"]["success"], delegate

    asyncio.run(story())
