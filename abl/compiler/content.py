"""Lowers rich content: answers, voice, formats, actions, carousels, and `TEMPLATE(x)`. Spec: abl-language 3.14, 4."""

from __future__ import annotations

import re
from typing import Any

from abl.compiler.plain import Json, is_absent, one, only, plain, text, written
from abl.compiler.scope import Scope
from abl.compiler.structured import structured
from abl.syntax.node import Node
from abl.syntax.rich import TEXT_FORMATS, ActionSet, Element, Option, Template, Voice

_SPACE = re.compile(r"\s+")
_OTHER = re.compile(r"[^\w-]")
_ARROW = re.compile(r"""\s*+["']?(.*?)["']?(?:(?<!\s)\s++)?+(?:->|→)\s*+([\w-]++)\s*+""")
_CARD_KEYS = {"image": "image_url", "default_action": "default_action_url", "url": "default_action_url"}
_ELEMENT_WORDS = ("button", "select", "input")


def add_rich(node: Any, scope: Scope, ir: Json) -> None:
    """Add respond, voice_config, rich_content, actions of a node to its IR; `TEMPLATE(x)` becomes its content."""
    respond = text(node.respond)
    template = scope.template_in(respond, node, "respond") if respond[:9] == "TEMPLATE(" else None
    formats = lower_formats(node.rich_content, scope)
    default = text(formats.pop("default", ""))
    voice = lower_voice(node.voice_config)
    if template is not None:
        respond = text(template.text)
        given = lower_formats(template.formats, scope)
        default = default or text(given.pop("default", ""))
        formats = {**given, **formats}
        voice = voice or lower_voice(template.voice)
    if not is_absent(node.carousel):
        formats["carousel"] = lower_carousel(node.carousel)
    if respond or default:
        ir["respond"] = respond or default
    if voice:
        ir["voice_config"] = voice
    if formats:
        ir["rich_content"] = formats
    actions = one(ActionSet, node.actions)
    if actions is not None and (lowered := lower_actions(actions, scope)):
        ir["actions"] = lowered


def plain_or_template(value: Any, node: Node, field: str, scope: Scope) -> str:
    """Return a text that may be `TEMPLATE(x)`: the template's default text in that case."""
    written_text = text(value)
    if written_text[:9] != "TEMPLATE(":
        return written_text
    template = scope.template_in(written_text, node, field)
    return default_text(template) if template is not None else written_text


def default_text(template: Template) -> str:
    """Return the text of a template for channels without formats."""
    formats = template.formats if isinstance(template.formats, dict) else {}
    return text(template.text) or text(formats.get("default", ""))


def lower_formats(formats: Any, scope: Scope) -> Json:
    """Return the formats of an answer; texts of structured formats are read as JSON or YAML where possible."""
    del scope
    if not isinstance(formats, dict):
        return {}
    result: Json = {}
    for name, value in formats.items():
        body = plain(value)
        if name not in TEXT_FORMATS and isinstance(body, str):
            body = structured(body)
        if name == "chart":
            body = _chart(body)
        elif name == "carousel":
            body = lower_carousel(body)
        if not is_absent(body):
            result[str(name)] = body
    return result


def lower_voice(value: Any) -> Json:
    """Return `{ssml, instructions, plain_text}`, empty when nothing is written."""
    voice = one(Voice, value)
    if voice is None:
        return {}
    return written((name, text(getattr(voice, name))) for name in ("ssml", "instructions", "plain_text"))


def lower_actions(actions: ActionSet, scope: Scope) -> Json:
    """Return `{elements, submit_label, submit_id, render_id}`."""
    elements = [_element(one_element, scope) for one_element in only(Element, actions.elements)]
    labels = written((name, text(getattr(actions, name))) for name in ("submit_label", "submit_id", "render_id"))
    return {"elements": elements, **labels} if elements or labels else {}


def id_from_label(label: str) -> str:
    """Return the id an element without one gets: lowercase, spaces as `_`, other signs dropped."""
    return _OTHER.sub("", _SPACE.sub("_", label.strip().lower()))


def _element(element: Element, scope: Scope) -> Json:
    label, kind = text(element.label), text(element.type) or "button"
    identity = text(element.id) or id_from_label(label)
    ir: Json = {"id": identity, "type": kind, "label": label}
    value = text(element.value) or (identity if kind == "button" else "")
    for name, given in (("value", value), ("url", text(element.url)), ("description", text(element.description))):
        if given:
            ir[name] = given
    if options := [_option(option) for option in only(Option, element.options)]:
        ir["options"] = options
    if kind == "input":
        ir["input_type"] = text(element.input_type) or "text"
    if placeholder := text(element.placeholder):
        ir["placeholder"] = placeholder
    if isinstance(element.required, bool):
        ir["required"] = element.required
    return scope.record(ir, element)


def _option(option: Option) -> Json:
    label = text(option.label)
    ir: Json = {"id": text(option.id) or id_from_label(label), "label": label}
    if description := text(option.description):
        ir["description"] = description
    return ir


def lower_carousel(value: Any) -> Any:
    """Return `{cards: […]}` of a CAROUSEL: a list of cards, or a map that has them."""
    body = structured(value) if isinstance(value, str) else plain(value)
    if isinstance(body, list):
        return {"cards": [_card(card) for card in body]}
    if isinstance(body, dict):
        lowered = {str(key).lower(): one_value for key, one_value in body.items()}
        cards = lowered.pop("cards", None) or lowered.pop("items", None)
        if isinstance(cards, list):
            return {**lowered, "cards": [_card(card) for card in cards]}
    return body


def _card(card: Any) -> Any:
    if not isinstance(card, dict):
        return {"title": text(card)} if not isinstance(card, list) else card
    ir: Json = {}
    for key, value in card.items():
        name = str(key).lower()
        name = _CARD_KEYS.get(name, name)
        ir[name] = [_button(button) for button in value] if name == "buttons" and isinstance(value, list) else value
    return ir


def _button(button: Any) -> Any:
    """Return a carousel button as an action element; it is written as in ACTIONS or as plain keys."""
    if isinstance(button, str):
        return _labelled("button", button)
    if not isinstance(button, dict):
        return button
    lowered = {str(key).lower(): value for key, value in button.items()}
    for kind in _ELEMENT_WORDS:
        if isinstance(lowered.get(kind), str):
            head = _labelled(kind, lowered.pop(kind))
            rest = {("value" if key == "payload" else key): value for key, value in lowered.items()}
            merged = {**head, **rest}
            if "value" not in rest and "id" in rest:
                merged["value"] = merged["id"]
            return merged
    return lowered


def _labelled(kind: str, words: str) -> Json:
    found = _ARROW.fullmatch(words)
    label = found[1] if found else words.strip().strip("\"'")
    identity = found[2] if found else id_from_label(label)
    return {"id": identity, "type": kind, "label": label, "value": identity}


def _chart(body: Any) -> Any:
    """Return a chart whose data items `a / 3 / red` are taken apart."""
    if not isinstance(body, dict) or not isinstance(body.get("data"), list):
        return body
    return {**body, "data": [_data_point(point) for point in body["data"]]}


def _data_point(point: Any) -> Any:
    if not isinstance(point, str) or "/" not in point:
        return point
    parts = [part.strip() for part in point.split("/")]
    ir: Json = {"label": parts[0], "value": _numeric(parts[1])}
    if len(parts) > 2:
        ir["color"] = parts[2]
    return ir


def _numeric(words: str) -> Any:
    if re.fullmatch(r"-?\d{1,15}", words):
        return int(words)
    return float(words) if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", words) else words
