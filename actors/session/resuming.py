"""What comes from outside to a session that waits: the fact each message means to it, None when it waits no more."""

from __future__ import annotations

from actors.messages import CallbackReady, SuspensionDue, TaskClosed, TimerDue
from actors.session.live import LiveSession
from domain.clock import parse_iso
from domain.json_values import JsonObject
from engine import AnyFact, CallbackArrived, HumanResolved, SuspensionExpired, TimerFired, advance

EXPIRED = "expired"
PROCESSED = "processed"
APPROVED = "approved"
FromOutside = CallbackReady | SuspensionDue | TaskClosed | TimerDue


async def fact_of(message: FromOutside, live: LiveSession, at: str) -> AnyFact | None:
    """Return what a message means to the session now."""
    if live.state is None or live.status == "ended":
        return None
    fact: AnyFact | None
    match message:
        case CallbackReady() | SuspensionDue():
            fact = await _of_callback(message, live, at)
        case TaskClosed():
            fact = await _of_task(message, live, at)
        case TimerDue():
            is_mine = message.runtime_session_id == live.pin.runtime_session_id
            fact = TimerFired(at=at, effect_id=message.effect_id) if is_mine else None
    return fact if fact is not None and _begins_something(live, fact) else None


async def _of_callback(message: CallbackReady | SuspensionDue, live: LiveSession, at: str) -> AnyFact | None:
    waiting = await live.store.callback(message.callback_id)
    if waiting is None or waiting.runtime_session_id != live.pin.runtime_session_id:
        return None
    if isinstance(message, SuspensionDue):
        return SuspensionExpired(at=at, suspension_id=waiting.suspension_id) if waiting.status == EXPIRED else None
    if waiting.status != PROCESSED:
        return None
    return CallbackArrived(at=at, suspension_id=waiting.suspension_id, payload=waiting.payload)


async def _of_task(message: TaskClosed, live: LiveSession, at: str) -> AnyFact | None:
    closed = await live.store.task(live.pin, message.task_id)
    if closed is None or closed.runtime_session_id != live.pin.runtime_session_id:
        return None
    if closed.status == EXPIRED:
        return SuspensionExpired(at=at, suspension_id=closed.suspension_id)
    decision = str(closed.resolution.get("decision", ""))
    return HumanResolved(
        at=at,
        suspension_id=closed.suspension_id,
        fields=human_fields(closed.resolution),
        approved=decision == APPROVED if closed.task_type == "approval" else None,
    )


def human_fields(resolution: JsonObject) -> JsonObject:
    """Return what the agent sees of a decision. Spec: platform-api 10.

    >>> human_fields({"decision": "approved", "respondedBy": "usr_1", "notes": "", "fields": {"limit": 5}})["limit"]
    5
    """
    fields: JsonObject = dict(resolution.get("fields") or {})
    decision = str(resolution.get("decision", ""))
    human: JsonObject = {
        **fields,
        "decision": decision,
        "notes": resolution.get("notes", ""),
        "respondedBy": resolution.get("respondedBy", ""),
        "respondedAt": resolution.get("resolvedAt", ""),
    }
    if decision:
        human[decision] = True
    return {**fields, "resolution": decision, "human": human}


def _begins_something(live: LiveSession, fact: AnyFact) -> bool:
    """Whether the engine has a use for the fact: an answer to what is open no more leads to nothing."""
    return live.state is not None and bool(advance(live.program, live.state, fact).effects)


def is_quiet(live: LiveSession, since: str) -> bool:
    """Whether nothing has happened in the session since a moment, and it waits for nobody."""
    state = live.state
    if state is None:
        return parse_iso(live.pin.created_at) < parse_iso(since) if live.pin.created_at else True
    return not state.is_suspended and parse_iso(state.at) < parse_iso(since)
