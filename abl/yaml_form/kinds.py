"""Readers of the general kinds of values in the YAML form. Spec: abl-language 9."""

from __future__ import annotations

from abl.parser.bounds import ITEM_BYTES, elements
from abl.parser.naming import NAME_KEYS
from abl.parser.naming import short_form as text_short_form
from abl.parser.reader import LASTING
from abl.parser.slips import is_slip
from abl.parser.values import inline_list, inline_map
from abl.printer.yaml_names import yaml_rows
from abl.syntax.memory import Memory
from abl.syntax.node import NODES, Kind, Node, Prop, fold
from abl.yaml_form.reader import PARTS, YamlReader, reads
from abl.yaml_form.tree import Mapping, Scalar, Sequence, Tree
from abl.yaml_form.values import (
    clean,
    content_offset,
    expression_of,
    is_braces,
    is_null,
    json_value,
    key_text,
    one_line,
    raw_text,
    text_of,
)

_TEXT_KEYS = ("template", "text", "description", "content", "value", "name")
"""Keys under which a text may stand in a map where a text is wanted: `goal: {description: …}`."""


@reads(Kind.TEXT, Kind.CODE, Kind.RESPOND)
def read_text(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read free text; of a map `{description}` that entry, of a list its items on lines of their own."""
    tree = named_text(tree)
    text = text_of(tree, y.source)
    if isinstance(tree, Sequence):
        text = "\n".join([text_of(one, y.source) for one in tree.items])
    elif isinstance(tree, Mapping) and not is_braces(tree, y.source):
        y.report("UNEXPECTED_NESTING", tree, property=row.plain_name)
        node.extras[row.key] = raw_text(tree, y.source)
        node.at.setdefault(row.field, tree.offset)
        return
    if row.repeat == "append" and getattr(node, row.field):
        text = getattr(node, row.field) + "\n" + text
    y.set(node, row, text, tree)


def named_text(tree: Tree) -> Tree:
    """Return the entry of a map that holds its text, or the tree itself."""
    if isinstance(tree, Mapping):
        for name in _TEXT_KEYS:
            for key, value in tree.pairs:
                if key_text(key).lower() == name and isinstance(value, Scalar):
                    return value
    return tree


_CONDITION_KEYS = ("condition", "if", "expression", "require")
"""Keys under which a condition may stand in a map where a condition is wanted: `check: {condition: …}`."""
_BESIDE_CONDITION = frozenset({"on_fail", "message", "action"})
"""Fields of the node itself that may stand in that map."""


@reads(Kind.CONDITION)
def read_condition(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a condition, also of a map `{condition, on_fail}` or a list of one; what else is no text is an error.

    A map or list would be a value that always holds, and guard nothing. Decision: 0087.
    """
    one = tree.items[0] if isinstance(tree, Sequence) and len(tree.items) == 1 else tree
    if isinstance(one, Scalar) or is_braces(one, y.source):
        read_line(y, node, row, one)
        return
    beside = _read_condition_map(y, node, row, one) if isinstance(one, Mapping) else None
    if beside is None:
        said = f"Write `{row.plain_name}: x <= 5`, one condition in one text, and `on_fail` or the rest beside it."
        written = one_line(text_of(tree, y.source))
        y.report("UNREADABLE_GUARD", tree, value=written, property=row.plain_name, suggestion=said)
        y.set(node, row, written, tree)
        return
    for other, value in beside:
        y.value(node, other, value)


def _read_condition_map(y: YamlReader, node: Node, row: Prop, tree: Mapping) -> list[tuple[Prop, Tree]] | None:
    """Set the condition of a map; return the properties beside it, None when the map says anything else."""
    conditions: list[Scalar] = []
    beside: list[tuple[Prop, Tree]] = []
    rows = yaml_rows(type(node))
    for key, value in tree.pairs:
        known = rows.get(fold(key_text(key)))
        if key_text(key).lower() in _CONDITION_KEYS and isinstance(value, Scalar) and not is_null(value):
            conditions.append(value)
        elif known is not None and known.field in _BESIDE_CONDITION and known.field not in node.at:
            beside.append((known, value))
        else:
            return None
    if len(conditions) != 1:
        return None
    read_line(y, node, row, conditions[0])
    return beside


@reads(Kind.EXPRESSION, Kind.NAME)
def read_line(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a condition, expression or name: its text on one line, whatever YAML would take it for."""
    tree = named_text(tree) if row.kind is Kind.NAME else tree
    if isinstance(tree, Scalar):
        y.set(node, row, one_line(tree.text), tree)
    else:
        is_name = row.kind is Kind.NAME
        y.set(node, row, one_line(text_of(tree, y.source)) if is_name else expression_of(tree, y.source), tree)


@reads(Kind.CHOICE, Kind.BOOL, Kind.FLAG, Kind.INTEGER, Kind.NUMBER, Kind.DURATION, Kind.TARGET)
def read_word(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a word or number as the text form does."""
    if isinstance(tree, Scalar):
        y.as_line(node, row, tree, "" if is_null(tree) else None)
    else:
        said = {"value": text_of(tree, y.source), "known": ", ".join(row.choices)} if row.guards else {}
        code = "UNREADABLE_GUARD" if row.guards else "UNEXPECTED_NESTING"
        y.report(code, tree, None, property=row.plain_name, **said)
        node.extras[row.key] = raw_text(tree, y.source)
        node.at.setdefault(row.field, tree.offset)


@reads(Kind.LITERAL, Kind.FREE)
def read_json(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a JSON value."""
    if is_braces(tree, y.source):
        y.set(node, row, text_of(tree, y.source), tree)
    else:
        y.set(node, row, json_value(tree), tree)


@reads(Kind.LIST)
def read_list(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a list of texts; a plain scalar may hold several, with commas."""
    items = list_items(y, tree)
    known = getattr(node, row.field)
    base = len(known) if known and row.repeat in ("append", "merge") else 0
    setattr(node, row.field, ([*known] if base else []) + [text for text, _ in items])
    if row.field == "clear":
        y.inner.acting.append(node)
    node.at[row.field] = tree.offset
    for index, (_, place) in enumerate(items, base):
        node.at[f"{row.field}.{index}"] = place


def list_items(y: YamlReader, tree: Tree) -> list[tuple[str, int]]:
    """Return the texts of a list and where each stands."""
    y.spend(ITEM_BYTES * (elements(tree.text) if isinstance(tree, Scalar) else tree.size), tree)
    if isinstance(tree, Sequence):
        return [(text_of(named_text(one), y.source), content_offset(one, y.source)) for one in tree.items]
    if isinstance(tree, Mapping):
        return [(key_text(key), key.offset) for key, _ in tree.pairs]
    if is_null(tree):
        return []
    if tree.plain and "\n" not in tree.text:
        return [(text, tree.offset + at) for text, at in inline_list(tree.text)]
    return [(clean(tree.text), content_offset(tree, y.source))]


@reads(Kind.MAP)
def read_map(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a map from names to texts or expressions; a list names values that keep their names."""
    found = dict(getattr(node, row.field)) if row.repeat in ("append", "merge") else {}
    node.at[row.field] = tree.offset
    for name, text, place in map_pairs(y, row, tree):
        key = name.lower() if row.field == "messages" else name
        found[key] = text
        node.at[f"{row.field}.{key}"] = place
    setattr(node, row.field, found)


def map_pairs(y: YamlReader, row: Prop, tree: Tree) -> list[tuple[str, str, int]]:
    """Return (key, text, offset) of a map."""
    y.spend(ITEM_BYTES * (elements(tree.text) if isinstance(tree, Scalar) else tree.size), tree)
    if isinstance(tree, Mapping):
        told = expression_of if row.formula else text_of
        return [(name, told(value, y.source), content_offset(value, y.source)) for name, _, value in y.entries(tree)]
    if isinstance(tree, Sequence):
        pairs: list[tuple[str, str, int]] = []
        for one in tree.items:
            if isinstance(one, Scalar):
                pairs.append((one.text, one.text, one.offset))
            else:
                pairs.extend(map_pairs(y, row, one))
        return pairs
    inline = inline_map(tree.text) if not is_null(tree) else []
    if inline is None:
        y.report("EXPECTED_MAP", tree, value=tree.text, property=row.plain_name)
        return []
    start = content_offset(tree, y.source)
    return [(key, text, start + at) for key, text, at in inline]


@reads(Kind.NODE, Kind.STEP_GATHER)
def read_node(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read one nested node: a map of its properties, a list of its entries, or its main value."""
    made = getattr(node, row.field) if row.repeat == "merge" else None
    made = made or y.new(NODES[row.node], tree)
    y.set(node, row, made, tree)
    fill(y, made, row, tree)


def fill(y: YamlReader, made: Node, row: Prop, tree: Tree) -> None:
    """Read the content of a node that has been made."""
    cls = type(made)
    if isinstance(tree, Mapping):
        if cls.REST and not _is_block(made, tree):
            read_entries(y, made, cls.BY_FIELD[cls.REST], tree)
        else:
            y.props(made, tree)
    elif isinstance(tree, Sequence) and cls.REST:
        read_entries(y, made, cls.BY_FIELD[cls.REST], tree)
    elif isinstance(tree, Sequence) and "branches" in cls.BY_FIELD:
        y.value(made, cls.BY_FIELD["branches"], tree)
    elif isinstance(tree, Scalar) and cls.MAIN in cls.BY_FIELD and not is_null(tree):
        y.value(made, cls.BY_FIELD[cls.MAIN], tree)
    elif isinstance(tree, Scalar) and cls.REST and not is_null(tree):
        y.as_line(made, cls.BY_FIELD[cls.REST], tree)
    elif not is_null(tree):
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property=row.plain_name)
        made.extras[""] = raw_text(tree, y.source)


def _is_block(made: Node, tree: Mapping) -> bool:
    """Return whether a map holds properties of a block with entries, and not the entries themselves by name."""
    rows = yaml_rows(type(made))
    rest = fold(made.REST)
    names = [fold(key_text(key)) for key, _ in tree.pairs]
    if rest in names:
        return True
    return (
        bool(names)
        and all(name in rows for name in names)
        and not any(isinstance(value, Mapping) for _, value in tree.pairs)
    )


@reads(Kind.ENTRIES)
def read_entries(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a list of nodes: a list of maps or main values, a map from names to nodes, or one node alone."""
    items: list[Node] = getattr(node, row.field)
    node.at[row.field] = tree.offset
    cls = NODES[row.node]
    if isinstance(tree, Sequence):
        items.extend(entry(y, cls, row, one) for one in tree.items)
    elif isinstance(tree, Scalar):
        if not is_null(tree):
            y.as_line(node, row, tree)
    elif not cls.MAIN or _is_single(cls, row, tree):
        items.append(entry(y, cls, row, tree))
    else:
        for name, key, value in y.entries(tree):
            items.append(named_entry(y, node, cls, row, name, key, value))


MEMORY_KEYS = tuple(yaml_rows(Memory))


def memory_part(y: YamlReader, node: Node, name: str, value: Tree) -> bool:
    """Read a name that stands directly under `memory` as what it declares; a misspelt part of memory is none."""
    meant = y.inner.near(name, [key.lower() for key in MEMORY_KEYS])
    if not isinstance(node, Memory) or (meant and is_slip(name, meant)):
        return False
    row = Memory.BY_FIELD["persistent" if name.startswith(LASTING) else "session"]
    node.at.setdefault(row.field, value.offset)
    getattr(node, row.field).append(named_entry(y, node, NODES[row.node], row, name, value, value))
    return True


PARTS["session"] = memory_part


def _is_single(cls: type[Node], row: Prop, tree: Mapping) -> bool:
    """Return whether a map is one entry with its name inside, and not several by name."""
    rows = yaml_rows(cls)
    names = {fold(key_text(key)) for key, _ in tree.pairs}
    main = rows.get(fold(cls.MAIN))
    spelt = {name for name, one in rows.items() if main is not None and one is main} | {fold(cls.MAIN)}
    named = any(fold(key_text(key)) in spelt and isinstance(value, Scalar) for key, value in tree.pairs)
    return named and (row.style == "dash" or all(name in rows or name in spelt for name in names))


def entry(y: YamlReader, cls: type[Node], row: Prop, tree: Tree) -> Node:
    """Return the node of one list item."""
    made = y.new(cls, tree)
    if isinstance(tree, Mapping):
        name = _plain_main(y, made, tree)
        pair = _named_pair(cls, tree) if not name else None
        if pair is not None:
            named_value(y, made, row, key_text(pair[0]), pair[0], pair[1])
        else:
            y.props(made, tree, skip=name)
    elif isinstance(tree, Scalar) and cls.__name__ == "Do":
        y.inner.line(made, 0, 1, *_on_a_line(y, tree))
    elif isinstance(tree, Scalar) and cls.MAIN:
        setattr(made, cls.MAIN, one_line(tree.text))
        made.at[cls.MAIN] = content_offset(tree, y.source)
    else:
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property=row.plain_name)
        made.extras[""] = raw_text(tree, y.source)
    return made


def _on_a_line(y: YamlReader, tree: Scalar) -> tuple[str, int]:
    """Return a scalar as a line of the text form, where it can be read as such, and its offset."""
    text, offset = one_line(tree.text), content_offset(tree, y.source)
    line, column, _ = y.source.pos(offset)
    inner = y.inner
    inner.texts[0], inner.offsets[0], inner.numbers[0], inner.columns[0] = text, offset, line, column - 1
    return text, offset


def _plain_main(y: YamlReader, made: Node, tree: Mapping) -> frozenset[str]:
    """Set the main field of a class that has no row for it (`name: x`); return the key that was used."""
    cls = type(made)
    if not cls.MAIN or cls.MAIN in cls.BY_FIELD:
        return frozenset()
    for key, value in tree.pairs:
        if key_text(key).lower() in (cls.MAIN, "name", "id", *NAME_KEYS.get(cls.MAIN, ())) and isinstance(
            value, Scalar
        ):
            setattr(made, cls.MAIN, one_line(value.text))
            made.at[cls.MAIN] = content_offset(value, y.source)
            return frozenset({key_text(key)})
    return frozenset()


def _named_pair(cls: type[Node], tree: Mapping) -> tuple[Tree, Tree] | None:
    """Return the only pair of `- name: required` or `- name: {…}`, when its key is no property of the class."""
    if not cls.MAIN or len(tree.pairs) != 1:
        return None
    key = tree.pairs[0][0]
    return None if fold(key_text(key)) in yaml_rows(cls) else tree.pairs[0]


def named_entry(y: YamlReader, node: Node, cls: type[Node], row: Prop, name: str, key: Tree, value: Tree) -> Node:
    """Return the node of one `name: …` pair."""
    made = y.new(cls, key)
    named_value(y, made, row, name, key, value)
    return made


def named_value(y: YamlReader, made: Node, row: Prop, name: str, key: Tree, value: Tree) -> None:
    """Fill an entry from its name and the value of that name: a map, a short form, or nothing."""
    cls = type(made)
    setattr(made, cls.MAIN, name)
    made.at[cls.MAIN] = key.offset
    first = cls.BY_FIELD.get("initial_value") or cls.BY_FIELD.get("default_value")
    if isinstance(value, Mapping) and (value.pairs or first is None):
        y.props(made, value)
    elif first is not None and not is_null(value) and not (isinstance(value, Scalar) and short_form(y, made, value)):
        y.value(made, first, value)
    elif isinstance(value, Scalar) and not is_null(value):
        if cls.INLINE:
            y.value(made, cls.BY_FIELD[cls.INLINE], value)
        elif not short_form(y, made, value):
            rest = cls.BY_FIELD.get("prompt") or cls.BY_FIELD.get("respond") or cls.BY_FIELD.get("description")
            if rest is not None:
                y.value(made, rest, value)
            else:
                y.report("EXPECTED_MAP", value, value=value.text, property=row.plain_name)
                made.extras[""] = raw_text(value, y.source)
    elif isinstance(value, Sequence):
        y.report("EXPECTED_MAP", value, value=text_of(value, y.source), property=row.plain_name)
        made.extras[""] = raw_text(value, y.source)


def short_form(y: YamlReader, made: Node, value: Scalar) -> bool:
    """Read `required`, `optional`, a type or `number, required` after the name of a field."""
    word = value.text.strip().lower()
    kind = made.BY_FIELD.get("type")
    if word in ("required", "optional") and "required" in made.BY_FIELD:
        y.as_line(made, made.BY_FIELD["required"], value, "true" if word == "required" else "false")
        return True
    if kind is not None and word in kind.choices:
        y.as_line(made, kind, value)
        return True
    return value.plain and text_short_form(y.inner, made, 0, *_on_a_line(y, value))


@reads(Kind.FLAT)
def read_flat(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a wrapper: its entries belong to the enclosing node."""
    if isinstance(tree, Mapping):
        y.props(node, tree)
    else:
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property=row.plain_name)


@reads(Kind.PROFILES)
def read_profiles(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read the names of attached profiles."""
    read_list(y, node, row, tree)


@reads(Kind.SKIP, Kind.ANY)
def read_nothing(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Keep content that the YAML form does not read, as it was written."""
    node.at[row.field] = tree.offset
    node.extras[row.key.lower()] = raw_text(tree, y.source)
