"""CONSTRAINTS: rules over state, checked at turn start, before tools and before replies. Spec: abl-language 3.6, 8."""

from __future__ import annotations

from collections.abc import Iterable

from domain.json_values import JsonObject
from engine import changing, profiles
from engine.run import Run

KIND = "_abl_constraint_checkpoint_kind"
TARGET = "_abl_constraint_checkpoint_target"
MAX_WARNINGS = 20

DEFAULT_MESSAGES = {
    "block": "constraint_blocked",
    "respond": "constraint_respond",
    "collect_field": "constraint_collect",
    "goto_step": "constraint_backtrack",
    "retry_step": "constraint_backtrack",
    "redact": "constraint_redact",
}
"""Action -> the platform text when the rule has none."""


def violated(
    run: Run, rules: Iterable[JsonObject], kind: str = "", target: str = "", arguments: JsonObject | None = None
) -> JsonObject | None:
    """Return the first rule of severity error that does not hold at this checkpoint; warnings are noted.

    Arguments of the tool stand in for variables that have no value.
    """
    names: JsonObject = {KIND: kind, TARGET: target}
    for name, value in (arguments or {}).items():
        if run.scope.get(name) is None:
            names[name] = value
    scope = run.local(names)
    for rule in rules:
        checkpoint = rule.get("checkpoint")
        if checkpoint and checkpoint.get("kind") != kind:
            continue
        if _is_being_mended(run, rule):
            continue
        if bool(kind) != bool(checkpoint) or run.test(rule["condition"], scope) or _waits(run, rule["condition"]):
            continue
        run.decide("stop", "constraint", outcome=rule.get("severity"), condition=rule["condition"], matched=True)
        if rule.get("severity") == "warning":
            _warn(run, rule)
            continue
        run.state.constraint_failures += 1
        return rule
    return None


def _is_being_mended(run: Run, rule: JsonObject) -> bool:
    """Return whether the flow stands at the step a broken rule leads to: the answer there may mend it."""
    action = rule.get("on_fail")
    if not action or not run.thread.step:
        return False
    target = action.get("target") if action.get("type") == "goto_step" else None
    target = action.get("then_step") if action.get("then_action") == "goto_step" else target
    return bool(target) and target == run.thread.step


def _waits(run: Run, condition: str) -> bool:
    """Return whether a rule that does not itself test what is set speaks of a field that is still to be gathered."""
    if "IS NOT SET" in condition or "IS SET" in condition or KIND in condition:
        return False
    roots = run.program.texts.roots(condition)
    return any(name in run.agent.fields and run.scope.get(name) is None for name in roots)


def forbids(run: Run, tool: JsonObject | None, name: str, arguments: JsonObject) -> JsonObject | None:
    """Return the rule that forbids a call: one of the checkpoint before it, else any, where it changes something.

    A rule without a checkpoint is looked at when a value is gathered and in each turn; a value that the flow has just
    set has not been. Spec: abl-language 12.4.
    """
    rules = rules_of(run)
    rule = violated(run, rules, "tool_call", name, arguments)
    if rule is None and tool is not None and changing.has_side_effects(tool):
        rule = violated(run, [one for one in rules if (one.get("on_fail") or {}).get("then_action") != "continue"])
    return rule


def rules_of(run: Run) -> list[JsonObject]:
    """Return the rules in force: the agent's and those of the current step."""
    found: list[JsonObject] = list(run.agent.ir["constraints"]["constraints"])
    step = profiles.step_of(run, run.thread.step)
    if step is not None:
        found += step.get("step_constraints") or ()
        found += (step.get("reasoning_zone") or {}).get("constraints") or ()
    return found


def text_of(run: Run, rule: JsonObject) -> str:
    """Return what is said when `rule` is broken."""
    action = rule.get("on_fail") or {"type": "block"}
    if action.get("message"):
        return run.render(action["message"])
    return run.message(DEFAULT_MESSAGES.get(action["type"], "constraint_blocked"))


def check_response(run: Run, text: str) -> str:
    """Return the text that may be said: another one where a rule BEFORE responding is broken."""
    if not run.agent.checks_responses:
        return text
    rules = run.agent.ir["constraints"]["constraints"]
    rule = violated(run, rules, "response")
    return text if rule is None else text_of(run, rule)


def _warn(run: Run, rule: JsonObject) -> None:
    words = str((rule.get("on_fail") or {}).get("message") or rule["condition"])
    if words not in run.thread.warnings:
        run.thread.warnings.append(words)
        del run.thread.warnings[:-MAX_WARNINGS]
