"""Texts made comparable: case, accents, widths and digits as people mix them. Spec: abl-language 5.7."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_LETTERS = {
    "ı": "i", "ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'",
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ؤ": "و", "ئ": "ي", "ـ": "", "٫": ".", "٬": ",",
    "ک": "ك", "ی": "ي", "\u200c": "", "\u200d": "", "\u200e": "", "\u200f": "", "\ufeff": "",
}  # fmt: skip
"""Letters that no decomposition makes alike, and signs nobody sees."""

_MARKS = ((0x0300, 0x036F), (0x064B, 0x0655), (0x0670, 0x0670), (0x093C, 0x093C))
"""Accents, Arabic vowel signs and the Hindi nukta: written by some, left out by others."""

_SIGNS = re.compile(r"[^\w\u0900-\u0963]+|_+")

BEFORE_WORD = r"(?<![\w\u0900-\u0963])"
AFTER_WORD = r"(?![\w\u0900-\u0963])"
"""Where a word begins and ends; Hindi vowel signs belong to the word."""


class Folded(NamedTuple):
    """A comparable text and, for each of its signs, the place in the original; one place more marks the end."""

    text: str
    places: tuple[int, ...]


@lru_cache(maxsize=4_096)
def _folded_sign(sign: str) -> str:
    """Return one sign as it is compared; nothing for a mark that is left out."""
    out: list[str] = []
    for one in unicodedata.normalize("NFKC", sign).casefold():
        kept = "".join(part for part in unicodedata.normalize("NFD", one) if not _is_mark(part))
        for letter in unicodedata.normalize("NFC", kept):
            digit = unicodedata.decimal(letter, None)
            out.append(str(digit) if digit is not None else _LETTERS.get(letter, letter))
    return "".join(out)


def _is_mark(sign: str) -> bool:
    return any(first <= ord(sign) <= last for first, last in _MARKS)


def folded(text: str) -> Folded:
    """Return a text in comparable form together with the places its signs came from.

    >>> folded("Çok İYİ").text, folded("ＡＢ ٣").text
    ('cok iyi', 'ab 3')
    """
    if text.isascii():
        return Folded(text.lower(), tuple(range(len(text) + 1)))
    out: list[str] = []
    places: list[int] = []
    for at, sign in enumerate(text):
        made = _folded_sign(sign)
        out.append(made)
        places.extend([at] * len(made))
    return Folded("".join(out), (*places, len(text)))


def fold(text: str) -> str:
    """Return a text in comparable form.

    >>> fold("Après-midi"), fold("STRASSE") == fold("Straße")
    ('apres-midi', True)
    """
    return text.lower() if text.isascii() else "".join([_folded_sign(sign) for sign in text])


def words_only(text: str) -> str:
    """Return a text as words for comparing: folded, other signs as one space, a space at both ends.

    >>> words_only("Oui, s'il vous plaît !")
    ' oui s il vous plait '
    """
    return f" {_SIGNS.sub(' ', fold(text)).strip()} "


@lru_cache(maxsize=8_192)
def folded_phrase(text: str) -> str:
    """Return `words_only` of a phrase of a program or pack, made once."""
    return words_only(text)


def is_spaced(text: str) -> bool:
    """Return whether a text is of a script that puts spaces between words.

    >>> is_spaced("yes please"), is_spaced("はい")
    (True, False)
    """
    return not any(0x3040 <= ord(sign) <= 0x30FF or 0x4E00 <= ord(sign) <= 0x9FFF for sign in text)
