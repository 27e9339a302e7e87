"""Whether gather fields wait for fields that exist, and not for each other. Spec: abl-language 3.3, 13.1."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import Subject, mapping, rows, text, texts
from abl.checks.report import Check
from abl.checks.suggestions import unknown
from abl.field_checks import problem_of, read_range


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


def enums_without_options(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield fields of type `enum` that say nowhere which values are allowed."""
    for name, block in _first_of_each(facts):
        field = block.subject
        semantics = mapping(field.get("semantics"))
        given = (field.get("enum_values"), field.get("entity_ref"), semantics.get("lookup"), semantics.get("enum_set"))
        if field.get("type") == "enum" and not any(given) and not mapping(field.get("validation")).get("rule"):
            yield Finding("ENUM_WITHOUT_OPTIONS", block, "type", arguments={"name": name})


def invalid_ranges(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield checks of type `range` whose rule is no range: no answer passes by it."""
    for name, validation, _ in _checks(facts):
        rule = text(validation.get("rule"))
        if validation.get("type") == "range" and read_range(rule) is None:
            said = {"name": name, "value": rule}
            yield Finding("INVALID_RANGE", facts.block(validation), "rule", rule, arguments=said)


def empty_ranges(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield checks of type `range` whose lower bound is above the upper one: no answer can pass."""
    for name, validation, _ in _checks(facts):
        rule = text(validation.get("rule"))
        bounds = read_range(rule) if validation.get("type") == "range" else None
        if bounds is not None and bounds.is_empty:
            between = rule.strip().removeprefix(bounds.low).removesuffix(bounds.high)
            right = f"{bounds.high}{between}{bounds.low}"
            said = {"name": name, "value": rule, "expected": right}
            yield Finding("EMPTY_RANGE", facts.block(validation), "rule", rule, right, said)


def unusable_checks(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield checks of which nothing can be computed, apart from ranges and patterns: no answer passes by them."""
    for name, validation, field in _checks(facts):
        kind, rule = text(validation.get("type")), text(validation.get("rule"))
        is_of_type = kind == "intrinsic" and rule == text(field.get("type"))
        if not kind or kind == "range" or is_of_type or (kind == "enum" and field.get("enum_values")):
            continue
        if problem := problem_of(kind, rule):
            said = {"name": name, "value": rule, "detail": problem}
            yield Finding(
                "INVALID_FIELD_CHECK", facts.block(validation), "rule" if rule else "type", rule, arguments=said
            )


def _checks(facts: AgentFacts) -> Iterator[tuple[str, Subject, Subject]]:
    """Yield name, check and field of all fields, and the rules that profiles put in the place of theirs."""
    for name, block in _first_of_each(facts):
        yield name, mapping(block.subject.get("validation")), block.subject
    for profile in rows(facts.ir.get("behavior_profiles")):
        for name, override in mapping(mapping(profile.get("gather_overrides")).get("field_overrides")).items():
            check = mapping(mapping(override).get("validation"))
            if "rule" in check:
                yield str(name), check, mapping(override)


def _first_of_each(facts: AgentFacts) -> Iterator[tuple[str, Block]]:
    """Yield the fields by name, once each: a step lends what the agent says of its field."""
    seen: set[str] = set()
    for block in facts.gather_fields:
        name = text(block.subject.get("name"))
        if name not in seen:
            seen.add(name)
            yield name, block


CHECKS = (
    Check("ENUM_WITHOUT_OPTIONS", enums_without_options),
    Check("INVALID_RANGE", invalid_ranges),
    Check("EMPTY_RANGE", empty_ranges),
    Check("INVALID_FIELD_CHECK", unusable_checks),
    Check("INVALID_DEPENDS_ON_REF", unknown_dependencies),
    Check("CIRCULAR_DEPENDS_ON", circular_dependencies),
)
"""The rules of this family, in the order in which they are checked."""
