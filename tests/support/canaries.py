"""Secrets that must never be seen again, and where they are looked for: in every spelling, in all that was kept or said."""

from __future__ import annotations

import base64
import binascii
import random
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

import msgspec

from storage.database import Database
from tests.support.remains import everything

CANARY_CHARS = 40
BEGINNING_BYTES = 12
"""By what a spelling is looked up; none is shorter."""
_SIGNS = string.ascii_letters + string.digits + "+/=&% -_.~\"'"
_random = random.Random(20261121)


@dataclass
class Haystack:
    """Bytes from many places, each with a name."""

    pieces: dict[str, list[bytes]] = field(default_factory=dict)

    def add(self, place: str, content: bytes | str) -> None:
        """Put something in."""
        raw = content.encode() if isinstance(content, str) else content
        self.pieces.setdefault(place, []).append(raw)

    def found(self, secrets: Iterable[str]) -> list[tuple[str, str, str]]:
        """Return (secret, spelling, place) of each hit.

        There are thousands of spellings: what stands at a place is looked up among their beginnings, each byte once.
        """
        wanted: dict[bytes, list[tuple[str, str, bytes]]] = {}
        for secret in secrets:
            for name, form in forms(secret):
                assert len(form) >= BEGINNING_BYTES, f"{secret!r} is too short to be looked for"
                wanted.setdefault(form[:BEGINNING_BYTES], []).append((secret, name, form))
        hits = []
        for place, pieces in self.pieces.items():
            content = b"\n".join(set(pieces))
            seen = {
                content[at : at + BEGINNING_BYTES] for at in range(len(content) - BEGINNING_BYTES + 1)
            } & wanted.keys()
            hits += [(*one[:2], place) for key in seen for one in wanted[key] if one[2] in content]
        return hits


def a_canary(kind: str) -> str:
    """Return a secret as nobody else has one, with signs that encodings spell in their own ways."""
    return f"{kind}-" + "".join(_random.choices(_SIGNS, k=CANARY_CHARS)).strip() + "x"


def forms(secret: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of each spelling; in base64 also of those within something longer."""
    raw = secret.encode()
    yield "plain", raw
    yield "reversed", raw[::-1]
    yield "hex", binascii.hexlify(raw)
    yield "HEX", binascii.hexlify(raw).upper()
    for name, made in (
        ("quoted", quote(secret, safe="")),
        ("quoted plus", quote_plus(secret)),
        ("path", quote(secret)),
    ):
        if made != secret:
            yield name, made.encode()
    written = msgspec.json.encode(secret)[1:-1]
    if written != raw:
        yield "json", written
    for skipped in range(3):
        inner = raw[skipped:]
        whole = base64.b64encode(inner[: len(inner) // 3 * 3])
        yield f"base64 {skipped}", whole
        yield f"base64url {skipped}", whole.translate(bytes.maketrans(b"+/", b"-_"))


async def add_tables(haystack: Haystack, database: Database) -> None:
    """Put in every value of every table, as it stands and unpacked."""
    async for table, row in everything(database):
        for value in row:
            for one in value:
                haystack.add(f"table {table}", one)
