"""What the end of a turn adds to the transcript and to the session's row in lists."""

from __future__ import annotations

import msgspec

from actors.session.kept import CANCELLED, ENDED, HUMAN_COMPLETED
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.records import TurnOpening
from actors.session.views import execution_state
from domain.clock import MILLISECONDS_PER_SECOND, parse_iso
from domain.json_values import JsonObject
from domain.messages import wire_action
from domain.metrics import total_usd
from engine import EndTurn, UserSpoke
from storage.turn_end import Activity, MessageRow

CHILD_DONE = "delegation_finished"
"""Why the session of a delegated child is over: it has one turn."""


def transcript_of(
    live: LiveSession,
    spoke: UserSpoke | None,
    end: EndTurn,
    output: TurnOutput,
    at: str,
    beside: JsonObject | None = None,
) -> tuple[MessageRow, ...]:
    """Return the lines a turn adds to the transcript; `beside` is what else is told with what the user has said."""
    number = output.number
    lines: list[MessageRow] = []
    if spoke is not None:
        lines.append(
            MessageRow(
                seq=live.messages + 1,
                message_id=spoke.message_id,
                role="user",
                content=spoke.text,
                turn=number,
                at=parse_iso(spoke.at),
                extra=_told_with(spoke, beside or {}),
            )
        )
    if end.reply or end.rich_content or end.actions:
        extra: JsonObject = {"richContent": end.rich_content, "actions": end.actions}
        extra["interrupted"] = end.status == CANCELLED
        said = {name: value for name, value in extra.items() if value}
        lines.append(
            MessageRow(
                seq=live.messages + len(lines) + 1,
                message_id=output.message_id,
                role="assistant",
                content=end.reply,
                turn=number,
                at=parse_iso(at),
                agent_name=end.agent,
                extra=msgspec.json.encode(said) if said else None,
            )
        )
    return tuple(lines)


def activity_of(
    live: LiveSession, opening: TurnOpening, spoke: UserSpoke | None, end: EndTurn, output: TurnOutput, at: str
) -> Activity:
    """Return where the session stands now, and what to add to its counters."""
    kinds = [row["type"] for row in output.traces]
    calls = [row["data"] for row in output.traces if row["type"] == "llm_call"]
    usages = [call.get("usage") or {} for call in calls]
    errors = [row["data"] for row in output.traces if row["type"] == "error"]
    ended = end.status == ENDED
    is_child = bool(live.pin.parent_session_id)
    return Activity(
        agent_name=end.agent or live.pin.entry_agent,
        execution_state="ended" if ended or is_child else execution_state(live),
        end_reason=HUMAN_COMPLETED if ended else CHILD_DONE if is_child else None,
        last_error=str(errors[-1].get("message", "")) if errors else None,
        input_tokens=sum(usage.get("inputTokens", 0) for usage in usages),
        output_tokens=sum(usage.get("outputTokens", 0) for usage in usages),
        estimated_cost=total_usd([call.get("estimatedCost") for call in calls]) if calls else None,
        duration_ms=_ms_between(spoke, at),
        errors=len(errors),
        handoffs=kinds.count("handoff"),
        delegates=kinds.count("delegate"),
        resumes=int(opening.kind == "resume"),
    )


def action_said(spoke: UserSpoke | None, output: TurnOutput, *, is_void: bool) -> JsonObject:
    """Return the button or form that a message is, and whose set of actions it has answered; empty for none.

    One whose turn is void, because its message may be sent again, has answered none.
    """
    if spoke is None or spoke.action is None:
        return {}
    told = wire_action(spoke.action)
    return {**told, "answers": output.answers} if output.answers and not is_void else told


def _told_with(spoke: UserSpoke, beside: JsonObject) -> bytes | None:
    """Return the files of a message, and what else there is, as its line tells them. Spec: platform-api 5.9, 13.2."""
    told = {name: value for name, value in {"attachments": _files(spoke), **beside}.items() if value}
    return msgspec.json.encode(told) if told else None


def _files(spoke: UserSpoke) -> list[JsonObject]:
    return [
        {
            "id": one.id,
            "filename": one.filename,
            "mimeType": one.mime_type,
            "sizeBytes": one.size_bytes,
            "category": one.category,
        }
        for one in spoke.attachments
    ]


def _ms_between(spoke: UserSpoke | None, at: str) -> int:
    """Return how long a message waited for its reply; 0 for a turn that nobody asked for."""
    if spoke is None:
        return 0
    return max(round((parse_iso(at) - parse_iso(spoke.at)).total_seconds() * MILLISECONDS_PER_SECOND), 0)


def ended_activity(reason: str) -> Activity:
    """Return what the row of a session says that was ended from outside."""
    return Activity(execution_state="ended", end_reason=reason)


def reset_activity(live: LiveSession) -> Activity:
    """Return what the row of a session says that starts again."""
    return Activity(agent_name=live.pin.entry_agent, execution_state="idle")
