"""A turn as OpenTelemetry spans, in the JSON form of OTLP: a trace for each turn, its model and tool calls below it.

Names and attributes are those of the GenAI semantic conventions as of `SCHEMA_URL`, which is pinned. No text of a user,
a model or a tool is in them. Ids are made of the turn's name and the place in it: a turn sent twice is one turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Final

from domain.clock import parse_iso
from domain.json_values import JsonObject, JsonValue
from domain.traces import TraceType
from domain.turn_events import EndedTurn, Told

SCHEMA_URL: Final = "https://opentelemetry.io/schemas/1.37.0"
SCOPE: Final = "abl.runtime"
INTERNAL, CLIENT = 1, 3
FAILED: Final = 2
TRACE_ID_BYTES, SPAN_ID_BYTES = 16, 8
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
OTHER: Final = "_OTHER"
"""What `error.type` says of an error without a code."""
BLOCKED: Final = "block"


def spans_of_turn(tenant_id: str, name: str, turn: EndedTurn) -> list[JsonObject]:
    """Return the spans of a turn, the turn itself first; none of one that left no traces.

    Args:
        tenant_id: Whose it is.
        name: Of the turn, like that of no other.
        turn: What is stored of it.
    """
    return list(_Spans(tenant_id, name, turn).all()) if turn.traces else []


def export_request(service: str, version: str, spans: Iterable[JsonObject]) -> JsonObject:
    """Return the body of `POST /v1/traces`."""
    resource = {"attributes": _attributes({"service.name": service, "service.version": version})}
    scope = {"scope": {"name": SCOPE, "version": version}, "schemaUrl": SCHEMA_URL, "spans": list(spans)}
    return {"resourceSpans": [{"resource": resource, "schemaUrl": SCHEMA_URL, "scopeSpans": [scope]}]}


class _Spans:
    def __init__(self, tenant_id: str, name: str, turn: EndedTurn) -> None:
        self._turn = turn
        self._name = name
        self._trace_id = _id(name, TRACE_ID_BYTES)
        self._root_id = _id(f"{name}\0turn", SPAN_ID_BYTES)
        self._tenant_id = tenant_id

    def all(self) -> Iterator[JsonObject]:
        """Yield the turn, and what was called in it."""
        below = [span for one in self._turn.traces for span in self._below(one)]
        yield self._root(below)
        yield from below

    def _root(self, below: list[JsonObject]) -> JsonObject:
        turn = self._turn
        agent = turn.answered_by or next((one.agent_name for one in turn.traces if one.agent_name), "")
        times = [_nanos(parse_iso(one.at)) for one in turn.traces] + [int(one["startTimeUnixNano"]) for one in below]
        times += [_nanos(moment) for moment in (turn.spoke_at, turn.answered_at) if moment is not None]
        bad = next(
            (one for one in turn.traces if one.type == TraceType.ERROR and one.data.get("handled") is False), None
        )
        span = self._span(self._root_id, f"invoke_agent {agent}".strip(), INTERNAL, min(times), max(times))
        error = None if bad is None else str(bad.data.get("code") or OTHER)
        return _failed(span, error) | {
            "attributes": _attributes({
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": agent,
                "gen_ai.conversation.id": turn.session_id,
                "deployment.environment.name": turn.environment,
                "abl.tenant.id": self._tenant_id,
                "abl.project.id": turn.project_id,
                "abl.channel": turn.channel,
                "error.type": error,
            }),
            "events": [event for one in turn.traces for event in _events(one)],
        }  # fmt: skip

    def _below(self, one: Told) -> Iterator[JsonObject]:
        match one.type:
            case TraceType.LLM_CALL:
                yield self._model_call(one)
            case TraceType.TOOL_RESULT:
                yield self._tool_call(one)
            case TraceType.DELEGATE:
                yield self._delegate(one)

    def _model_call(self, one: Told) -> JsonObject:
        data = one.data
        usage = data.get("usage") or {}
        finish = str(data.get("finishReason") or "")
        error = OTHER if finish == "error" else None
        return self._called(one, "chat", str(data.get("model") or ""), CLIENT, data.get("latencyMs"), error, {
            "gen_ai.provider.name": data.get("provider"),
            "gen_ai.request.model": data.get("model"),
            "gen_ai.usage.input_tokens": usage.get("inputTokens"),
            "gen_ai.usage.output_tokens": usage.get("outputTokens"),
            "gen_ai.response.finish_reasons": [finish] if finish else None,
            "gen_ai.agent.name": one.agent_name,
            "abl.cost_usd": data.get("estimatedCost"),
        })  # fmt: skip

    def _tool_call(self, one: Told) -> JsonObject:
        data = one.data
        tool = str(data.get("toolName") or "")
        error = None if data.get("success") is True else str((data.get("error") or {}).get("code") or OTHER)
        return self._called(one, "execute_tool", tool, INTERNAL, data.get("latencyMs"), error, {
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": data.get("toolCallId"),
            "gen_ai.tool.type": "function",
            "gen_ai.agent.name": one.agent_name,
        })  # fmt: skip

    def _delegate(self, one: Told) -> JsonObject:
        data = one.data
        agent = str(data.get("toAgent") or "")
        error = None if data.get("success") is True else str((data.get("error") or {}).get("code") or OTHER)
        return self._called(
            one, "invoke_agent", agent, CLIENT, data.get("duration_ms"), error, {"gen_ai.agent.name": agent}
        )

    def _called(
        self, one: Told, operation: str, what: str, kind: int, took_ms: JsonValue, error: str | None, said: JsonObject
    ) -> JsonObject:
        """Return the span of a call, which stands in the traces where it ended."""
        end = parse_iso(one.at)
        took = timedelta(milliseconds=float(took_ms) if isinstance(took_ms, int | float) else 0.0)
        span_id = _id(f"{self._name}\0{one.type}\0{one.span_id}", SPAN_ID_BYTES)
        span = self._span(span_id, f"{operation} {what}".strip(), kind, _nanos(end - took), _nanos(end))
        about = {"gen_ai.operation.name": operation, "gen_ai.conversation.id": self._turn.session_id, **said}
        return _failed(span, error) | {
            "parentSpanId": self._root_id,
            "attributes": _attributes({**about, "error.type": error}),
        }

    def _span(self, span_id: str, name: str, kind: int, start: int, end: int) -> JsonObject:
        return {
            "traceId": self._trace_id,
            "spanId": span_id,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(end),
        }


def _events(one: Told) -> Iterator[JsonObject]:
    data = one.data
    if one.type == TraceType.HANDOFF:
        said = {"abl.handoff.from": data.get("fromAgent"), "abl.handoff.to": data.get("toAgent")}
        yield _event(one, "abl.handoff", said)
    elif one.type == TraceType.GUARDRAIL_EVAL and data.get("result") == BLOCKED:
        said = {"abl.guardrail.name": data.get("guardrail"), "abl.guardrail.stage": data.get("stage")}
        yield _event(one, "abl.guardrail_block", said)
    elif one.type == TraceType.ERROR:
        yield _event(
            one, "abl.error", {"error.type": data.get("code") or OTHER, "abl.error.origin": data.get("origin")}
        )


def _event(one: Told, name: str, said: JsonObject) -> JsonObject:
    return {"timeUnixNano": str(_nanos(parse_iso(one.at))), "name": name, "attributes": _attributes(said)}


def _failed(span: JsonObject, error: str | None) -> JsonObject:
    return span if error is None else span | {"status": {"code": FAILED, "message": error}}


def _id(name: str, length: int) -> str:
    return blake2b(name.encode(), digest_size=length).hexdigest()


def _nanos(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1) * 1_000


def _attributes(values: JsonObject) -> list[JsonValue]:
    """Return attributes in the form of OTLP; those without a value are left out."""
    return [{"key": key, "value": _value(value)} for key, value in values.items() if value not in (None, "")]


def _value(value: JsonValue) -> JsonObject:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}  # 64 bits are text in JSON
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(one) for one in value]}}
        case _:
            return {"stringValue": str(value)}
