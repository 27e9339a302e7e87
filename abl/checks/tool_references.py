"""Whether every tool that is called exists. Spec: abl-language 5.4, 13.1."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import dig, rows, text
from abl.checks.report import Check
from abl.checks.suggestions import unknown
from abl.checks.tool_bindings import misspelt_tools
from abl.syntax.tools import CAN_RUN, CANNOT_RUN

SYSTEM_PREFIX = "__"


def undefined_tool_calls(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield every CALL of a tool that is not declared, and every unknown tool offered to a reasoning zone."""
    own = _own_tools(facts)
    known = facts.known_tools.union(misspelt_tools(facts, context).values())
    for call in facts.calls:
        if call.tool not in known and not call.tool.startswith(SYSTEM_PREFIX):
            said = {"step": call.block.step, "tool": call.tool}
            yield unknown("UNDEFINED_TOOL_CALL", call.block, call.field, call.tool, own, **said)


def undefined_checkpoints(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield every `BEFORE calling t` whose tool is not declared: the rule would never be checked.

    Such a rule calls nothing: where no tool is meant by a slip of the pen, there is nothing to guard.
    """
    own = _own_tools(facts)
    for block in facts.under("constraints", "flow"):
        if block.role != "checkpoint" or block.subject.get("kind") != "tool_call":
            continue
        tool = text(block.subject.get("target"))
        if tool and tool not in facts.known_tools and not tool.startswith(SYSTEM_PREFIX):
            rule = block.parent or block
            misspelt = unknown("UNDEFINED_TOOL_CALL", rule, "before", tool, own, tool=tool)
            said = {"name": tool, "known": ", ".join(own)}
            yield misspelt if misspelt.replacement else Finding("BEFORE_UNKNOWN_TOOL", rule, "before", tool, "", said)


def _own_tools(facts: AgentFacts) -> list[str]:
    """Return the tools of the author, as candidates for a suggestion."""
    return sorted(name for name in facts.known_tools if name and not name.startswith(SYSTEM_PREFIX))


def calls_nobody_can_confirm(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield the CALLs of hooks whose tool needs a yes each time: a hook asks nobody, so they are never made."""
    for call in facts.calls:
        tool = facts.tools.get(call.tool)
        if call.block.section != "hooks" or tool is None:
            continue
        require = dig(tool.subject, "confirmation", "require")
        if require == "always" or (require == "when_side_effects" and dig(tool.subject, "hints", "side_effects")):
            yield Finding("CALL_NOBODY_CAN_CONFIRM", call.block, call.field, call.tool, "", {"tool": call.tool})


def auth_without_profile(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield the tools that ask for authorisation at first use without naming a credential profile."""
    for name, block in facts.tools.items():
        if block.subject.get("jit_auth") is True and not text(block.subject.get("auth_profile_ref")):
            yield Finding("AUTH_JIT_WITHOUT_PROFILE", block, "name", name, arguments={"name": name, "tool": name})


def side_effects_without_confirmation(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield the tools that change something outside and say nothing about a confirmation.

    `confirm: never` is an answer too; immutable parameters and consent stand for a confirmation.
    """
    for name, block in facts.tools.items():
        tool = block.subject
        if tool.get("system") is True or dig(tool, "hints", "side_effects") is not True:
            continue
        if not tool.get("confirmation"):
            said = {"name": name, "tool": name}
            yield Finding("SIDE_EFFECT_TOOL_WITHOUT_CONFIRMATION", block, "name", name, arguments=said)


def tools_that_cannot_run(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the tools of a kind that nothing runs here."""
    for name, block in facts.tools.items():
        kind = text(block.subject.get("tool_type"))
        if kind in CANNOT_RUN:
            said = {"name": name, "tool": name, "value": kind, "known": ", ".join(CAN_RUN)}
            place = context.place(block.subject)
            is_inferred = place is not None and "type" not in place.node.at and "function" in place.node.at
            yield Finding("TOOL_CANNOT_RUN", block, "function" if is_inferred else "type", arguments=said)


def failures_not_seen(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield the ON_FAILURE of steps whose tool takes error answers as data: they run only when nothing answers."""
    for name, block in facts.steps.items():
        tool = facts.tools.get(text(dig(block.subject, "call_spec", "tool")))
        if tool is None or dig(tool.subject, "http_binding", "on_http_error") != "data":
            continue
        if block.subject.get("on_failure") and not block.subject.get("on_result"):
            said = {"step": name, "tool": text(tool.subject.get("name"))}
            yield Finding("FAILURE_NOT_SEEN", block, "on_failure", arguments=said)


def duplicate_tools(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield tools declared twice in an IR without text; the parser reports them in a text."""
    if context.places is not None:
        return
    seen: set[str] = set()
    for tool in rows(facts.ir.get("tools")):
        name = text(tool.get("name"))
        if name and name in seen:
            yield Finding("DUPLICATE_TOOL", facts.block(tool), "name", name, arguments={"name": name, "tool": name})
        seen.add(name)


CHECKS = (
    Check("UNDEFINED_TOOL_CALL", undefined_tool_calls),
    Check("UNDEFINED_TOOL_CALL", undefined_checkpoints),
    Check("CALL_NOBODY_CAN_CONFIRM", calls_nobody_can_confirm),
    Check("AUTH_JIT_WITHOUT_PROFILE", auth_without_profile),
    Check("SIDE_EFFECT_TOOL_WITHOUT_CONFIRMATION", side_effects_without_confirmation),
    Check("TOOL_CANNOT_RUN", tools_that_cannot_run),
    Check("FAILURE_NOT_SEEN", failures_not_seen),
    Check("DUPLICATE_TOOL", duplicate_tools),
)
"""The rules of this family, in the order in which they are checked."""
