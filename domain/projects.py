"""What is said of a project: its settings with their bounds, its slug. Spec: platform-api 6.1."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain import limits
from domain.json_values import JsonObject

SLUG: Final = r"^[a-z0-9-]{2,60}$"
SLUG_MAX_CHARS: Final = 60
SLUG_MIN_CHARS: Final = 2
_NO_SLUG = re.compile(r"[^a-z0-9]+")

IdleSeconds = Annotated[int, Meta(ge=limits.MINUTE_S, le=limits.SUSPENSION_MAX_S)]
TurnSeconds = Annotated[int, Meta(ge=1, le=limits.TURN_MAX_S)]
CallbackSeconds = Annotated[int, Meta(ge=limits.SUSPENSION_MIN_S, le=limits.SUSPENSION_MAX_S)]
DrainSeconds = Annotated[int, Meta(ge=0, le=limits.DAY_S * 7)]
MessageChars = Annotated[int, Meta(ge=1, le=limits.MESSAGE_MAX_CHARS)]
KeptDays = Annotated[int, Meta(ge=1, le=limits.KEPT_MAX_DAYS)]


class VoiceSettings(Struct, frozen=True, rename="camel"):
    """How the agents of a project speak."""

    mode: Literal["pipeline", "realtime"] = "pipeline"
    voice: str | None = None
    language: str | None = None


class ProjectSettings(Struct, frozen=True, rename="camel"):
    """What can be set for a project; times in seconds. New sessions begin with what is set then."""

    session_idle_timeout_sec: IdleSeconds = limits.SESSION_IDLE_S
    turn_timeout_sec: TurnSeconds = int(limits.TURN_DEADLINE_S)
    callback_ttl_sec: CallbackSeconds = limits.SUSPENSION_DEFAULT_S
    drain_timeout_sec: DrainSeconds = limits.DRAIN_S
    max_message_chars: MessageChars = limits.MESSAGE_MAX_CHARS
    trace_retention_days: KeptDays = limits.TRACES_KEPT_DAYS
    eval_retention_days: KeptDays = limits.EVALS_KEPT_DAYS
    voice: VoiceSettings = VoiceSettings()


SETTING_NAMES: Final = frozenset(one.encode_name for one in msgspec.structs.fields(ProjectSettings))


def settings_of(stored: JsonObject) -> ProjectSettings:
    """Return the settings in what is stored of a project, which may hold other things too."""
    return msgspec.convert({name: stored[name] for name in stored.keys() & SETTING_NAMES}, ProjectSettings)


def with_settings(stored: JsonObject, changed: JsonObject) -> JsonObject:
    """Return what is stored of a project with some settings changed; those of `voice` one by one.

    Raises:
        msgspec.ValidationError: A value is of another type or out of its bounds.
    """
    known = {name: value for name, value in changed.items() if name in SETTING_NAMES}
    if isinstance(known.get("voice"), dict):
        known["voice"] = {**(stored.get("voice") or {}), **known["voice"]}
    merged = {**stored, **known}
    settings_of(merged)
    return merged


def slug_of(name: str) -> str:
    """Return a slug made of a project's name, empty when nothing of it can stand there.

    >>> slug_of("Order Desk (EU)")
    'order-desk-eu'
    """
    slug = _NO_SLUG.sub("-", name.lower()).strip("-")[:SLUG_MAX_CHARS].strip("-")
    return slug if len(slug) >= SLUG_MIN_CHARS else ""
