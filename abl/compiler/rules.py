"""Lowers CONSTRAINTS: modifiers become part of the condition, which passes while nothing is known.

Spec: abl-language 3.6, 12.4.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from abl.compiler.conditions import MAX_CACHED, facts_of
from abl.compiler.content import plain_or_template
from abl.compiler.plain import Json, given, one, only, text, texts
from abl.compiler.scope import Scope
from abl.compiler.words import split_modifiers, without_implications
from abl.syntax.rules import RULE_KINDS, Constraint, FailAction
from abl.syntax.tools import Tool

CHECKPOINT_KIND = "_abl_constraint_checkpoint_kind"
CHECKPOINT_TARGET = "_abl_constraint_checkpoint_target"
PLAIN_PHASES = frozenset({"", "always"})

_TYPE_WORDS = {"continue": "respond", "retry": "retry_step", "collect": "collect_field", "goto": "goto_step"}

_BEFORE_TOOL = re.compile(
    r"(?:(?:the\s++)?calls?\s++of|calling|call|tool)\s*+:?\s*+([\w.-]++)\s*+(?:\(\s*+\))?", re.IGNORECASE
)
_BARE_TOOL = re.compile(r"([\w.-]++)\s*+(?:\(\s*+\))?")
_BEFORE_MESSAGE = re.compile(r"""([^,"']*+),\s*+("[^"]*+"|'[^']*+')""")
_BEFORE_REPLY = re.compile(
    r"(?:returning|return)\s++(?:the\s++)?results?|respond(?:ing)?|response|return_results", re.IGNORECASE
)
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'""")
_STRANGE = re.compile(r"=~|~=|!~|<>|=<|=>|\*\*|(?<![\w.])(?:LIKE|BETWEEN|EQUALS|XOR)(?![\w.(])")
_BETTER = {"=~": "matches", "~=": "matches", "LIKE": "matches", "<>": "!=", "=<": "<=", "=>": ">=", "EQUALS": "=="}


def lower_constraints(nodes: object, scope: Scope) -> tuple[list[Json], list[str]]:
    """Return the rules, and the texts of plain items, which are instructions for the model."""
    rules: list[Json] = []
    instructions: list[str] = []
    for node in only(Constraint, nodes):
        if not text(node.condition) and text(node.text):
            instructions.append(text(node.text))
        else:
            rules.append(lower_constraint(node, scope))
    return rules, instructions


def report_labels(nodes: object, scope: Scope) -> None:
    """Say of each label other than `always`, once, that it is only a label."""
    seen: set[str] = set()
    for node in only(Constraint, nodes):
        phase = text(node.phase)
        if phase.lower() not in PLAIN_PHASES and phase not in seen:
            seen.add(phase)
            scope.report("W823", node, "phase", name=phase)


def lower_constraint(node: Constraint, scope: Scope) -> Json:
    """Return one rule, lowered."""
    condition, when, before = split_modifiers(text(node.condition))
    when, before = text(node.when) or when, text(node.before) or before
    before, said = _without_message(before)
    kind = text(node.kind).lower()
    kind = kind if kind in RULE_KINDS else "require"
    _check_operators(condition, node, scope)
    scope.condition(condition, node, "condition")
    if when:
        scope.condition(when, node, "when")
    checkpoint = read_before(before, _tool_names(scope)) if before else None
    if before and checkpoint is None:
        scope.report("W824", node, "before", value=before)
        lowered = "true"
    else:
        target = checkpoint.get("target") if checkpoint else None
        lowered = lower_condition(condition, kind, when, checkpoint["kind"] if checkpoint else "", target or "")
    severity = text(node.severity).lower() or ("warning" if kind == "warn" else "error")
    ir: Json = {"condition": lowered, "severity": severity, "kind": kind}
    if when:
        ir["applies_when"] = when
    if checkpoint is not None:
        ir["checkpoint"] = checkpoint
    if (action := one(FailAction, node.on_fail)) is not None:
        ir["on_fail"] = lower_on_fail(action, scope)
    elif said:
        ir["on_fail"] = {"type": "respond", "message": said}
    elif severity == "error":
        ir["on_fail"] = {"type": "block"}
    return scope.record(ir, node)


def _without_message(before: str) -> tuple[str, str]:
    """Return the moment, and the answer behind it: `calling pay, "Not verified."` has both on one line."""
    found = _BEFORE_MESSAGE.fullmatch(before.strip())
    return (found[1], found[2][1:-1]) if found is not None else (before, "")


def _tool_names(scope: Scope) -> frozenset[str]:
    return frozenset(text(tool.name) for tool in only(Tool, scope.document.tools))


def read_before(before: str, tools: Collection[str] = ()) -> Json | None:
    """Return the checkpoint that `BEFORE …` names, None when it is not understood; a tool may stand there alone."""
    words = before.strip()
    bare = _BARE_TOOL.fullmatch(words)
    if bare is not None and bare[1] in tools:
        return {"kind": "tool_call", "target": bare[1]}
    tool = _BEFORE_TOOL.fullmatch(words)
    if tool is not None:
        return {"kind": "tool_call", "target": tool[1]}
    return {"kind": "response"} if _BEFORE_REPLY.fullmatch(words) else None


@lru_cache(maxsize=MAX_CACHED)
def lower_condition(condition: str, kind: str, when: str, checkpoint: str, target: str) -> str:
    """Return the condition that must hold, in the five steps of abl-language 12.4."""
    lowered = without_implications(condition)
    if kind == "restrict":
        lowered = f"NOT ({lowered})"
    if when:
        lowered = f"NOT ({when}) OR ({lowered})"
    if checkpoint == "tool_call":
        moment = f'{CHECKPOINT_KIND} == "tool_call" AND {CHECKPOINT_TARGET} == "{target}"'
        return f"NOT ({moment}) OR ({lowered})"
    if checkpoint:
        return f'NOT ({CHECKPOINT_KIND} == "{checkpoint}") OR ({lowered})'
    return _guarded(lowered)


def _guarded(condition: str) -> str:
    """Return the condition so that it passes while its variables are not set."""
    facts = facts_of(condition)
    names = facts.variables
    if facts.tests_presence or not names or (facts.has_or and not facts.has_and):
        return condition
    if len(names) == 1:
        body = f"({condition})" if facts.is_choice else condition
        return f"{names[0]} IS NOT SET OR {body}"
    unset = " AND ".join(f"{name} IS NOT SET" for name in names)
    return f"({unset}) OR ({condition})"


def lower_on_fail(node: FailAction, scope: Scope) -> Json:
    """Return `{type, message, target, reason, collect_fields, then_action, then_step}`."""
    fields = texts(given(node, "collect_fields"))
    goto = text(node.goto)
    kind = text(node.type).lower()
    ir: Json = {"type": _TYPE_WORDS.get(kind, kind) or _type_by_content(node, fields, goto)}
    for key, value in (
        ("message", plain_or_template(node.message, node, "message", scope)),
        ("target", text(node.target)),
        ("reason", text(node.reason)),
        ("collect_fields", fields),
    ):
        if value:
            ir[key] = value
    if ir["type"] == "goto_step" and goto:
        ir["target"] = goto
    then = text(node.then).strip()
    if then.lower() in ("continue", "retry"):
        ir["then_action"] = then.lower()
    elif then or (goto and ir["type"] != "goto_step"):
        ir["then_action"], ir["then_step"] = "goto_step", then or goto
    elif kind == "continue":
        ir["then_action"] = "continue"
    elif node.retry is True and ir["type"] != "retry_step":
        ir["then_action"] = "retry"
    return scope.record(ir, node)


def _type_by_content(node: FailAction, fields: list[str], goto: str) -> str:
    """Return what a block without an action word does: its strongest line counts."""
    pairs: Iterable[tuple[object, str]] = (
        (text(node.target), "handoff"),
        (text(node.reason), "escalate"),
        (fields, "collect_field"),
        (goto, "goto_step"),
        (node.retry is True, "retry_step" if not node.message else ""),
    )
    return next((kind for value, kind in pairs if value and kind), "respond")


def _check_operators(condition: str, node: Constraint, scope: Scope) -> None:
    """Report the first operator that other languages have and this one has not."""
    found = _STRANGE.search(_QUOTED.sub(lambda quoted: "\0" * len(quoted[0]), condition))
    if found is not None:
        name = found[0]
        better = _BETTER.get(name.upper())
        suggestion = f"Did you mean {better}? " if better else ""
        scope.report(
            "INVALID_OPERATOR",
            node,
            "condition",
            start=found.start(),
            length=len(name),
            name=name,
            suggestion=suggestion,
        )
