"""The end of a turn as the store keeps it, and errors as the caller sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from actors.messages import Failed
from actors.raising import kind_of
from actors.session.kept import KeptTurn, OpenSet
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.store import Waiting
from domain.errors import AppError, Conflict, Overloaded, Unavailable
from domain.json_values import JsonObject
from engine import EndTurn
from storage.errors import Closing

AWAY: Final = "SERVICE_UNAVAILABLE"
RULE: Final = "CONFLICT"
"""Codes of a turn without a reply: something that it needs is not there; a rule of the tenant's own forbids it."""


def kept_turn(
    live: LiveSession,
    output: TurnOutput,
    end: EndTurn,
    *,
    failed: JsonObject | None = None,
    open_set: OpenSet | None = None,
    is_void: bool = False,
) -> KeptTurn:
    """Return what is kept of a turn that ends now; `open_set` can be answered after it, a void one may come again."""
    return KeptTurn(
        message_id=output.message_id,
        turn=output.number,
        first_seq=output.first_seq,
        response=end.reply,
        action=with_wait(end.action, output.waits),
        agent_name=end.agent,
        state=end.state,
        voice_config=end.voice or None,
        rich_content=end.rich_content or None,
        actions=end.actions or None,
        status=end.status,
        outcome=child_outcome(end) if live.pin.parent_session_id else {},
        attempt=output.first_attempt,
        shape=tuple(output.shape),
        void=tuple(output.void),
        fact_seq=live.seq + len(live.unwritten) if output.traces else 0,
        failed=failed or {},
        open=open_set,
        answers=output.answers,
        is_void=is_void,
    )


def with_wait(action: JsonObject, waits: Mapping[str, Waiting]) -> JsonObject:
    """Return an action with the ids under which the outside answers. Spec: platform-api 4.1."""
    wait = waits.get(str(action.get("suspensionId", "")))
    if wait is None:
        return action
    named = {**action, "callbackId": wait.callback_id or None, "taskId": wait.task_id or None}
    return {name: value for name, value in {**named, "expiresAt": wait.expires_at}.items() if value is not None}


def child_outcome(end: EndTurn) -> JsonObject:
    """Return what the parent of a delegated child learns beside the text."""
    told: JsonObject = {"values": end.values, "error": end.error}
    return {**told, "changes": end.changes} if end.changes else told


def refused(failed: JsonObject) -> AppError:
    """Return what the caller of a turn without a reply gets; `failed` is what was kept of it."""
    kind = Conflict if failed.get("code") == RULE else Unavailable
    return kind(str(failed["error"]), details=failed.get("details"))


def refusal(error: AppError) -> Failed:
    """Return an error of the platform as an answer; a host whose store is closed for good sends the asker elsewhere."""
    return Failed(
        kind=kind_of(error),
        message=error.message,
        retry_after_ms=error.retry_after_ms if isinstance(error, Overloaded) else 0,
        moved=isinstance(error, Closing),
        details=error.details,
    )
