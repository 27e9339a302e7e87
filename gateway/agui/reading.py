"""What a run of AG-UI asks for: a message, the answer to an interrupt, the thread itself, or nothing. Pure.

Spec: docs.ag-ui.com, 1.0 (Run Input, Interrupts and Resume). Decision: 0058.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from domain.errors import InvalidInput
from domain.json_values import JsonObject, JsonValue
from gateway.bodies.agui import AgUiAnswer, AgUiBody, AgUiMessage
from gateway.bodies.openai import refused
from gateway.bodies.texts import NUL, checked_metadata

SPOKEN: Final = frozenset({"user", "assistant", "tool"})
"""Roles that take part in a conversation: who said something last is one of them."""
YES, NO = "yes", "no"
"""How a bare decision is told to the agent: English is read beside every language."""

Kind = Literal["message", "answer", "history", "nothing"]


class Warned(NamedTuple):
    """Something of the request that has no effect."""

    code: str
    message: str


class AskedRun(NamedTuple):
    """What a run asks for.

    Attributes:
        kind: `nothing`: interrupts were given up, and nothing else was said.
        message: What the user says, "" where there is only an action.
        action: The pressed button or sent form.
        interrupt_id: Which interrupt it answers; "" for none.
        metadata: Of the message.
        warnings: What of the request has no effect.
    """

    kind: Kind
    message: str = ""
    action: JsonObject | None = None
    interrupt_id: str = ""
    metadata: JsonObject = {}  # noqa: RUF012 - never written to
    warnings: tuple[Warned, ...] = ()


def read_run(body: AgUiBody) -> AskedRun:
    """Return what a run asks for, but for what was said; raises InvalidInput."""
    warnings, metadata = list(_without_effect(body)), _metadata_of(body)
    if not body.messages and not body.resume:
        return AskedRun("history")
    resolved = [(place, one) for place, one in enumerate(body.resume or ()) if one.status == "resolved"]
    if resolved:
        place, entry = resolved[0]
        warnings += [_unanswered(one) for _, one in resolved[1:]]
        said, action = _answer_of(entry, f"/resume/{place}/payload")
        return AskedRun("answer", said, action, entry.interrupt_id, metadata, tuple(warnings))
    if body.resume and (not body.messages or last_speaker(body.messages) != "user"):
        return AskedRun("nothing", warnings=tuple(warnings))
    return AskedRun("message", metadata=metadata, warnings=tuple(warnings))


def question_of(asked: AskedRun, messages: Sequence[AgUiMessage]) -> AskedRun:
    """Return the run with what the user says; `messages` are those from before it. Raises InvalidInput."""
    place = max((number for number, one in enumerate(messages) if one.role == "user"), default=-1)
    if place < 0 or last_speaker(messages) != "user":
        raise refused(
            f"/messages/{max(len(messages) - 1, 0)}/role",
            "the last message has to be one of the user; to hear an answer again, send the runId that it has answered",
        )
    texts, left_out = _texts_of(messages[place].content)
    said = "\n".join(texts)
    if not said or NUL in said:
        raise refused(f"/messages/{place}/content", "must hold text, without U+0000; files are taken by POST /api/v1")
    warned = tuple(
        Warned("CONTENT_SKIPPED", f"A part of type {kind!r} was left out: texts are read") for kind in left_out
    )
    return asked._replace(message=said, warnings=(*asked.warnings, *warned))


def said_before(messages: Sequence[AgUiMessage], own: str) -> list[AgUiMessage]:
    """Return the messages from before a run: without what the run itself has said, whose ids begin with `own`."""
    return [one for one in messages if not one.id.startswith(own)]


def last_speaker(messages: Sequence[AgUiMessage]) -> str:
    """Return the role of whoever said something last, "" when nobody has."""
    return next((one.role for one in reversed(messages) if one.role in SPOKEN), "")


def _texts_of(content: JsonValue) -> tuple[list[str], list[str]]:
    """Return the texts of a message, and the types of the parts that are none."""
    if isinstance(content, str):
        return [content], []
    texts: list[str] = []
    others: list[str] = []
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": str(kind)}:
                others.append(kind)
            case _:
                others.append("unknown")
    return texts, others


def _answer_of(entry: AgUiAnswer, place: str) -> tuple[str, JsonObject | None]:
    """Return what an answer to an interrupt says: words, or a button or form. Raises InvalidInput."""
    match entry.payload:
        case str(words) if words and NUL not in words:
            return words, None
        case bool(agreed) | {"approved": bool(agreed)}:
            return (YES if agreed else NO), None
        case {"actionId": str(action_id), **given}:
            value = given.get("value")
            names = ("value", "formData", "renderId")
            action = {"actionId": action_id, **{one: given[one] for one in names if given.get(one) is not None}}
            return (value if isinstance(value, str) else ""), action
    raise refused(place, "must be words, true or false, or {actionId, value, formData}, as responseSchema says")


def _metadata_of(body: AgUiBody) -> JsonObject:
    given: Any = body.forwarded_props
    metadata: JsonObject = dict(given) if isinstance(given, dict) else {}
    if body.context:
        metadata.setdefault("context", body.context)
    try:
        return checked_metadata(metadata or None)
    except InvalidInput as error:
        raise InvalidInput(f"forwardedProps and context: {error.message}", details=error.details) from error


def _without_effect(body: AgUiBody) -> list[Warned]:
    told = []
    if body.tools:
        told.append(Warned("TOOLS_NOT_CALLED", "An agent has its own tools; those of the request are not called"))
    if body.forwarded_props is not None and not isinstance(body.forwarded_props, dict):
        told.append(Warned("FORWARDED_PROPS_IGNORED", "forwardedProps is read where it is an object"))
    return told


def _unanswered(entry: AgUiAnswer) -> Warned:
    return Warned("INTERRUPT_UNKNOWN", f"A run has one interrupt; the answer to {entry.interrupt_id!r} has no effect")
