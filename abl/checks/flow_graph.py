"""Whether the steps of a FLOW hang together. Spec: abl-language 5.1, 13.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import dig, rows, text, texts
from abl.checks.report import Check
from abl.checks.spans import written_keyword
from abl.checks.suggestions import unknown
from abl.checks.targets import Target, edges_of, entry_of, reached, targets_of
from abl.diagnostics.suggest import closest
from abl.syntax.flow import TERMINALS

MAX_GUESSES = 50
"""Misspelt targets for which the step that is meant is looked for."""

ACTIONS = (
    "reasoning_zone", "gather", "set", "clear", "transform", "call", "call_spec", "check", "respond", "message_key",
    "rich_content", "voice_config", "actions", "carousel", "present", "await_attachment", "human_approval",
    "on_input", "on_action", "on_result", "digressions", "sub_intents", "do",
)  # fmt: skip
"""Keys of a step that do something; all others only lead on."""

_SPELLING = {
    "then": "THEN", "goto": "GOTO", "transition": "TRANSITION", "then_step": "THEN", "target": "GOTO",
}  # fmt: skip


def missing_entry_point(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield a finding when `entry_point` names no step."""
    entry = text(dig(facts.flow, "entry_point"))
    if facts.flow is not None and facts.steps and entry and entry not in facts.steps:
        yield unknown("MISSING_ENTRY_POINT", facts.block(facts.flow), "entry_point", entry, facts.steps)


def dangling_step_refs(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield every way to a step that does not exist, and every listed step that is not defined.

    Also in the flows that profiles put in the place of the agent's.
    """
    for one in (facts, *facts.with_other_flows):
        if not one.steps:
            continue
        for target in targets_of(one):
            if target.name and target.name not in one.steps and (target.source or one is facts):
                spelling = written_keyword(context.place(target.block.subject), target.field)
                spelling = spelling or _SPELLING.get(target.field, target.field.upper())
                said = {"step": target.source, "property": spelling}
                block = facts.block(target.block.subject)
                yield unknown("DANGLING_STEP_REF", block, target.field, target.name, (*one.steps, *TERMINALS), **said)
        flow = one.flow or {}
        for at, name in enumerate(texts(flow.get("steps"))):
            if name not in one.steps:
                yield unknown("DANGLING_STEP_REF", facts.block(flow), f"steps.{at}", name, one.steps)


def orphaned_steps(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the steps that nothing leads to.

    Ways in are the entry point, all targets, buttons, global digressions, error handlers, rules, profiles. A target
    that is only misspelt counts as the step that is meant, and an unknown entry point silences the rule: one fault
    is said once.
    """
    entry = entry_of(facts)
    if entry not in facts.steps:
        return
    targets = list(_as_meant(targets_of(facts), facts))
    roots = [entry, *(target.name for target in targets if not target.source), *_profile_steps(facts)]
    seen = reached(edges_of(facts, context, targets), roots)
    for name, block in facts.steps.items():
        if name not in seen:
            yield Finding("ORPHANED_STEP", block, "name", name, arguments={"step": name, "name": name})


def _as_meant(targets: list[Target], facts: AgentFacts) -> Iterator[Target]:
    """Yield the targets, misspelt ones as the near step."""
    guessed: dict[str, str] = {}
    for target in targets:
        name = target.name
        if name not in facts.steps and name not in guessed and len(guessed) < MAX_GUESSES:
            guessed[name] = closest(name, facts.steps) or name
        yield target._replace(name=guessed.get(name, name))


def _profile_steps(facts: AgentFacts) -> Iterator[str]:
    """Yield the steps that a profile leads to."""
    for profile in rows(facts.ir.get("behavior_profiles")):
        changes = profile.get("flow_modifications")
        yield from (text(one.get("step")) for one in rows(dig(changes, "insertions")))
        overrides = dig(changes, "overrides")
        entries = overrides.values() if isinstance(overrides, dict) else rows(overrides)
        yield from (text(dig(one, "transition")) for one in entries)


def duplicate_step_names(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield names that stand twice in the list of steps of an IR without text (the parser reports them in a text)."""
    if facts.flow is None or context.places is not None:
        return
    for name, count in Counter(texts(facts.flow.get("steps"))).items():
        if count > 1:
            yield Finding("DUPLICATE_STEP_NAME", facts.block(facts.flow), "steps", name, arguments={"name": name})


def empty_flow(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield a finding for a FLOW without steps."""
    if facts.flow is not None and not facts.steps:
        yield Finding("EMPTY_FLOW", facts.block(facts.flow))


def steps_without_action(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield the steps that only pass on, or do nothing at all.

    A step where several ways meet is let alone: it is a label, and taking it away would not make the flow clearer.
    """
    idle = [(name, block) for name, block in facts.steps.items() if not _acts(block)]
    if not idle or context.is_numbered(facts.ir):
        return
    edges = edges_of(facts, context, targets_of(facts))
    ways_in = Counter(name for following in edges.values() for name in following)
    for name, block in idle:
        if ways_in[name] < 2:
            yield Finding("FLOW_STEP_NO_ACTION", block, "name", name, arguments={"step": name, "name": name})


def _acts(block: Block) -> bool:
    subject = block.subject
    if any(_is_given(subject.get(key)) for key in ACTIONS):
        return True
    outcomes = ("on_success", "on_failure", "on_fail", "on_error")
    return any(isinstance(subject.get(key), dict | list) and subject[key] for key in outcomes)


def _is_given(value: object) -> bool:
    return value is not None and value not in ("", [], {})


def supervisor_without_reasoning(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield a finding for a supervisor whose FLOW never reasons."""
    if facts.is_supervisor and facts.flow is not None and facts.steps and not facts.zones:
        yield Finding("SUPERVISOR_NO_REASONING_STEP", facts.block(facts.flow))


CHECKS = (
    Check("MISSING_ENTRY_POINT", missing_entry_point),
    Check("DANGLING_STEP_REF", dangling_step_refs),
    Check("ORPHANED_STEP", orphaned_steps),
    Check("DUPLICATE_STEP_NAME", duplicate_step_names),
    Check("EMPTY_FLOW", empty_flow),
    Check("FLOW_STEP_NO_ACTION", steps_without_action),
    Check("SUPERVISOR_NO_REASONING_STEP", supervisor_without_reasoning),
)
"""The rules of this family, in the order in which they are checked."""
