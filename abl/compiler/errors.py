"""Lowers ON_ERROR of agents and steps. Spec: abl-language 3.12, 12.8."""

from __future__ import annotations

import re

from abl.compiler.lowering import Changes, lower, shape
from abl.compiler.plain import Json, number, only, text
from abl.compiler.scope import Scope
from abl.syntax.steps import ErrorHandler

RETRY_DELAY_MS = 1_000
RETRY_BACKOFF = "fixed"
MAX_RETRIES = 10
MAX_DELAY_MS = 60_000
DEFAULT_TYPE = "default"

_HANDLER = shape(ErrorHandler, Changes(skip=("retry", "retry_delay", "retry_backoff", "retry_max_delay", "then")))
_ACTIONS = frozenset({"RETRY", "RETRY_STEP", "BACKTRACK", "ESCALATE", "HANDOFF", "COMPLETE", "CONTINUE"})
_WORD_AFTER = re.compile(r"\b(?:HANDOFF|BACKTRACK)\b\s*+(?:TO\b)?\s*+:?\s*+([\w.-]+)", re.IGNORECASE)


def lower_error_handling(scope: Scope) -> Json:
    """Return `{handlers, default_handler}`; without a DEFAULT entry the built-in one."""
    handlers = [lower_handler(node, scope) for node in only(ErrorHandler, scope.document.on_error)]
    default = next((one for one in handlers if one["type"] == DEFAULT_TYPE), None)
    return {
        "handlers": [one for one in handlers if one["type"] != DEFAULT_TYPE],
        "default_handler": default or built_in_handler(scope.error_default),
    }


def built_in_handler(respond: str) -> Json:
    """Return what happens on an error that nobody handles."""
    return {
        "type": DEFAULT_TYPE,
        "respond": respond,
        "retry": 1,
        "retry_delay_ms": RETRY_DELAY_MS,
        "retry_backoff": RETRY_BACKOFF,
        "then": "continue",
    }


def lower_handler(node: ErrorHandler, scope: Scope) -> Json:
    """Return one handler."""
    ir = lower(node, scope, _HANDLER)
    kind = text(node.type)
    ir["type"] = DEFAULT_TYPE if not kind or kind.upper() == "DEFAULT" else kind
    retries = number(node.retry)
    if retries is not None:
        ir["retry"] = int(min(max(retries, 0), MAX_RETRIES))
    delay, longest = number(node.retry_delay), number(node.retry_max_delay)
    ir["retry_delay_ms"] = RETRY_DELAY_MS if delay is None else min(delay, MAX_DELAY_MS)
    ir["retry_backoff"] = text(node.retry_backoff) or RETRY_BACKOFF
    if longest is not None:
        ir["retry_max_delay_ms"] = min(longest, MAX_DELAY_MS)
    _add_then(ir, text(node.then), scope)
    return ir


def _add_then(ir: Json, then: str, scope: Scope) -> None:
    """Add what happens after the answer: the first of the known words that the text holds; a step is gone back to."""
    if then.strip() in scope.step_names and then.strip().upper() not in _ACTIONS:
        ir.update(then="backtrack", backtrack_to=then.strip())
        return
    upper = then.upper()
    if not upper and ir.get("backtrack_to"):
        upper = "BACKTRACK"
    if "RETRY_STEP" in upper or upper.strip() == "RETRY":
        ir["then"] = "retry_step"
    elif "BACKTRACK" in upper:
        ir["then"] = "backtrack"
    elif "ESCALATE" in upper:
        ir["then"] = "escalate"
    elif "HANDOFF" in upper:
        ir["then"] = "handoff"
    elif "COMPLETE" in upper:
        ir["then"] = "complete"
    else:
        ir["then"] = "continue"
    word = _WORD_AFTER.search(then)
    if word is not None and ir["then"] == "handoff":
        ir["handoff_target"] = word[1]
    elif word is not None and ir["then"] == "backtrack":
        ir.setdefault("backtrack_to", word[1])
