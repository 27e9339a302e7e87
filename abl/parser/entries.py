"""Lists of nodes: dash items and `name:` entries, in any mixture. Spec: abl-language 1.2, 3.3, 3.5."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from abl.parser.joining import FLOWING, text_end
from abl.parser.naming import after_name, is_signature, key_end, named, set_name
from abl.parser.reader import SCALARS, TABLES, Reader, Table, reads, spellings
from abl.parser.slips import is_slip
from abl.parser.values import MAX_NESTING, cut_comment, open_brackets, split_top, unquote
from abl.source import Pos
from abl.syntax.node import NODES, Kind, Node, Prop, blank


@reads(Kind.ENTRIES)
def read_entries(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read the entries of `row` into `node`."""
    if row.field == node.REST and not value:
        read_rest_lines(r, node, k + 1, end)
        return
    node.at[row.field] = off
    items: list[Node] = getattr(node, row.field)
    if "#" in value:
        value = cut_comment(value)
    if value:
        inline_entries(r, node, row, k, value, off)
    lines(r, node, row, k + 1, end, items)


def inline_entries(r: Reader, node: Node, row: Prop, k: int, value: str, off: int) -> None:
    """Read `a, b, c: required` or `[…]` as entries that have only a main value."""
    items: list[Node] = getattr(node, row.field)
    cls = NODES[row.node]
    body, shift = (value[1:-1], 1) if value[0] == "[" and value[-1] == "]" else (value, 0)
    for part, at in split_top(body):
        r.spend(cls.COST, k)
        made = blank(cls, Pos(r.numbers[k], r.columns[k] + 1, off + shift + at))
        items.append(made)
        if part[0] == "{":
            r.fill(made, row, k, k + 1, part, off + shift + at)
        else:
            named(r, made, row, k, k + 1, part, off + shift + at)


def lines(r: Reader, node: Node, row: Prop, k: int, end: int, items: list[Node]) -> None:
    """Read lines `k` to `end` as entries."""
    if k >= end:
        return
    if r.depth >= MAX_NESTING:
        r.deeper(k)
        return
    r.depth += 1
    cls = NODES[row.node]
    table = TABLES[cls]
    texts, ends = r.texts, r.ends
    while k < end:
        text = texts[k]
        stop = ends[k]
        if stop > end:
            stop = end
        if text[0] == "-":
            if stop > k + 1:
                stop = _up_to_astray(r, row, k, stop)
            made = r.new(cls, k)
            items.append(made)
            dash_item(r, made, row, k, stop, table)
        elif items and text.partition(":")[0].upper() in table and _belongs_to_last(r, items[-1], k, stop, text):
            _adopt(r, items[-1], k, stop, text, row)
        else:
            made = r.new(cls, k)
            if not items and row.field in LONE and _is_lone(r, made, k, end):
                items.append(made)
                r.props(made, k, end)
                break
            map_entry(r, node, made, row, k, stop, items)
        k = stop
    r.depth -= 1


def _up_to_astray(r: Reader, row: Prop, k: int, stop: int) -> int:
    """Return where the lines of an item end: before one that begins like it, one column too deep."""
    begin, column = r.texts[k].partition(":")[0], r.indents[k] + 1
    j = k + 1
    while j < stop:
        if r.indents[j] == column and r.texts[j].partition(":")[0] == begin:
            r.misplaced(j, min(r.ends[j], stop), r.columns[k], row.key)
            return j
        j = r.ends[j]
    return stop


LONE = frozenset({"handoffs", "delegates"})
"""Fields whose only entry may stand without its dash, as in COMPLETE and ESCALATE."""


def _is_lone(r: Reader, made: Node, k: int, end: int) -> bool:
    """Return whether the lines from `k` to `end` are one entry without a dash: `TO: Desk`, `WHEN: …`."""
    key, sign, value = r.texts[k].partition(":")
    entry = TABLES[type(made)].get(key) if sign and value.strip() else None
    if entry is None or entry[1].field != made.MAIN:
        return False
    return not any(r.texts[j][0] == "-" and r.indents[j] <= r.indents[k] for j in range(k + 1, end))


def _belongs_to_last(r: Reader, last: Node, k: int, stop: int, text: str) -> bool:
    """Return whether a line at entry level is really a property of the entry before it."""
    key, sign, value = text.partition(":")
    if not key or not sign:
        return False
    entry = TABLES[type(last)].get(key.upper())
    if entry is None or entry[1].field == last.MAIN:
        return False
    has_value = bool(value)
    if last.pos is not None and last.pos.line == r.numbers[k]:
        return False
    if r.texts[r_line(r, last)][0] == "-":
        return True
    if not last.MAIN:
        return entry[1].field not in last.at
    return has_value and entry[1].kind in SCALARS and stop == k + 1 and entry[1].field not in last.at


def r_line(r: Reader, node: Node) -> int:
    """Return the index of the significant line a node begins on."""
    return bisect_left(r.numbers, node.pos.line) if node.pos is not None else 0


def _adopt(r: Reader, last: Node, k: int, stop: int, text: str, row: Prop) -> None:
    begin = r_line(r, last)
    column = r.columns[begin + 1] if begin + 1 < k and r.indents[begin + 1] > r.indents[begin] else r.columns[begin] + 2
    listed = r.texts[begin][0] == "-"
    if not listed and not last.MAIN:
        pass  # the item was begun without its dash, which has been said
    elif not listed or r.columns[k] < r.columns[begin] or r.indents[k] == 0:
        r.report_line(
            "MISPLACED_INDENT", k, r.indent_fix(k, stop, column), name=text.partition(":")[0], property=row.key
        )
    r.line(last, k, stop, text, r.offsets[k])


def dash_item(r: Reader, made: Node, row: Prop, k: int, stop: int, table: Table) -> None:
    """Read `- …` and the lines nested under it as one entry."""
    text = r.texts[k]
    bare = text[1:].lstrip()
    if not bare:
        r.props(made, k + 1, stop)
        return
    shift = len(text) - len(bare)
    offset = r.offsets[k] + shift
    own = k + 1
    if own < stop and r.indents[own] > r.indents[k] + shift:
        own = split_children(r, k, stop, r.indents[k] + shift)
    if bare[0] == "{" and not bare.startswith("{{"):
        r.fill(made, row, k, k + 1, bare, offset)
        r.props(made, k + 1, stop)
        return
    key, sign, value = bare.partition(":")
    entry = table.get(key) if sign else None
    if entry is not None and own == k + 1 and r.depth < MAX_NESTING:
        r.depth += 1
        value = value.lstrip()
        if own < stop and entry[1].kind in FLOWING:
            own = text_end(r, made, k, stop, value)
        entry[0](r, made, entry[1], k, own, value, offset + len(bare) - len(value))
        r.depth -= 1
        if own < stop:
            r.props(made, own, stop)
        return
    colon = len(key) if sign else -1
    entry = r.find_row(made, key) if colon > 0 else None
    if entry is None and colon < 0 and (own := _keyword_item(r, made, k, stop, bare, offset)):
        r.props(made, own, stop)
        return
    if entry is None and _is_misspelt_key(r, made, bare, colon):
        r.line(made, k, own, bare, offset)
        r.props(made, own, stop)
        return
    if entry is not None:
        if stop > k + 1 and k not in r.lines.blocks and (value := value.strip()):
            if entry[1].kind in FLOWING:
                own = max(text_end(r, made, k, stop, value), own if _goes_deeper(entry[1].kind, bare) else 0)
            elif entry[1].kind in SCALARS:
                own = k + 1
        r.line(made, k, own, bare, offset)
        r.props(made, own, stop)
        return
    last = named(r, made, row, k, own, bare, offset)
    r.props(made, own if "{" in bare else last, stop)


def _goes_deeper(kind: Kind, bare: str) -> bool:
    """Return whether all that is indented deeper than the key of an item belongs to its value."""
    return kind not in SCALARS or (kind is Kind.CONDITION and open_brackets(bare) > 0)


def _keyword_item(r: Reader, made: Node, k: int, stop: int, bare: str, offset: int) -> int:
    """Read `- RESUME`, `- IF condition` or `- WHEN condition` (the last with a finding).

    The line after its text comes back, 0 when it is none of them.
    """
    word = bare.split(None, 1)[0]
    entry = r.find_row(made, word) if word.isupper() and len(word) > 1 else None
    if entry is None or (len(word) == len(bare) and entry[1].kind is not Kind.FLAG):
        return 0
    rest = bare[len(word) :].lstrip()
    own = split_children(r, k, stop, r.indents[k] + len(r.texts[k]) - len(bare))
    if entry[1].kind in FLOWING:
        own = max(own, text_end(r, made, k, stop, rest))
    if rest and word != "IF" and entry[1].kind is not Kind.FLAG:
        fix = r.edit(offset + len(word), 0, ":", f"write `{word}:`")
        r.report("PROPERTY_MISSING_COLON", offset, len(word), fix, name=word, property=word)
    entry[0](r, made, entry[1], k, own, rest, offset + len(bare) - len(rest))
    return own


def _is_misspelt_key(r: Reader, made: Node, bare: str, colon: int) -> bool:
    """Return whether an item `word: value` begins with a misspelt property, and not with a name."""
    key = bare[:colon]
    if colon <= 0 or made.MAIN not in made.BY_FIELD or not key.replace("_", "").isalnum():
        return False
    if not bare[colon + 1 :].strip():
        return False
    meant = r.near(key, spellings(type(made)))
    return meant is not None and is_slip(key, meant)


def split_children(r: Reader, k: int, stop: int, column: int) -> int:
    """Return the end of the lines that are nested under the key after the dash of line `k`."""
    j = k + 1
    while j < stop and r.indents[j] > column:
        j += 1
    return j


def map_entry(r: Reader, node: Node, made: Node, row: Prop, k: int, stop: int, items: list[Node]) -> None:
    """Read `name:` and the lines nested under it as one entry."""
    text = r.texts[k]
    main = made.MAIN
    if main and text[-1] == ":" and text[:-1].isidentifier():
        name = text[:-1]
        if items:
            _check_duplicate(r, row, items, main, name, k)
        items.append(made)
        setattr(made, main, name)
        made.at[main] = r.offsets[k]
        if stop > k + 1:
            r.props(made, k + 1, stop)
        return
    if main and is_signature(made, text):
        items.append(made)
        set_name(made, main, cut_comment(text), r.offsets[k])
        r.props(made, k + 1, stop)
        return
    is_quoted = text[0] in "\"'"
    colon = key_end(text) if is_quoted else text.find(":")
    if colon <= 0:
        word = text.split(None, 1)[0]
        if stop > k + 1 and main:
            fix = r.edit(r.offsets[k] + len(text), 0, ":", f"write `{text}:`")
            r.report_line("PROPERTY_MISSING_COLON", k, fix, name=text, property=text)
            items.append(made)
            set_name(made, main, text, r.offsets[k])
            r.props(made, k + 1, stop)
        else:
            fix = r.edit(r.offsets[k], 0, "- ", "write a dash before the item")
            r.report_line("EXPECTED_LIST_ITEM", k, fix, value=word, property=row.key)
            items.append(made)
            named(r, made, row, k, k + 1, text, r.offsets[k])
        return
    name = text[:colon].strip()
    if is_quoted:
        name = unquote(name)
    if main:
        if items:
            _check_duplicate(r, row, items, main, name, k)
        items.append(made)
        rest = text[colon + 1 :]
        value = rest.lstrip()
        set_name(made, main, name, r.offsets[k] + is_quoted)
        last = k + 1
        if value:
            last = after_name(r, made, row, k, stop, value, r.offsets[k] + colon + 1 + len(rest) - len(value))
        if stop > last and value[:1] != "{":
            r.props(made, last, stop)
        return
    items.append(made)
    fix = r.edit(r.offsets[k], 0, "- ", "write a dash before the item")
    r.report_line("EXPECTED_LIST_ITEM", k, fix, value=text, property=row.key)
    r.line(made, k, stop, text, r.offsets[k])


UNIQUE = {"GatherField": "DUPLICATE_FIELD", "SessionVariable": "DUPLICATE_MEMORY_NAME",
          "PersistentPath": "DUPLICATE_MEMORY_NAME", "ReturnHandler": "DUPLICATE_RETURN_HANDLER"}  # fmt: skip
"""Node class -> code of a name declared twice; other classes give DUPLICATE_NAME."""


def _check_duplicate(r: Reader, row: Prop, items: list[Node], main: str, name: str, k: int) -> None:
    window = items[-MAX_DUPLICATE_WINDOW:]
    if name not in map(attrgetter(main), window):
        return
    for other in window:
        if getattr(other, main) == name:
            code = UNIQUE.get(row.node, "DUPLICATE_NAME")
            first = str(other.pos.line) if other.pos else ""
            r.report(code, r.offsets[k], len(name), name=name, section=row.key, first_line=first)
            return


MAX_DUPLICATE_WINDOW = 64
"""Entries looked back for a name declared twice, so that a long list stays linear."""


def read_rest_lines(r: Reader, node: Node, k: int, end: int) -> None:
    """Read lines as block-level properties of `node` where they are some, else as entries of its REST field."""
    row = node.BY_FIELD[node.REST]
    items: list[Node] = getattr(node, node.REST)
    table = TABLES[type(node)]
    while k < end:
        text = r.texts[k]
        stop = r.ends[k] if r.ends[k] < end else end
        colon = text.find(":")
        entry = table.get(text[:colon].upper()) if colon > 0 and text[0] != "-" else None
        if entry is not None and _is_block_property(r, node, entry[1], k, stop, text, items):
            rest = text[colon + 1 :]
            value = rest.lstrip()
            entry[0](r, node, entry[1], k, stop, value, r.offsets[k] + colon + 1 + len(rest) - len(value))
            k = stop
            continue
        follow = stop
        while follow < end and not _starts_block_property(r, node, table, follow, end, items):
            follow = r.ends[follow] if r.ends[follow] < end else end
        lines(r, node, row, k, follow, items)
        k = follow


def _starts_block_property(r: Reader, node: Node, table: Table, k: int, end: int, items: list[Node]) -> bool:
    text = r.texts[k]
    colon = text.find(":")
    entry = table.get(text[:colon].upper()) if colon > 0 and text[0] != "-" else None
    if entry is None:
        return False
    stop = r.ends[k] if r.ends[k] < end else end
    return _is_block_property(r, node, entry[1], k, stop, text, items)


def _is_block_property(r: Reader, node: Node, row: Prop, k: int, stop: int, text: str, items: list[Node]) -> bool:
    """Return whether a line whose key is a block-level property is that, and not an entry of the same name."""
    if row.field == node.REST:
        return text.rstrip().endswith(":") or "[" in text
    if row.kind in SCALARS:
        return stop == k + 1 or k in r.lines.blocks
    return row.kind is Kind.FLAT or row.field in ("field_overrides",)
