"""What a user would rather have said: the new value in a correction. Spec: abl-language 5.7."""

from __future__ import annotations

from abl.languages import Pack, folded, form_pattern

MAX_CHARS = 4_000
_AROUND = " \t\r\n.!,;:。、，！؛"


def corrected(text: str, words: Pack) -> str:
    """Return what a correction puts in the place of something said before, empty when the text is none.

    >>> from abl.languages import load_pack
    >>> corrected("No, make it 5 days.", load_pack("en")), corrected("5 days", load_pack("en"))
    ('5 days', '')
    """
    text = text[:MAX_CHARS]
    said = folded(text)
    tails = [
        text[said.places[found.start("value")] : said.places[found.end("value")]].strip(_AROUND)
        for form in words.correction
        if (found := form_pattern(form).search(said.text)) is not None
    ]
    return min(filter(None, tails), key=len, default="")


def begins_with_correction(text: str, words: Pack) -> bool:
    """Return whether a text begins with the words of a correction: "que sean 40"."""
    said = folded(text[:MAX_CHARS].strip(_AROUND)).text
    return any(form_pattern(form).match(said) is not None for form in words.correction if not form.startswith("^{"))
