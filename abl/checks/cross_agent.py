"""Whether agents name agents that exist, and read what those produce. Spec: abl-language 7, 13.1.

With `single_agent` (one text of a project) an unknown target may be another file, so only references to the agent
itself are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.names import RESULT_NAMES
from abl.checks.reading import dig, mapping, root, rows, text
from abl.checks.report import Check
from abl.checks.suggestions import unknown

_HANDOFF_TEXT = re.compile(r"\bHANDOFF(?:\s+to)?\s+(\w[\w-]*)", re.IGNORECASE)


class Reference(NamedTuple):
    """One mention of an agent."""

    block: Block
    field: str
    name: str


# -- handoff and delegation ------------------------------------------------------------------------------------


def invalid_handoff_targets(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield handoffs to agents nobody knows; remote ones are left alone."""
    if not context.options.single_agent:
        yield from _unknown_agents("INVALID_HANDOFF_TARGET", facts, context, _handoffs(facts))


def invalid_delegate_targets(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield delegations to agents nobody knows; remote ones are left alone."""
    if not context.options.single_agent:
        yield from _unknown_agents("INVALID_DELEGATE_TARGET", facts, context, _delegations(facts))


def self_handoffs(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield handoffs of an agent to itself."""
    yield from _self_references("SELF_HANDOFF_TARGET", facts, _handoffs(facts))


def self_delegations(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield delegations of an agent to itself."""
    yield from _self_references("SELF_DELEGATE_TARGET", facts, _delegations(facts))


def _handoffs(facts: AgentFacts) -> Iterator[Reference]:
    for block in facts.handoffs:
        if not block.subject.get("remote"):
            yield Reference(block, "to", text(block.subject.get("to")))
    for block in facts.under("flow", "action_handlers", "on_start"):
        yield Reference(block, "handoff", text(block.subject.get("handoff")))
    for block in facts.under("error_handling", "flow"):
        yield Reference(block, "handoff_target", text(block.subject.get("handoff_target")))
    for block in facts.under("constraints"):
        if block.subject.get("type") == "handoff":
            yield Reference(block, "target", text(block.subject.get("target")))
    for one in rows(dig(facts.ir, "coordination", "escalation", "on_human_complete")):
        found = _HANDOFF_TEXT.search(text(one.get("action")))
        if found:
            yield Reference(facts.block(one), "action", found[1])


def _delegations(facts: AgentFacts) -> Iterator[Reference]:
    for block in facts.delegates:
        if not block.subject.get("remote"):
            yield Reference(block, "agent", text(block.subject.get("agent")))
    for block in facts.under("flow", "action_handlers", "on_start"):
        delegate = _inline_delegate(block)
        if delegate is not None:
            yield delegate


def _inline_delegate(block: Block) -> Reference | None:
    """Return the agent of a DELEGATE inside a handler, branch or digression, which is a name or an object."""
    given = block.subject.get("delegate")
    if isinstance(given, str) and given:
        return Reference(block, "delegate", given)
    if isinstance(given, dict) and text(given.get("agent")):
        return Reference(block, "delegate.agent", text(given["agent"]))
    return None


# -- routing -----------------------------------------------------------------------------------------------------


def invalid_routing_targets(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield routing rules that lead to unknown agents.

    Rules that repeat a handoff are left out: the fault is reported there already.
    """
    if context.options.single_agent:
        return
    references = [one for one in _routes(facts) if one.name not in facts.partners]
    yield from _unknown_agents("INVALID_ROUTING_TARGET", facts, context, references)


def invalid_default_target(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield a default agent that nobody knows."""
    routing = mapping(facts.ir.get("routing"))
    default = text(routing.get("default_agent"))
    if default and not context.options.single_agent and default not in facts.partners:
        reference = Reference(facts.block(routing), "to", default)
        yield from _unknown_agents("INVALID_DEFAULT_ROUTING_TARGET", facts, context, [reference])


def self_routes(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield routing rules of a supervisor that lead back to it."""
    references = [one for one in _routes(facts) if one.name not in facts.partners]
    yield from _self_references("SELF_ROUTING_TARGET", facts, references)


def _routes(facts: AgentFacts) -> Iterator[Reference]:
    for rule in rows(dig(facts.ir, "routing", "rules")):
        name = text(rule.get("to"))
        if name and not rule.get("remote"):
            yield Reference(facts.handoff_to.get(name) or facts.block(rule), "to", name)


# -- what comes back ---------------------------------------------------------------------------------------------


def unknown_handoff_returns(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield keys of ON_RETURN MAP that the other agent never produces."""
    for block in facts.handoffs:
        mapped = mapping(dig(block.subject, "on_return", "map"))
        child = text(block.subject.get("to"))
        yield from _unknown_returns("UNKNOWN_HANDOFF_RETURN_FIELD", block, "on_return.map", mapped, child, context)


def unknown_delegate_returns(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield keys of RETURNS that the other agent never produces."""
    for block in facts.delegates:
        mapped, child = mapping(block.subject.get("returns")), text(block.subject.get("agent"))
        yield from _unknown_returns("UNKNOWN_DELEGATE_RETURN_FIELD", block, "returns", mapped, child, context)


def _unknown_returns(
    code: str, block: Block, field: str, mapped: dict[str, object], child: str, context: CheckContext
) -> Iterator[Finding]:
    """Yield the keys that `child` neither produces nor mentions: a model may fill what its texts ask for."""
    other = context.facts_by_name(child)
    if other is None or block.subject.get("remote"):
        return
    for key in mapped:
        name = root(key)
        if name not in other.known_names and name not in RESULT_NAMES and name not in other.mentioned:
            yield unknown(code, block, f"{field}.{key}", key, other.produced, value=child)


def unknown_inputs(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield keys of INPUT and `set` that the other agent never mentions, and that are nearly a name it knows."""
    for block, field, agent in _inputs(facts):
        other = context.facts_by_name(text(agent))
        given = mapping(dig(block.subject, *field.split(".")))
        if other is None or not given:
            continue
        for key in given:
            near = "" if key in other.mentioned else facts.guesses("inputs").slip(key, other.accepted, other.name)
            if near and near not in given:
                yield unknown("UNKNOWN_INPUT_FIELD", block, f"{field}.{key}", key, [near], value=text(agent))


def _inputs(facts: AgentFacts) -> Iterator[tuple[Block, str, object]]:
    for block in facts.delegates:
        yield block, "input", block.subject.get("agent")
    for block in facts.handoffs:
        yield block, "context.set", block.subject.get("to")


def unknown_return_handlers(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield handlers named under ON_RETURN that RETURN_HANDLERS does not have."""
    known = mapping(dig(facts.ir, "coordination", "return_handlers"))
    for block in facts.under("coordination"):
        name = text(block.subject.get("handler")) if block.role == "on_return" else ""
        if name and name not in known:
            place = context.place(block.subject)
            inline = place is not None and "handler" not in place.node.at and "action" in place.node.at
            yield unknown("UNKNOWN_RETURN_HANDLER", block, "action" if inline else "handler", name, known)


# -- shared ------------------------------------------------------------------------------------------------------


def _unknown_agents(
    code: str, facts: AgentFacts, context: CheckContext, references: Iterator[Reference] | list[Reference]
) -> Iterator[Finding]:
    for one in references:
        if one.name and one.name not in context.known_agents and one.name != facts.name:
            others = (name for name in context.sorted_agents if name != facts.name)
            yield unknown(code, one.block, one.field, one.name, others)


def _self_references(
    code: str, facts: AgentFacts, references: Iterator[Reference] | list[Reference]
) -> Iterator[Finding]:
    for one in references:
        if one.name and one.name == facts.name:
            yield Finding(code, one.block, one.field, one.name, arguments={"name": one.name})


CHECKS = (
    Check("INVALID_HANDOFF_TARGET", invalid_handoff_targets),
    Check("SELF_HANDOFF_TARGET", self_handoffs),
    Check("INVALID_DELEGATE_TARGET", invalid_delegate_targets),
    Check("SELF_DELEGATE_TARGET", self_delegations),
    Check("INVALID_ROUTING_TARGET", invalid_routing_targets),
    Check("INVALID_DEFAULT_ROUTING_TARGET", invalid_default_target),
    Check("SELF_ROUTING_TARGET", self_routes),
    Check("UNKNOWN_HANDOFF_RETURN_FIELD", unknown_handoff_returns),
    Check("UNKNOWN_DELEGATE_RETURN_FIELD", unknown_delegate_returns),
    Check("UNKNOWN_INPUT_FIELD", unknown_inputs),
    Check("UNKNOWN_RETURN_HANDLER", unknown_return_handlers),
)
"""The rules of this family, in the order in which they are checked."""
