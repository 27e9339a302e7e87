"""The catalogue: every code the language reports, one row each, in one table per area. Spec: abl-language 13."""

from __future__ import annotations

from collections.abc import Mapping

from abl.diagnostics.catalogue import (
    agents,
    branches,
    content,
    coordination,
    declarations,
    digressions,
    document,
    expressions,
    flow,
    flow_graph,
    gather,
    legacy,
    memory,
    profile,
    properties,
    references,
    rules,
    sections,
    tool_bindings,
    tool_use,
    tools,
    understanding,
    yaml,
)
from abl.diagnostics.catalogue.rule import Rule

TABLES: tuple[tuple[Rule, ...], ...] = (
    document.ROWS,
    sections.ROWS,
    properties.ROWS,
    tools.ROWS,
    tool_use.ROWS,
    tool_bindings.ROWS,
    gather.ROWS,
    understanding.ROWS,
    memory.ROWS,
    rules.ROWS,
    flow.ROWS,
    branches.ROWS,
    digressions.ROWS,
    flow_graph.ROWS,
    coordination.ROWS,
    agents.ROWS,
    references.ROWS,
    declarations.ROWS,
    content.ROWS,
    profile.ROWS,
    expressions.ROWS,
    yaml.ROWS,
    legacy.ROWS,
)

RULES: Mapping[str, Rule] = {row.code: row for table in TABLES for row in table}
"""Every rule by its code."""
