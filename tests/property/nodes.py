"""Hypothesis strategies for nodes, driven by the property tables of their classes: a value of each kind by one rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.tools import Parameter
from tests.property.words import (
    CONDITIONS,
    EXPRESSIONS,
    JSON,
    LINES,
    LITERALS,
    NAMES,
    PATHS,
    TEXTS,
)

MAX_DEPTH = 4


class Dice:
    """Draws values; `focus` names fields that are set whenever a node of a class is made."""

    def __init__(self, draw: st.DrawFn, focus: dict[str, tuple[str, ...]] | None = None) -> None:
        self._draw = draw
        self.focus = focus or {}

    def __call__(self, strategy: st.SearchStrategy[Any]) -> Any:
        """Draw one value."""
        return self._draw(strategy)


Make = Callable[[Dice, Prop, int], Any]


def unique(items: list[Any], key: str = "name") -> list[Any]:
    """Return the items without those whose name has been seen."""
    seen: dict[str, Any] = {}
    for item in items:
        seen.setdefault(getattr(item, key), item)
    return list(seen.values())


MENDED: dict[str, Callable[[Dice, Node], None]] = {}
"""Class -> what makes its fields fit each other."""


def draw_node(draw: Dice, cls: type[Node], depth: int, *, always: tuple[str, ...] = (), most: int = 4) -> Node:
    """Draw a node with some of its properties."""
    made = cls()
    rows = [row for row in cls.PROPS if _may_occur(cls, row)]
    usual = [row for row in rows if (cls.__name__, row.field) not in LARGE]
    wanted = draw(st.lists(st.sampled_from(usual), max_size=most, unique_by=lambda row: row.field)) if usual else []
    focus = draw.focus.get(cls.__name__, ())
    chosen = {row.field: row for row in wanted} | {name: cls.BY_FIELD[name] for name in always if name in cls.BY_FIELD}
    chosen |= {row.field: row for row in rows if row.field in focus}
    for row in chosen.values():
        is_in_focus = row.field in focus and row.node != cls.__name__  # what holds itself would never end
        if depth < MAX_DEPTH or row.kind not in _NESTED or is_in_focus:
            setattr(made, row.field, VALUES[row.kind](draw, row, depth))
    if cls.MAIN and not getattr(made, cls.MAIN):
        row = cls.BY_FIELD.get(cls.MAIN)
        setattr(made, cls.MAIN, VALUES[row.kind](draw, row, depth) if row else draw(NAMES))
    mend = MENDED.get(cls.__name__)
    if mend is not None:
        mend(draw, made)
    return made


LARGE = frozenset({("Branch", "gather"), ("Do", "do"), ("Step", "do")})
"""Fields that hold what holds them, or nearly: set where they are in focus only, as documents grow too large else."""
_NESTED = frozenset({Kind.NODE, Kind.ENTRIES, Kind.FLOW, Kind.STEP_GATHER, Kind.BRANCHES, Kind.CALL, Kind.FREE})
NEVER = frozenset({Kind.FLAT, Kind.SKIP, Kind.ANY, Kind.TOOLS, Kind.PARAMETERS})


def _may_occur(cls: type[Node], row: Prop) -> bool:
    if cls is Parameter and row.field in ("items", "properties", "type", "default"):
        return False
    return row.kind not in NEVER and (cls.__name__, row.field) not in _SKIPPED


_SKIPPED = {("Document", "model"), ("Document", "identity")}


def _entries(draw: Dice, row: Prop, depth: int) -> list[Node]:
    cls = NODES[row.node]
    items = [draw_node(draw, cls, depth + 1) for _ in range(draw(st.integers(1, 2)))]
    items = [item for item in items if any(True for _ in item.written())]
    if cls.MAIN:
        return unique(items, cls.MAIN)
    return items or [draw_node(draw, cls, depth + 1, always=(cls.PROPS[0].field,))]


def _mapping(draw: Dice, row: Prop, depth: int) -> dict[str, str]:
    values = EXPRESSIONS if row.formula else PATHS if row.field in ("returns", "map") else TEXTS
    keys = NAMES.map(str.lower) if row.field == "messages" else NAMES | st.sampled_from(["X-Key", "a.b"])
    return draw(st.dictionaries(keys, values, min_size=1, max_size=3))


def _bounded(draw: Dice, row: Prop, depth: int) -> float:
    low, high = int(row.minimum or 0), int(row.maximum if row.maximum is not None else 1000)
    if row.kind is Kind.INTEGER:
        return draw(st.integers(low, high))
    return draw(st.integers(low, high) | st.integers(low * 100, high * 100).map(lambda n: n / 100))


def _duration(draw: Dice, row: Prop, depth: int) -> float:
    value = draw(st.integers(0, 100_000) | st.integers(0, 9999).map(lambda n: n / 100))
    return int(value) if value == int(value) else value


def _node(draw: Dice, row: Prop, depth: int) -> Node:
    return draw_node(draw, NODES[row.node], depth + 1)


VALUES: dict[Kind, Make] = {
    Kind.TEXT: lambda draw, row, depth: draw(TEXTS if row.key != "BEFORE" else LINES),
    Kind.RESPOND: lambda draw, row, depth: draw(TEXTS | st.just("TEMPLATE(card)")),
    Kind.CODE: lambda draw, row, depth: draw(TEXTS | st.sampled_from([r"^[A-Z]{2}\d{9}$", "session:start", "email"])),
    Kind.NAME: lambda draw, row, depth: draw(PATHS),
    Kind.TARGET: lambda draw, row, depth: draw(NAMES | st.sampled_from(["COMPLETE", "ESCALATE"])),
    Kind.CONDITION: lambda draw, row, depth: draw(CONDITIONS),
    Kind.EXPRESSION: lambda draw, row, depth: draw(EXPRESSIONS),
    Kind.CHOICE: lambda draw, row, depth: draw(st.sampled_from(row.choices)),
    Kind.BOOL: lambda draw, row, depth: draw(st.booleans()),
    Kind.FLAG: lambda draw, row, depth: True,
    Kind.INTEGER: _bounded,
    Kind.NUMBER: _bounded,
    Kind.DURATION: _duration,
    Kind.LITERAL: lambda draw, row, depth: draw(LITERALS),
    Kind.LIST: lambda draw, row, depth: draw(
        st.lists(NAMES, min_size=1, max_size=3) | st.lists(TEXTS, min_size=1, max_size=3)
    ),
    Kind.MAP: _mapping,
    Kind.FREE: lambda draw, row, depth: draw(JSON.filter(lambda value: value is not None)),
    Kind.NODE: _node,
    Kind.ENTRIES: _entries,
    Kind.STEP_GATHER: _node,
    Kind.PROFILES: lambda draw, row, depth: draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)),
}
"""Kind -> how a value of it is drawn; kinds with a form of their own are added by `constructs`."""
