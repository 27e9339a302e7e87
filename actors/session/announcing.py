"""What the end of a turn, or of a session, is to webhooks. Spec: platform-api 14.6.

Children of a delegation are part of their parent's turn: nothing is told of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from actors.session.kept import ENDED, HUMAN_COMPLETED
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.records import TurnOpening
from actors.session.store import SessionPin
from domain.json_values import JsonObject
from domain.traces import TraceType
from domain.webhooks import Happening, WebhookEvent
from engine import EndTurn

SUSPENDED: Final = "suspended"
ESCALATE: Final = "escalate"
FORWARD: Final = "forward"


def session_data(pin: SessionPin) -> JsonObject:
    """Return what every event of a session says of it."""
    return {
        "sessionId": pin.session_id,
        "entryAgentName": pin.entry_agent,
        "channel": pin.channel,
        "environment": pin.environment,
        "deploymentId": pin.deployment_id,
        "contactId": pin.contact_id,
    }


def started(pin: SessionPin) -> tuple[Happening, ...]:
    """Return what a new session is to webhooks."""
    return () if pin.parent_session_id else (Happening(WebhookEvent.SESSION_STARTED, session_data(pin)),)


def ended(pin: SessionPin, reason: str) -> tuple[Happening, ...]:
    """Return what the end of a session is to webhooks."""
    if pin.parent_session_id:
        return ()
    return (Happening(WebhookEvent.SESSION_ENDED, {**session_data(pin), "endReason": reason}),)


def happened(live: LiveSession, opening: TurnOpening, end: EndTurn, output: TurnOutput) -> tuple[Happening, ...]:
    """Return what the end of a turn is to webhooks, in the order in which it came to be."""
    if live.pin.parent_session_id:
        return ()
    told = tuple(_of_turn(live, opening, end, output))
    return (*told, *ended(live.pin, HUMAN_COMPLETED)) if end.status == ENDED else told


def _of_turn(live: LiveSession, opening: TurnOpening, end: EndTurn, output: TurnOutput) -> Iterator[Happening]:
    said = {**session_data(live.pin), "turn": output.number, "agentName": end.agent or live.pin.entry_agent}
    if opening.kind == "resume":
        yield Happening(WebhookEvent.SESSION_RESUMED, said)
    for row in output.traces:
        data = row["data"]
        if row["type"] == TraceType.HANDOFF and data.get("direction") == FORWARD:
            between = {name: data.get(name) for name in ("fromAgent", "toAgent", "reason")}
            yield Happening(WebhookEvent.HANDOFF, {**said, **between})
    if end.reply or end.rich_content:
        answer = {"messageId": output.message_id, "text": end.reply, "action": end.action}
        yield Happening(WebhookEvent.MESSAGE_COMPLETED, {**said, **answer})
    if end.status == SUSPENDED and end.action.get("type") == ESCALATE:
        why = {name: end.action.get(name) for name in ("reason", "priority", "suspensionId")}
        yield Happening(WebhookEvent.ESCALATION, {**said, **why})
    if end.status == SUSPENDED:
        yield Happening(WebhookEvent.SESSION_SUSPENDED, {**said, "suspensionId": end.action.get("suspensionId")})
