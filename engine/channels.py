"""What a channel can show: which formats go out, what is spoken, and what stands in where nothing fits.

Spec: abl-language 4.1, 4.2, 3.18, 14.2 (12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from domain.json_values import JsonObject
from domain.messages import TEXT_FORMATS

SPOKEN = frozenset({"voice", "phone", "telephony", "ivr", "voice_sdk", "voice_vxml"})
"""Channels whose texts are read aloud."""

NATIVE = {
    "slack": "slack",
    "whatsapp": "whatsapp",
    "msteams": "adaptive_card",
    "teams": "adaptive_card",
    "ag_ui": "ag_ui",
    "email": "html",
}
"""Channel -> the one text format it shows; channels that are not here get all formats, the client chooses."""

PLAIN = frozenset({"sms"})
"""Channels that show words only."""

MEDIA = frozenset({"image", "video", "audio", "file"})

_MARKUP = (
    (re.compile(r"!\[([^\]]{0,500})\]\([^)\s]{0,2000}\)"), r"\1"),
    (re.compile(r"\[([^\]]{1,500})\]\([^)\s]{0,2000}\)"), r"\1"),
    (re.compile(r"<[/!]?[A-Za-z][^<>]{0,500}>"), ""),
    (re.compile(r"^[ \t]{0,3}(?:#{1,6}|>|[-*+])[ \t]+", re.MULTILINE), ""),
    (re.compile(r"`{1,3}"), ""),
    (re.compile(r"\*{1,3}([^*\n]{1,2000})\*{1,3}"), r"\1"),
    (re.compile(r"(?<!\w)_{1,2}([^_\n]{1,2000})_{1,2}(?!\w)"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer as a channel shows it."""

    text: str
    rich: JsonObject
    voice: JsonObject


def without_markup(text: str) -> str:
    """Return a text as it is read aloud.

    >>> without_markup("**Done.** See [the page](https://x.example) or `help`")
    'Done. See the page or help'
    """
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text


def for_channel(
    channel: str,
    text: str,
    rich: JsonObject,
    voice: JsonObject,
    *,
    defaults: JsonObject | None = None,
    rules: Iterable[JsonObject] = (),
) -> Shown:
    """Return an answer as `channel` shows it.

    `defaults` is EXECUTION.voice; `rules` are the response rules of the profiles that hold, the strongest last.
    """
    fallback, media = "", None
    for rule in rules:
        fallback = str(rule.get("fallback_format") or fallback)
        media = rule.get("media_types", media)
    if media is not None:
        rich = {key: value for key, value in rich.items() if key not in MEDIA or key in media}
    if channel in SPOKEN:
        return _spoken(text, rich, voice, defaults or {})
    if channel in PLAIN:
        return Shown(_fallen_back(text, rich, fallback or "plain_text"), {}, voice)
    native = NATIVE.get(channel)
    if native is None:
        return Shown(text, rich, voice)
    kept = {key: value for key, value in rich.items() if key == native or key not in TEXT_FORMATS}
    if fallback and native not in kept:
        text = _fallen_back(text, rich, fallback)
    return Shown(text, kept, voice)


def _spoken(text: str, rich: JsonObject, voice: JsonObject, defaults: JsonObject) -> Shown:
    """Return what is read aloud: PLAIN_TEXT, else the text without markup; SSML beside it where the voice reads it."""
    told = {key: value for key, value in {**defaults, **voice}.items() if key not in ("ssml", "plain_text")}
    reads_ssml = str(defaults.get("ssml", "")).lower() == "true"
    if reads_ssml and voice.get("ssml"):
        told["ssml"] = voice["ssml"]
    words = str(voice.get("plain_text") or "") or without_markup(text)
    return Shown(words, {key: value for key, value in rich.items() if key not in TEXT_FORMATS}, told)


def _fallen_back(text: str, rich: JsonObject, form: str) -> str:
    if form in ("markdown", "html") and isinstance(rich.get(form), str):
        return str(rich[form])
    return without_markup(text) if form == "plain_text" else text
