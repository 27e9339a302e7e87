"""What an expression may see: its own names, the agent's values, then the facts of session and turn.

Spec: abl-language 6.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from domain.json_values import JsonObject, JsonValue
from engine import tongue
from engine.program import MEMORY_ROOTS, Program
from engine.state import SessionState, Thread


class Scope(Mapping[str, JsonValue]):
    """Names in front, then variables, tool results by tool, and engine facts; nothing is copied."""

    __slots__ = ("_own", "_program", "_state", "thread")

    def __init__(
        self, program: Program, state: SessionState, thread: Thread, own: Mapping[str, JsonValue] | None = None
    ) -> None:
        self._program = program
        self._state = state
        self.thread = thread
        self._own = own

    def get(self, name: str, default: JsonValue = None) -> JsonValue:
        """Return a value, `default` when there is none."""
        if self._own is not None and name in self._own:
            return self._own[name]
        thread = self.thread
        if name in thread.variables:
            return thread.variables[name]
        reader = READERS.get(name)
        if reader is not None:
            return reader(self._program, self._state, thread)
        found = thread.tool_results.get(name, default)
        if found is default and name in self._state.memory:
            return _stored(name, self._program, self._state, thread)
        return found

    def __getitem__(self, name: str) -> JsonValue:
        value = self.get(name, _ABSENT)
        if value is _ABSENT:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name, _ABSENT) is not _ABSENT

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*(self._own or ()), *self.thread.variables, *self.thread.tool_results, *READERS]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


_ABSENT = object()
Reader = Callable[[Program, SessionState, Thread], JsonValue]


def _stored(root: str, program: Program, state: SessionState, thread: Thread) -> JsonObject:
    """Return what is stored under a root, as far as the agent sees it."""
    stored = state.memory.get(root) or {}
    return visible(root, stored, program, thread) if thread.parent else stored


def _memory(root: str) -> Reader:
    def read(program: Program, state: SessionState, thread: Thread) -> JsonValue:
        stored = _stored(root, program, state, thread)
        if root != "user":
            return stored
        return {**stored, "intent": state.intent.get("category"), "sentiment": state.sentiment.get("label")}

    return read


def visible(root: str, stored: JsonObject, program: Program, thread: Thread) -> JsonObject:
    """Return what a child agent sees of persistent memory: what it declares and what it was granted."""
    declared = {str(one.get("path", "")) for one in program.of(thread).ir["memory"]["persistent"]}
    first = {path.split(".")[1] for path in {*declared, *thread.grants} if path.startswith(f"{root}.")}
    return {name: value for name, value in stored.items() if name in first}


def is_given(thread: Thread, name: str) -> bool:
    """Return whether a field has a value."""
    return thread.variables.get(name) is not None


def _all_gathered(program: Program, state: SessionState, thread: Thread) -> bool:
    del state
    fields = program.of(thread).ir["gather"]["fields"]
    return all(
        is_given(thread, one["name"]) for one in fields if one.get("required") and one.get("activation") == "required"
    )


def _action(program: Program, state: SessionState, thread: Thread) -> JsonValue:
    del program, thread
    event = state.turn.action
    if event is None:
        return None
    return {
        "actionId": event.action_id,
        "id": event.action_id,
        "value": event.value,
        "source": event.source,
        "formData": event.form,
        "form": event.form,
        "renderId": event.render_id,
    }


def _caller(program: Program, state: SessionState, thread: Thread) -> JsonValue:
    del program, thread
    begun = state.begun
    return {"channel": begun.channel, "userId": begun.user_id, **begun.caller}


READERS: dict[str, Reader] = {
    **{root: _memory(root) for root in MEMORY_ROOTS},
    "input": lambda program, state, thread: state.turn.text,
    "last_input": lambda program, state, thread: state.last_input,
    "intent": lambda program, state, thread: state.intent or None,
    "sentiment": lambda program, state, thread: state.sentiment or None,
    "channel": lambda program, state, thread: state.begun.channel,
    "language": lambda program, state, thread: tongue.said(program, state, thread) or None,
    "locale": lambda program, state, thread: state.begun.locale or state.begun.language or None,
    "turn_count": lambda program, state, thread: state.user_turns,
    "session_id": lambda program, state, thread: state.begun.session_id,
    "project_id": lambda program, state, thread: state.begun.project_id or None,
    "tenant_id": lambda program, state, thread: state.begun.tenant_id or None,
    "user_id": lambda program, state, thread: state.begun.user_id or None,
    "customer_id": lambda program, state, thread: state.begun.customer_id or state.begun.user_id or None,
    "env": lambda program, state, thread: state.begun.environment,
    "caller": _caller,
    "context": lambda program, state, thread: state.begun.caller or None,
    "interaction": lambda program, state, thread: {"channel": state.begun.channel, "turn": state.user_turns},
    "metadata": lambda program, state, thread: state.turn.metadata or None,
    "messageMetadata": lambda program, state, thread: state.turn.metadata or None,
    "message_metadata": lambda program, state, thread: state.turn.metadata or None,
    "result": lambda program, state, thread: thread.last_result,
    "all_fields_gathered": _all_gathered,
    "tool_failures": lambda program, state, thread: state.tool_failures,
    "constraint_failures": lambda program, state, thread: state.constraint_failures,
    "handoff": lambda program, state, thread: {"completed": bool(thread.counters.get("handoffs_completed"))},
    "escalate": lambda program, state, thread: {"completed": bool(thread.counters.get("escalations_completed"))},
    "_action": _action,
    "_clarification_count": lambda program, state, thread: thread.misses,
    "_validation_retries": lambda program, state, thread: dict(thread.retries),
    "_pending_inferences": lambda program, state, thread: [
        name for name, how in thread.gathered.items() if how == "unconfirmed"
    ],
    "_constraint_warnings": lambda program, state, thread: list(thread.warnings),
    "_summary": lambda program, state, thread: thread.summary or None,
    "_error": lambda program, state, thread: state.turn.error or None,
    "_correction": lambda program, state, thread: state.turn.correction or None,
    "sentiment_trajectory": lambda program, state, thread: list(state.sentiments),
    "previous_system_message_was_offer": lambda program, state, thread: state.offered,
    "always": lambda program, state, thread: True,
}
"""Name -> how it is read from session, turn and thread."""
