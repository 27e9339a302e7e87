"""What a turn tells analytics: events derived from its traces, the same ones whenever it is asked.

What a model or a tool did counts once, with how it ended: a tool call when its result is known, in whatever turn that
is. Spec: platform-api 8.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from domain.analytics import (
    COST,
    MODEL,
    PROVIDER,
    TOKENS_IN,
    TOKENS_OUT,
    WHOLE_MAX,
    EventCategory,
    NewEvent,
    within,
)
from domain.clock import parse_iso
from domain.json_values import JsonObject
from domain.traces import TraceType

FAILED = "error"
DECLINED = "declined"
"""The user has said no to a call: it was not made, and nothing has gone wrong."""
FORWARD = "forward"
HANDED_IN = "handoff"
"""In `metadata.by` of `agent_entered`: control was handed to the agent."""
STARTED, RETURNED = "start", "return"
"""The same of the agent that a session begins with, and of one that gets control back."""


class Told(Protocol):
    """A stored trace event."""

    @property
    def turn(self) -> int:
        """Number of the turn, from 1 on."""
        ...

    @property
    def type(self) -> str:
        """One of `domain.traces.TraceType`."""
        ...

    @property
    def at(self) -> str:
        """ISO 8601."""
        ...

    @property
    def agent_name(self) -> str:
        """Whose it is."""
        ...

    @property
    def span_id(self) -> str:
        """What it belongs to."""
        ...

    @property
    def duration_ms(self) -> int | None:
        """How long it took."""
        ...

    @property
    def data(self) -> JsonObject:
        """As its type says."""
        ...


class EndedTurn(Struct, frozen=True, kw_only=True):
    """A turn as it is stored.

    Attributes:
        session_id: Of the conversation: of a delegated child, that of the session it works for.
        is_first: It is the first one of a session.
        is_child: Nobody spoke to it and nobody heard it.
        spoke_at: When its message came, None without one.
        answered_at: When its reply was there, None without one.
        answered_by: The agent that said it.
    """

    project_id: str
    session_id: str
    channel: str
    environment: str
    is_first: bool
    is_child: bool
    spoke_at: datetime | None
    answered_at: datetime | None
    answered_by: str
    traces: Sequence[Told]


def events_of_turn(turn: EndedTurn) -> list[NewEvent]:
    """Return what a turn tells, in the order in which it happened."""
    made = _Maker(turn)
    events = [*made.beginning(), *made.happening(), *made.ending()]
    return sorted(events, key=lambda event: event.at)


class _Maker:
    def __init__(self, turn: EndedTurn) -> None:
        self._turn = turn
        self._first = next((one for one in turn.traces if one.agent_name), None)
        self._calls = {one.span_id: one for one in turn.traces if one.type == TraceType.TOOL_CALL}
        self._errors = [one for one in turn.traces if one.type == TraceType.ERROR]

    def beginning(self) -> Iterator[NewEvent]:
        """Yield what the message and the start of the session tell."""
        turn, first = self._turn, self._first
        if turn.is_first and first is not None:
            at = turn.spoke_at or parse_iso(first.at)
            yield self._event("agent", "agent_entered", at, first.agent_name, by=STARTED)
        if turn.spoke_at is not None and not turn.is_child:
            agent = first.agent_name if first is not None else turn.answered_by
            lost = None if turn.answered_at is not None else self._code(self._errors)
            yield self._event("message", "message_received", turn.spoke_at, agent, error=lost)

    def ending(self) -> Iterator[NewEvent]:
        """Yield what the reply tells; it took from the message on."""
        turn = self._turn
        if turn.answered_at is None or turn.is_child:
            return
        took = None
        if turn.spoke_at is not None:
            took = round((turn.answered_at - turn.spoke_at).total_seconds() * 1_000)
        bad = self._code([one for one in self._errors if one.data.get("handled") is False])
        yield self._event("message", "message_sent", turn.answered_at, turn.answered_by, took=took, error=bad)

    def happening(self) -> Iterator[NewEvent]:
        """Yield what happened between."""
        gathered: dict[str, list[str]] = {}
        for place, one in enumerate(self._turn.traces):
            match one.type:
                case TraceType.LLM_CALL:
                    yield self._model_call(one, place)
                case TraceType.TOOL_RESULT:
                    yield self._tool_call(one)
                case TraceType.HANDOFF:
                    yield from self._handoff(one)
                case TraceType.DELEGATE:
                    yield self._delegate(one)
                case TraceType.GUARDRAIL_EVAL if one.data.get("result") == "block":
                    said = {"guardrail": one.data.get("guardrail"), "stage": one.data.get("stage")}
                    yield self._told(one, "agent", "guardrail_block", **said)
                case TraceType.DECISION:
                    yield from self._gathered(one, gathered)
                    yield from self._decision(one)
                case TraceType.STATE_CHANGE if one.data.get("scope") == "gather":
                    if one.data.get("newValue") is not None:
                        gathered.setdefault(one.agent_name, []).append(str(one.data.get("key")))
                        yield self._told(one, "gather", "field_collected", field=one.data.get("key"))

    def _gathered(self, one: Told, gathered: dict[str, list[str]]) -> Iterator[NewEvent]:
        """Yield that a gather is complete: its last fields came, or were confirmed, and its agent goes on.

        `gathered` has the fields that came in this turn, by agent. A gather that gives a field up is not complete.
        """
        data = one.data
        match (data.get("decisionKind"), data.get("outcome")):
            case ("resume", "confirmed") if data.get("kind") == "readback":
                gathered[one.agent_name] = [name.strip() for name in str(data.get("decision")).split(",")]
            case ("resume", "declined") if data.get("kind") == "readback":
                gathered.pop(one.agent_name, None)
            case ("stop", "too many invalid answers"):
                gathered.pop(one.agent_name, None)
            case ("flow_transition", "entered" | "terminal") | ("completion", "completed"):
                if fields := gathered.pop(one.agent_name, None):
                    yield self._told(one, "gather", "gather_completed", fields=list(dict.fromkeys(fields)))

    def _decision(self, one: Told) -> Iterator[NewEvent]:
        data = one.data
        match (data.get("decisionKind"), data.get("outcome")):
            case ("flow_transition", "entered"):
                yield self._told(one, "flow", "step_entered", step=data.get("decision"))
            case ("flow_transition", "terminal") if data.get("decision") == "COMPLETE":
                yield self._told(one, "flow", "flow_completed")
            case ("completion", "completed"):
                yield self._told(one, "agent", "agent_completed")
            case ("extraction", "rejected"):
                yield self._told(one, "gather", "field_rejected", field=data.get("decision"))

    def _model_call(self, one: Told, place: int) -> NewEvent:
        data = one.data
        usage = data.get("usage") or {}
        finish = data.get("finishReason") or ""
        error = None
        if finish == FAILED:
            following = self._turn.traces[place + 1 : place + 2]
            error = self._code([after for after in following if after.type == TraceType.ERROR]) or FAILED
        metadata = {
            MODEL: data.get("model") or "",
            PROVIDER: data.get("provider") or "",
            TOKENS_IN: usage.get("inputTokens", 0),
            TOKENS_OUT: usage.get("outputTokens", 0),
            COST: data.get("estimatedCost"),
            "status": finish,
        }
        took = data.get("latencyMs", one.duration_ms)
        return self._event("llm", "llm_call", parse_iso(one.at), one.agent_name, took=took, error=error, **metadata)

    def _tool_call(self, one: Told) -> NewEvent:
        data = one.data
        call = self._calls.get(one.span_id)
        mocked = call is not None and call.data.get("mocked") is True
        succeeded = data.get("success") is True
        skipped = data.get("executionSkipped") is True
        said = {"tool": data.get("toolName"), "status": "ok" if succeeded else "skipped" if skipped else "failed"}
        code = (data.get("error") or {}).get("code") or (None if skipped else FAILED)
        error = None if succeeded or (skipped and code == DECLINED) else code
        kind = "tool_mocked" if mocked else "tool_call"
        took = data.get("latencyMs", one.duration_ms)
        return self._event("tool", kind, parse_iso(one.at), one.agent_name, took=took, error=error, **said)

    def _handoff(self, one: Told) -> Iterator[NewEvent]:
        data = one.data
        source, target = str(data.get("fromAgent") or ""), str(data.get("toAgent") or "")
        at, is_forward = parse_iso(one.at), data.get("direction", FORWARD) == FORWARD
        if is_forward:
            yield self._event("agent", "handoff", at, source, to=target)
        came: dict[str, Any] = {"by": HANDED_IN if is_forward else RETURNED, "from": source}
        yield self._event("agent", "agent_entered", at, target, **came)

    def _delegate(self, one: Told) -> NewEvent:
        data = one.data
        error = None if data.get("success") is True else str((data.get("error") or {}).get("code") or FAILED)
        source, at = str(data.get("fromAgent") or one.agent_name), parse_iso(one.at)
        return self._event(
            "agent", "delegate", at, source, took=data.get("duration_ms"), error=error, to=data.get("toAgent")
        )

    def _told(self, one: Told, category: str, kind: str, **metadata: Any) -> NewEvent:
        return self._event(category, kind, parse_iso(one.at), one.agent_name, **metadata)

    @staticmethod
    def _code(errors: Sequence[Told]) -> str | None:
        return str(errors[0].data.get("code") or FAILED) if errors else None

    def _event(
        self,
        category: str,
        kind: str,
        at: datetime,
        agent: str,
        *,
        took: float | None = None,
        error: str | None = None,
        **metadata: Any,
    ) -> NewEvent:
        turn = self._turn
        return NewEvent(
            category=EventCategory(category),
            event_type=kind,
            project_id=turn.project_id,
            at=at,
            agent_name=agent,
            session_id=turn.session_id,
            channel=turn.channel,
            environment=turn.environment,
            duration_ms=None if took is None else round(within(took, WHOLE_MAX)),
            error=error,
            metadata={name: value for name, value in metadata.items() if value is not None},
        )
