"""The ways in which a secret may be spelt where somebody says it back: as it is, encoded, or turned around. Pure."""

from __future__ import annotations

import base64
import json
from typing import Final
from urllib.parse import quote, quote_plus, unquote

MASK: Final = "[secret]"
"""What stands in the place of a secret."""
MIN_CHARS: Final = 4
"""A shorter secret is no secret, and would tear ordinary words apart."""
ENCODED_MIN_CHARS: Final = 8
"""What is shorter is not looked for in encodings: those of a few letters are parts of ordinary texts."""
BASE64_BITS, BYTE_BITS = 6, 8
BASE64_GROUP: Final = 3


def spellings(secret: str) -> frozenset[str]:
    """Return the spellings of a secret, none for what is too short to be one.

    In base64 it may stand anywhere within something longer, as in `Basic` credentials.

    >>> "c2VjcmV0LXZhbHVl" in spellings("secret-value"), spellings("abc")
    (True, frozenset())
    """
    if len(secret) < MIN_CHARS:
        return frozenset()
    found = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1]}
    if len(secret) >= ENCODED_MIN_CHARS:
        raw = secret.encode()
        found |= {secret[::-1], raw.hex(), raw.hex().upper(), *_in_base64(raw)}
    return frozenset(found)


def words_of(shown: str) -> tuple[str, str]:
    """Return what is secret of a header or variable: all of it, and its last word, as in `Bearer token`.

    >>> words_of("Bearer one-two")
    ('Bearer one-two', 'one-two')
    """
    return shown, shown.rpartition(" ")[2]


def without(text: str, secrets: frozenset[str], spelt: frozenset[str], mask: str) -> str:
    """Return a text with a mask in the place of every spelling; `spelt` holds those of all `secrets`.

    A text in which a secret stands behind some other use of percent signs comes back decoded.
    """
    for one in sorted(spelt, key=len, reverse=True):
        if one in text:
            text = text.replace(one, mask)
    if "%" in text:
        decoded = unquote(text)
        for secret in sorted(secrets, key=len, reverse=True):
            if secret in decoded:
                text = decoded = decoded.replace(secret, mask)
    return text


def without_cut(text: str, spelt: frozenset[str], mask: str) -> str:
    """Return a text with a mask in the place of the beginning of a spelling at its end: it was cut within a secret.

    >>> without_cut("refused: secret-va", spellings("secret-value"), "[secret]")
    'refused: [secret]'
    """
    longest = max((_overlap(text, one) for one in spelt), default=0)
    return text[:-longest] + mask if longest else text


def _overlap(text: str, spelling: str) -> int:
    """Return how many characters at the end of a text begin a spelling, 0 when they are too few to tell."""
    most = min(len(spelling) - 1, len(text))
    return next((n for n in range(most, ENCODED_MIN_CHARS - 1, -1) if text.endswith(spelling[:n])), 0)


def _in_base64(raw: bytes) -> set[str]:
    """Return what of an encoding is the same whatever stands before and behind, for each place in a group."""
    found = set()
    for before in range(BASE64_GROUP):
        encoded = base64.b64encode(bytes(before) + raw).decode()
        first = -(-before * BYTE_BITS // BASE64_BITS)
        core = encoded[first : (before + len(raw)) * BYTE_BITS // BASE64_BITS]
        found |= {core, core.replace("+", "-").replace("/", "_")}
    whole = base64.b64encode(raw).decode()
    return found | {whole, whole.replace("+", "-").replace("/", "_")}
