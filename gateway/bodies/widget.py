"""How a widget looks and what it may do: the configuration of a channel, and as a page gets it. Spec: 12.2, 13.2."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from domain import limits
from domain.json_values import JsonObject
from gateway.auth.public_keys import PublicKey
from gateway.bodies.projects import Description, Label
from gateway.bodies.texts import RequestBody, without_nul
from gateway.envelope import Success, Wire

Mode = Literal["chat", "voice", "unified"]
Position = Literal["bottom-right", "bottom-left", "top-right", "top-left"]
Color = Annotated[str, StringConstraints(max_length=64), AfterValidator(without_nul)]
Radius = Annotated[float, Field(ge=0, le=1_000, allow_inf_nan=False)]


class ThemeBody(RequestBody):
    """Colours and shape of a widget."""

    primary_color: Color | None = None
    text_color: Color | None = None
    background_color: Color | None = None
    border_radius: Radius | None = None
    font_family: Label | None = None
    dark_mode: bool | None = None


class WidgetBody(RequestBody):
    """What a channel says of its widget; what is not given has its default."""

    mode: Mode | None = None
    position: Position | None = None
    theme: ThemeBody | None = None
    welcome_message: Description | None = None
    placeholder_text: Annotated[Label, Field(max_length=limits.LABEL_MAX_CHARS)] | None = None
    voice_enabled: bool | None = None
    chat_enabled: bool | None = None

    def kept(self) -> JsonObject:
        """Return what is to be kept of it."""
        return self.model_dump(by_alias=True, exclude_none=True)


class ThemeItem(Wire):
    """Colours and shape of a widget; what is null is the widget's own."""

    primary_color: str | None = None
    text_color: str | None = None
    background_color: str | None = None
    border_radius: float | None = None
    font_family: str | None = None
    dark_mode: bool | None = None


class WidgetItem(Wire):
    """A widget as a page shows it."""

    mode: Mode
    position: Position = "bottom-right"
    theme: ThemeItem = ThemeItem()
    welcome_message: str | None = None
    placeholder_text: str | None = None
    voice_enabled: bool
    chat_enabled: bool


class WidgetPermissions(Wire):
    """What the key of a page allows."""

    chat: bool
    voice: bool


class WidgetReply(Success):
    """The configuration of a widget."""

    project_id: str
    permissions: WidgetPermissions
    config: WidgetItem


def widget_reply(key: PublicKey, project_id: str, kept: JsonObject) -> WidgetReply:
    """Return the configuration of a page's widget; nothing is switched on that its key does not allow."""
    chat, voice = key.chat, key.voice
    by_default: Mode = "unified" if chat and voice else "voice" if voice else "chat"
    config = {
        **kept,
        "mode": kept.get("mode", by_default),
        "voiceEnabled": voice and kept.get("voiceEnabled", True),
        "chatEnabled": chat and kept.get("chatEnabled", True),
    }
    return WidgetReply(
        project_id=project_id,
        permissions=WidgetPermissions(chat=chat, voice=voice),
        config=WidgetItem.model_validate(config),
    )
