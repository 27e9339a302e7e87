"""Whether conditions read what exists and what has a value by then. Spec: abl-language 13.1, 13.4.

Decisions where the specification leaves room:

- UNDEFINED_CONDITION_VAR looks at the first name of a path. In an agent with a model, names that its goal, persona or
  limitations mention are known: the model can set them (`__set_context__`). Conditions of profiles (they may serve
  several agents) and of `on_human_complete` (the help desk decides what it answers) are not looked at.
- MISSING_VARIABLE_PRODUCER_WARNING wants proof: everything that fills the name stands in flow steps, and none of them
  can come before the step that reads it; or the name is declared in MEMORY and nothing fills it. A condition that only
  asks whether there is no value yet (`IS NOT SET`, `IS EMPTY`) is let alone.
- UNUSED_REQUIRED_GATHER_FIELD is said only of agents with a FLOW and without a reasoning zone: a model reads every
  collected value. One mention in any text of the agent counts as a use.
- W801 is said of a session variable without INITIAL and SOURCE that no SET, GATHER, CALL ... AS, tool, return, entity
  or parent fills. Names that the model is told of are let alone, as above.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts, Condition, is_engine_name, words_of
from abl.checks.finding import Finding
from abl.checks.formulas import Reading, mixes_intent_and_state
from abl.checks.names import ERROR_NAMES, HUMAN_NAMES, INPUT_WORDS
from abl.checks.reading import mapping, rows, text
from abl.checks.report import Check
from abl.checks.suggestions import unknown
from abl.checks.targets import edges_of, reached, targets_of
from abl.checks.undefined_names import misspelt_fields, read_by_mistake
from abl.diagnostics.suggest import closest, distance
from abl.expressions.checks import read_check
from abl.expressions.guard_names import member_of_text, names_of, stages_of
from abl.languages import DEFAULT_TAG, load_pack

MAX_SHOWN = 80
MAX_SEARCHES = 500
"""Walks through the flow for MISSING_VARIABLE_PRODUCER_WARNING; what is beyond is not questioned."""

MAX_SLIPS = 2

_ARGUMENTS = frozenset({"args", "arguments", "parameters"})
"""What the arguments of a tool are called in a guardrail."""
_SPELLING = {"condition": "IF", "applies_when": "WHEN"}


def undefined_condition_variables(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield names in conditions that are neither built in nor declared nor filled anywhere."""
    if context.is_numbered(facts.ir):
        return
    said: set[tuple[int, str]] = set()
    meant = frozenset(misspelt_fields(facts, context).values())
    for condition in facts.conditions:
        extra = _also_known(condition)
        for reading in condition.formula.readings:
            name = reading.root
            if (id(condition.block), name) in said or is_engine_name(name) or name in extra:
                continue
            if condition.block.role == "guardrails":
                if name not in facts.known_names and name not in facts.told_names:
                    said.add((id(condition.block), name))
                    yield _unfilled(name, condition, facts)
            elif condition.block.role == "on_human_complete":
                if near := _misspelt_human_name(name):
                    said.add((id(condition.block), name))
                    yield _undefined(name, condition, facts, [near])
            elif name not in facts.known_names and name not in facts.told_names and name not in meant:
                said.add((id(condition.block), name))
                yield _undefined(name, condition, facts, [*facts.candidates, *extra])


def _misspelt_human_name(name: str) -> str:
    """Return the known field of a human's answer that `name` nearly is: which others there are nobody knows."""
    near = (one for one in sorted(HUMAN_NAMES) if 0 < distance(name, one, MAX_SLIPS) <= MAX_SLIPS)
    return next(near, "")


def _undefined(name: str, condition: Condition, facts: AgentFacts, candidates: list[str]) -> Finding:
    said = {"property": _spelling(condition), "variable": name}
    if name in facts.allowed_values and closest(name, candidates) is None:
        said |= {"name": name, "suggestion": f'A text stands in quotes: "{name}".'}
        return Finding("UNDEFINED_CONDITION_VAR", condition.block, condition.field, name, f'"{name}"', said)
    return unknown("UNDEFINED_CONDITION_VAR", condition.block, condition.field, name, candidates, **said)


def _unfilled(name: str, condition: Condition, facts: AgentFacts) -> Finding:
    kind = text(condition.block.subject.get("kind"))
    said = {"variable": name}
    if stages := stages_of(name):
        said["detail"] = f"{name} is known where the guardrail has `kind: {stages[0]}`"
    candidates = [*sorted(names_of(kind)), *facts.candidates]
    return unknown("GUARDRAIL_UNKNOWN_NAME", condition.block, condition.field, name, candidates, **said)


def parts_of_texts(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield guardrails that read a part of the checked text, as if it were an object."""
    for condition in facts.conditions:
        if condition.block.role != "guardrails":
            continue
        for path in read_check(condition.text).paths:
            if member_of_text(path):
                shown = ".".join(path)
                said = {
                    "name": shown,
                    "variable": shown,
                    "detail": f"{path[0]} is the checked text, which has no parts. Write {path[0]}, or session.{shown} "
                    "for a variable of that name",
                }
                yield Finding("GUARDRAIL_UNKNOWN_NAME", condition.block, condition.field, shown, arguments=said)


def unknown_arguments(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield guardrails that read an argument which no tool of the agent has."""
    known = [text(one.get("name")) for tool in rows(facts.ir.get("tools")) for one in rows(tool.get("parameters"))]
    for condition in facts.conditions:
        if condition.block.role != "guardrails" or not known:
            continue
        for path in read_check(condition.text).paths:
            if len(path) > 1 and path[0] in _ARGUMENTS and path[1] not in known:
                shown = ".".join(path)
                said = {"name": shown, "variable": shown, "detail": f"No tool has a parameter {path[1]}"}
                near = closest(path[1], known) or ""
                if near:
                    said["suggestion"] = f"Did you mean {path[0]}.{near}?"
                yield Finding("GUARDRAIL_UNKNOWN_NAME", condition.block, condition.field, shown, arguments=said)


def _spelling(condition: Condition) -> str:
    """Return the keyword before the condition in the text."""
    if condition.block.role == "constraints" and condition.field == "condition":
        return text(condition.block.subject.get("kind")).upper() or "REQUIRE"
    return _SPELLING.get(condition.field, condition.field.upper())


def _also_known(condition: Condition) -> frozenset[str]:
    """Return names that are known only at the place of this condition."""
    block = condition.block
    if block.role == "guardrails":
        return names_of(text(block.subject.get("kind")))
    names: frozenset[str] = frozenset()
    if block.lies_in("on_input"):
        names |= INPUT_WORDS
    if block.lies_in("transform", "activation"):
        names |= {"item", "this"}
    if block.lies_in("on_failure", "on_fail", "on_error", "error_handling", "on_result"):
        names |= ERROR_NAMES
    return names


def missing_producers(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield names in conditions that are known, but have no value when the condition is checked."""
    if context.is_numbered(facts.ir):
        return
    before = _Order(facts, context)
    seen: set[tuple[int, str]] = set()
    for condition in facts.conditions:
        wanted = {_state_name(one) for one in condition.formula.readings if not one.absence}
        for reading in condition.formula.readings:
            name = _state_name(reading)
            if not name or name not in wanted or (id(condition.block), name) in seen:
                continue
            seen.add((id(condition.block), name))
            if _lacks_value(name, condition, facts, before):
                said = {"name": name, "variable": name, "step": condition.block.step}
                yield Finding(
                    "MISSING_VARIABLE_PRODUCER_WARNING", condition.block, condition.field, name, arguments=said
                )


def _lacks_value(name: str, condition: Condition, facts: AgentFacts, before: _Order) -> bool:
    producers = facts.producers.get(name, [])
    if not producers:
        return name in facts.session and not _is_filled(name, facts)
    step = condition.block.step
    steps = before.steps_of(name)
    if not step or "" in steps or name in facts.passed or is_engine_name(name):
        return False
    return _has_no_start(name, facts) and not before.can_precede(steps, step)


def _has_no_start(name: str, facts: AgentFacts) -> bool:
    declared = facts.session.get(name)
    return declared is None or declared.subject.get("initial_value") is None


def _state_name(reading: Reading) -> str:
    """Return the name in the session state that a path begins with, empty for other namespaces."""
    first, _, rest = reading.path.partition(".")
    return rest.partition(".")[0] if first == "session" else first


class _Order:
    """Which steps can come before which; computed once per set of producing steps."""

    def __init__(self, facts: AgentFacts, context: CheckContext) -> None:
        self._facts = facts
        self._context = context
        self._edges: dict[str, set[str]] | None = None
        self._after: dict[frozenset[str], set[str]] = {}
        self._steps: dict[str, frozenset[str]] = {}

    def steps_of(self, name: str) -> frozenset[str]:
        """Return the steps that fill a variable; an empty name among them stands for what is outside of steps."""
        if name not in self._steps:
            self._steps[name] = frozenset(one.step for one in self._facts.producers.get(name, ()))
        return self._steps[name]

    def can_precede(self, producers: frozenset[str], step: str) -> bool:
        """Return whether one of the producing steps is `step` itself or has a way to it."""
        if self._edges is None:
            targets = targets_of(self._facts)
            self._edges = edges_of(self._facts, self._context, targets)
            roots = {target.name for target in targets if not target.source}
            for following in self._edges.values():
                following |= roots & self._edges.keys()
        if step in producers or (producers not in self._after and len(self._after) >= MAX_SEARCHES):
            return True
        if producers not in self._after:
            self._after[producers] = reached(self._edges, producers)
        return step in self._after[producers]


def unfilled_session_variables(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield session variables that nothing ever gives a value."""
    if context.is_numbered(facts.ir):
        return
    for name, block in facts.session.items():
        if name in facts.producers or _is_filled(name, facts):
            continue
        near = closest(name, (one for one in facts.producers if one not in facts.session)) or ""
        said = {"name": name, "variable": name}
        if near:
            said["suggestion"] = f"There is a value called {near}."
        yield Finding("W801", block, "name", name, arguments=said)


def _is_filled(name: str, facts: AgentFacts) -> bool:
    """Whether a declared name gets its value from outside of what the agent itself does."""
    return name in facts.passed or is_engine_name(name) or name in facts.told_names


def unused_required_fields(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield required fields whose value nothing reads; perhaps another name is read that is nearly theirs."""
    if facts.reasons or not facts.gather_fields:
        return
    used = _used_words(facts) | read_by_mistake(facts, context)
    meant = misspelt_fields(facts, context)
    for name, block in _required_fields(facts).items():
        if name not in used or name in meant:
            near = meant.get(name) or _declared_elsewhere(name, facts)
            said = {"name": name, "suggestion": f"Did you mean {near}?" if near else ""}
            yield Finding("UNUSED_REQUIRED_GATHER_FIELD", block, "name", name, near, said)


def _declared_elsewhere(name: str, facts: AgentFacts) -> str:
    """Return the field or variable of the agent that a field of a step is meant as, empty when there is none."""
    if name in facts.agent_fields:
        return ""
    return closest(name, chain(facts.agent_fields, facts.session)) or ""


def _required_fields(facts: AgentFacts) -> dict[str, Block]:
    """Return the fields that must be answered; where steps ask for a field, it is they who say whether it must."""
    asked: dict[str, list[Block]] = {}
    for block in facts.gather_fields:
        asked.setdefault(text(block.subject.get("name")), []).append(block)
    required = {}
    for name, blocks in asked.items():
        deciding = [block for block in blocks if block.step] or blocks
        if name and any(_is_required(block.subject) for block in deciding):
            required[name] = blocks[0]
    return required


def _is_required(field: dict[str, Any]) -> bool:
    return field.get("required", True) is True and not isinstance(field.get("activation"), dict)


def _used_words(facts: AgentFacts) -> frozenset[str]:
    """Return the words of everything but the declarations of the fields; what they say of each other counts."""
    found: set[str] = set(facts.returned)
    for key, value in facts.ir.items():
        if key not in ("metadata", "gather", "flow", "entities", "messages"):
            found.update(words_of(value))
    found.update(word for message in _own_messages(facts) for word in _braced(message))
    for block in facts.under("flow"):
        if block.parent is None or not block.lies_in("gather"):
            texts_here = [value for key, value in block.subject.items() if not _is_nested(value) and key != "name"]
            found.update(words_of(texts_here))
            presented = (block.subject.get(key) for key in ("rich_content", "voice_config", "actions", "carousel"))
            found.update(words_of(list(presented)))
    for block in facts.gather_fields:
        found.update(_said_of_others(block.subject))
    return frozenset(found)


def _own_messages(facts: AgentFacts) -> list[object]:
    """Return the messages somebody has worded; the built-in sentences read no field of an agent."""
    built_in = load_pack(DEFAULT_TAG).sentences
    messages = mapping(facts.ir.get("messages"))
    return [message for key, message in messages.items() if message != built_in.get(key)]


def _is_nested(value: object) -> bool:
    """Whether a value has blocks of its own."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict) for one in value))


def _braced(message: object) -> Iterator[str]:
    plain = text(message)
    return words_of(plain) if "{" in plain else iter(())


def _said_of_others(field: dict[str, Any]) -> set[str]:
    kept = [field.get(key) for key in ("activation", "depends_on", "validation")]
    prompts = [value for value in (field.get("prompt"), field.get("retry_prompt")) if "{{" in text(value)]
    return {word for word in words_of([kept, prompts]) if word != field.get("name")}


def mixed_routing_conditions(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield handoff conditions that join intent and state by OR."""
    entries = {id(block) for block in facts.handoffs}
    for condition in facts.conditions:
        is_routing = condition.field == "when" and id(condition.block) in entries
        if is_routing and mixes_intent_and_state(condition.formula.node):
            said = {"value": condition.text[:MAX_SHOWN]}
            yield Finding("MIXED_ROUTING_CONDITION_STATE", condition.block, "when", arguments=said)


CHECKS = (
    Check("UNDEFINED_CONDITION_VAR", undefined_condition_variables),
    Check("GUARDRAIL_UNKNOWN_NAME", parts_of_texts),
    Check("GUARDRAIL_UNKNOWN_NAME", unknown_arguments),
    Check("MISSING_VARIABLE_PRODUCER_WARNING", missing_producers),
    Check("UNUSED_REQUIRED_GATHER_FIELD", unused_required_fields),
    Check("W801", unfilled_session_variables),
    Check("MIXED_ROUTING_CONDITION_STATE", mixed_routing_conditions),
)
"""The rules of this family, in the order in which they are checked."""
