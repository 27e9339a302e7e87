"""Whether behaviour profiles fit the agent that uses them. Spec: abl-language 3.18, 13.1."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import chain

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.formulas import formula_of
from abl.checks.reading import Subject, mapping, rows, text, texts
from abl.checks.report import Check
from abl.checks.suggestions import unknown


def invalid_conditions(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield profiles whose WHEN cannot be read, of an IR without text (see `documents` for the text)."""
    if context.places is not None:
        return
    for profile in _profiles(facts):
        when = text(profile.get("when"))
        if when.strip() and not formula_of(when).valid:
            said = {"name": text(profile.get("name")), "value": when}
            yield Finding("PROFILE_INVALID_WHEN", facts.block(profile), "when", arguments=said)


def flow_conflicts(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield profiles that replace the flow and change it, of an IR without text (see `documents` for the text)."""
    if context.places is not None:
        return
    for profile in _profiles(facts):
        if profile.get("flow_replace") and any(mapping(profile.get("flow_modifications")).values()):
            said = {"name": text(profile.get("name"))}
            yield Finding("PROFILE_FLOW_CONFLICT", facts.block(profile), "flow_replace", arguments=said)


def unknown_tools(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield tools a profile hides that neither this agent nor another user of the profile has."""
    for profile in _profiles(facts):
        name = text(profile.get("name"))
        known = facts.known_tools
        hidden = texts(profile.get("tools_hide"))
        if all(tool in known for tool in hidden):
            continue
        of_users = _tools_of_users(name, context)
        for at, tool in enumerate(hidden):
            if tool not in known and tool not in of_users:
                said = {"value": name, "tool": tool}
                candidates = (one for one in merge(sorted(known), of_users) if not one.startswith("__"))
                yield unknown(
                    "PROFILE_UNKNOWN_TOOL", facts.block(profile), f"tools_hide.{at}", tool, candidates, **said
                )


def unknown_steps(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield steps a profile changes that neither this agent nor another user of the profile has."""
    for profile in _profiles(facts):
        name = text(profile.get("name"))
        changed = list(_changed_steps(facts.block(profile)))
        if all(step in facts.steps for _, step in changed):
            continue
        of_users = _steps_of_users(name, context)
        for field, step in changed:
            if step not in facts.steps and step not in of_users:
                said = {"value": name, "step": step}
                candidates = chain(facts.steps, of_users)
                yield unknown("PROFILE_UNKNOWN_STEP", facts.block(profile), field, step, candidates, **said)


def _changed_steps(profile: Block) -> Iterator[tuple[str, str]]:
    changes = mapping(profile.subject.get("flow_modifications"))
    for at, step in enumerate(texts(changes.get("skip"))):
        yield f"flow_modifications.skip.{at}", step
    overrides = changes.get("overrides")
    names = map(str, overrides) if isinstance(overrides, dict) else (_name(one) for one in rows(overrides))
    for at, step in enumerate(names):
        yield f"flow_modifications.overrides.{at}.name", step
    for at, insertion in enumerate(rows(changes.get("insertions"))):
        for key in ("before", "after", "step"):
            step = text(insertion.get(key))
            if step:
                yield f"flow_modifications.insertions.{at}.{key}", step


def _name(override: Subject) -> str:
    return text(override.get("name")) or text(override.get("step"))


def _profiles(facts: AgentFacts) -> list[Subject]:
    return rows(facts.ir.get("behavior_profiles"))


def _tools_of_users(name: str, context: CheckContext) -> dict[str, None]:
    """Return the tools of all agents that use a profile, by name; computed once per profile."""
    users = context.profile_users.get(name, [])
    found: dict[str, None] | None = users[0].remembered.get(f"tools with {name}") if users else {}
    if found is None:
        found = dict.fromkeys(sorted({tool for user in users for tool in user.known_tools}))
        users[0].remembered[f"tools with {name}"] = found
    return found


def _steps_of_users(name: str, context: CheckContext) -> dict[str, None]:
    """Return the steps of all agents that use a profile, in order; computed once per profile."""
    users = context.profile_users.get(name, [])
    found: dict[str, None] | None = users[0].remembered.get(f"steps with {name}") if users else {}
    if found is None:
        found = dict.fromkeys(step for user in users for step in user.steps)
        users[0].remembered[f"steps with {name}"] = found
    return found


CHECKS = (
    Check("PROFILE_INVALID_WHEN", invalid_conditions),
    Check("PROFILE_FLOW_CONFLICT", flow_conflicts),
    Check("PROFILE_UNKNOWN_TOOL", unknown_tools),
    Check("PROFILE_UNKNOWN_STEP", unknown_steps),
)
"""The rules of this family, in the order in which they are checked."""
