"""What may stand in the body of a line: one form per way of nesting, told by the property the line is.

Spec: abl-language 1.2, 1.4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from abl.syntax.conversation import FIELDS, Shape
from abl.syntax.document import Document
from abl.syntax.flow import Flow
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.profile import Profile


class Form(StrEnum):
    """How the lines of a body are to be read."""

    SECTIONS = "sections"  # properties of a document or profile
    PROPS = "props"  # properties of `cls`
    CALL = "call"  # WITH and AS, else properties of `cls`
    RESPOND = "respond"  # rich content of `cls`, or text
    ENTRIES = "entries"  # names or dash items, each a `cls`
    MIXED = "mixed"  # properties of `cls`, and entries of its REST field
    BRANCHES = "branches"  # IF and ELSE items
    RULES = "rules"  # REQUIRE and its kin under labels
    TOOLS = "tools"  # signatures
    STEPS = "steps"  # the body of FLOW
    ELEMENTS = "elements"  # BUTTON, SELECT, INPUT
    HUMAN = "human"  # what happens after a human has answered
    FORMATS = "formats"  # format keys
    TEMPLATES = "templates"  # names, each with a text or formats
    ITEMS = "items"  # plain dash items
    MAP = "map"  # `key: value`
    SET = "set"  # assignments
    FREE = "free"  # a YAML-like body
    SHAPE = "shape"  # a YAML-like body with closed keys
    TEXT = "text"  # text that is kept as it stands
    NOTHING = "nothing"

    __hash__ = str.__hash__  # that of enumerations is written in Python, and every line is read by its form


@dataclass(frozen=True, slots=True)
class Body:
    """What may stand under a line.

    Attributes:
        form: How its lines are read.
        cls: Class whose properties or entries they are.
        row: The property whose body it is.
        shape: Closed keys of a SHAPE.
    """

    form: Form
    cls: type[Node] | None = None
    row: Prop | None = None
    shape: Shape = field(default_factory=dict, hash=False)


TEXT = Body(Form.TEXT)
NOTHING = Body(Form.NOTHING)
FREE = Body(Form.FREE)
AGENT = Body(Form.SECTIONS, Document)
"""What an agent text consists of."""
PROFILE = Body(Form.SECTIONS, Profile)

_PLAIN = {
    Kind.LIST: Form.ITEMS, Kind.MAP: Form.MAP, Kind.SET: Form.SET, Kind.FREE: Form.FREE, Kind.TOOLS: Form.TOOLS,
    Kind.FLOW: Form.STEPS, Kind.FORMATS: Form.FORMATS, Kind.TEMPLATES: Form.TEMPLATES, Kind.LITERAL: Form.FREE,
}  # fmt: skip
_NODES = frozenset({Kind.NODE, Kind.STEP_GATHER, Kind.TRANSFORM, Kind.HISTORY, Kind.ACTION, Kind.STORE})
_CLASSES = {
    Kind.BRANCHES: (Form.BRANCHES, "Branch"), Kind.RULES: (Form.RULES, "Constraint"),
    Kind.HUMAN: (Form.HUMAN, "HumanOutcome"), Kind.ELEMENTS: (Form.ELEMENTS, "Element"),
    Kind.PARAMETERS: (Form.ENTRIES, "Parameter"),
}  # fmt: skip


_BODIES: dict[tuple[str, str], Body] = {}
"""Class and field -> the body already told."""


def body_of(cls: type[Node], row: Prop) -> Body:
    """Return what may be nested under the property `row` of `cls`."""
    known = _BODIES.get((cls.__name__, row.field))
    if known is None:
        known = _BODIES[cls.__name__, row.field] = _body_of(cls, row)
    return known


def _body_of(cls: type[Node], row: Prop) -> Body:
    kind = row.kind
    if kind is Kind.ENTRIES:
        return Body(Form.ENTRIES, NODES[row.node], row)
    if kind in _NODES:
        return of_class(NODES[row.node], row)
    if kind is Kind.FLAT:
        return Body(Form.PROPS, cls, row)
    if kind is Kind.CALL:
        return Body(Form.CALL, cls, row)
    if kind is Kind.RESPOND:
        return Body(Form.RESPOND, cls, row)
    if kind in _CLASSES:
        form, name = _CLASSES[kind]
        return Body(form, NODES[name], row)
    if kind is Kind.CONVERSATION:
        return Body(Form.SHAPE, None, row, FIELDS)
    if row.field == "behavior_profiles":
        return Body(Form.PROPS, Profile, row)
    if kind in _PLAIN:
        return Body(_PLAIN[kind], Flow if kind is Kind.FLOW else cls, row)
    return Body(Form.TEXT, cls, row)


def of_class(cls: type[Node], row: Prop | None = None) -> Body:
    """Return the body of a node of `cls`: its properties, with entries where it has a REST field."""
    return Body(Form.MIXED if cls.REST else Form.PROPS, cls, row)
