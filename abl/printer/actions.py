"""Writers of SET, CALL, branches, failure actions, STORE, TRANSFORM and their kin. Spec: abl-language 3.5, 5.4."""

from __future__ import annotations

import re

from abl.printer import scalars
from abl.printer.kinds import put_text, write_boolean
from abl.printer.nodes import rows_of, write_extras, write_item, write_props, write_row, writes, written_fields
from abl.printer.page import STEP, Page
from abl.syntax.coordination import History, HumanOutcome
from abl.syntax.flow import Transform
from abl.syntax.memory import Store
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rules import FailAction
from abl.syntax.steps import Argument, Assignment, Branch, Call, Do

_OUTCOME = re.compile(r"(?:COMPLETE|HANDOFF|CONTINUE|ESCALATE)\b", re.IGNORECASE)
_OUTCOME_INSIDE = re.compile(r"(?::|->|\bTHEN\b)\s*(?:COMPLETE|HANDOFF|CONTINUE|ESCALATE)\b", re.IGNORECASE)
_ARGUMENT_OF = {"handoff": "target", "escalate": "reason", "retry": "count", "goto": "goto"}
"""Action word -> the field that its argument fills; all others take a message."""
_WORDS = frozenset(
    {"block", "respond", "redact", "escalate", "handoff", "continue", "retry", "warn", "fix", "reask", "filter", "goto"}
)


@writes(Kind.SET)
def write_set(page: Page, indent: int, head: str, value: list[Assignment], row: Prop, node: Node) -> None:
    """Write one assignment on the line of its key, several below it."""
    lines = [assignment(one) for one in value]
    if len(lines) == 1:
        page.put(indent, f"{head} {lines[0]}")
        return
    page.put(indent, head)
    for line in lines:
        page.put(indent + STEP, line)


def assignment(one: Assignment) -> str:
    """Return `variable = expression`."""
    return f"{one.variable} = {one.expression}" if one.variable else one.expression


@writes(Kind.CALL)
def write_call(page: Page, indent: int, head: str, value: Call, row: Prop, node: Node) -> None:
    """Write `CALL: tool(args)` with WITH and AS below it; in lists of actions they stand in its column."""
    page.put(indent, f"{head} {call_text(value)}")
    is_flat = isinstance(node, Do) and not value.set  # beside CALL, SET would be the node's own
    write_props(page, indent if is_flat else indent + STEP, value)


def call_text(call: Call) -> str:
    """Return `tool` or `tool(a, name: b)`."""
    if call.arguments is None:
        return call.tool
    return f"{call.tool}({', '.join(map(argument, call.arguments))})"


def argument(one: Argument) -> str:
    """Return one argument of a call."""
    return f"{one.name}: {one.expression}" if one.name else one.expression


@writes(Kind.FLAG)
def write_flag(page: Page, indent: int, head: str, value: bool, row: Prop, node: Node) -> None:
    """Write a flag: alone in lists of actions and for ELSE, else with its value."""
    if value and isinstance(node, Do):
        page.put(indent, head.rstrip(":"))
    elif value and isinstance(node, Branch):
        page.put(indent, head)
    else:
        write_boolean(page, indent, head, value, row, node)


@writes(Kind.BRANCHES)
def write_branches(page: Page, indent: int, head: str, value: list[Branch], row: Prop, node: Node) -> None:
    """Write IF and ELSE items; those of a result block stand in it without a key."""
    if row.field != "branches":
        page.put(indent, head)
        indent += STEP
    for branch in value:
        write_item(page, indent, branch)


@writes(Kind.ACTION)
def write_action(page: Page, indent: int, head: str, value: FailAction, row: Prop, node: Node) -> None:
    """Write a text, an action word with its argument, or a block."""
    said = set(written_fields(value))
    if not value.type and said == {"message"} and row.field != "action":
        put_text(page, indent, head, value.message)
        return
    line = action_text(value, said, upper=row.field != "action")
    if line is not None:
        page.put(indent, f"{head} {line}")
        return
    page.put(indent, head)
    known = ("reason" if value.type == "escalate" else "target" if value.type == "handoff" else "") in said
    write_props(page, indent + STEP, value, skip="type" if known else "")


def action_text(value: FailAction, said: set[str], *, upper: bool) -> str | None:
    """Return an action on one line, or None when it needs a block. Capitals are the custom outside guardrails."""
    field = _ARGUMENT_OF.get(value.type, "message")
    if value.type not in _WORDS:
        return scalars.word(value.type) if value.type and said == {"type"} and not upper else None
    word = value.type.upper() if upper else value.type
    if said == {"type"}:
        return word
    if said != {"type", field}:
        return None
    if field in ("message", "reason"):
        text = str(getattr(value, field))
        return f"{word} {scalars.quoted(text)}" if scalars.fits_quotes(text) else None
    text = str(getattr(value, field))
    return f"{word} {text}" if re.fullmatch(r"[\w.\-]+", text) else None


@writes(Kind.STORE)
def write_store(page: Page, indent: int, head: str, value: Store, row: Prop, node: Node) -> None:
    """Write `value -> target` or `{a, b} -> target`."""
    left = value.value or "" if value.fields is None else f"{{{', '.join(value.fields)}}}"
    arrow = f" -> {value.target}" if value.target else ""
    page.put(indent, f"{head} {left}{arrow}".replace(":  ", ": ").rstrip())
    write_extras(page, indent + STEP, value)


@writes(Kind.TRANSFORM)
def write_transform(page: Page, indent: int, head: str, value: Transform, row: Prop, node: Node) -> None:
    """Write `source AS item INTO target` and its properties."""
    page.put(indent, f"{head} {transform_text(value)}".rstrip())
    write_props(page, indent + STEP, value)


def transform_text(value: Transform) -> str:
    """Return `source AS item INTO target`, or just the source of a transform that could not be read."""
    if not value.item_var and not value.target:
        return value.source
    return f"{value.source} AS {value.item_var} INTO {value.target}"


@writes(Kind.HISTORY)
def write_history(page: Page, indent: int, head: str, value: History, row: Prop, node: Node) -> None:
    """Write `auto`, `last_4`, or a block where more is said."""
    text = history_text(value)
    if text and not value.extras:
        page.put(indent, f"{head} {text}")
    else:
        page.put(indent, head)
        write_props(page, indent + STEP, value)


def history_text(value: History) -> str:
    """Return a history in one word, or nothing when it needs a block."""
    if value.mode == "last_n":
        return f"last_{value.count}" if value.count is not None and value.count >= 0 else ""
    return value.mode if value.count is None else ""


@writes(Kind.HUMAN)
def write_human(page: Page, indent: int, head: str, value: list[HumanOutcome], row: Prop, node: Node) -> None:
    """Write `- IF condition: ACTION` items."""
    page.put(indent, head)
    for one in value:
        line = human_text(one)
        if line is not None and not one.extras and not one.respond:
            page.put(indent + STEP, f"- {line}")
        else:
            start = len(page.lines)
            _human_block(page, indent + 2 * STEP, one)
            page.dash(start, indent + STEP)


def human_text(one: HumanOutcome) -> str | None:
    """Return `IF condition: ACTION`, or None when that would not be read back."""
    if "\n" in one.action or not _OUTCOME.match(one.action) or "\n" in one.condition or "#" in one.action:
        return None
    if not one.condition:
        return one.action if _OUTCOME.fullmatch(one.action) else None
    return None if _OUTCOME_INSIDE.search(one.condition) else f"IF {one.condition}: {one.action}"


def _human_block(page: Page, indent: int, one: HumanOutcome) -> None:
    for row in rows_of(HumanOutcome):
        if getattr(one, row.field):
            write_row(page, indent, one, row)
    write_extras(page, indent, one)
