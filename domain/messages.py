"""Messages and files as chat, voice and SDK share them. Spec: platform-api 13.2."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from domain.json_values import JsonObject

Speaker = Literal["user", "assistant", "system"]
AttachmentCategory = Literal["image", "document", "audio", "video"]
TEXT_FORMATS = ("markdown", "adaptive_card", "html", "slack", "ag_ui", "whatsapp")
"""Keys of rich content that are texts on the wire."""


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


class TranscriptLine(Struct, frozen=True, omit_defaults=True):
    """One line of a conversation."""

    role: Speaker
    content: str
    agent: str = ""
    turn: int = 0
