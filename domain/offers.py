"""What an answer offers to press or to fill in, and which actions answer it.

Rich content in the form of another product (a card, blocks, HTML) cannot be read here: what it offers are the actions
that its agent handles. Spec: platform-api 13.2; abl-language 4.2, 4.3. Decision: 0075.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date, time
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from domain.errors import InvalidInput
from domain.json_values import JsonObject
from domain.messages import ActionEvent

UNKNOWN_ACTION: Final = "UNKNOWN_ACTION"
INVALID_VALUE: Final = "INVALID_ACTION_VALUE"
ACTION_CLOSED: Final = "ACTION_CLOSED"
"""`details.reason` of actions that are refused: nothing offered has this id; a value is none that was offered; what it
answers is open no more."""
SUBMIT_ID: Final = "submit"
"""Id under which inputs are sent whose set has a `submit_label` and no `submit_id`."""
FORM_ID: Final = "form"
"""Id under which the `form` of rich content is sent where the set beside it has no `submit_id`."""
UNREADABLE: Final = ("adaptive_card", "slack", "ag_ui", "whatsapp", "html")
SHOWN_MAX: Final = 20
"""Ids or values that an error names at most."""
_NUMBER: Final = re.compile(r"[+-]?(\d{1,40}([.,]\d{0,40})?|[.,]\d{1,40})([eE][+-]?\d{1,3})?")
_TIME: Final = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")


class Field(Struct, frozen=True):
    """Something to fill in; `options` are the values of a select, None where any text of its kind will do."""

    kind: str = "text"
    is_required: bool = False
    options: tuple[str, ...] | None = None


class Offered(Struct, frozen=True):
    """What one answer offers.

    Attributes:
        buttons: Id -> the values that it can send; the first one is sent where none is given.
        fields: What can be filled in, by id.
        alone: Ids of fields that can also be sent by themselves.
        submits: Id of what sends the fields -> the values that it can send.
        is_unreadable: There is content of which only its agent knows what it offers.
    """

    buttons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    alone: frozenset[str] = frozenset()
    submits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    is_unreadable: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids that an action can have."""
        return (*self.buttons, *self.submits, *sorted(self.alone))

    def __bool__(self) -> bool:
        """Whether anything is offered."""
        return bool(self.ids) or self.is_unreadable


def offered(actions: JsonObject | None, rich: JsonObject | None) -> Offered:
    """Return what an answer with this ActionSet and this rich content offers.

    >>> offered({"elements": [{"id": "yes", "type": "button", "label": "Yes"}]}, None).buttons
    {'yes': ('yes',)}
    >>> bool(offered(None, {"markdown": "**no**"}))
    False
    """
    actions, rich = actions or {}, rich or {}
    buttons: dict[str, tuple[str, ...]] = {}
    fields: dict[str, Field] = {}
    submits: dict[str, tuple[str, ...]] = {}
    alone: set[str] = set()
    for element in _maps(actions.get("elements")):
        identity = str(element.get("id") or "")
        match element.get("type"):
            case "select" | "input":
                fields[identity] = _field(element)
                alone.add(identity)
            case _:
                buttons[identity] = (str(element.get("value") or identity),)
    for one in (*_maps(rich.get("quick_replies")), *_buttons_of_cards(rich)):
        label = str(one.get("label") or one.get("id") or "")
        identity = str(one.get("id") or label)
        buttons.setdefault(identity, (str(one.get("value") or identity), label))
    form = rich.get("form")
    form_fields = list(_maps(form.get("fields"))) if isinstance(form, Mapping) else []
    fields |= {str(one.get("id") or ""): _field(one) for one in form_fields}
    if submit := _submit_id(actions, has_inputs=bool(alone), has_form=bool(form_fields)):
        labels = (actions.get("submit_label"), form.get("submit_label") if isinstance(form, Mapping) else None)
        submits[submit] = (submit, *(str(label) for label in labels if label))
    is_unreadable = any(rich.get(name) for name in UNREADABLE)
    return Offered(buttons, fields, frozenset(alone), submits, is_unreadable)


def check_action(action: ActionEvent, wanted: Offered, handled: Collection[str] = ()) -> ActionEvent:
    """Return an action that answers what is offered, with the value of its button where it has none.

    Args:
        action: The pressed button or the sent form.
        wanted: What is offered.
        handled: Ids of the actions that the agent handles; they count where it has shown what cannot be read here.

    Raises:
        InvalidInput: Nothing offered has its id, or a value of it is none that was offered.
    """
    identity, form = action.action_id, action.form
    if identity in wanted.buttons:
        values = wanted.buttons[identity]
        if action.value not in ("", *values):
            raise _invalid("value", f"{action.value!r} is no value of {identity!r}: {_named(values)}")
        _check_form(form, wanted.fields)
        return msgspec.structs.replace(action, value=action.value or values[0])
    if identity in wanted.submits:
        values = wanted.submits[identity]
        if action.value not in ("", *values):
            raise _invalid("value", f"{identity!r} sends its fields in formData, and no other value")
        _check_form(form, wanted.fields)
        _check_required(form, wanted.fields)
        return action
    if identity in wanted.alone:
        _check_form(form, wanted.fields)
        asked = wanted.fields[identity]
        value = action.value or str(form.get(identity, ""))
        if problem := problem_of(value, msgspec.structs.replace(asked, is_required=asked.options is not None)):
            raise _invalid("value", f"{identity!r} {problem}")
        _check_required({identity: value}, {identity: asked})
        return action
    if wanted.is_unreadable and identity in handled:
        return action
    known = _named(wanted.ids) if wanted.ids else "none that can be named here"
    raise _refused("actionId", f"{identity!r} is none of the actions that are offered: {known}", UNKNOWN_ACTION)


def problem_of(value: str, asked: Field) -> str:
    """Return what is wrong with a text that was filled in, "" when nothing is; an empty one may be left out.

    >>> problem_of("2026-02-30", Field("date")), problem_of("", Field("email")), problem_of("3.5", Field("number"))
    ('must be a date, YYYY-MM-DD', '', '')
    """
    if not value:
        return "is required" if asked.is_required else ""
    if asked.options is not None:
        return "" if value in asked.options else f"must be one of its options: {_named(asked.options)}"
    match asked.kind:
        case "number" if not _NUMBER.fullmatch(value):
            return "must be a number"
        case "date" if not _reads(date.fromisoformat, _DATE, value):
            return "must be a date, YYYY-MM-DD"
        case "time" if not _reads(time.fromisoformat, _TIME, value):
            return "must be a time, HH:MM"
        case "email" if not _EMAIL.fullmatch(value):
            return "must be an e-mail address"
        case _:
            return ""


def _check_form(form: JsonObject, fields: Mapping[str, Field]) -> None:
    for name, value in form.items():
        if name not in fields:
            raise _invalid(f"formData/{_escaped(name)}", f"{name!r} is no field that is offered: {_named(fields)}")
        if not isinstance(value, str):
            raise _invalid(f"formData/{_escaped(name)}", f"{name!r} must be a text")
        if value and (problem := problem_of(value, fields[name])):
            raise _invalid(f"formData/{_escaped(name)}", f"{name!r} {problem}")


def _check_required(form: JsonObject, fields: Mapping[str, Field]) -> None:
    for name, one in fields.items():
        if one.is_required and not form.get(name):
            raise _invalid(f"formData/{_escaped(name)}", f"{name!r} is required")


def _submit_id(actions: JsonObject, *, has_inputs: bool, has_form: bool) -> str:
    if actions.get("submit_id"):
        return str(actions["submit_id"])
    if has_form:
        return FORM_ID
    return SUBMIT_ID if has_inputs and actions.get("submit_label") else ""


def _field(element: Mapping[str, Any]) -> Field:
    """Return an input, a select or a field of a form."""
    kind = str(element.get("input_type") or element.get("type") or "text")
    options = element.get("options")
    values = tuple(map(_value_of, options)) if isinstance(options, list) and options else None
    return Field("text" if kind == "input" else kind, element.get("required") is True, values)


def _value_of(option: object) -> str:
    if isinstance(option, Mapping):
        return str(option.get("id") or option.get("value") or option.get("label") or "")
    return str(option)


def _buttons_of_cards(rich: JsonObject) -> Iterator[Mapping[str, Any]]:
    cards = rich.get("carousel")
    for card in _maps(cards.get("cards") if isinstance(cards, Mapping) else cards):
        yield from _maps(card.get("buttons"))


def _maps(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the maps of a list; what an agent has bound to it may be anything."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, Mapping))


def _reads(read: Any, form: re.Pattern[str], value: str) -> bool:
    try:
        return form.fullmatch(value) is not None and read(value) is not None
    except ValueError:
        return False


def _named(names: Collection[str]) -> str:
    shown = ", ".join(list(names)[:SHOWN_MAX])
    return f"{shown}, ..." if len(names) > SHOWN_MAX else shown or "none"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _invalid(place: str, message: str) -> InvalidInput:
    return _refused(place, message, INVALID_VALUE)


def _refused(place: str, message: str, reason: str) -> InvalidInput:
    fields = [{"path": f"/action/{place}", "message": message}]
    return InvalidInput(message, details={"reason": reason, "fields": fields})
