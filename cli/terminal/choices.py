"""The buttons of an answer as numbered choices, and what is sent when one is typed.

Spec: platform-api 13.2 (ActionSet), 12.5 (action_submit); abl-language 4.2, 4.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Input:
    """One field that is asked for before a form is sent."""

    name: str
    label: str
    kind: str = "text"
    required: bool = False
    options: tuple[str, ...] = ()

    @property
    def prompt(self) -> str:
        """The question for it."""
        notes = [] if self.kind == "text" else [self.kind]
        notes += [" | ".join(self.options)] if self.options else []
        notes += [] if self.required else ["optional"]
        told = f" ({', '.join(notes)})" if notes else ""
        return f"{self.label}{told}: "


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be chosen by its number.

    Attributes:
        message: What the turn says.
        action: The pressed button, as the runtime takes it.
        inputs: What is asked for first; the answers go along as `formData`.
    """

    label: str
    message: str
    action: JsonObject
    note: str = ""
    inputs: tuple[Input, ...] = field(default=())

    def filled(self, answers: Mapping[str, str]) -> JsonObject:
        """Return the action with the answers to its inputs."""
        return {**self.action, "formData": dict(answers)} if self.inputs else self.action


def choices_of(actions: JsonObject | None, rich: JsonObject | None) -> list[Choice]:
    """Return what an answer offers, in the order it is shown.

    >>> element = {"id": "yes", "type": "button", "label": "Yes"}
    >>> [(one.label, one.action) for one in choices_of({"elements": [element]}, None)]
    [('Yes', {'actionId': 'yes', 'value': 'yes'})]
    """
    found: list[Choice] = []
    actions, rich = actions or {}, rich or {}
    inputs = [*_form_inputs(rich.get("form"))]
    render = {"renderId": str(actions["render_id"])} if actions.get("render_id") else {}
    for element in actions.get("elements") or ():
        if element.get("type") == "input":
            inputs.append(_input(element))
        else:
            found += _pressed(element, render)
    found += _quick_replies(rich, known={one.action["actionId"] for one in found})
    if actions.get("submit_id") and inputs:
        label = str(actions.get("submit_label") or actions["submit_id"])
        action = {"actionId": str(actions["submit_id"]), **render}
        found.append(Choice(label, label, action, note="asks for what it needs", inputs=tuple(inputs)))
    elif not actions.get("submit_id"):
        found += [
            Choice(one.label, "", {"actionId": one.name, **render}, note=one.kind, inputs=(one,))
            for one in inputs
            if rich.get("form") is None
        ]
    return found


def lines_of(choices: list[Choice]) -> list[str]:
    """Return the choices as they are shown, counted from 1."""
    return [
        f"  {number}. {one.label}{f'  ({one.note})' if one.note else ''}" for number, one in enumerate(choices, start=1)
    ]


def chosen(text: str, choices: list[Choice]) -> Choice | None:
    """Return the choice that a typed line means: its number; None when the line is a message."""
    typed = text.strip()
    if not (typed.isascii() and typed.isdigit()) or not 0 < int(typed) <= len(choices):
        return None
    return choices[int(typed) - 1]


def _pressed(element: JsonObject, render: JsonObject) -> Iterator[Choice]:
    action_id, label = str(element["id"]), str(element.get("label") or element["id"])
    if element.get("type") != "select":
        value = str(element.get("value") or action_id)
        note = " ".join(str(element[key]) for key in ("description", "url") if element.get(key))
        yield Choice(label, value, {"actionId": action_id, "value": value, **render}, note=note)
        return
    for option in element.get("options") or ():
        value = str(option["id"])
        shown = f"{label}: {option.get('label') or value}"
        yield Choice(
            shown,
            value,
            {"actionId": action_id, "value": value, **render},
            note=str(option.get("description") or ""),
        )


def _quick_replies(rich: JsonObject, known: set[str]) -> Iterator[Choice]:
    """Return quick replies and the buttons of cards that are no buttons of the answer already."""
    cards = rich.get("carousel") or {}
    buttons = [one for card in cards.get("cards") or () for one in card.get("buttons") or ()]
    for one in [*(rich.get("quick_replies") or ()), *buttons]:
        label = str(one.get("label") or one.get("id"))
        action_id = str(one.get("id") or label)
        if action_id not in known:
            known.add(action_id)
            yield Choice(label, label, {"actionId": action_id, "value": str(one.get("value") or action_id)})


def _form_inputs(form: JsonObject | None) -> Iterator[Input]:
    for one in (form or {}).get("fields") or ():
        yield Input(
            name=str(one["id"]),
            label=str(one.get("label") or one["id"]),
            kind=str(one.get("type") or "text"),
            required=bool(one.get("required")),
            options=tuple(_option(option) for option in one.get("options") or ()),
        )


def _option(option: object) -> str:
    return str(option.get("id") or option.get("label")) if isinstance(option, dict) else str(option)


def _input(element: JsonObject) -> Input:
    return Input(
        name=str(element["id"]),
        label=str(element.get("label") or element["id"]),
        kind=str(element.get("input_type") or "text"),
        required=bool(element.get("required")),
    )
