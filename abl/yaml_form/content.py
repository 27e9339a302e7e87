"""Formats, actions, templates and CONVERSATION in the YAML form. Spec: abl-language 4, 9."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from abl.diagnostics.reporter import did_you_mean
from abl.parser.content import format_key
from abl.parser.conversation import checked
from abl.syntax.conversation import FIELDS
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rich import FORMAT_KEYS, TEXT_FORMATS, ActionSet, Element, Option, Template, Voice
from abl.yaml_form.kinds import fill
from abl.yaml_form.reader import YamlReader, reads
from abl.yaml_form.tree import Mapping, Scalar, Sequence, Tree
from abl.yaml_form.values import clean, content_offset, is_braces, is_null, json_value, key_text, one_line, text_of

_TEXT_KEYS = frozenset({"CONTENT", "DEFAULT", "TEXT"})
_SPELLINGS = tuple(dict.fromkeys(FORMAT_KEYS.values()))


@reads(Kind.FORMATS)
def read_formats(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read a map of formats; `rich` formats are JSON values, `default`, `markdown` and `html` are text."""
    formats: dict[str, Any] = dict(getattr(node, row.field) or {})
    y.set(node, row, formats, tree)
    if not isinstance(tree, Mapping):
        formats["default"] = text_of(tree, y.source)
        return
    for name, key, value in y.entries(tree):
        read_format(y, formats, name, key, value)


def read_format(y: YamlReader, formats: dict[str, Any], name: str, key: Tree, value: Tree) -> None:
    """Read one format."""
    known = FORMAT_KEYS.get(format_key(name))
    if known is None:
        meant = y.inner.near(name, _SPELLINGS)
        fix = y.inner.edit(key.offset, len(name), meant, f"write `{meant}`") if meant else None
        y.report("UNKNOWN_FORMAT", key, fix, name=name, known=", ".join(_SPELLINGS), suggestion=did_you_mean(meant))
        known = meant or name.lower()
    if known in TEXT_FORMATS or isinstance(value, Scalar):
        formats[known] = text_of(value, y.source)
    else:
        formats[known] = json_value(value)


@reads(Kind.ELEMENTS)
def read_elements(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read {submit_label, elements: […]}, or the list of elements alone."""
    made = y.new(ActionSet, tree)
    y.set(node, row, made, tree)
    if isinstance(tree, Sequence):
        for one in tree.items:
            made.elements.append(_element(y, one))
        return
    if not isinstance(tree, Mapping):
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property=row.plain_name)
        return
    rest: list[tuple[Tree, Tree]] = []
    for key, value in tree.pairs:
        if key_text(key).lower() == "elements" and isinstance(value, Sequence):
            made.elements.extend(_element(y, one) for one in value.items)
        else:
            rest.append((key, value))
    y.props(made, Mapping(tree.offset, rest, tree.end))


def _element(y: YamlReader, tree: Tree) -> Element:
    """Read {type, label, id, …} or {button: label, id, …}."""
    element = y.new(Element, tree)
    if not isinstance(tree, Mapping):
        y.report("INVALID_ACTION_ELEMENT", tree, value=text_of(tree, y.source), name="")
        element.label = text_of(tree, y.source)
        return element
    rest: list[tuple[Tree, Tree]] = []
    for key, value in tree.pairs:
        name = key_text(key).lower()
        if name in ("button", "select", "input") and isinstance(value, Scalar):
            element.type, element.label = name, clean(value.text)
            element.at.update(type=key.offset, label=content_offset(value, y.source))
        elif name == "options" and isinstance(value, Sequence):
            element.options = [_option(y, one) for one in value.items]
            element.at["options"] = value.offset
        else:
            rest.append((key, value))
    y.props(element, Mapping(tree.offset, rest, tree.end))
    return element


def _option(y: YamlReader, tree: Tree) -> Option:
    option = y.new(Option, tree)
    if isinstance(tree, Mapping):
        y.props(option, tree)
    else:
        text = one_line(text_of(tree, y.source))
        label, arrow, target = text.rpartition("->")
        option.label, option.id = (label.strip(), target.strip()) if arrow else (text, "")
        option.at["label"] = content_offset(tree, y.source)
    return option


@reads(Kind.TEMPLATES)
def read_templates(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read `[{name, content}]`, or a map from names to texts or formats."""
    node.at[row.field] = tree.offset
    templates: list[Template] = getattr(node, row.field)
    if isinstance(tree, Mapping):
        for name, key, value in y.entries(tree):
            templates.append(_template(y, name, key, value))
    elif isinstance(tree, Sequence):
        templates.extend(_listed_template(y, one) for one in tree.items)
    elif not is_null(tree):
        y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property="templates")


def _listed_template(y: YamlReader, tree: Tree) -> Template:
    if isinstance(tree, Mapping):
        name = next((pair for pair in tree.pairs if key_text(pair[0]).lower() == "name"), None)
        if name is not None and isinstance(name[1], Scalar):
            rest = Mapping(tree.offset, [pair for pair in tree.pairs if pair is not name], tree.end)
            return _template(y, one_line(name[1].text), name[1], rest)
        if len(tree.pairs) == 1:
            return _template(y, key_text(tree.pairs[0][0]), *tree.pairs[0])
    y.report("EXPECTED_MAP", tree, value=text_of(tree, y.source), property="templates")
    return y.new(Template, tree, text=text_of(tree, y.source))


def _template(y: YamlReader, name: str, key: Tree, value: Tree) -> Template:
    made = y.new(Template, key, name=name)
    made.at["name"] = content_offset(key, y.source)
    if isinstance(value, Mapping) and not is_braces(value, y.source):
        for word, place, one in y.entries(value):
            _template_part(y, made, word, place, one)
    else:
        made.text, made.at["text"] = text_of(value, y.source), content_offset(value, y.source)
    if not made.text and not made.formats and made.voice is None:
        y.report("EMPTY_TEMPLATE", key, name=name)
    return made


def _template_part(y: YamlReader, made: Template, word: str, place: Tree, value: Tree) -> None:
    key = format_key(word)
    if key in _TEXT_KEYS:
        made.text, made.at["text"] = text_of(value, y.source), content_offset(value, y.source)
    elif key.startswith("VOICE"):
        made.voice = made.voice or y.new(Voice, place)
        field = {"VOICEINSTRUCTIONS": "instructions", "VOICESSML": "ssml"}.get(key)
        if field:
            y.value(made.voice, Voice.BY_FIELD[field], value)
        else:
            fill(y, made.voice, Voice.BY_FIELD["plain_text"], value)
    elif key == "FORMATS" and isinstance(value, Mapping):
        for name, inner, one in y.entries(value):
            _template_part(y, made, name, inner, one)
    else:
        made.formats = made.formats or {}
        read_format(y, made.formats, word, place, value)


@reads(Kind.CONVERSATION)
def read_conversation(y: YamlReader, node: Node, row: Prop, tree: Tree) -> None:
    """Read the body as JSON, checked by the reader of the text form."""
    body = json_value(tree)
    if not isinstance(body, dict):
        y.report("CONVERSATION_INVALID_YAML", tree, value=text_of(tree, y.source)[:80], section="conversation")
        return
    places = y.places
    first = max(bisect_right(places.offsets, tree.offset) - 1, 0)
    stop = max(bisect_left(places.offsets, tree.end), first + 1) if isinstance(tree, Mapping) else first + 1
    y.set(node, row, checked(places, body, FIELDS, "CONVERSATION", first - 1, stop), tree)
