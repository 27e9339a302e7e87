"""Whether the model can tell what a tool and its parameters are for. Spec: abl-language 3.2, 12.3."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import rows, text
from abl.checks.report import Check
from abl.checks.tool_bindings import misspelt_tools
from abl.syntax.tools import Tool

DEFAULT_DESCRIPTION = "Execute {name}"
"""What the compiler writes for a tool without a description."""


def missing_tool_descriptions(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the tools without a description; one that is only imported has its description in a file elsewhere."""
    for name, block in _authored(facts, context):
        place = context.place(block.subject)
        if place is not None and not isinstance(place.node, Tool):
            continue
        description = text(block.subject.get("description")).strip()
        if not description or description == DEFAULT_DESCRIPTION.format(name=name):
            yield Finding("MISSING_TOOL_DESCRIPTION", block, "name", name, arguments={"name": name, "tool": name})


def missing_parameter_descriptions(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the parameters without a description, of tools that a model chooses the arguments of.

    In an agent whose FLOW has no reasoning zone every argument is written by the author, so nobody would read it.
    """
    if not facts.reasons:
        return
    for tool, block in _authored(facts, context):
        for parameter in rows(block.subject.get("parameters")):
            name = text(parameter.get("name"))
            if name and not text(parameter.get("description")).strip():
                said = {"name": name, "tool": tool}
                yield Finding("MISSING_PARAM_DESCRIPTION", facts.block(parameter), "name", name, arguments=said)


def _authored(facts: AgentFacts, context: CheckContext) -> Iterator[tuple[str, Block]]:
    """Yield the tools of the author; a misspelt one has its descriptions where it is spelt right."""
    misspelt = misspelt_tools(facts, context)
    for name, block in facts.tools.items():
        if block.subject.get("system") is not True and name not in misspelt:
            yield name, block


CHECKS = (
    Check("MISSING_TOOL_DESCRIPTION", missing_tool_descriptions),
    Check("MISSING_PARAM_DESCRIPTION", missing_parameter_descriptions),
)
"""The rules of this family, in the order in which they are checked."""
