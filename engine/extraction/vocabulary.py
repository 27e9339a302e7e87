"""The words the readers know: the pack of the session's language. Spec: abl-language 5.7."""

from __future__ import annotations

from abl.languages import DEFAULT_TAG, TAGS, Pack, base_tag, load_pack


def vocabulary(language: str) -> Pack:
    """Return the words of a language tag, English when the language is not known."""
    tag = base_tag(language)
    return load_pack(tag if tag in TAGS else DEFAULT_TAG)
