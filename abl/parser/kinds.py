"""Readers of the general kinds of values: text, words, numbers, lists, maps, nodes and entries. Spec: abl-language 1.4."""

from __future__ import annotations

from abl.diagnostics.reporter import did_you_mean
from abl.parser.lines import dedent
from abl.parser.reader import SCALARS, Reader, reads, set_text
from abl.parser.values import (
    BOOLEANS,
    QUOTES,
    STRAIGHT,
    cut_comment,
    duration,
    inline_list,
    inline_map,
    literal,
    number,
    open_brackets,
    unquote,
)
from abl.syntax.node import NODES, Kind, Node, Prop

MAX_JOINED_LINES = 200
"""Lines that are joined while a bracket or quote is open."""


@reads(Kind.TEXT)
def read_text(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read free text: quoted, bare, or a block."""
    if value and value[0] == '"' and value[-1] == '"' and len(value) > 1 and " #" not in value and end == k + 1:
        setattr(node, row.field, value[1:-1].strip())
        node.at[row.field] = off + 1
        return
    value, off = text_value(r, node, row, k, end, value, off)
    if row.repeat == "append" and getattr(node, row.field):
        value = getattr(node, row.field) + "\n" + value
    set_text(node, row, value, off)


def text_value(
    r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int, *, keep_quotes: bool = False
) -> tuple[str, int]:
    """Return the text of a value and the offset of its first character."""
    if k in r.lines.blocks and value[:1] in ("|", ">", ""):
        return r.lines.block_text(k), r.lines.block_offset(k)
    if end > k + 1 and value and is_open_string(value):
        joined = _joined_string(r, k, end, value, off)
        if joined is not None:
            return joined, off + 1
    extra = ""
    if end > k + 1:
        if value:
            others = r.under_scalar(node, k, end, owner=row.key)
            extra = _continuation(r, others, end, row.key, complete=value[0] == '"' and value[-1] == '"')
        else:
            return dedent(r.lines.raw_between(k + 1, end)), r.offsets[k + 1]
    value, off = (scalar if not keep_quotes else bare_scalar)(r, value, off)
    return (value + "\n" + extra if extra else value), off


def _continuation(r: Reader, lines: list[int], end: int, owner: str, *, complete: bool) -> str:
    if not lines:
        return ""
    if complete:
        r.report_line("UNEXPECTED_NESTING", lines[0], property=owner)
    return "\n".join([r.texts[j] for j in lines])


def is_open_string(value: str) -> bool:
    """Return whether a value opens with a quote that is not closed on its line."""
    return value[0] == '"' and '"' not in value[1:]


def _joined_string(r: Reader, k: int, end: int, value: str, off: int) -> str | None:
    last = min(end, k + 1 + MAX_JOINED_LINES)
    for j in range(k + 1, last):
        if r.texts[j].endswith('"') and r.texts[j].count('"') == 1:
            r.report("MULTILINE_STRING", off, len(value), property="")
            return dedent([value[1:], *[r.texts[i] for i in range(k + 1, j)], r.texts[j][:-1]])
    return None


def scalar(r: Reader, value: str, off: int) -> tuple[str, int]:
    """Return an inline text without its quotes and comment; typographic quotes count as quotes."""
    value = cut_comment(value)
    if not value:
        return "", off
    if not value.isascii() and (value[0] in QUOTES or value[-1] in QUOTES):
        value = straight(r, value, off)
    if value[0] == '"':
        if len(value) > 1 and value[-1] == '"':
            return value[1:-1].strip(), off + 1
        if value.count('"') == 1:
            fix = r.edit(off + len(value), 0, '"', 'add the closing `"`')
            r.report("UNCLOSED_STRING", off, len(value), fix, value=value)
            return value[1:].strip(), off + 1
    elif value[-1] == '"' and value.count('"') == 1:
        return value[:-1].strip(), off
    return value, off


def bare_scalar(r: Reader, value: str, off: int) -> tuple[str, int]:
    """Return an inline condition or expression: its quotes belong to it, a trailing comment does not."""
    value = cut_comment(value)
    if not value.isascii() and any(sign in QUOTES for sign in value):
        value = straight(r, value, off)
    return value, off


def straight(r: Reader, value: str, off: int) -> str:
    """Return `value` with typographic quotes made straight, with one warning."""
    plain = value.translate(STRAIGHT)
    r.report(
        "TYPOGRAPHIC_QUOTE", off, len(value), r.edit(off, len(value), plain, "use straight quotes"), value=value
    )
    return plain


@reads(Kind.CONDITION)
def read_condition(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a condition; quotes around the whole of it are part of the text (a sentence for the model)."""
    if k not in r.lines.blocks and end == k + 1 and value.isascii():
        setattr(node, row.field, cut_comment(value))
        node.at[row.field] = off
        return
    value, off = text_value(r, node, row, k, end, value, off, keep_quotes=True)
    set_text(node, row, " ".join(value.split("\n")) if "\n" in value else value, off)


@reads(Kind.EXPRESSION)
def read_expression(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read an expression: the same form as a condition."""
    read_condition(r, node, row, k, end, value, off)


@reads(Kind.CODE)
def read_code(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read text that is kept exactly, apart from one pair of quotes."""
    if k in r.lines.blocks and value[:1] in ("|", ">"):
        set_text(node, row, r.lines.block_text(k), r.lines.block_offset(k))
        return
    if not value and end > k + 1:
        set_text(node, row, dedent(r.lines.raw_between(k + 1, end)), r.offsets[k + 1])
        return
    read_text(r, node, row, k, end, value, off)


@reads(Kind.NAME, Kind.TARGET)
def read_name(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read one word; quotes around it are tolerated."""
    if end > k + 1:
        if not value:
            read_text(r, node, row, k, end, value, off)
            return
        _nothing_under(r, node, row, k, end)
    if value and not value.replace("_", "a").isalnum():
        value, off = scalar(r, value, off)
        if len(value) > 1 and value[0] == "'" == value[-1]:
            value, off = value[1:-1], off + 1
    if row.kind is Kind.TARGET:
        value, off = target(value, off)
    set_text(node, row, value, off)


def _nothing_under(r: Reader, node: Node, row: Prop, k: int, end: int) -> None:
    for j in r.under_scalar(node, k, end, owner=row.key)[:1]:
        r.report_line("UNEXPECTED_NESTING", j, property=row.key)


def target(value: str, off: int) -> tuple[str, int]:
    """Return a step name without `GOTO` or `->` before it; COMPLETE and ESCALATE in capitals (spec 1.5)."""
    for word in ("GOTO ", "goto ", "-> ", "GOTO: "):
        if value.startswith(word):
            bare = value[len(word) :].lstrip()
            off += len(value) - len(bare)
            value = unquote(bare)
    if value.upper() in ("COMPLETE", "ESCALATE"):
        return value.upper(), off
    return value, off


@reads(Kind.CHOICE)
def read_choice(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read one word of a set, in any case; an unknown word is kept in `extras` unless the set is open."""
    if end > k + 1:
        _nothing_under(r, node, row, k, end)
    if value not in row.choices:
        value, off = scalar(r, value, off)
        value = unquote(value)
        folded = value.lower().replace("-", "_")
        found = next((one for one in row.choices if one.lower() == folded), None)
        if found is None and not value:
            return
        if found is None:
            odd_choice(r, node, row, value, off)
            return
        value = found
    set_text(node, row, value, off)


def odd_choice(r: Reader, node: Node, row: Prop, value: str, off: int) -> None:
    """Keep a word that is not in the set, with a finding that names the set."""
    meant = r.near(value, row.choices)
    if row.open and meant is None:
        set_text(node, row, value, off)
        return
    fix = r.edit(off, len(value), meant, f"write `{meant}`") if meant else None
    r.report(
        "UNKNOWN_CHOICE", off, len(value), fix, name=value, value=value, property=row.key, known=", ".join(row.choices),
        suggestion=did_you_mean(meant),
    )  # fmt: skip
    if row.open:
        set_text(node, row, value, off)
    else:
        node.at.setdefault(row.field, off)
        node.extras[row.key] = value


@reads(Kind.BOOL, Kind.FLAG)
def read_boolean(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read true, false, yes or no; a flag may stand alone."""
    if end > k + 1:
        _nothing_under(r, node, row, k, end)
    found = BOOLEANS.get(value)
    if found is None:
        bare = unquote(cut_comment(value))
        found = BOOLEANS.get(bare.lower())
        if found is None and row.kind is Kind.FLAG and not bare:
            found = True
        if found is None:
            _wrong_type(r, node, row, bare, off, "EXPECTED_BOOLEAN", _meant_boolean(bare))
            return
    set_text(node, row, found, off)


def _meant_boolean(value: str) -> str | None:
    folded = value.lower()
    if folded in ("on", "1", "y", "yep", "required") or folded[:2] in ("tr", "tu", "ye"):
        return "true"
    if folded in ("off", "0", "n", "none", "optional", "never") or folded[:2] in ("fa", "fl", "no"):
        return "false"
    return None


def _wrong_type(r: Reader, node: Node, row: Prop, value: str, off: int, code: str, meant: str | None) -> None:
    fix = r.edit(off, len(value), meant, f"write `{meant}`") if meant is not None else None
    r.report(code, off, max(len(value), 1), fix, value=value, property=row.key, suggestion=did_you_mean(meant))
    node.at.setdefault(row.field, off)
    node.extras[row.key] = value


@reads(Kind.INTEGER, Kind.NUMBER)
def read_number(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a number within the bounds of its row."""
    if end > k + 1:
        _nothing_under(r, node, row, k, end)
    bare = unquote(cut_comment(value))
    found = number(bare)
    if found is None or (row.kind is Kind.INTEGER and isinstance(found, float) and found != int(found)):
        code = "EXPECTED_INTEGER" if row.kind is Kind.INTEGER else "EXPECTED_NUMBER"
        _wrong_type(r, node, row, bare, off, code, _meant_number(bare, whole=row.kind is Kind.INTEGER))
        return
    if row.kind is Kind.INTEGER:
        found = int(found)
    _within(r, row, found, off, len(value))
    set_text(node, row, found, off)


_WORDS = {word: str(n) for n, word in enumerate("zero one two three four five six seven eight nine ten".split())}


def _meant_number(value: str, *, whole: bool) -> str | None:
    digits = "".join(sign for sign in value if sign.isdigit() or sign in ".-")
    if number(digits) is not None:
        return digits.split(".")[0] if whole else digits
    return _WORDS.get(value.lower())


def _within(r: Reader, row: Prop, value: float, off: int, length: int) -> None:
    low, high = row.minimum, row.maximum
    nearest = low if low is not None and value < low else high if high is not None and value > high else None
    if nearest is None:
        return
    bounds = f"at least {low:g}" if high is None else f"between {low or 0:g} and {high:g}"
    fix = r.edit(off, length, f"{nearest:g}", f"write `{nearest:g}`")
    r.report("OUT_OF_RANGE", off, length, fix, value=f"{value:g}", property=row.key, expected=bounds)


@reads(Kind.DURATION)
def read_duration(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a number in the row's unit, or one with `ms`, `s`, `m`, `h`, `d`."""
    if end > k + 1:
        _nothing_under(r, node, row, k, end)
    bare = cut_comment(value)
    found = duration(bare, row.unit)
    if found is None:
        digits = "".join(sign for sign in bare if sign.isdigit() or sign == ".")
        _wrong_type(r, node, row, bare, off, "EXPECTED_DURATION", digits if number(digits) is not None else None)
        return
    _within(r, row, found, off, len(value))
    set_text(node, row, found, off)


@reads(Kind.LITERAL)
def read_literal(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a JSON value: number, boolean, null, string, list or map; nested lines make a list or map."""
    if k in r.lines.blocks and value[:1] in ("|", ">"):
        set_text(node, row, r.lines.block_text(k), r.lines.block_offset(k))
        return
    if end > k + 1:
        from abl.parser.free import free_value

        if not value:
            set_text(node, row, free_value(r, k + 1, end), off)
            return
        value = joined(r, k, end, value) or value
        if open_brackets(r.texts[k]) <= 0:
            _nothing_under(r, node, row, k, end)
    value = cut_comment(value)
    if not value.isascii() and value[:1] in QUOTES:
        value = straight(r, value, off)
    set_text(node, row, literal(value), off)


def joined(r: Reader, k: int, end: int, value: str) -> str | None:
    """Return `value` with its nested lines if it leaves a bracket open, else None."""
    if open_brackets(value) <= 0:
        return None
    parts = [value]
    for j in range(k + 1, min(end, k + MAX_JOINED_LINES)):
        parts.append(r.texts[j])
    text = " ".join([cut_comment(part) for part in parts])
    return text


@reads(Kind.LIST)
def read_list(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `[a, b]`, `a, b` or dash items."""
    items = list_items(r, row, k, end, value, off)
    known = getattr(node, row.field)
    base = len(known) if known and row.repeat in ("append", "merge") else 0
    setattr(node, row.field, ([*known] if base else []) + [text for text, _ in items])
    at = node.at
    at[row.field] = off
    for index, (_, place) in enumerate(items, base):
        at[f"{row.field}.{index}"] = place


def list_items(r: Reader, row: Prop, k: int, end: int, value: str, off: int) -> list[tuple[str, int]]:
    """Return the texts of a list and where each stands."""
    if k in r.lines.blocks and value[:1] in ("|", ">"):
        place = r.lines.block_offset(k)
        return [(_bare_item(r, part.strip(" -"), place)[0], place) for part in r.lines.block_text(k).split("\n") if part]
    if value:
        if end > k + 1:
            whole = joined(r, k, end, value)
            if whole is None:
                others = [r.texts[j] for j in range(k + 1, end)]
                if not all(text[0] in "-]" for text in others):
                    r.report_line("UNEXPECTED_NESTING", k + 1, property=row.key)
            value = whole or value
        value = cut_comment(value)
        if value[0] == "[" and value[-1] != "]":
            fix = r.edit(off + len(value), 0, "]", "add the closing `]`")
            r.report("UNCLOSED_BRACKET", off, len(value), fix, value=value, expected="]")
        if not value.isascii() and any(sign in QUOTES for sign in value):
            value = straight(r, value, off)
        return [(text, off + at) for text, at in inline_list(value)]
    return dash_items(r, k + 1, end, row)


def dash_items(r: Reader, k: int, end: int, row: Prop) -> list[tuple[str, int]]:
    """Return the dash items of lines `k` to `end`; a line without a dash is taken as an item too, with a warning."""
    items: list[tuple[str, int]] = []
    while k < end:
        text = r.texts[k]
        stop = min(r.ends[k], end)
        if text[0] == "-":
            bare = text[1:].lstrip()
            offset = r.offsets[k] + len(text) - len(bare)
            if k in r.lines.blocks:
                items.append((r.lines.block_text(k), r.lines.block_offset(k)))
            elif bare:
                more = " ".join(r.texts[k + 1 : stop])
                items.append(_bare_item(r, f"{bare} {more}" if more else bare, offset))
        elif text not in ("[", "]"):
            fix = r.edit(r.offsets[k], 0, "- ", "write a dash before the item")
            r.report_line("EXPECTED_LIST_ITEM", k, fix, value=text, property=row.key)
            items.append(_bare_item(r, text.rstrip(","), r.offsets[k]))
        k = stop
    return items


def _bare_item(r: Reader, value: str, off: int) -> tuple[str, int]:
    value = cut_comment(value)
    if value[:1] == "'" and len(value) > 1 and value[-1] == "'":
        return value[1:-1], off + 1
    return scalar(r, value, off)


@reads(Kind.MAP)
def read_map(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `{a: b}`, `a: b, c: d`, or nested lines `a: b`."""
    pairs = map_pairs(r, node, row, k, end, value, off)
    found = getattr(node, row.field)
    at = node.at
    fresh = dict(found) if found and row.repeat in ("append", "merge") else {}
    at[row.field] = off
    lower = row.field == "messages"
    for key, text, place in pairs:
        name = key.lower() if lower else key
        if name in fresh:
            r.report("DUPLICATE_PROPERTY", place, max(len(text), 1), name=key, property=key)
        fresh[name] = text
        at[f"{row.field}.{name}"] = place
    setattr(node, row.field, fresh)


def map_pairs(
    r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int, *, raw: bool = False
) -> list[tuple[str, str, int]]:
    """Return (key, text, offset) of a map; `raw` keeps the quotes of values (they are expressions)."""
    raw = raw or row.field in ("with_", "input")
    if value and value[:1] != "|":
        value = cut_comment((joined(r, k, end, value) if end > k + 1 else None) or value)
        if value[0] == "{" and value[-1] != "}":
            fix = r.edit(off + len(value), 0, "}", "add the closing `}`")
            r.report("UNCLOSED_BRACKET", off, len(value), fix, value=value, expected="}")
        pairs = inline_map(value[1:-1] if value[0] == "[" and value[-1] == "]" else value)
        if pairs is None:
            r.report("EXPECTED_MAP", off, len(value), value=value, property=row.key)
            node.extras[row.key] = value
            return []
        return [(key, text if raw else unquote(text), off + at) for key, text, at in pairs]
    return _nested_pairs(r, k + 1, end, row, raw)


def _nested_pairs(r: Reader, k: int, end: int, row: Prop, raw: bool) -> list[tuple[str, str, int]]:
    pairs: list[tuple[str, str, int]] = []
    while k < end:
        text = r.texts[k]
        stop = min(r.ends[k], end)
        bare = text[1:].lstrip() if text[0] == "-" else text
        shift = len(text) - len(bare)
        colon = _key_end(bare)
        if colon <= 0:
            word = bare.split(None, 1)[0] if bare else ""
            if row.field in ("input", "returns", "map", "set", "with_") and bare.replace(".", "_").isidentifier():
                pairs.append((bare, bare, r.offsets[k] + shift))
            elif bare:
                fix = r.edit(r.offsets[k] + shift + len(word), 0, ":", f"write `{word}:`")
                r.report_line("PROPERTY_MISSING_COLON", k, fix, name=word, property=word)
                pairs.append((word, unquote(bare[len(word) :].lstrip()), r.offsets[k] + shift + len(word)))
        else:
            rest = bare[colon + 1 :]
            value = rest.lstrip()
            place = r.offsets[k] + shift + colon + 1 + len(rest) - len(value)
            pairs.append((unquote(bare[:colon].strip()), *_nested_value(r, k, stop, value, place, raw)))
        k = stop
    return pairs


def _key_end(text: str) -> int:
    if text[:1] in "\"'":
        close = text.find(text[0], 1)
        colon = text.find(":", close) if close > 0 else -1
        return colon
    colon = text.find(":")
    equals = text.find("=")
    if equals > 0 and (colon < 0 or equals < colon) and text[equals : equals + 2] != "==":
        return equals
    return colon


def _nested_value(r: Reader, k: int, stop: int, value: str, place: int, raw: bool) -> tuple[str, int]:
    if k in r.lines.blocks:
        return r.lines.block_text(k), r.lines.block_offset(k)
    if stop > k + 1:
        if not value:
            return dedent(r.lines.raw_between(k + 1, stop)), r.offsets[k + 1]
        value = joined(r, k, stop, value) or value
    if raw:
        return bare_scalar(r, value, place)
    text, at = scalar(r, value, place)
    if len(text) > 1 and text[0] == "'" == text[-1]:
        return text[1:-1], at + 1
    return text, at


@reads(Kind.NODE)
def read_node(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read one nested node: nested lines are its properties, an inline map too, other text is its main value."""
    made = getattr(node, row.field) if row.repeat == "merge" else None
    if made is None:
        made = NODES[row.node](pos=r.pos(k))
    node.at[row.field] = off
    setattr(node, row.field, made)
    fill(r, made, row, k, end, value, off)


def fill(r: Reader, made: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read the content of a node that has been made: inline value, then nested lines."""
    if not r.deeper(k):
        return
    cut = cut_comment(value)
    if cut and cut[0] == "{" and not cut.startswith("{{"):
        _inline_node(r, made, k, joined(r, k, end, cut) or cut, off)
    elif cut and made.MAIN:
        main = made.BY_FIELD[made.MAIN]
        plain_end = k + 1 if k not in r.lines.blocks else end
        READ_MAIN(r, made, main, k, plain_end, value, off)
        children(r, made, row, k + 1, end)
    elif cut:
        r.report("EXPECTED_MAP", off, len(cut), value=cut, property=row.key)
        made.extras[""] = cut
        children(r, made, row, k + 1, end)
    else:
        children(r, made, row, k + 1, end)
    r.leave()


def READ_MAIN(r: Reader, made: Node, main: Prop, k: int, end: int, value: str, off: int) -> None:  # noqa: N802 - reads the MAIN field
    """Read the inline value of a node into its main field."""
    from abl.parser.reader import READ

    READ[main.kind](r, made, main, k, end, value, off)


def children(r: Reader, made: Node, row: Prop, k: int, end: int) -> None:
    """Read nested lines as properties, or as entries where the node has a REST field."""
    if made.REST:
        read_rest(r, made, k, end)
    else:
        r.props(made, k, end)


def _inline_node(r: Reader, made: Node, k: int, value: str, off: int) -> None:
    pairs = inline_map(value)
    if pairs is None:
        r.report("EXPECTED_MAP", off, len(value), value=value, property="")
        made.extras[""] = value
        return
    for key, text, at in pairs:
        r.line(made, k, k + 1, f"{key}: {text}", off + at - len(key) - 2)


@reads(Kind.FLAT)
def read_flat(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a wrapper: its content belongs to the enclosing node."""
    if not r.deeper(k):
        return
    value = cut_comment(value)
    if value[:1] == "{":
        _inline_node(r, node, k, joined(r, k, end, value) or value, off)
    elif value and row.field == "confirmation":
        r.line(node, k, k + 1, f"require: {value}", off - 9)
    elif value:
        r.report("EXPECTED_MAP", off, len(value), value=value, property=row.key)
    r.props(node, k + 1, end)
    r.leave()


@reads(Kind.ENTRIES)
def read_entries_property(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a list of nodes, with the form decided by what stands there."""
    from abl.parser.entries import read_entries

    node.at[row.field] = off
    read_entries(r, node, row, k, end, value, off)


def read_rest(r: Reader, node: Node, k: int, end: int) -> None:
    """Read block-level properties, and everything else as entries of the REST field."""
    from abl.parser.entries import read_rest_lines

    read_rest_lines(r, node, k, end)


@reads(Kind.SKIP)
def read_skip(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Note that the property is there; its content is not read."""
    node.at[row.field] = off


__all__ = ["SCALARS", "children", "fill", "map_pairs", "read_node", "scalar"]
