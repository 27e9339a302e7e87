"""One turn as the events of AG-UI. Pure: events of a session in, events of the protocol out.

A client holds what it was told, so what is void is taken out of its messages by a snapshot before the text comes again,
and the text comes in a message of its own: nobody reads it twice in one. Spec: docs.ag-ui.com, 1.0. Decision: 0058.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from actors.runtime import StreamEvent
from domain.json_values import JsonObject, JsonValue
from gateway.agui.reading import Warned
from gateway.envelope import json_bytes

PROTOCOL: Final = "1.0"
SHOWN: Final = (("richContent", "abl.rich_content"), ("actions", "abl.actions"), ("voiceConfig", "abl.voice"))
"""What stands beside a reply -> the CUSTOM event that tells it."""
WARNING, RESTARTED = "abl.warning", "abl.session_restarted"
TURN_ENDS: Final = frozenset({"complete", "error"})
QUESTIONS: Final = frozenset({"confirmation", "consent"})
"""Why a turn paused that wants a yes."""
YES_OR_WORDS: Final[JsonObject] = {
    "anyOf": [{"type": "boolean"}, {"type": "string", "minLength": 1}],
    "description": "true, false, or what the user says: words may also correct what is to be done",
}
Told = Iterator[JsonObject]


class RunNames(NamedTuple):
    """What a run is called.

    Attributes:
        own: What the ids of all its messages begin with.
        knows_interrupts: The client reads them.
    """

    thread_id: str
    run_id: str
    parent_run_id: str = ""
    own: str = ""
    knows_interrupts: bool = False


class RunTelling:
    """Tells one run."""

    def __init__(
        self, names: RunNames, before: list[JsonObject], *, state: JsonValue, holds_own: bool, shows_tools: bool
    ) -> None:
        """`before`: the client's messages without the run's own; `holds_own`: it has some of those too."""
        self._names = names
        self._before = before
        self._state = state
        self._holds_own = holds_own
        self._shows_tools = shows_tools
        self._attempt = 1
        self._text = ""
        self._is_open = False
        self._calls: dict[str, JsonObject] = {}
        self._is_cancelled = False
        self.is_over = False

    def begin(self, warnings: Iterable[Warned] = ()) -> Told:
        """Yield how the run begins; what the client holds of it from an earlier try is taken out."""
        yield started(self._names)
        for one in warnings:
            yield custom(WARNING, {"code": one.code, "message": one.message})
        if self._holds_own:
            yield self._snapshot()

    def take(self, event: StreamEvent) -> Told:
        """Yield what an event of the turn comes to."""
        match event.kind:
            case "response_start" | "response_restart" if self._text or self._calls:
                yield from self._void()
            case "response_chunk" if not event.repeated:  # what is told again is told whole, at its end
                yield from self._say(event.data["chunk"])
            case "trace_event" if self._shows_tools:
                yield from self._tool(event.data["event"])
            case "response_end":
                self._is_cancelled = bool(event.data.get("interrupted"))
            case "complete":
                yield from self._complete(event.data)
            case "error":
                yield self.fail(event.data)

    def fail(self, error: JsonObject) -> JsonObject:
        """Return how a run ends that has failed; `error` has the form of the event `error`."""
        self.is_over = True
        told: JsonObject = {
            "type": "RUN_ERROR",
            "message": str(error["error"]),
            "code": error.get("code", "INTERNAL_ERROR"),
        }
        if "retryAfterMs" in error:
            told["metadata"] = {"retryAfterMs": error["retryAfterMs"]}
        return told

    @property
    def _message_id(self) -> str:
        return self._names.own if self._attempt == 1 else f"{self._names.own}-{self._attempt}"

    def _say(self, text: str) -> Told:
        if not text:
            return
        if not self._is_open:
            self._is_open = True
            yield {"type": "TEXT_MESSAGE_START", "messageId": self._message_id, "role": "assistant"}
        self._text += text
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": self._message_id, "delta": text}

    def _end(self) -> Told:
        if self._is_open:
            self._is_open = False
            yield {"type": "TEXT_MESSAGE_END", "messageId": self._message_id}

    def _void(self) -> Told:
        """Yield what takes back all that was told: the end of the message, and the thread without it."""
        yield from self._end()
        yield self._snapshot()
        self._attempt += 1
        self._text = ""
        self._calls = {}

    def _snapshot(self) -> JsonObject:
        return {"type": "MESSAGES_SNAPSHOT", "messages": self._before}

    def _tool(self, trace: JsonObject) -> Told:
        """Yield a call of a tool once it is answered: one without an answer would be the client's to carry out."""
        data = trace["data"]
        match trace["type"]:
            case "tool_call":
                self._calls[data["toolCallId"]] = data
            case "tool_result" if (call := self._calls.get(data["toolCallId"])) is not None:
                call_id = f"{self._message_id}-{data['toolCallId']}"
                yield {"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": call["toolName"]}
                yield {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": _json(call.get("parameters") or {})}
                yield {"type": "TOOL_CALL_END", "toolCallId": call_id}
                answer = data.get("result") if data.get("success") else {"error": data.get("error") or "failed"}
                told = answer if isinstance(answer, str) else _json(answer)
                result_id = f"{call_id}-result"
                yield {"type": "TOOL_CALL_RESULT", "messageId": result_id, "toolCallId": call_id, "content": told}

    def _complete(self, reply: JsonObject) -> Told:
        self.is_over = True
        whole = reply["response"]
        if self._text and not whole.startswith(self._text):
            yield from self._void()
        yield from self._say(whole[len(self._text) :])
        yield from self._end()
        message_id = self._message_id
        for name, kind in SHOWN:
            if reply.get(name) is not None:
                yield custom(kind, {"messageId": message_id, name: reply[name]})
        if changed := reply.get("state"):
            yield state_event(self._state, changed)
        traces = reply.get("traceEvents") or ()
        yield finished(self._names, self._outcome(reply, traces), _result(reply), usage_of(traces))

    def _outcome(self, reply: JsonObject, traces: Iterable[JsonObject]) -> JsonObject:
        if self._is_cancelled:
            return {"type": "cancelled"}
        found = interrupt_of(reply, traces) if self._names.knows_interrupts else None
        return {"type": "success"} if found is None else {"type": "interrupt", "interrupts": [found]}


def started(names: RunNames) -> JsonObject:
    """Return the first event of a run."""
    told = {"type": "RUN_STARTED", "threadId": names.thread_id, "runId": names.run_id, "protocolVersion": PROTOCOL}
    return {**told, "parentRunId": names.parent_run_id} if names.parent_run_id else told


def finished(
    names: RunNames, outcome: JsonObject, result: JsonObject | None = None, usage: list[JsonObject] | None = None
) -> JsonObject:
    """Return the last event of a run that has not failed; one that was cancelled has no result."""
    told = {"type": "RUN_FINISHED", "threadId": names.thread_id, "runId": names.run_id, "outcome": outcome}
    if result is not None and outcome["type"] != "cancelled":
        told["result"] = result
    return {**told, "usage": usage} if usage else told


def custom(name: str, value: JsonObject) -> JsonObject:
    """Return an event that the protocol has no word for."""
    return {"type": "CUSTOM", "name": name, "value": value}


def state_event(before: JsonValue, changed: JsonObject) -> JsonObject:
    """Return how the values that a turn has changed reach the client's state, which is an object if all goes well.

    >>> state_event({}, {"a/b": 1})
    {'type': 'STATE_DELTA', 'delta': [{'op': 'add', 'path': '/a~1b', 'value': 1}]}
    """
    if before is not None and not isinstance(before, dict):
        return {"type": "STATE_SNAPSHOT", "snapshot": changed}
    paths = ((name.replace("~", "~0").replace("/", "~1"), value) for name, value in changed.items())
    return {
        "type": "STATE_DELTA",
        "delta": [{"op": "add", "path": f"/{path}", "value": value} for path, value in paths],
    }


def interrupt_of(reply: JsonObject, traces: Iterable[JsonObject]) -> JsonObject | None:
    """Return what a turn has stopped to ask: a yes, or a button or form; None where words come next."""
    asked: JsonObject = {"id": reply["messageId"], "message": reply["response"]}
    if _wants_yes(traces):
        return {**asked, "reason": "confirmation", "responseSchema": YES_OR_WORDS}
    actions = reply.get("actions") or {}
    ids = [one["id"] for one in actions.get("elements", ()) if not one.get("url")]
    if not ids:
        return None
    if actions.get("submit_id"):
        ids.append(actions["submit_id"])
    pressed: JsonObject = {
        "type": "object",
        "properties": {
            "actionId": {"type": "string", "enum": ids},
            "value": {"type": "string"},
            "formData": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["actionId"],
    }
    schema = {"anyOf": [pressed, {"type": "string", "minLength": 1}]}
    return {**asked, "reason": "input_required", "responseSchema": schema, "metadata": {"actions": actions}}


def usage_of(traces: Iterable[JsonObject]) -> list[JsonObject]:
    """Return what the model calls among trace events used, for each provider and model."""
    used: dict[tuple[str, str], dict[str, int]] = {}
    for one in traces:
        if one["type"] == "llm_call" and (counts := one["data"].get("usage")):
            sums = used.setdefault((one["data"].get("provider", ""), one["data"].get("model", "")), {})
            for name in ("inputTokens", "outputTokens"):
                if name in counts:
                    sums[name] = sums.get(name, 0) + int(counts[name])
    return [
        {**_named(provider=provider, model=model), **sums, "totalTokens": sum(sums.values())}
        for (provider, model), sums in used.items()
    ]


def _named(**names: str) -> JsonObject:
    return {name: value for name, value in names.items() if value}


def _wants_yes(traces: Iterable[JsonObject]) -> bool:
    """Return whether the last decision about a question of yes and no was to ask one."""
    wants = False
    for one in traces:
        data: dict[str, Any] = one["data"]
        if one["type"] == "decision" and data.get("decisionKind") in ("pause", "resume"):
            wants = data["decisionKind"] == "pause" and data.get("outcome") in QUESTIONS
    return wants


def _result(reply: JsonObject) -> JsonObject:
    names = ("sessionId", "messageId", "agentName", "action")
    return {name: reply[name] for name in names if name in reply}


def _json(value: JsonValue) -> str:
    return json_bytes(value).decode()
