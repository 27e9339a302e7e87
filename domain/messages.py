"""Messages and files as chat, voice and SDK share them. Spec: platform-api 13.2."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from msgspec import Struct, field

from domain.json_values import JsonObject

Speaker = Literal["user", "assistant", "system"]
AttachmentCategory = Literal["image", "document", "audio", "video"]
TEXT_FORMATS = ("markdown", "adaptive_card", "html", "slack", "ag_ui", "whatsapp")
"""Keys of rich content that are texts on the wire."""
VOICE_WORDS: Mapping[str, str] = MappingProxyType({"voice_id": "voice", "plain_text": "plainText"})
"""Words of agents about how an answer is spoken -> those of the wire; all others are the same."""


class Attachment(Struct, frozen=True, omit_defaults=True):
    """A file that came with a message."""

    id: str
    filename: str = ""
    mime_type: str = ""
    size_bytes: int = 0
    category: AttachmentCategory = "document"
    text: str = ""
    """What was read out of the file (OCR, transcription), when the platform did so."""


class ActionEvent(Struct, frozen=True, omit_defaults=True):
    """The user pressed a button or sent a form."""

    action_id: str
    value: str = ""
    source: str = ""
    form: JsonObject = field(default_factory=dict)
    render_id: str = ""


def wire_action(action: ActionEvent) -> JsonObject:
    """Return a pressed button or a sent form as it goes over the wire. Spec: platform-api 12.4.

    >>> wire_action(ActionEvent("seat", "A1", form={"day": "today"}))
    {'actionId': 'seat', 'value': 'A1', 'formData': {'day': 'today'}}
    """
    parts = (("value", action.value), ("source", action.source), ("formData", action.form))
    given: JsonObject = {"actionId": action.action_id, **{name: value for name, value in parts if value}}
    return {**given, "renderId": action.render_id} if action.render_id else given


class TranscriptLine(Struct, frozen=True, omit_defaults=True):
    """One line of a conversation."""

    role: Speaker
    content: str
    agent: str = ""
    turn: int = 0


def voice_config(voice: JsonObject) -> JsonObject:
    """Return how an answer is spoken as it goes over the wire; `voice` is what its agent says of that.

    An answer of which something is said is one that is spoken. Spec: platform-api 4.1.

    >>> voice_config({"voice_id": "anna", "ssml": "<speak>one</speak>"})
    {'enabled': True, 'voice': 'anna', 'ssml': '<speak>one</speak>'}
    """
    return {"enabled": True, **{VOICE_WORDS.get(word, word): told for word, told in voice.items()}}
