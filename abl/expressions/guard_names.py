"""The names that the check of a guardrail may read besides the state, and what each stage fills them with.

The compiler refuses a name that nothing fills, and the engine lets no text pass by it: both ask here.
Spec: abl-language 3.7, 8. Decision: 0081.
"""

from __future__ import annotations

TEXT_NAMES = frozenset({
    "input", "output", "text", "content", "response", "message", "user_input", "user_message", "agent_response",
})  # fmt: skip
"""Names of the checked text, whatever its kind."""
_CALL = frozenset({"tool", "tool_name", "arguments", "args", "parameters"})
STAGE_NAMES = {
    "tool_input": _CALL,
    "tool_output": _CALL | {"result"},
    "handoff": frozenset({"target"}),
}
"""Stage -> what is known there besides: the tool's name, all its arguments, its whole result, the agent handed to."""
TEXT_MEMBERS = frozenset({"length"})


def names_of(stage: str) -> frozenset[str]:
    """Return the names that are filled at a stage."""
    return TEXT_NAMES | STAGE_NAMES.get(stage, frozenset())


def stages_of(name: str) -> list[str]:
    """Return the stages that fill a name which not all of them fill."""
    return [stage for stage, names in STAGE_NAMES.items() if name in names]


def member_of_text(path: tuple[str, ...]) -> str:
    """Return what is read below the checked text, which has no parts; empty where nothing is."""
    is_part = len(path) > 1 and path[0] in TEXT_NAMES and path[1] not in TEXT_MEMBERS
    return path[1] if is_part else ""
