"""Writes nodes by their own property tables: one loop, one writer per kind of value. Spec: abl-language 11.2."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Any, TypeAlias

from abl.printer.page import STEP, Page
from abl.printer.scalars import fits_quotes, is_word, quoted
from abl.syntax.flow import Step
from abl.syntax.node import NODES, Kind, Node, Prop

WriteKind: TypeAlias = Callable[[Page, int, str, Any, Prop, Node], None]
"""page, indent, what stands before the value (`KEY:` or `-`), value, row, the node it belongs to."""

WRITE: dict[Kind, WriteKind] = {}
"""Kind -> its writer; filled by the modules that define them."""

_ACTS = ("set", "clear", "call")
_ANSWER = ("respond", "voice_config", "rich_content", "actions", "carousel", "message_key")
_DONE_BEFORE_CLEAR = frozenset({"call", "delegate", *_ANSWER})
_ASKS = ("collect", "prompt", "await_attachment", "human_approval", "gather", "present", "corrections", "complete_when")
_ZONE = ("reasoning", "goal", "behavior", "available_tools", "exit_when", "max_turns", "step_constraints")
FIRST: dict[str, tuple[str, ...]] = {
    "Step": (*_ZONE, "when", "max_attempts", "on_exhausted", *_ACTS[:2], "transform", *_ASKS, "call", *_ANSWER),
    "Branch": ("condition", "otherwise", *_ACTS),
    "Outcome": ("collect", "retry", *_ACTS),
    "Digression": ("intent", "keywords", "condition", *_ACTS),
    "ActionHandler": ("condition", *_ACTS),
    "ErrorHandler": ("type", "subtypes", "retry", "retry_delay", "retry_backoff", "retry_max_delay"),
    "Completion": ("when",),
    "Do": _ACTS,
    "Hook": _ACTS,
    "OnStart": _ACTS,
    "Delegate": ("agent", "when", "purpose", "input", "returns", "use_result", "timeout"),
    "Handoff": ("to", "when", "priority", "description"),
    "DelegateCall": ("agent", "return_", "input"),
    "Tool": ("description", "type", "parameters", "base_url", "endpoint", "method"),
    "FailAction": ("type",),
}
"""Fields written before all others, where the order of the class (mixins first) reads badly."""

UNDER_RESPOND = frozenset({"voice_config", "rich_content", "actions", "carousel"})
PLAIN_ITEMS = frozenset({"SessionVariable", "PersistentPath", "MemoryGrant"})
"""Classes whose dash item is just the name when nothing else is said."""


def writes(*kinds: Kind) -> Callable[[WriteKind], WriteKind]:
    """Register the decorated function as the writer of `kinds`."""

    def register(function: WriteKind) -> WriteKind:
        for kind in kinds:
            WRITE[kind] = function
        return function

    return register


def rows_of(cls: type[Node]) -> tuple[Prop, ...]:
    """Return the rows of a class in the order in which they are written."""
    return _rows(cls.__name__)


@cache
def _rows(name: str) -> tuple[Prop, ...]:
    cls = NODES[name]
    first = [cls.BY_FIELD[field] for field in FIRST.get(name, ())]
    return (*first, *(row for row in cls.PROPS if row not in first))


def rows_in_order(node: Node) -> tuple[Prop, ...]:
    """Return the rows of a node in the order in which they are written: a CLEAR that is done last stands last."""
    rows = _around_call(node, rows_of(type(node)))
    if not getattr(node, "clears_last", False):
        return rows
    clear = node.BY_FIELD["clear"]
    others = [row for row in rows if row is not clear]
    after = max(place for place, row in enumerate(others) if row.field in _DONE_BEFORE_CLEAR)
    return (*others[: after + 1], clear, *others[after + 1 :])


def _around_call(node: Node, rows: tuple[Prop, ...]) -> tuple[Prop, ...]:
    """Return the rows of a step, or of a block that answers first, as they stand around its CALL."""
    is_step = type(node).__name__ == "Step"
    if getattr(node, "call", None) is None or not (is_step or getattr(node, "says_first", False)):
        return rows
    above = [] if getattr(node, "says_last", False) else list(_ANSWER)
    above += ["check"] if getattr(node, "checks_first", False) else []
    above += ["do"] if getattr(node, "does_first", 0) else []
    below = ["transform"] if getattr(node, "transforms_last", False) else []
    kept = [row for row in rows if row.field not in (*above, *below)]
    at = next(place for place, row in enumerate(kept) if row.field == "call")
    moved = {row.field: row for row in rows}
    before = [moved[field] for field in above if field in moved]
    return (*kept[:at], *before, kept[at], *(moved[field] for field in below), *kept[at + 1 :])


def laid_out(node: Node) -> Node:
    """Return a node as it is written: a step that does some of its DO before its CALL has the rest under DO_AFTER."""
    if not isinstance(node, Step) or not 0 < node.does_first < len(node.do):
        return node
    made = copy(node)
    made.do, made.do_after = node.do[: node.does_first], node.do[node.does_first :]
    return made


def is_absent(node: Node, field: str) -> bool:
    """Return whether a field holds its default, so that nothing is written."""
    value, default = getattr(node, field), type(node).DEFAULTS[field]
    return type(value) is type(default) and bool(value == default)


def written_fields(node: Node) -> list[str]:
    """Return the names of the fields that say something."""
    return [name for name, _ in node.written()]


def write_props(page: Page, indent: int, node: Node, *, skip: str = "") -> None:
    """Write all properties that differ from their defaults, then the extras."""
    node = laid_out(node)
    deep = indent + STEP if _is_inline_answer(node) else indent
    for row in rows_in_order(node):
        if row.kind is Kind.FLAT:
            _write_group(page, indent, node, row)
        elif not row.group and row.field != skip and not is_absent(node, row.field):
            at = deep if row.field in UNDER_RESPOND else indent
            write_row(page, at, node, row)
    write_extras(page, indent, node)


def write_row(page: Page, indent: int, node: Node, row: Prop) -> None:
    """Write one property; the entries of a REST field stand without a key of their own."""
    value = getattr(node, row.field)
    if row.field == type(node).REST and not _needs_wrapper(node, value):
        write_entries(page, indent, row, value)
    else:
        WRITE[row.kind](page, indent, f"{row.key}:", value, row, node)


def _is_inline_answer(node: Node) -> bool:
    row = node.BY_FIELD.get("respond")
    if row is None or row.kind is not Kind.RESPOND:
        return False
    respond = str(getattr(node, row.field) or "")
    return bool(respond) and fits_quotes(respond)


def _needs_wrapper(node: Node, items: list[Node]) -> bool:
    """Return whether an entry bears the name of a property of the node that holds it."""
    main = type(items[0]).MAIN if items else ""
    return bool(main) and any(str(getattr(one, main)).upper() in node.BY_KEY for one in items)


def _write_group(page: Page, indent: int, node: Node, wrapper: Prop) -> None:
    rows = [row for row in node.PROPS if row.group == wrapper.key and not is_absent(node, row.field)]
    if rows:
        page.put(indent, f"{wrapper.key}:")
        for row in rows:
            write_row(page, indent + STEP, node, row)


def write_extras(page: Page, indent: int, node: Node) -> None:
    """Write what nobody knows, as it was written."""
    for key, raw in node.extras.items():
        value, _, body = raw.partition("\n")
        page.put(indent, f"{extra_key(key)}: {value}".rstrip() if key else value)
        if body:
            page.block(indent + STEP if key else indent, body)


def write_remarks(page: Page, indent: int, node: Node) -> None:
    """Write what nobody knows as comments, where the text form has no place for unknown keys."""
    for key, raw in node.extras.items():
        for line in f"{key}: {raw}".split("\n"):
            page.put(indent, f"# {line}".rstrip())


def extra_key(key: str) -> str:
    """Return the spelling of an unknown key."""
    return quoted(key) if ":" in key or "#" in key else key


def write_entries(page: Page, indent: int, row: Prop, items: list[Node]) -> None:
    """Write nodes as dash items or `name:` entries."""
    dashed = row.style == "dash" and not _collides(row, items)
    for item in items:
        (write_item if dashed else write_entry)(page, indent, item)


def _collides(row: Prop, items: list[Node]) -> bool:
    """Return whether `- name:` would be taken for a property, because a name is one of the class."""
    cls = NODES[row.node]
    if not cls.MAIN or cls.MAIN in cls.BY_FIELD:
        return False
    return any(str(getattr(one, cls.MAIN)).upper() in cls.BY_KEY for one in items)


def write_entry(page: Page, indent: int, item: Node) -> None:
    """Write `name:` and the properties below it; `name: value` where the class has a short form."""
    cls = type(item)
    name = str(getattr(item, cls.MAIN)) if cls.MAIN else ""
    if cls.INLINE and set(written_fields(item)) == {cls.MAIN, cls.INLINE} and name.upper() not in cls.BY_KEY:
        row = cls.BY_FIELD[cls.INLINE]
        WRITE[row.kind](page, indent, f"{entry_name(name)}:", getattr(item, cls.INLINE), row, item)
        return
    page.put(indent, f"{entry_name(name)}:")
    write_props(page, indent + STEP, item, skip=cls.MAIN)


def entry_name(name: str) -> str:
    """Return the name of an entry, in quotes when it is no plain word."""
    if is_word(name):
        return name
    return f"'{name}'" if '"' in name else quoted(name)


def write_item(page: Page, indent: int, item: Node) -> None:
    """Write `- KEY: value` and the other properties below it; just the name where that is all there is."""
    cls = type(item)
    start = len(page.lines)
    main = cls.MAIN
    alone = cls.__name__ in PLAIN_ITEMS and written_fields(item) == [main] and is_word(getattr(item, main))
    if alone:
        page.put(indent + STEP, getattr(item, main))
    elif main and main not in cls.BY_FIELD:
        page.put(indent + STEP, f"{entry_name(str(getattr(item, main)))}:")
    if not alone:
        write_props(page, indent + STEP, item)
    page.dash(start, indent)
