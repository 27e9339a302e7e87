"""`/ag-ui`: agents as AG-UI's clients ask them. Spec: docs.ag-ui.com, 1.0 (HTTP and SSE). Decision: 0058."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from fastapi import Request, Response

from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import admission_of, caller
from gateway.agui.described import stream_content, written
from gateway.agui.turns import ThreadRuns
from gateway.bodies.agui import AgUiBody
from gateway.guarded import guarded_router
from gateway.idempotency import mark_of
from gateway.named_agents import named_agent
from gateway.services import services_of
from gateway.sse import MEDIA_TYPE, Event, EventStream

MAY_TALK: Final = [caller("api_key", "user", permission=Permission.SESSION_EXECUTE, replay="turn")]
STREAMED: Final[dict[int | str, JsonObject]] = {
    200: {
        "description": "The events of the run; the last one is RUN_FINISHED or RUN_ERROR",
        "content": {MEDIA_TYPE: stream_content()},
    }
}

router = guarded_router("/ag-ui", "ag-ui")


@router.post("/{project_id}", status_code=200, response_class=EventStream, responses=STREAMED, dependencies=MAY_TALK)
async def run_entry_agent(project_id: str, body: AgUiBody, request: Request) -> Response:
    """Run the agent that a message to a project reaches, as AG-UI's clients ask for it; the events of the run."""
    return await _run(project_id, "", body, request)


@router.post(
    "/{project_id}/agents/{agent}",
    status_code=200,
    response_class=EventStream,
    responses=STREAMED,
    dependencies=MAY_TALK,
)
async def run_agent(project_id: str, agent: str, body: AgUiBody, request: Request) -> Response:
    """Run an agent as AG-UI's clients ask for it; `agent@environment` is its active deployment there."""
    return await _run(project_id, agent, body, request)


async def _run(project_id: str, agent: str, body: AgUiBody, request: Request) -> Response:
    services, admitted = services_of(request), admission_of(request)
    _, model, name = await named_agent(services, admitted, project_id, agent)
    run = await ThreadRuns(request, services, admitted, project_id, name, model, body).begin()
    headers = mark_of(run.repeated)
    return EventStream(
        _sent(run.events), services.settings.sse_heartbeat_s, write=lambda event: written(event.data), headers=headers
    )


async def _sent(events: AsyncGenerator[JsonObject]) -> AsyncGenerator[Event]:
    async with aclosing(events) as told:
        async for event in told:
            yield Event("", event)
