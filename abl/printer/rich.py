"""Writers of answers: RESPOND, FORMATS, ACTIONS and templates. Spec: abl-language 3.14, 4."""

from __future__ import annotations

import re
from typing import Any

from abl.printer import scalars
from abl.printer.free import put_value
from abl.printer.kinds import put_text, write_node
from abl.printer.nodes import entry_name, is_absent, rows_of, write_extras, write_row, writes
from abl.printer.page import STEP, Page
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rich import TEXT_FORMATS, ActionSet, Element, Option, Template

_ID = re.compile(r"[\w\-]+\Z")


@writes(Kind.RESPOND)
def write_respond(page: Page, indent: int, head: str, value: str, row: Prop, node: Node) -> None:
    """Write an answer; a call of a template without quotes."""
    if scalars.is_template_call(value):
        page.put(indent, f"{head} {value}")
    else:
        put_text(page, indent, head, value)


@writes(Kind.FORMATS)
def write_formats(page: Page, indent: int, head: str, value: dict[str, Any], row: Prop, node: Node) -> None:
    """Write one key per format."""
    page.put(indent, head)
    for name, one in value.items():
        put_format(page, indent + STEP, name, one)


def put_format(page: Page, indent: int, name: str, value: Any) -> None:
    """Write one format: text as text, everything else as a YAML-like body."""
    head = f"{name.upper()}:"
    if isinstance(value, str) and name in TEXT_FORMATS:
        put_text(page, indent, head, value)
    elif isinstance(value, str) and value[:1] in ("{", "["):
        page.put(indent, f"{head} |")
        page.block(indent + STEP, value)
    else:
        put_value(page, indent, head, value)


@writes(Kind.ELEMENTS)
def write_elements(page: Page, indent: int, head: str, value: ActionSet, row: Prop, node: Node) -> None:
    """Write the keys of the block, then one dash item per element."""
    page.put(indent, head)
    for inner in rows_of(ActionSet):
        if inner.field != "elements" and not is_absent(value, inner.field):
            write_row(page, indent + STEP, value, inner)
    for element in value.elements:
        put_element(page, indent + STEP, element)
    write_extras(page, indent + STEP, value)


def put_element(page: Page, indent: int, element: Element) -> None:
    """Write `- BUTTON: "Label" -> id` and the properties below it."""
    head, written = f"{element.type.upper()}:", {"type", "options"}
    start = len(page.lines)
    if element.type:
        label, used = labelled(element)
        page.put(indent + STEP, f"{head} {label}".rstrip())
        written |= used
    else:
        written.discard("type")
    for row in rows_of(Element):
        if row.field not in written and not is_absent(element, row.field):
            write_row(page, indent + STEP, element, row)
    if element.options:
        page.put(indent + STEP, "OPTIONS:")
        for option in element.options:
            put_option(page, indent + 2 * STEP, option)
    write_extras(page, indent + STEP, element)
    page.dash(start, indent)


def put_option(page: Page, indent: int, option: Option) -> None:
    """Write `- "Label" -> id` and the properties below it."""
    label, written = labelled(option)
    start = len(page.lines)
    if label:
        page.put(indent + STEP, label)
    for row in rows_of(Option):
        if row.field not in written and not is_absent(option, row.field):
            write_row(page, indent + STEP, option, row)
    write_extras(page, indent + STEP, option)
    page.dash(start, indent)


def labelled(node: Element | Option) -> tuple[str, set[str]]:
    """Return `"label" -> id` and the fields it says, or nothing for a label that does not fit there."""
    if not node.label or not scalars.fits_quotes(node.label) or "->" in node.label or "→" in node.label:
        return "", set()
    label = scalars.quoted(node.label)
    if _ID.match(node.id):
        return f"{label} -> {node.id}", {"label", "id"}
    return label, {"label"}


@writes(Kind.TEMPLATES)
def write_templates(page: Page, indent: int, head: str, value: list[Template], row: Prop, node: Node) -> None:
    """Write each template as a text, or as a block of formats."""
    page.put(indent, head)
    for template in value:
        put_template(page, indent + STEP, template)


def put_template(page: Page, indent: int, template: Template) -> None:
    """Write one template."""
    head = f"{entry_name(template.name)}:"
    if template.text and not template.formats and template.voice is None:
        put_text(page, indent, head, template.text)
    else:
        page.put(indent, head)
        if template.text:
            put_text(page, indent + STEP, "DEFAULT:", template.text)
    for name, value in (template.formats or {}).items():
        put_format(page, indent + STEP, name, value)
    if template.voice is not None:
        write_node(page, indent + STEP, "VOICE:", template.voice, _VOICE, template)
    write_extras(page, indent + STEP, template)


_VOICE = Prop(key="VOICE", kind=Kind.NODE, doc="", node="Voice")
