"""Rules of HANDOFF that say target and condition on one line, as older texts do. Spec: abl-language 3.8, 10.3.

`- Claims WHEN amount > 100`, `- TO: Claims IF amount > 100`, `- amount > 100 -> Claims`,
`- IF amount > 100 THEN Claims`.
"""

from __future__ import annotations

import re

from abl.syntax.coordination import Delegate, Handoff
from abl.syntax.document import Document
from abl.syntax.node import given

MAX_HEAD_CHARS = 1_000
"""Characters of a line that is looked at for both; what is longer is neither."""
_CONDITION = re.compile(r"[=<>]|\b(?:CONTAINS|MATCHES|IN|IS|AND|OR)\b")
_BEHIND = re.compile(r"(?P<target>[\w.\-]+)\s++(?:WHEN|IF|ON)\b\s*+:?\s*+(?P<when>.+)", re.IGNORECASE | re.DOTALL)
_BEFORE = re.compile(
    r"(?:(?:WHEN|IF)\b\s*+:?\s*+)?(?P<when>.+?)\s*(?:->|=>|→|\bTHEN\b:?)\s*"
    r"(?:(?:HANDOFF(?:\s+TO)?|ROUTE_TO)\s+)?(?P<target>[\w.\-]+)\s*",
    re.IGNORECASE | re.DOTALL,
)


def is_condition(text: str) -> bool:
    """Return whether a text after a target's name is a condition, and no description of it."""
    return _CONDITION.search(text) is not None


def split_heads(document: Document) -> None:
    """Give each rule of HANDOFF and DELEGATE the target and the condition that one line says together."""
    for rule in given(document, "handoffs") or ():
        _split(rule, "to")
    for task in given(document, "delegates") or ():
        _split(task, "agent")


def _split(rule: Handoff | Delegate, field: str) -> None:
    target = str(getattr(rule, field))
    source, text = (field, target) if " " in target else ("when", rule.when) if not target else ("", "")
    if len(text) > MAX_HEAD_CHARS:
        return
    found = (source == field and _BEHIND.fullmatch(text)) or (_BEFORE.fullmatch(text) if text else None)
    if not found or (source == field and rule.when):
        return
    start = rule.at.get(source, 0)
    setattr(rule, field, found["target"])
    rule.when = found["when"].strip()
    rule.at[field], rule.at["when"] = start + found.start("target"), start + found.start("when")
