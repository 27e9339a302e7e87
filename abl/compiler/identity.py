"""Lowers who the agent is and what it may spend: metadata, identity, execution. Spec: abl-language 3.1, 3.15, 12.2."""

from __future__ import annotations

from typing import Any

from abl.compiler.lowering import Changes, Shape, lower, nested, shape
from abl.compiler.plain import Json, number, one, only, plain, text, texts
from abl.compiler.scope import Scope
from abl.ir import COMPILER_VERSION, IR_VERSION
from abl.languages import TAGS, base_tag, tag_named
from abl.syntax.document import Document, Identity
from abl.syntax.execution import Execution, IntentBridge, KeywordVeto, Pipeline, ShortCircuit, Timeouts, ToolFilter
from abl.syntax.flow import Flow, Step
from abl.syntax.goal import unwritten_goal

DEFAULT_VERSION = "1.0.0"
TOOL_TIMEOUT_MS = 30_000
LLM_TIMEOUT_MS = 30_000
SESSION_TIMEOUT_MS = 1_800_000
MAX_ITERATIONS = 10
MAX_FLOW_ITERATIONS = 100
VOICE_LATENCY_FLOW_MS = 500
VOICE_LATENCY_MS = 1_000
SIMPLE_PARTS = 5
MODERATE_PARTS = 15


def _camel(cls: Any, **defaults: Any) -> Shape:
    return shape(cls, Changes(keys_as_written=True, defaults=defaults))


_PIPELINE = shape(
    Pipeline,
    Changes(
        keys_as_written=True,
        defaults={"enabled": False, "mode": "parallel"},
        use={
            "short_circuit": nested(_camel(ShortCircuit, enabled=False, confidenceThreshold=0.85)),
            "tool_filter": nested(_camel(ToolFilter, enabled=False, maxTools=6)),
            "keyword_veto": nested(_camel(KeywordVeto, enabled=False)),
            "intent_bridge": nested(_camel(IntentBridge, enabled=False)),
        },
    ),
)
_EXECUTION = shape(
    Execution,
    Changes(
        skip=("tool_timeout", "llm_timeout", "session_idle_timeout", "voice_latency_target", "timeouts"),
        names={"max_reasoning_iterations": "max_iterations", "models": "operation_models"},
        use={"pipeline": nested(_PIPELINE)},
        defaults={"max_iterations": MAX_ITERATIONS, "max_flow_iterations": MAX_FLOW_ITERATIONS, "inline_gather": False},
    ),
)


def tool_timeout(document: Document) -> int | float:
    """Return the milliseconds a tool of this agent may take when neither it nor its library says."""
    execution = one(Execution, document.execution)
    return _first(TOOL_TIMEOUT_MS, *(_written_timeouts(execution, "tool_timeout", "tool_timeout_ms")))


def lower_metadata(document: Document, compiled_at: str | None, source_hash: str) -> Json:
    """Return the metadata; `config_hash` is added when the configuration is known."""
    ir: Json = {
        "name": text(document.name),
        "version": text(document.version) or DEFAULT_VERSION,
        "type": "supervisor" if document.kind == "supervisor" else "agent",
        "compiled_at": compiled_at,
        "source_hash": source_hash,
        "compiler_version": COMPILER_VERSION,
        "ir_version": IR_VERSION,
    }
    if description := text(document.description):
        ir["description"] = description
    return ir


def lower_identity(document: Document, scope: Scope) -> Json:
    """Return goal, persona, limitations, system_prompt, language."""
    older = one(Identity, document.identity) or Identity()
    prompt = text(document.system_prompt)
    ir: Json = {
        "goal": goal_of(document),
        "persona": _persona(document, older),
        "limitations": texts(document.limitations) or texts(older.limitations),
        "system_prompt": {
            "template": prompt,
            "custom": bool(prompt),
            "sections": {"context": True, "tools": True, "constraints": True, "history": True},
        },
    }
    if language := text(document.language):
        ir["language"] = language if base_tag(language) in TAGS else tag_named(language) or language
    return scope.record(ir, document)


def goal_of(document: Document) -> str:
    """Return the goal with the instructions appended."""
    older = one(Identity, document.identity) or Identity()
    goal = text(document.goal) or text(older.goal) or text(older.role) or text(unwritten_goal(document))
    if instructions := text(document.instructions):
        return f"{goal}\n\nInstructions:\n{instructions}" if goal else f"Instructions:\n{instructions}"
    return goal


def _persona(document: Document, older: Identity) -> str:
    persona = text(document.persona) or text(older.persona)
    if expertise := texts(older.expertise):
        line = "Expertise: " + ", ".join(expertise)
        return f"{persona}\n{line}" if persona else line
    return persona


def lower_execution(document: Document, scope: Scope) -> Json:
    """Return model, limits and timeouts, defaults filled in; the hints are added by `execution_hints`."""
    execution = one(Execution, document.execution)
    has_flow = one(Flow, document.flow) is not None
    ir = lower(execution if execution is not None else Execution(), scope, _EXECUTION)
    if execution is None:
        scope.record(ir, document)
    latency = number(execution.voice_latency_target) if execution is not None else None
    session_ms = _first(SESSION_TIMEOUT_MS, *_written_timeouts(execution, "session_idle_timeout", "session_timeout_ms"))
    ir["timeouts"] = {
        "tool_timeout_ms": tool_timeout(document),
        "llm_timeout_ms": _first(LLM_TIMEOUT_MS, *_written_timeouts(execution, "llm_timeout", "llm_timeout_ms")),
        "session_timeout_ms": session_ms,
        "voice_latency_target_ms": _first(VOICE_LATENCY_FLOW_MS if has_flow else VOICE_LATENCY_MS, latency),
    }
    ir["sessionLifecycle"] = {"idleSeconds": _whole(session_ms / 1000)}
    if not ir.get("model") and (model := text(document.model)):
        ir["model"] = model
    return ir


def execution_hints(document: Document, ir: Json) -> Json:
    """Return voice_optimized, requires_persistence, supports_hitl, parallel_tools, complexity of a lowered agent."""
    tools = [tool for tool in ir["tools"] if not tool["system"]]
    steps = only(Step, document.flow.steps) if isinstance(document.flow, Flow) else []
    coordination = ir["coordination"]
    parts = len(tools) + len(steps) + len(coordination["handoffs"]) + len(coordination["delegates"])
    return {
        "voice_optimized": "voice" in ir["execution"] or "voice_latency_target" in _written_names(document),
        "requires_persistence": bool(ir["memory"]["persistent"]),
        "supports_hitl": bool(coordination["escalation"].get("triggers"))
        or any(step.human_approval is not None for step in steps)
        or any(tool.get("confirmation", {}).get("require", "never") != "never" for tool in tools),
        "parallel_tools": sum(1 for tool in tools if tool["hints"]["parallelizable"]) > 1,
        "complexity": "simple" if parts <= SIMPLE_PARTS else "moderate" if parts <= MODERATE_PARTS else "complex",
    }


def _written_names(document: Document) -> set[str]:
    execution = one(Execution, document.execution)
    return {name for name, _ in execution.written()} if execution is not None else set()


def _written_timeouts(execution: Execution | None, short: str, long: str) -> tuple[int | float | None, ...]:
    if execution is None:
        return ()
    timeouts = one(Timeouts, execution.timeouts)
    return number(getattr(execution, short)), number(getattr(timeouts, long, None))


def _first(default: int | float, *values: int | float | None) -> int | float:
    return next((value for value in values if value is not None), default)


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


def lower_conversation(document: Document) -> Json:
    """Return the body of CONVERSATION."""
    body = plain(document.conversation)
    return body if isinstance(body, dict) else {}
