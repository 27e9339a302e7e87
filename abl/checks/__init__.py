"""The validators: rules over the IR of agents, and over the texts of documents. Spec: abl-language 13.

Each rule is a small function that yields findings; `FAMILIES` lists all of them in the order of the specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abl.checks import (
    call_arguments,
    cross_agent,
    endless_steps,
    field_references,
    flow_graph,
    gather_references,
    guardrails,
    input_mappings,
    preflight,
    profiles,
    recall_events,
    reserved_names,
    result_fields,
    texts_of_ir,
    tool_bindings,
    tool_descriptions,
    tool_references,
    undefined_names,
)
from abl.checks.context import CheckContext, CheckOptions
from abl.checks.documents import document_findings
from abl.checks.finding import Finding
from abl.checks.profile_names import profile_findings
from abl.checks.report import Check, diagnostics
from abl.compiler.places import Unit
from abl.diagnostics.model import Diagnostic

FAMILIES: Mapping[str, tuple[Check, ...]] = {
    "flow graph": flow_graph.CHECKS,
    "endless steps": endless_steps.CHECKS,
    "tool references": tool_references.CHECKS,
    "calls": call_arguments.CHECKS,
    "tool bindings": tool_bindings.CHECKS,
    "tool descriptions": tool_descriptions.CHECKS,
    "cross-agent": cross_agent.CHECKS,
    "field references": field_references.CHECKS,
    "names": undefined_names.CHECKS,
    "result fields": result_fields.CHECKS,
    "input mappings": input_mappings.CHECKS,
    "reserved names": reserved_names.CHECKS,
    "guardrails": guardrails.CHECKS,
    "gather": gather_references.CHECKS,
    "recall": recall_events.CHECKS,
    "profiles": profiles.CHECKS,
    "preflight": preflight.CHECKS,
    "texts": texts_of_ir.CHECKS,
}
"""Family -> its rules, in the order in which they are checked."""

FIELD_FAMILIES = ("field references", "gather")
"""The families that say whether names refer to something."""


def run_checks(agent: object, context: CheckContext | None = None) -> list[Diagnostic]:
    """Return what all rules find in one AgentIR; whatever else is handed in has no findings."""
    return _run(agent, context, FAMILIES)


def check_cross_agent(agent: object, context: CheckContext) -> list[Diagnostic]:
    """Return what the references of one agent to others lack."""
    return _run(agent, context, ("cross-agent",))


def check_fields(agent: object, context: CheckContext | None = None) -> list[Diagnostic]:
    """Return which names an agent reads that nothing fills, and which it fills that nothing reads."""
    return _run(agent, context, FIELD_FAMILIES)


def check_document(unit: Unit, *, strict: bool = False) -> list[Diagnostic]:
    """Return what is wrong in the conditions, expressions, templates and profiles of one document."""
    return list(document_findings(unit, strict=strict))


def _run(agent: Any, context: CheckContext | None, families: Iterable[str]) -> list[Diagnostic]:
    if not isinstance(agent, dict):
        return []
    context = context or CheckContext(options=CheckOptions(single_agent=True))
    facts = context.facts(agent)
    return [one for family in families for one in diagnostics(FAMILIES[family], facts, context)]


__all__ = [
    "FAMILIES",
    "Check",
    "CheckContext",
    "CheckOptions",
    "Finding",
    "check_cross_agent",
    "check_document",
    "check_fields",
    "profile_findings",
    "run_checks",
]
