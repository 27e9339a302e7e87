"""One step under way: the forked state, the effects so far, and the few verbs every operation is written in.

A `Run` lives for one call of `advance`. Work that is still to do stands in `state.tasks`; an operation takes one task,
may push others, and may send effects; the turn rests while a blocking effect is out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from abl.expressions import Environment
from abl.languages import Pack
from domain.json_values import JsonObject, JsonValue
from domain.limits import MODEL_CALLS_PER_TURN, TOOL_CALLS_PER_TURN, TRACE_TEXT_MAX_CHARS, TRACE_VALUE_MAX_BYTES
from domain.messages import TranscriptLine
from domain.model_calls import Message
from domain.traces import FIRST_TURN, NULL_WHEN_UNKNOWN, TraceEvent, TraceType
from engine import effects as e
from engine import pii, sentences, tongue, zones
from engine.limits import MAX_TASKS
from engine.program import AgentProgram, Program
from engine.scope import Scope
from engine.state import MAX_TRANSCRIPT_LINES, Outcome, Pending, SessionState, Task, Thread

BARRIERS = frozenset({"turn.close", "turn.complete", "turn.late", "turn.finish", "barrier"})
"""Operations that a change of direction never jumps over."""

_ID_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def _may_be_large(data: JsonObject) -> bool:
    """Return whether a value of an event could be over the limit: a long text, or anything that holds others."""
    for value in data.values():
        kind = type(value)
        if (kind is str and len(value) > TRACE_TEXT_MAX_CHARS) or ((kind is dict or kind is list) and value):
            return True
    return False


def _bounded(value: JsonValue) -> JsonValue:
    """Return a value, or its size when it is over 64 KiB. Spec: platform-api 5.7."""
    if isinstance(value, str) and len(value) * 4 <= TRACE_VALUE_MAX_BYTES:
        return value
    if not isinstance(value, str | dict | list):
        return value
    size = len(msgspec.json.encode(value))
    return value if size <= TRACE_VALUE_MAX_BYTES else {"truncated": True, "sizeBytes": size}


class Run:
    """The forked state of one step and what it wants so far."""

    __slots__ = (
        *("_scope", "agent", "changes", "effects", "environment", "exceeds", "is_blocked", "program", "state"),
        "thread",
    )

    def __init__(self, program: Program, state: SessionState) -> None:
        self.program = program
        self.state = state
        self.effects: list[e.AnyEffect] = []
        self.environment = Environment(now=state.at, unique_id=self._unique_id, zone=zones.find)
        self.changes = 0
        self.is_blocked = False
        self.exceeds = ""
        self.thread: Thread = state.threads.get(state.active) or Thread(agent=state.active)
        self.agent: AgentProgram = program.of(self.thread)
        self._scope: Scope | None = None

    # -- where we are ---------------------------------------------------------------------------------------------

    def focus(self, name: str) -> None:
        """Make the thread of an agent the one that operations work on."""
        thread = self.state.threads.get(name)
        if thread is None:
            thread = self.state.threads[name] = Thread(agent=name)
        if thread is not self.thread:
            self.thread = thread
            self.agent = self.program.of(thread)
            self._scope = None

    @property
    def scope(self) -> Scope:
        """What expressions of the current thread see."""
        if self._scope is None or self._scope.thread is not self.thread:
            self._scope = Scope(self.program, self.state, self.thread)
        return self._scope

    def local(self, names: Mapping[str, JsonValue]) -> Scope:
        """Return the scope with names of its own in front."""
        return Scope(self.program, self.state, self.thread, names)

    # -- expressions ----------------------------------------------------------------------------------------------

    def test(self, condition: str, scope: Scope | None = None) -> bool:
        """Return whether a condition holds; an empty one does."""
        if not condition:
            return True
        return self.program.texts.condition(condition)(scope or self.scope, self.environment)

    def value(self, expression: str, scope: Scope | None = None) -> JsonValue:
        """Return the value of an expression; templates that are no part of one are rendered first."""
        if "{{" in expression and not self.program.texts.reads_templates(expression):
            expression = self.render(expression, scope)
        return self.program.texts.expression(expression)(scope or self.scope, self.environment)

    def render(self, text: str, scope: Scope | None = None) -> str:
        """Return a template with its values."""
        if "{{" not in text:
            return text
        return self.program.texts.template(text).render(scope or self.scope, self.environment)

    def render_whole(self, text: str, scope: Scope | None = None) -> str:
        """Return a template with its values, empty where one of them is empty."""
        return self.program.texts.template(text).render_whole(scope or self.scope, self.environment)

    @property
    def words(self) -> Pack:
        """The words and sentences of the session's language."""
        return tongue.words_of(self.program, self.state, self.thread)

    def wording(self, key: str) -> str:
        """Return a platform text as it is written, in the language of the session."""
        return sentences.wording(self.agent.messages, key.lower(), self.words)

    def message(self, key: str, names: Mapping[str, JsonValue] | None = None) -> str:
        """Return a platform text: the agent's own, else the built-in sentence in the language of the session."""
        return self.render(self.wording(key), self.local(names) if names else None)

    def _unique_id(self, chars: int) -> str:
        """Return an id that depends on the session and on how many it has made."""
        self.state.id_count += 1
        seed = f"{self.state.begun.session_id}:{self.state.begun.at}:{self.state.id_count}"
        digest = sha256(seed.encode()).digest()
        while len(digest) < chars:
            digest += sha256(digest).digest()
        return "".join(_ID_SIGNS[byte % len(_ID_SIGNS)] for byte in digest[: max(chars, 0)])

    # -- work -----------------------------------------------------------------------------------------------------

    def push(self, op: str, /, **needs: JsonValue) -> None:
        """Put a task on top: it is the next one."""
        if len(self.state.tasks) < MAX_TASKS:
            self.state.tasks.append(Task(op, self.thread.agent, needs))

    def push_all(self, tasks: Iterable[tuple[str, JsonObject]]) -> None:
        """Put tasks on top so that the first one given is the next one."""
        for op, needs in reversed(list(tasks)):
            self.push(op, **needs)

    def unwind(self) -> list[Task]:
        """Drop the work above the nearest barrier and return it, the lowest first."""
        tasks = self.state.tasks
        cut = len(tasks)
        while cut and tasks[cut - 1].op not in BARRIERS:
            cut -= 1
        dropped = tasks[cut:]
        del tasks[cut:]
        return dropped

    def unwind_turn(self) -> None:
        """Drop all work but the end of the turn."""
        tasks = self.state.tasks
        while tasks and tasks[-1].op != "turn.close":
            tasks.pop()

    def look_for_blocks(self) -> None:
        """Find out whether a blocking effect is out; afterwards `send` keeps that up to date."""
        self.is_blocked = any(pending.blocking for pending in self.state.pending.values())

    # -- effects --------------------------------------------------------------------------------------------------

    def next_id(self) -> str:
        """Return the id of the next effect: the turn's number and the effect's in the turn."""
        self.state.count += 1
        return f"{self.state.turn.number}.{self.state.count}"

    def send(
        self,
        kind: Callable[..., Any],
        /,
        *,
        blocking: bool = True,
        about: str = "",
        hashed: object = None,
        notes: JsonObject | None = None,
        **asked: Any,
    ) -> str:
        """Send an effect of the current agent and return its id; the turn waits for its outcome if it has one.

        `hashed` stands for what is asked where that is large and mostly the same as before. What goes beyond what a
        turn may ask for is not sent: `exceeds` says so, and the turn ends.
        """
        if self._is_too_much(kind):
            return self.next_id()
        digest = "" if kind is e.Say else e.request_hash((kind.__name__, hashed or asked))
        effect = kind(id=self.next_id(), agent=self.thread.agent, request_hash=digest, **asked)
        self.effects.append(effect)
        if e.expects_outcome(effect):
            self.is_blocked = self.is_blocked or blocking
            self.state.pending[effect.id] = Pending(kind.__name__, effect.request_hash, blocking, about, notes or {})
        found: str = effect.id
        return found

    def _is_too_much(self, kind: Callable[..., Any]) -> bool:
        """Count what a turn asks of models and tools; return whether it was enough. Spec: platform-api 15."""
        turn = self.state.turn
        if kind is e.AskModel:
            turn.model_calls += 1
            if turn.model_calls > MODEL_CALLS_PER_TURN:
                self.exceeds = f"The turn asked a model more than {MODEL_CALLS_PER_TURN} times"
        elif kind is e.CallTool:
            turn.tool_calls += 1
            if turn.tool_calls > TOOL_CALLS_PER_TURN:
                self.exceeds = f"The turn called tools more than {TOOL_CALLS_PER_TURN} times"
        return bool(self.exceeds) and kind in (e.AskModel, e.CallTool)

    def take(self, effect_id: str) -> Outcome:
        """Return what came back for an effect, once."""
        return self.state.outcomes.pop(effect_id, None) or Outcome(ok=False, kind="unknown_error", message="No outcome")

    def trace(
        self, kind: TraceType, /, *, took_ms: int | None = None, span: str = "", is_open: bool = False, **facts: Any
    ) -> None:
        """Record what happened; values of None are left out (a cost is not), sensitive ones masked unless `is_open`.

        `took_ms` is how long it took; what is larger than 64 KiB is left out with its size.
        """
        state = self.state
        state.trace_count += 1
        effect_id = self.next_id()
        kept = {key: value for key, value in facts.items() if value is not None or key in NULL_WHEN_UNKNOWN}
        if state.tokens and not is_open:
            kept = pii.masked_data(state, kept)
        if _may_be_large(kept):
            kept = {key: _bounded(value) for key, value in kept.items()}
        turn = max(state.turn.number, FIRST_TURN)  # the opening belongs to it
        event = TraceEvent(
            kind,
            state.at,
            self.thread.agent,
            turn,
            state.trace_count,
            span or effect_id,
            f"turn-{turn}",
            took_ms,
            kept,
        )
        self.effects.append(e.Trace(id=effect_id, event=event))

    def decide(self, kind: str, decision: str, /, **facts: Any) -> None:
        """Record a decision."""
        self.trace(TraceType.DECISION, decisionKind=kind, decision=decision, **facts)

    def fault(self, code: str, message: str, *, origin: str, handled: bool = True, **facts: Any) -> None:
        """Record an error."""
        facts = {"retryable": False, **facts}
        self.trace(TraceType.ERROR, code=code, message=message, origin=origin, handled=handled, **facts)

    def act(self, kind: str, /, **facts: JsonValue) -> None:
        """Say what the caller is told the turn did; the last one counts."""
        self.state.turn.last_action = {"type": kind, **facts}

    def hear(self, role: str, content: str) -> None:
        """Let the model of this agent see a text later, unless a tool call is open whose result has to come first."""
        messages = self.thread.messages
        for message in reversed(messages):
            if message.role == "user" or (message.role == "assistant" and not message.tool_calls):
                break
            if message.role == "assistant":
                answered = {one.tool_call_id for one in messages if one.role == "tool"}
                if any(call.id not in answered for call in message.tool_calls):
                    return
                break
        messages.append(Message(role, content))  # type: ignore[arg-type]

    def note(self, role: str, content: str) -> None:
        """Add a line to the conversation."""
        lines = self.state.transcript
        lines.append(TranscriptLine(role=role, content=content, agent=self.thread.agent, turn=self.state.turn.number))  # type: ignore[arg-type]
        if len(lines) > MAX_TRANSCRIPT_LINES:
            del lines[: len(lines) - MAX_TRANSCRIPT_LINES]
