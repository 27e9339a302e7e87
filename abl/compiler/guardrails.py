"""Lowers GUARDRAILS; `both`, and a kind that does not exist, become two entries. Spec: abl-language 3.7, 12.4."""

from __future__ import annotations

from abl.compiler.content import plain_or_template
from abl.compiler.plain import Json, mapping, number, one, only, text
from abl.compiler.scope import Scope
from abl.expressions.checks import UNWANTED, read_check
from abl.syntax.rules import FailAction, Guardrail

PRIORITY = 100
MAX_REASKS = 1
STAGES = {"both": ("input", "output")}


def lower_guardrails(scope: Scope) -> list[Json]:
    """Return the checks of content, one entry per stage."""
    in_yaml = scope.document.format == "yaml"
    default_kind, default_action = ("input", "block") if in_yaml else ("output", "warn")
    found: list[Json] = []
    for node in only(Guardrail, scope.document.guardrails):
        kind = text(node.kind).lower() or (
            "both" if not {"kind", "type"}.isdisjoint(mapping(node.extras)) else default_kind
        )
        if node.check:
            scope.condition(read_check(text(node.check)).condition or text(node.check), node, "check")
        stages = STAGES.get(kind, (kind,))
        found += [scope.record(_guardrail(node, stage, default_action, scope), node) for stage in stages]
    return found


def _guardrail(node: Guardrail, stage: str, default_action: str, scope: Scope) -> Json:
    action = one(FailAction, node.action)
    priority = number(node.priority)
    check = read_check(text(node.check))
    judged = "\n".join(one for one in (text(node.llm_check), check.sentence and UNWANTED + check.sentence) if one)
    ir: Json = {
        "name": text(node.name),
        "kind": stage,
        "priority": PRIORITY if priority is None else priority,
        "tier": "model" if node.provider else "llm" if judged else "local",
        "action": _action(node, action, default_action, scope),
        "streaming": node.streaming is True,
    }
    for key, value in (
        ("description", text(node.description)),
        ("check", check.condition),
        ("provider", text(node.provider)),
        ("category", text(node.category)),
        ("llmCheck", judged),
    ):
        if value:
            ir[key] = value
    if (threshold := number(node.threshold)) is not None:
        ir["threshold"] = threshold
    if ir["streaming"] or node.streaming_interval:
        ir["streamingInterval"] = text(node.streaming_interval) or "sentence"
    return ir


def _action(node: Guardrail, action: FailAction | None, default: str, scope: Scope) -> Json:
    kind = text(action.type).lower() if action is not None else ""
    if action is not None and not kind and (word := text(action.message).strip().lower()) and " " not in word:
        kind = word
    ir: Json = {"type": kind or default}
    message = plain_or_template(node.message, node, "message", scope)
    if not message and action is not None and text(action.message).strip().lower() != kind:
        message = text(action.message)
    if message:
        ir["message"] = message
    if action is not None and action.reason:
        ir["reason"] = text(action.reason)
    if node.fix_strategy:
        ir["fixStrategy"] = text(node.fix_strategy)
    if node.fix_expression:
        ir["fixExpression"] = text(node.fix_expression)
    reasks = number(node.max_reasks)
    if reasks is not None or ir["type"] == "reask":
        ir["maxReasks"] = MAX_REASKS if reasks is None else reasks
    if (shortest := number(node.filter_min_length)) is not None:
        ir["filterMinLength"] = shortest
    return ir
