"""Readers of nested nodes and of wrappers. Spec: abl-language 1.2."""

from __future__ import annotations

from abl.parser.joining import FLOWING, text_end
from abl.parser.lists import joined
from abl.parser.reader import Reader, reads
from abl.parser.values import MAX_NESTING, cut_comment, open_brackets
from abl.syntax.node import NODES, Kind, Node, Prop


@reads(Kind.NODE)
def read_node(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read one nested node: nested lines are its properties, an inline map too, other text is its main value."""
    if "#" in value:
        value = cut_comment(value)
    made = getattr(node, row.field) if row.repeat == "merge" else None
    if made is not None:
        made.at.clear()
    else:
        made = r.new(NODES[row.node], k)
    node.at[row.field] = off
    setattr(node, row.field, made)
    if not value and not made.REST and r.depth < MAX_NESTING:
        r.depth += 1
        r.props(made, k + 1, end)
        r.depth -= 1
    elif value and end > k + 1 and k not in r.lines.blocks and made.MAIN and not _goes_on(value):
        main = made.BY_FIELD.get(made.MAIN)
        last = text_end(r, made, k, end, value) if main is not None and main.kind in FLOWING else k + 1
        r.fill(made, row, k, last, value, off)
        _beside(r, node, made, row, k, last, end)
    else:
        r.fill(made, row, k, end, value, off)


def _goes_on(value: str) -> bool:
    """Return whether a value is a map that goes on in the nested lines."""
    return value[0] == "{" and open_brackets(value) > 0


def _beside(r: Reader, node: Node, made: Node, row: Prop, k: int, j: int, end: int) -> None:
    """Read the lines from `j` on under the inline value of line `k`: properties of the node made, or around it."""
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        if not r.knows(made, text) and r.knows(node, text):
            r.misplaced(j, stop, r.columns[k], row.key)
            r.line(node, j, stop, text, r.offsets[j])
        else:
            r.props(made, j, stop)
        j = stop


@reads(Kind.FLAT)
def read_flat(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a wrapper: its content belongs to the enclosing node."""
    if not r.deeper(k):
        return
    value = cut_comment(value)
    if value[:1] == "{":
        whole = joined(r, k, end, value)
        r.inline_node(node, k, whole or value, off)
        if whole is not None:
            k = end - 1  # the nested lines are part of the map
    elif value and row.field == "confirmation":
        r.line(node, k, k + 1, f"require: {value}", off - 9)
    elif value[:1] == "[" and row.field == "context" and "pass_" in node.BY_FIELD:
        r.line(node, k, k + 1, f"pass: {value}", off - len("pass: "))
    elif value:
        r.report("EXPECTED_MAP", off, len(value), value=value, property=row.key)
    r.props(node, k + 1, end)
    r.leave()
