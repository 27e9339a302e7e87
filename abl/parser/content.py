"""Rich content: RESPOND with its blocks, FORMATS, ACTIONS, templates. Spec: abl-language 3.14, 4."""

from __future__ import annotations

import re
from typing import Any

from abl.parser.entries import split_children
from abl.parser.free import structured, value_of
from abl.parser.reader import Reader, reads, set_text
from abl.parser.scalars import read_text, scalar, text_value
from abl.parser.values import cut_comment, inline_list, unquote
from abl.syntax.node import Kind, Node, Prop, blank
from abl.syntax.rich import FORMAT_KEYS, TEXT_FORMATS, ActionSet, Element, Option, Template, Voice

_ELEMENT = re.compile(r"(BUTTON|SELECT|INPUT)\b\s*:?\s*", re.IGNORECASE)
_ARROW = re.compile(r"(?:(?<!\s)\s++)?+(?:->|\u2192)\s*+([\w.\-]+)\s*+\Z")
_OTHER_SIGNS = re.compile(r"[^A-Za-z0-9]")
_VOICE_KEYS = {"VOICEINSTRUCTIONS": "instructions", "VOICESSML": "ssml", "VOICEPLAINTEXT": "plain_text"}


RICH_KEYS = frozenset({"VOICE", "FORMATS", "RICH_CONTENT", "ACTIONS", "CAROUSEL", "MESSAGE_KEY"})
"""What may stand nested under RESPOND; other properties of the step or branch were indented too deep."""


@reads(Kind.RESPOND)
def read_respond(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read an answer; blocks nested under it belong to the same node."""
    if end == k + 1 or k in r.lines.blocks:
        read_text(r, node, row, k, k + 1 if k in r.lines.blocks else end, value, off)
        j = k + 1
        while j < end:
            stop = min(r.ends[j], end)
            r.line(node, j, stop, r.texts[j], r.offsets[j])
            j = stop
        return
    rest: list[int] = []
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        if r.knows(node, text):
            if text.partition(":")[0].strip().upper() not in RICH_KEYS:
                r.misplaced(j, stop, r.columns[k] + 2 * (r.texts[k][0] == "-"), row.key)
            r.line(node, j, stop, text, r.offsets[j])
        else:
            rest.extend(range(j, stop))
        j = stop
    if rest and not value and rest == list(range(k + 1, end)):
        read_text(r, node, row, k, end, value, off)
        return
    text, place = scalar(r, value, off)
    more = [r.texts[i] for i in rest]
    if more and value[:1] == '"' and value[-1:] == '"' and len(value) > 1:
        r.report_line("UNEXPECTED_NESTING", rest[0], property=row.key)
    elif more and value[:1] == '"' and more[-1].endswith('"'):
        r.findings = [one for one in r.findings if one.code != "UNCLOSED_STRING" or one.offset != off]
        r.report("MULTILINE_STRING", off, len(value), property=row.key)
        more[-1] = more[-1][:-1]
    set_text(node, row, "\n".join([text, *more]) if more else text, place)


@reads(Kind.FORMATS)
def read_formats(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a map of formats; values are text, or structured where the format is."""
    node.at[row.field] = off
    formats = getattr(node, row.field) or {}
    setattr(node, row.field, formats)
    if value:
        formats["default"] = text_value(r, node, row, k, k + 1, value, off)[0]
    j = k + 1
    while j < end:
        j, stop = _same_column(r, j, min(r.ends[j], end), end)
        _format(r, node, formats, j, stop)
        j = stop


def _same_column(r: Reader, j: int, stop: int, end: int) -> tuple[int, int]:
    if r.texts[j].endswith(":") and stop == j + 1:
        stop = r.same_column(j, stop, end)
    return j, stop


def _format(r: Reader, node: Node, formats: dict[str, Any], j: int, stop: int) -> None:
    text = r.texts[j]
    key, colon, rest = text.partition(":")
    name = FORMAT_KEYS.get(format_key(key)) if colon else None
    value = rest.strip()
    place = r.offsets[j] + len(text) - len(value)
    if name is None:
        meant = r.near(key, [*_SPELLINGS])
        fix = r.edit(r.offsets[j], len(key), meant, f"write `{meant}`") if meant else None
        r.report_line("UNKNOWN_FORMAT", j, fix, name=key, known=", ".join(_SPELLINGS), suggestion=meant or "")
        if not colon:
            return
        name = FORMAT_KEYS[format_key(meant)] if meant else key.strip().lower()
    formats[name] = format_value(r, node, name, j, stop, value, place)


_SPELLINGS = tuple(name.upper() for name in dict.fromkeys(FORMAT_KEYS.values()))


def format_key(key: str) -> str:
    """Return a format's spelling as it is compared: letters only, uppercased."""
    return _OTHER_SIGNS.sub("", key).upper()


def format_value(r: Reader, node: Node, name: str, j: int, stop: int, value: str, place: int) -> Any:
    """Return the value of one format."""
    if name in TEXT_FORMATS:
        holder = blank(Voice)
        read_text(r, holder, Voice.BY_FIELD["plain_text"], j, stop, value, place)
        return holder.plain_text
    found = r.lines.block_text(j) if j in r.lines.blocks else value_of(r, j, stop, value, place)
    if isinstance(found, str) and (j in r.lines.blocks or found[:1] in "[{"):
        found = structured(r, found, j)
    if name in STRUCTURED and found and not _is_readable(found):
        r.report_line("INVALID_RICH_BODY", j, name=r.texts[j].partition(":")[0])
    return found


STRUCTURED = frozenset({"carousel", "quick_replies", "list", "kpi", "table", "chart", "form", "progress", "feedback"})
"""Formats whose content has to be a list or a map."""


def _is_readable(value: Any) -> bool:
    """Return whether a structured value was read as one, with no list or map left open in it."""
    if isinstance(value, str):
        return "{{" in value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not any(isinstance(part, str) and part[:1] in "[{" and not part.startswith("{{") for part in parts)


@reads(Kind.ELEMENTS)
def read_elements(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read ACTIONS: block keys, and BUTTON, SELECT, INPUT items."""
    made = getattr(node, row.field) or r.new(ActionSet, k)
    node.at[row.field] = off
    setattr(node, row.field, made)
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        bare = text[1:].lstrip() if text[0] == "-" else text
        offset = r.offsets[j] + len(text) - len(bare)
        found = _ELEMENT.match(bare)
        key = bare.partition(":")[0].strip().upper()
        if found:
            made.elements.append(_element(r, found[1].lower(), j, stop, bare[found.end() :], offset + found.end()))
        elif key in ActionSet.BY_KEY and key != "ELEMENTS":
            r.line(made, j, stop, bare, offset)
        elif made.elements and key in Element.BY_KEY and text[0] != "-":
            r.line(made.elements[-1], j, stop, bare, offset)
        else:
            _odd_element(r, made, j, stop, bare, offset)
        j = stop


def _odd_element(r: Reader, made: ActionSet, j: int, stop: int, bare: str, offset: int) -> None:
    word = bare.partition(":")[0].strip()
    meant = r.near(word, ("BUTTON", "SELECT", "INPUT"))
    fix = r.edit(offset, len(word), meant, f"write `{meant}`") if meant else None
    r.report("INVALID_ACTION_ELEMENT", offset, len(bare), fix, value=bare, name=word, suggestion=meant or "")
    if meant:
        rest = bare.partition(":")[2].lstrip()
        made.elements.append(_element(r, meant.lower(), j, stop, rest, offset + len(bare) - len(rest)))


def _element(r: Reader, kind: str, j: int, stop: int, label: str, off: int) -> Element:
    element = r.new(Element, j)
    element.type = kind
    element.at["type"] = r.offsets[j]
    _label_and_id(r, element, label, off)
    inner = j + 1
    while inner < stop:
        last = min(r.ends[inner], stop)
        text = r.texts[inner]
        if text.upper().startswith("OPTIONS"):
            inner, last = _same_column(r, inner, last, stop)
            _options(r, element, inner, last, text.partition(":")[2].strip())
        else:
            r.line(element, inner, last, text, r.offsets[inner])
        inner = last
    return element


def _label_and_id(r: Reader, element: Element | Option, label: str, off: int) -> None:
    label = cut_comment(label)
    arrow = _ARROW.search(label)
    if arrow:
        element.id = arrow[1]
        element.at["id"] = off + arrow.start(1)
        label = label[: arrow.start()]
    if label:
        element.label, element.at["label"] = scalar(r, label, off)


def _options(r: Reader, element: Element, k: int, end: int, value: str) -> None:
    if value:
        for text, at in inline_list(value):
            option = Option()
            _label_and_id(r, option, text, r.offsets[k] + at)
            element.options.append(option)
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        bare = text[1:].lstrip() if text[0] == "-" else text
        offset = r.offsets[j] + len(text) - len(bare)
        option = r.new(Option, j)
        element.options.append(option)
        if bare.partition(":")[0].strip().upper() in Option.BY_KEY and bare[0] not in "\"'":
            own = split_children(r, j, stop, r.indents[j] + len(text) - len(bare))
            r.line(option, j, own, bare, offset)
            r.props(option, own, stop)
        else:
            _label_and_id(r, option, bare, offset)
            r.props(option, j + 1, stop)
        j = stop


@reads(Kind.TEMPLATES)
def read_templates(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `name: text` entries and blocks of formats."""
    node.at[row.field] = off
    templates: list[Template] = getattr(node, row.field)
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        bare = text[1:].lstrip() if text[0] == "-" else text
        name, colon, rest = bare.partition(":")
        if text[0] == "-" and name.lower() == "name":
            name, rest = unquote(rest.strip()), ""
        if not colon:
            fix = r.edit(r.offsets[j] + len(text), 0, ":", f"write `{text}:`")
            r.report_line("PROPERTY_MISSING_COLON", j, fix, name=text, property=text)
        value = rest.strip()
        templates.append(template(r, unquote(name.strip()), j, stop, value, r.offsets[j] + len(text) - len(value)))
        _check_template(r, templates, j)
        j = stop


def template(r: Reader, name: str, k: int, end: int, value: str, off: int) -> Template:
    """Return the template `name` whose value begins on line `k`."""
    made = r.new(Template, k)
    made.name = name
    made.at["name"] = r.offsets[k] + max(r.texts[k].find(name), 0)
    if value or k in r.lines.blocks:
        row = Voice.BY_FIELD["plain_text"]
        holder = blank(Voice)
        plain_end = end if k in r.lines.blocks or not _has_formats(r, k + 1, end) else k + 1
        read_text(r, holder, row, k, plain_end, value, off)
        made.text, made.at["text"] = holder.plain_text, holder.at.get("plain_text", off)
    if k not in r.lines.blocks and _has_formats(r, k + 1, end):
        _template_block(r, made, k, end)
    elif not value and end > k + 1:
        made.text, made.at["text"] = text_value(r, Voice(), Voice.BY_FIELD["plain_text"], k, end, "", off)
    return made


def _has_formats(r: Reader, k: int, end: int) -> bool:
    if k >= end:
        return False
    key = format_key(r.texts[k].partition(":")[0])
    return ":" in r.texts[k] and (key in FORMAT_KEYS or key.startswith("VOICE") or key in ("CONTENT", "FORMATS"))


def _template_block(r: Reader, made: Template, k: int, end: int) -> None:
    j = k + 1
    while j < end:
        j, stop = _same_column(r, j, min(r.ends[j], end), end)
        text = r.texts[j]
        key = format_key(text.partition(":")[0])
        value = text.partition(":")[2].strip()
        place = r.offsets[j] + len(text) - len(value)
        if key == "VOICE" or key in _VOICE_KEYS:
            made.voice = made.voice or r.new(Voice, j)
            if key == "VOICE":
                r.fill(made.voice, Voice.BY_FIELD["plain_text"], j, stop, value, place)
            else:
                row = Voice.BY_FIELD[_VOICE_KEYS[key]]
                read_text(r, made.voice, row, j, stop, value, place)
        elif key in ("DEFAULT", "TEXT", "CONTENT"):
            made.text = format_value(r, made, "default", j, stop, value, place)
            made.at["text"] = place
        else:
            formats = made.formats = made.formats or {}
            _format(r, made, formats, j, stop)
        j = stop


def _check_template(r: Reader, templates: list[Template], k: int) -> None:
    made = templates[-1]
    if not made.text and not made.formats and made.voice is None:
        r.report_line("EMPTY_TEMPLATE", k, name=made.name)
    for other in templates[-65:-1]:
        if other.name == made.name:
            first = str(other.pos.line) if other.pos else ""
            r.report_line("DUPLICATE_NAME", k, name=made.name, section="TEMPLATES", first_line=first)
            return
