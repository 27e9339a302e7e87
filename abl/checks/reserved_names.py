"""Whether an agent sets names that belong to the engine. Spec: abl-language 6.7, 13.1."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.names import RESERVED
from abl.checks.producers import Producer
from abl.checks.report import Check

_AUTHORED = frozenset({"set", "gather", "call", "transform", "return", "attachment"})


def reserved_variables(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield every SET, GATHER, AS and the like that fills a name of the engine.

    A path below `session.`, `user.` and other namespaces is a name of the author.
    """
    for producers in facts.producers.values():
        for one in producers:
            if one.kind in _AUTHORED and _is_reserved(one):
                yield _finding(one)
    for name, block in facts.session.items():
        if name.startswith("_") or name in RESERVED:
            yield Finding("RESERVED_VARIABLE_NAME", block, "name", name, arguments={"name": name, "variable": name})


def _is_reserved(one: Producer) -> bool:
    if one.kind == "call" and one.field == "call_as" and isinstance(one.block.subject.get("call_spec"), dict):
        return False  # said of the call_spec already
    name = one.name.removeprefix("session.")
    return name.startswith("_") or name in RESERVED


def _finding(one: Producer) -> Finding:
    arguments = {"name": one.name, "variable": one.name, "step": one.step}
    return Finding("RESERVED_VARIABLE_NAME", one.block, one.field, one.name, arguments=arguments)


CHECKS = (Check("RESERVED_VARIABLE_NAME", reserved_variables),)
"""The rules of this family, in the order in which they are checked."""
