"""The tools every model gets without declaring them. Spec: abl-language 12.3."""

from __future__ import annotations

from abl.compiler.plain import Json

_HINTS = {
    "cacheable": False,
    "latency": "fast",
    "parallelizable": False,
    "side_effects": True,
    "requires_auth": False,
    "timeout": 30_000,
}
_TEXTS = {
    "__handoff__": "Hand the conversation over to another agent",
    "__delegate__": "Give a sub-task to another agent and get its result",
    "__complete__": "Finish: the task of this agent is done",
    "__escalate__": "Ask a human to take over",
}
_PRIORITIES = ("low", "medium", "high", "critical")


def system_tools(handoffs: list[str], delegates: list[str], *, completes: bool, escalates: bool) -> list[Json]:
    """Return the system tools of an agent with these handoff and delegate targets."""
    tools: list[Json] = []
    if handoffs:
        target = _parameter("target", "string", "Agent that takes over", required=True, enum=handoffs)
        context = _parameter("context", "object", "What the agent should know")
        tools.append(_tool("__handoff__", [target, context]))
    if delegates:
        target = _parameter("target", "string", "Agent that does the sub-task", required=True, enum=delegates)
        given = _parameter("input", "object", "Parameters of the sub-task")
        tools.append(_tool("__delegate__", [target, given]))
    if completes:
        message = _parameter("message", "string", "Last words to the user")
        store = _parameter("store", "object", "Values to keep")
        tools.append(_tool("__complete__", [message, store]))
    if escalates:
        reason = _parameter("reason", "string", "Why a human is needed", required=True)
        priority = _parameter("priority", "string", "How urgent it is", enum=list(_PRIORITIES))
        tools.append(_tool("__escalate__", [reason, priority]))
    return tools


def _tool(name: str, parameters: list[Json]) -> Json:
    return {
        "name": name,
        "description": _TEXTS[name],
        "parameters": parameters,
        "returns": {"type": "object"},
        "hints": dict(_HINTS),
        "system": True,
    }


def _parameter(
    name: str, kind: str, description: str, *, required: bool = False, enum: list[str] | None = None
) -> Json:
    ir: Json = {"name": name, "type": kind, "description": description, "required": required}
    if enum:
        ir["enum"] = list(dict.fromkeys(enum))
    return ir
