"""GUARDRAILS as decisions: what becomes of a text at a stage. Spec: abl-language 3.7, 8.

Local checks are made here at once; checks that need a model are made by `engine.judging`, with the same actions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from abl.expressions.checks import read_check
from abl.expressions.guard_names import STAGE_NAMES, TEXT_NAMES, member_of_text
from abl.patterns import MAX_INPUT_CHARS, search
from domain.json_values import JsonObject, JsonValue
from domain.traces import TraceType
from engine.run import Run

Stage = Literal["input", "output", "tool_input", "tool_output", "handoff"]
REDACTED = "[REDACTED]"
GENERIC = "constraint_blocked"
MAX_REPLACEMENTS = 100
MENDING = frozenset({"none", "warn", "redact", "fix", "filter", "reask"})
"""Actions after which a text goes on, or is made anew; every other one stops it."""
NO_MODEL = "A model has to judge this, and the deployment has none"
NO_VERDICT = "The model gave no verdict"


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a text: the text to go on with, and whether it is blocked, escalated, or asked for again."""

    text: str
    is_blocked: bool = False
    is_escalated: bool = False
    reask: str = ""
    max_reasks: int = 0
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a check is about: the stage, and what is known there besides the text, by the names of the stage."""

    stage: Stage
    known: Mapping[str, JsonValue] = field(default_factory=dict)

    def names(self, text: str) -> dict[str, JsonValue]:
        """Return all names that a check may read of a text besides the state."""
        return {**dict.fromkeys(TEXT_NAMES, text), **self.known}


def of_call(stage: Stage, tool: str, arguments: JsonObject, result: JsonValue = None) -> Subject:
    """Return the subject of a check of a call's arguments or result."""
    known: dict[str, JsonValue] = {"tool": tool, "tool_name": tool}
    known |= dict.fromkeys(("arguments", "args", "parameters"), arguments)
    return Subject(stage, {**known, "result": result} if stage == "tool_output" else known)


def rules_for(run: Run, stage: Stage, *, local: bool) -> list[JsonObject]:
    """Return the checks of a stage in the order they run: by priority, then local before model."""
    return run.agent.stages.get((stage, local), [])


def check_local(
    run: Run, stage: Stage, text: str, *, is_platform: bool = False, subject: Subject | None = None
) -> Checked:
    """Return what the local checks of a stage make of `text`; the first one that blocks ends the checks.

    Where the deployment has no model, what only a model can judge counts as violated, apart from texts of the platform.
    """
    about = subject or Subject(stage)
    checked = _run_rules(run, rules_for(run, stage, local=True), about, text)
    if _stops(checked):
        return checked
    text = checked.text
    return Checked(text) if is_platform or run.state.begun.has_model else _unjudged(run, stage, text)


def check_whole(run: Run, subject: Subject) -> Checked | None:
    """Return what stops a call or handoff that has no text to look at: the rules that read its other names."""
    rules = [rule for rule in rules_for(run, subject.stage, local=True) if _reads_whole(rule, subject.stage)]
    checked = _run_rules(run, rules, subject, "")
    return checked if _stops(checked) else None


def _run_rules(run: Run, rules: list[JsonObject], about: Subject, text: str) -> Checked:
    for rule in rules:
        reason = _problem(run, rule, about)
        is_violated = bool(reason) or (bool(rule.get("check")) and _violates(run, rule["check"], text, about))
        checked = apply(run, rule, about, text, is_violated=is_violated, reason=reason)
        if _stops(checked):
            return checked
        text = checked.text
    return Checked(text)


def _stops(checked: Checked) -> bool:
    return checked.is_blocked or checked.is_escalated or bool(checked.reask)


def _reads_whole(rule: JsonObject, stage: str) -> bool:
    """Whether a check reads more of a call or handoff than one text."""
    names = STAGE_NAMES.get(stage, frozenset())
    return any(path[0] in names for path in read_check(str(rule.get("check") or "")).paths)


def check_value(run: Run, value: JsonValue, subject: Subject) -> tuple[JsonValue, Checked | None]:
    """Return a value with every text and number in it checked, and the first finding that stops it.

    Of a value without any text and number, the rules that read its tool, arguments or result as a whole are run.
    """
    stage = subject.stage
    if not run.agent.stages.get((stage, True)) and not run.agent.stages.get((stage, False)):
        return value, None
    if not _has_text(value):
        stopped = check_whole(run, subject)
        return value if stopped is None else stopped.text, stopped
    return _check_parts(run, value, subject)


def _has_text(value: JsonValue) -> bool:
    if isinstance(value, dict | list):
        return any(_has_text(one) for one in (value.values() if isinstance(value, dict) else value))
    return not (value is None or isinstance(value, bool) or value == "")


def _check_parts(run: Run, value: JsonValue, subject: Subject) -> tuple[JsonValue, Checked | None]:
    if isinstance(value, dict | list):
        return _check_members(run, value, subject)
    if value is None or isinstance(value, bool) or value == "":
        return value, None
    text = value if isinstance(value, str) else json.dumps(value)
    checked = check_local(run, subject.stage, text, subject=subject)
    return (value if checked.text == text else checked.text), checked if _stops(checked) else None


def _check_members(
    run: Run, value: dict[str, JsonValue] | list[JsonValue], subject: Subject
) -> tuple[JsonValue, Checked | None]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found = {key: _check_parts(run, one, subject) for key, one in pairs}
    stopped = next((one for _, one in found.values() if one is not None), None)
    made = {str(key): one for key, (one, _) in found.items()}
    return (made if isinstance(value, dict) else list(made.values())), stopped


def _problem(run: Run, rule: JsonObject, about: Subject) -> str:
    """Return why a check cannot be computed, a name that nothing fills included; empty when it can."""
    check = read_check(str(rule.get("check") or ""))
    if check.problem:
        return check.problem
    for path in check.paths:
        if part := member_of_text(path):
            return f"The checked text has no {part}"
        if not (path[0] in TEXT_NAMES or path[0] in about.known or run.program.knows(path[0], run.scope)):
            return f"Nothing fills {path[0]}"
    return ""


def _violates(run: Run, check: str, text: str, about: Subject) -> bool:
    """Return whether a check finds something in a text; what is too long to be looked at whole is looked at in pieces.

    Patterns read so many characters only: without the pieces, what stands behind them would pass unseen.
    """
    if run.test(check, run.local(about.names(text))):
        return True
    if len(text) <= MAX_INPUT_CHARS:
        return False
    half = MAX_INPUT_CHARS // 2
    pieces = (text[start : start + MAX_INPUT_CHARS] for start in range(half, len(text), half))
    return any(run.test(check, run.local(about.names(piece))) for piece in pieces)


def _unjudged(run: Run, stage: Stage, text: str) -> Checked:
    """Return what becomes of a text that a model should judge where there is none: it counts as a violation."""
    for rule in rules_for(run, stage, local=False) if text else ():
        checked = apply(run, rule, Subject(stage), text, is_violated=True, reason=NO_MODEL)
        if _stops(checked):
            return checked
        text = checked.text
    return Checked(text)


def apply(
    run: Run,
    rule: JsonObject,
    about: Subject,
    text: str,
    *,
    is_violated: bool,
    reason: str = "",
    score: float | None = None,
) -> Checked:
    """Return what the action of `rule` makes of `text`, and record the evaluation."""
    action = rule["action"]
    kind = action["type"] if is_violated else "none"
    stops = kind not in MENDING
    run.trace(
        TraceType.GUARDRAIL_EVAL,
        guardrail=rule["name"],
        stage=about.stage,
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
            return Checked(_mended(run, rule, about, _redacted(rule, text)))
        case "fix":
            return Checked(_mended(run, rule, about, _fixed(run, rule, about, text)))
        case "filter":
            return Checked(_mended(run, rule, about, _filtered(run, rule, about, text)) or words)
        case "none" | "warn":
            return Checked(text)
        case _:
            return Checked(words, is_blocked=True, rule=rule["name"])


def _mended(run: Run, rule: JsonObject, about: Subject, text: str) -> str:
    """Return a text that was mended; all of it is taken out when the check finds something in it still."""
    check = str(rule.get("check") or "")
    is_broken = bool(_problem(run, rule, about)) or (bool(check) and bool(text) and _violates(run, check, text, about))
    return REDACTED if is_broken else text


def _redacted(rule: JsonObject, text: str) -> str:
    """Return `text` without what the patterns of the check find; all of it when the check names none."""
    patterns = read_check(str(rule.get("check") or "")).patterns
    if not patterns:
        return REDACTED
    for pattern in patterns:
        text = _replaced(pattern, text)
    return text


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


def _fixed(run: Run, rule: JsonObject, about: Subject, text: str) -> str:
    expression = rule["action"].get("fixExpression")
    if expression:
        value = run.value(expression, run.local(about.names(text)))
        return REDACTED if value is None else str(value)
    is_redacted = rule["action"].get("fixStrategy", "redact") == "redact" or not rule.get("check")
    return _redacted(rule, text) if is_redacted else text.strip()


def _filtered(run: Run, rule: JsonObject, about: Subject, text: str) -> str:
    """Return `text` without the sentences that break the rule; nothing when only a model can tell which do."""
    if not rule.get("check"):
        return ""
    shortest = int(rule["action"].get("filterMinLength", 0))
    kept = [
        one
        for one in text.replace("? ", "?\n").replace("! ", "!\n").replace(". ", ".\n").split("\n")
        if len(one) < shortest or not run.test(rule["check"], run.local(about.names(one)))
    ]
    return " ".join(kept).strip()
