"""A conversation in memory: scripted outcomes answer the effects, every fact is recorded and can be folded again.

Pure like the rest of the engine: the moment is a value that moves by a second per fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from abl.project import Project, compile_project
from domain.clock import iso_ms, parse_iso
from domain.json_values import JsonObject, JsonValue
from domain.messages import ActionEvent, Attachment
from domain.model_calls import UNANSWERABLE, ModelReply
from domain.tool_calls import ToolCall, ToolResult
from domain.traces import TraceEvent
from engine import effects as e
from engine import facts as f
from engine.children import child_begun, child_replied
from engine.program import Program
from engine.state import SessionState, encode_state
from engine.turn import Step, advance, begin

START = "2026-03-02T09:00:00.000Z"
MAX_FACTS = 2_000

ToolScript = Callable[[e.CallTool], ToolResult]
ModelScript = Callable[[e.AskModel], ModelReply | f.ModelFailed]


def program_of(files: dict[str, str]) -> Program:
    """Return the program of these texts.

    Raises:
        ValueError: The texts do not compile.
    """
    output = compile_project(Project.from_files(files)).output
    if errors := output.get("compilation_errors"):
        raise ValueError(str(errors[:3]))
    return Program(output)


def says(text: str) -> ModelReply:
    """Return a model's text."""
    return ModelReply(text=text, model="scripted")


def uses(*calls: tuple[str, JsonObject], text: str = "") -> ModelReply:
    """Return a model's tool calls."""
    made = tuple(ToolCall(f"c{at}", name, arguments) for at, (name, arguments) in enumerate(calls, 1))
    return ModelReply(text=text, tool_calls=made, finish_reason="tool_calls", model="scripted")


def gives(value: JsonValue) -> ToolResult:
    """Return a result."""
    return ToolResult(ok=True, value=value, duration_ms=5)


def fails(kind: str = "tool_error", message: str = "It failed", code: str = "") -> ToolResult:
    """Return a failure."""
    return ToolResult(ok=False, error_kind=kind, error_message=message, error_code=code)


@dataclass(slots=True)
class Conversation:
    """One session with everything around it scripted.

    Attributes:
        tools: Tool -> a result, a list of results in order, or a function of the effect.
        model: Replies of reasoning calls in order, or a function of the effect; `reads` answers extraction calls.
        memory: Persistent values by path.
        others: Agents elsewhere, and children that fail -> what comes back: `{text, values, error}`, or a list of them.
        scores: What a classifier says of a text.
        cancels: The next effect that waits for an outcome gets none: the turn is given up.
    """

    program: Program
    tools: dict[str, object] = field(default_factory=dict)
    model: list[ModelReply | f.ModelFailed] | ModelScript = field(default_factory=list)
    reads: list[ModelReply] | ModelScript = field(default_factory=list)
    memory: JsonObject = field(default_factory=dict)
    others: dict[str, JsonValue] = field(default_factory=dict)
    cancels: bool = False
    scores: Callable[[e.Classify], dict[str, float]] = lambda _effect: {}
    facts: list[f.AnyFact] = field(default_factory=list)
    effects: list[e.AnyEffect] = field(default_factory=list)
    ends: list[e.EndTurn] = field(default_factory=list)
    now: datetime = field(default_factory=lambda: parse_iso(START))
    _state: SessionState | None = None

    @property
    def state(self) -> SessionState:
        """The session as it stands."""
        if self._state is None:
            raise ValueError("The conversation has not begun")
        return self._state

    @property
    def traces(self) -> list[TraceEvent]:
        """All trace events so far."""
        return [one.event for one in self.effects if isinstance(one, e.Trace)]

    def begin(self, **given: object) -> str:
        """Begin the session and return what the agent says before any message."""
        may_wait = not given.get("with_message") and not given.get("task")
        facts = {"session_id": "sess_test", "may_wait": may_wait, "runs_once": given.get("may_wait", may_wait), **given}
        fact = f.SessionBegun(at=self._at(), **facts)  # type: ignore[arg-type]
        self.facts.append(fact)
        return self._follow(begin(self.program, fact))

    def say(
        self,
        text: str,
        *,
        metadata: JsonObject | None = None,
        action: ActionEvent | None = None,
        attachments: Iterable[Attachment] = (),
        unread: bool = False,
    ) -> str:
        """Say something and return the reply; a session that has not begun begins first."""
        is_first = self._state is None
        opening = self.begin(with_message=True) if is_first else ""
        fact = f.UserSpoke(
            at=self._at(),
            text=text,
            metadata=metadata or {},
            action=action,
            attachments=tuple(attachments),
            opening_unseen=is_first,
            unread=unread,
        )
        return "\n\n".join(part for part in (opening, self.tell(fact)) if part)

    def press(self, action_id: str, value: str = "") -> str:
        """Press a button and return the reply."""
        return self.say("", action=ActionEvent(action_id, value))

    def tell(self, fact: f.AnyFact) -> str:
        """Fold one fact, answer all effects it leads to, and return what was said."""
        self.facts.append(fact)
        return self._follow(advance(self.program, self.state, fact))

    def _follow(self, step: Step) -> str:
        waiting: list[e.AnyEffect] = []
        for _ in range(MAX_FACTS):
            self._state = step.state
            self.effects += step.effects
            if step.end is not None:
                self.ends.append(step.end)
                return step.end.reply
            waiting += [one for one in step.effects if e.expects_outcome(one)]
            if not waiting:
                return ""
            fact = self._answer(waiting.pop(0))
            self.facts.append(fact)
            step = advance(self.program, self.state, fact)
        raise ValueError("The turn does not end")

    def _answer(self, effect: e.AnyEffect) -> f.AnyFact:
        at = self._at()
        if self.cancels:
            self.cancels = False
            return f.TurnCancelled(at=at, reason="deadline")
        match effect:
            case e.AskModel():
                return self._model(effect, at)
            case e.Classify():
                return f.Classified(at=at, effect_id=effect.id, scores=self.scores(effect))
            case e.CallTool():
                return f.ToolReturned(at=at, effect_id=effect.id, result=self._tool(effect))
            case e.ReadMemory():
                found = {path: self.memory[path] for path in effect.scopes if path in self.memory}
                return f.MemoryRead(at=at, effect_id=effect.id, values=found)
            case e.WriteMemory():
                self.memory.update({one.path: one.value for one in effect.writes})
                return f.MemoryWritten(at=at, effect_id=effect.id)
            case e.Delegate():
                return self._child(effect, at)
            case e.StartTimer():
                self.now += timedelta(milliseconds=effect.delay_ms)
                return f.TimerFired(at=self._at(), effect_id=effect.id)
            case e.HandOff():
                return self._other(effect.id, effect.target, at)
            case _:
                raise ValueError(f"{type(effect).__name__} has no outcome")

    def _model(self, effect: e.AskModel, at: str) -> f.AnyFact:
        script = self.model if effect.operation == "reasoning" else self.reads
        if callable(script):
            found = script(effect)
        elif script:
            found = script.pop(0)
        else:
            found = says("{}") if effect.operation != "reasoning" else says("(no reply scripted)")
        if isinstance(found, f.ModelFailed):
            asked = "" if found.kind in UNANSWERABLE else "scripted"
            return f.ModelFailed(
                at=at,
                effect_id=effect.id,
                kind=found.kind,
                message=found.message,
                model=asked,
                is_final=found.is_final,
            )
        return f.ModelAnswered(at=at, effect_id=effect.id, reply=found)

    def _tool(self, effect: e.CallTool) -> ToolResult:
        if effect.kind == "mock":
            error = effect.binding.get("error")
            return (
                fails("tool_error", error["message"], str(error.get("code", "")))
                if error
                else gives(effect.binding["response"])
            )
        script = self.tools.get(effect.tool)
        if callable(script):
            made: ToolResult = script(effect)
            return made
        if isinstance(script, list):
            script = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(script, ToolResult):
            return script
        return gives(script) if script is not None else fails("tool_error", f"No result scripted for {effect.tool}")

    def _other(self, effect_id: str, target: str, at: str) -> f.AnyFact:
        script = self.others.get(target)
        told = (script.pop(0) if len(script) > 1 else script[0]) if isinstance(script, list) else script
        told = told or {"error": "delegation_error", "message": f"Nothing scripted for {target}"}
        if told.get("error") == "outcome_unknown":
            return f.OutcomeUnknown(at=at, effect_id=effect_id, message=told.get("message", ""))
        return f.ChildReplied(
            at=at,
            effect_id=effect_id,
            text=told.get("text", ""),
            values=told.get("values", {}),
            error=told.get("error", ""),
            error_message=told.get("message", ""),
            duration_ms=10,
            conversation=told.get("conversation", {}),
        )

    def _child(self, effect: e.Delegate, at: str) -> f.AnyFact:
        if effect.target in self.others or self.program.find(effect.target) is None:
            return self._other(effect.id, effect.target, at)
        child = Conversation(self.program, self.tools, self.model, self.reads, self.memory, self.others, now=self.now)
        fact = child_begun(self.state, effect, at)
        child.facts.append(fact)
        child._follow(begin(self.program, fact))
        return child_replied(effect.id, child.ends[-1], self._at(), duration_ms=10)

    def _at(self) -> str:
        self.now += timedelta(seconds=1)
        return iso_ms(self.now)


def replayed(program: Program, facts: Iterable[f.AnyFact]) -> tuple[SessionState, list[e.AnyEffect]]:
    """Fold recorded facts again; return the state and all effects.

    Raises:
        ValueError: The first fact is not the session's beginning.
    """
    state: SessionState | None = None
    effects: list[e.AnyEffect] = []
    for fact in facts:
        if state is None:
            if not isinstance(fact, f.SessionBegun):
                raise ValueError("The first fact has to be SessionBegun")
            step = begin(program, fact)
        else:
            step = advance(program, state, fact)
        state = step.state
        effects += step.effects
    if state is None:
        raise ValueError("There are no facts")
    return state, effects


def same_bytes(one: SessionState, other: SessionState) -> bool:
    """Return whether two states are byte for byte the same."""
    return encode_state(one) == encode_state(other)
