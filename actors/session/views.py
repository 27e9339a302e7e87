"""A live session as the detail route shows it. Spec: platform-api 5.3."""

from __future__ import annotations

from typing import Any

from actors.messages import Failed, HostAnswer, Look, OpenSession, Viewed
from actors.runtime import SessionView
from actors.session.live import LiveSession


def execution_state(live: LiveSession) -> str:
    """Return idle, processing, suspended or ended."""
    if live.status == "ended":
        return "ended"
    if live.state is None:
        return "idle"
    if live.state.is_running:
        return "processing"
    return "suspended" if live.state.is_suspended else "idle"


def view_of(live: LiveSession) -> SessionView:
    """Return what a live session knows of itself; counters and times are the store's."""
    pin, state = live.pin, live.state
    detail: dict[str, Any] = {"variables": {}, "gather": {}, "agentStack": [], "currentStep": None}
    detail["lastSeq"] = live.stream.ended_seq
    if state is not None:
        thread = state.threads.get(state.active)
        detail["currentStep"] = thread.step or None if thread is not None else None
        detail["variables"] = dict(thread.variables) if thread is not None else {}
        detail["agentStack"] = _stack(live)
        detail["gather"] = {
            name: {
                key: {"value": one.variables.get(key), "confirmed": how != "unconfirmed", "source": how}
                for key, how in one.gathered.items()
            }
            for name, one in state.threads.items()
            if one.gathered
        }
    return SessionView(
        id=pin.session_id,
        runtime_session_id=pin.runtime_session_id,
        project_id=pin.project_id,
        agent_name=state.active if state is not None and state.active else pin.entry_agent,
        entry_agent_name=pin.entry_agent,
        status="ended" if live.status == "ended" else "active",
        execution_state=execution_state(live),
        channel=pin.channel,
        transport=pin.transport,
        environment=pin.environment,
        deployment_id=pin.deployment_id,
        created_at=pin.created_at,
        end_reason=live.end_reason,
        detail=detail,
        held_after=live.stream.first_held - 1,
    )


def seen_in_a_turn(live: LiveSession | None, message: Look | OpenSession) -> HostAnswer | None:
    """Return how a session stands while a turn of it runs; None where it is to be looked at when that has ended.

    A session that is to be opened by its name and runs a turn is there.
    """
    if isinstance(message, OpenSession):
        is_wanted, whose = bool(message.wanted.name), (message.wanted.tenant_id, message.wanted.project_id)
    else:
        is_wanted, whose = message.at_once, (message.tenant_id, message.project_id)
    if live is None or not is_wanted:
        return None
    is_own = live.pin.tenant_id == whose[0] and whose[1] in ("", live.pin.project_id)
    return Viewed(view=view_of(live)) if is_own else Failed(kind="NotFound", message="Session not found")


def _stack(live: LiveSession) -> list[dict[str, Any]]:
    stack: list[dict[str, Any]] = []
    state = live.state
    name = state.active if state is not None else ""
    while state is not None and name in state.threads and len(stack) < len(state.threads):
        thread = state.threads[name]
        stack.append({"agentName": name, "since": live.pin.created_at, "returnExpected": bool(thread.parent)})
        name = thread.parent
    return stack[::-1]
