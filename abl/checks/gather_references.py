"""Whether gather fields wait for fields that exist, and not for each other. Spec: abl-language 3.3, 13.1."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import text, texts
from abl.checks.report import Check
from abl.checks.suggestions import unknown


def unknown_dependencies(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield `depends_on` items that are no field of the agent or of one of its steps.

    A step's field lends its properties from the agent's field of the same name, so a fault is said once.
    """
    known = dict.fromkeys(text(block.subject.get("name")) for block in facts.gather_fields)
    seen: set[tuple[str, str]] = set()
    for block in facts.gather_fields:
        name = text(block.subject.get("name"))
        for at, other in enumerate(texts(block.subject.get("depends_on"))):
            if other in known or (name, other) in seen:
                continue
            seen.add((name, other))
            candidates = [one for one in known if one != name]
            said = {"name": name, "value": other}
            yield unknown("INVALID_DEPENDS_ON_REF", block, f"depends_on.{at}", other, candidates, **said)


def circular_dependencies(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield each ring of fields that wait for each other, once."""
    blocks: dict[str, Block] = {}
    edges: dict[str, list[str]] = {}
    for block in facts.gather_fields:
        name = text(block.subject.get("name"))
        blocks.setdefault(name, block)
        edges.setdefault(name, []).extend(texts(block.subject.get("depends_on")))
    for ring in _rings({name: list(dict.fromkeys(waits)) for name, waits in edges.items()}):
        shown = " -> ".join([*ring, ring[0]])
        said = {"value": shown, "name": ring[0]}
        yield Finding("CIRCULAR_DEPENDS_ON", blocks[ring[0]], "depends_on.0", ring[1 % len(ring)], arguments=said)


def _rings(edges: dict[str, list[str]]) -> Iterator[list[str]]:
    """Yield the rings found by one depth-first walk, each edge looked at once."""
    done: set[str] = set()
    for start in list(edges):
        way: list[str] = []
        on_way: dict[str, int] = {}
        pending: list[tuple[str, Iterator[str]]] = []
        if start not in done:
            pending.append((start, iter(edges[start])))
            on_way[start] = 0
            way.append(start)
        while pending:
            name, following = pending[-1]
            other = next((one for one in following if one in edges and one not in done), None)
            if other is None:
                pending.pop()
                way.pop()
                del on_way[name]
                done.add(name)
            elif other in on_way:
                yield way[on_way[other] :]
            else:
                on_way[other] = len(way)
                way.append(other)
                pending.append((other, iter(edges[other])))


CHECKS = (
    Check("INVALID_DEPENDS_ON_REF", unknown_dependencies),
    Check("CIRCULAR_DEPENDS_ON", circular_dependencies),
)
"""The rules of this family, in the order in which they are checked."""
