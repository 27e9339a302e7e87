"""GUARDRAILS as decisions: what becomes of a text at a stage. Spec: abl-language 3.7, 8.

Local checks are made here at once; checks that need a model are made by `engine.judging`, with the same actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from abl.patterns import search
from domain.json_values import JsonObject
from domain.traces import TraceType
from engine.run import Run

Stage = Literal["input", "output", "tool_input", "tool_output", "handoff"]
REDACTED = "[REDACTED]"
GENERIC = "constraint_blocked"
MAX_REPLACEMENTS = 100


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a text: the text to go on with, and whether it is blocked, escalated, or asked for again."""

    text: str
    is_blocked: bool = False
    is_escalated: bool = False
    reask: str = ""
    max_reasks: int = 0
    rule: str = ""


def rules_for(run: Run, stage: Stage, *, local: bool) -> list[JsonObject]:
    """Return the checks of a stage in the order they run: by priority, then local before model."""
    return run.agent.stages.get((stage, local), [])


def check_local(run: Run, stage: Stage, text: str) -> Checked:
    """Return what the local checks of a stage make of `text`; the first one that blocks ends the checks."""
    for rule in rules_for(run, stage, local=True):
        is_violated = bool(rule.get("check")) and run.test(rule["check"], run.local({"input": text}))
        checked = apply(run, rule, stage, text, is_violated=is_violated)
        if checked.is_blocked or checked.is_escalated or checked.reask:
            return checked
        text = checked.text
    return Checked(text)


def apply(
    run: Run,
    rule: JsonObject,
    stage: Stage,
    text: str,
    *,
    is_violated: bool,
    reason: str = "",
    score: float | None = None,
) -> Checked:
    """Return what the action of `rule` makes of `text`, and record the evaluation."""
    action = rule["action"]
    kind = action["type"] if is_violated else "none"
    stops = kind in ("block", "escalate")
    run.trace(
        TraceType.GUARDRAIL_EVAL,
        guardrail=rule["name"],
        stage=stage,
        result="block" if stops else "fail" if is_violated else "pass",
        action=kind,
        severity="error" if stops else None,
        reason=(reason or action.get("message")) if is_violated else None,
        score=score,
    )
    words = run.render(action.get("message", "")) or run.message(GENERIC)
    match kind:
        case "block":
            return Checked(words, is_blocked=True, rule=rule["name"])
        case "escalate":
            return Checked(words, is_blocked=True, is_escalated=True, rule=rule["name"])
        case "reask":
            return Checked(text, reask=words, max_reasks=int(action.get("maxReasks", 1)), rule=rule["name"])
        case "redact":
            return Checked(_redacted(rule, text))
        case "fix":
            return Checked(_fixed(run, rule, text))
        case "filter":
            return Checked(_filtered(run, rule, text))
        case _:
            return Checked(text)


def _redacted(rule: JsonObject, text: str) -> str:
    """Return `text` without what the patterns of the check find; all of it when the check names none."""
    patterns = _patterns(str(rule.get("check", "")))
    if not patterns:
        return REDACTED
    for pattern in patterns:
        text = _replaced(pattern, text)
    return text


def _patterns(check: str) -> list[str]:
    """Return the patterns behind MATCHES in a condition."""
    found: list[str] = []
    rest = check
    while (at := rest.upper().find("MATCHES")) >= 0:
        rest = rest[at + len("MATCHES") :].lstrip()
        sign = rest[:1]
        if sign in ('"', "'") and (end := rest.find(sign, 1)) > 0:
            found.append(rest[1:end])
            rest = rest[end + 1 :]
    return found


def _replaced(pattern: str, text: str) -> str:
    pieces: list[str] = []
    for _ in range(MAX_REPLACEMENTS):
        match = search(pattern, text)
        if match is None or match.span()[0] == match.span()[1]:
            break
        start, end = match.span()
        pieces += [text[:start], REDACTED]
        text = text[end:]
    return "".join(pieces) + text


def _fixed(run: Run, rule: JsonObject, text: str) -> str:
    expression = rule["action"].get("fixExpression")
    if expression:
        value = run.value(expression, run.local({"input": text}))
        return text if value is None else str(value)
    return _redacted(rule, text) if rule["action"].get("fixStrategy", "redact") == "redact" else text.strip()


def _filtered(run: Run, rule: JsonObject, text: str) -> str:
    """Return `text` without the sentences that break the rule."""
    shortest = int(rule["action"].get("filterMinLength", 0))
    kept = [
        one
        for one in text.replace("? ", "?\n").replace("! ", "!\n").replace(". ", ".\n").split("\n")
        if len(one) < shortest or not run.test(rule.get("check", "false"), run.local({"input": one}))
    ]
    return " ".join(kept).strip()
