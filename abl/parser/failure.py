"""What happens when something fails, and how much history a target sees. Spec: abl-language 3.6 to 3.8."""

from __future__ import annotations

import re

from abl.parser.joining import with_lines_below
from abl.parser.reader import Reader, reads, set_text
from abl.parser.scalars import scalar, text_value
from abl.parser.values import cut_comment, number, unquote
from abl.syntax.coordination import History
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rules import FailAction

_ACTION = re.compile(r"(BLOCK|RESPOND|REDACT|ESCALATE|HANDOFF|CONTINUE|RETRY|WARN|FIX|REASK|FILTER|GOTO)\b[:\s(]*")

_IN_ANY_CASE = re.compile(
    r"""(?i:block|respond|redact|escalate|warn):?\s+"[^"]*"|(?i:retry):?\s+\d+|(?i:handoff):?\s+(?i:to\s+)?[A-Z]\w*"""
)
"""Actions with an argument that are no sentence, in whatever case the action is written."""
_HISTORY = re.compile(r"last_(\d+)\Z", re.IGNORECASE)

_LONE = frozenset(
    {"block", "redact", "escalate", "continue", "retry", "warn", "fix", "reask", "filter", "handoff", "respond"}
)


@reads(Kind.ACTION)
def read_action(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a text, an action word with its argument, or a block of both."""
    made = r.new(FailAction, k)
    set_text(node, row, made, off)
    if k in r.lines.blocks or (not value and end > k + 1):
        if k in r.lines.blocks:
            made.message, place = text_value(r, made, row, k, end, value, off)
            made.at["message"] = place
            return
        r.fill(made, row, k, end, "", off)
        _type_from_keys(made)
        return
    plain, end_scalar = cut_comment(value), k + 1
    if plain[:1] == "{":
        r.fill(made, row, k, end, plain, off)
        _type_from_keys(made)
        return
    if end > end_scalar:
        plain, end_scalar = with_lines_below(r, made, k, end, plain, off)
    _action_text(r, made, plain, off, words=row.field == "action")
    if end > end_scalar:
        for j in r.under_scalar(made, end_scalar - 1, end, owner=row.key):
            r.report_line("UNEXPECTED_NESTING", j, property=row.key)


def _type_from_keys(made: FailAction) -> None:
    if not made.type:
        if "reason" in made.at:
            made.type = "escalate"
        elif "target" in made.at:
            made.type = "handoff"


def _action_text(r: Reader, made: FailAction, value: str, off: int, *, words: bool) -> None:
    """Fill an action from one line; `words` says that lower-case action words count too (guardrails)."""
    if not value:
        return
    lone = value.strip('"').lower()
    any_case = words or lone in _LONE or _IN_ANY_CASE.fullmatch(value) is not None
    found = _ACTION.match(value.upper() if any_case else value)
    if not found or (value[0] == '"' and lone not in _LONE):
        made.message, place = scalar(r, value, off)
        made.at["message"] = place
        if words:
            made.type, made.message = made.message, ""
            made.at["type"] = place
        return
    made.type = found[1].lower()
    made.at["type"] = off
    rest = value[found.end() :].strip().rstrip(")") if "(" in found[0] else value[found.end() :].strip()
    if not rest:
        return
    place = off + value.rindex(rest) if rest in value else off
    field = {"handoff": "target", "escalate": "reason", "retry": "count", "goto": "goto"}.get(made.type, "message")
    if field == "count":
        found_count = number(rest)
        made.count = found_count if isinstance(found_count, int) else None
    elif field == "target":
        made.target = unquote(rest.removeprefix("TO ").removeprefix("to ").strip())
    else:
        setattr(made, field, unquote(rest) if field == "goto" else scalar(r, rest, place)[0])
    made.at[field] = place + (rest[0] == '"')


@reads(Kind.HISTORY)
def read_history(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `auto`, `none`, `summary_only`, `full`, `last_4`, or a block `mode:` / `count:`."""
    made = r.new(History, k)
    set_text(node, row, made, off)
    text = unquote(cut_comment(value))
    last = _HISTORY.match(text)
    if last:
        made.mode, made.count = "last_n", number(last[1])  # type: ignore[assignment]
        made.at["mode"] = off
    elif text and text[0] != "{":
        r.read_field(made, "mode", k, k + 1, value, off)
        if not made.mode and "mode" in made.extras:
            r.findings.pop()
            r.report("INVALID_HISTORY", off, len(text), value=text, known=", ".join(made.BY_FIELD["mode"].choices))
    else:
        before = len(r.findings)
        r.fill(made, row, k, end, value, off)
        _refuse_unknown(r, before)
    if made.mode == "last_n" and made.count is None and not made.extras:
        r.report("INVALID_HISTORY", off, max(len(value), 1), value=text or "last_n", detail="last_n needs a count")


def _refuse_unknown(r: Reader, before: int) -> None:
    """Turn the notes about unknown words of a history, from finding `before`, into errors (spec 3.8)."""
    found, r.findings[before:] = r.findings[before:], []
    for one in found:
        if one.code in ("UNKNOWN_CHOICE", "UNKNOWN_PROPERTY") and one.offset is not None:
            value = r.source.text[one.offset : one.offset + one.length]
            known = ", ".join(History.BY_FIELD["mode"].choices)
            r.report("INVALID_HISTORY", one.offset, one.length, one.fix, value=value, known=known)
        else:
            r.findings.append(one)
