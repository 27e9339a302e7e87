"""Whose an `Idempotency-Key` is: a key means something only together with the person who sent it. Decision: 0008."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal

import msgspec

Use = Literal["turn", "open", "name", "file", "reset", "change"]
"""What a key stands for: a turn, a session that is opened, a session found again by its name, a file, a reset of a
session or another change."""
DIGEST_BYTES: Final = 16
API_KEY: Final = "api_key"


def owner_of_key(kind: str, subject: str, named: str = "") -> str:
    """Return whose a key is that a caller of this kind sends: two people never share one.

    It is the person's and not the credential's: a refreshed token or a rotated API key finds what the earlier one did.

    >>> owner_of_key("user", "usr_1", "con_2"), owner_of_key("api_key", "key_1", "con_2"), owner_of_key("api_key", "k")
    ('user:usr_1', 'api_key:con_2', 'api_key:')

    Args:
        kind: Of the credential (`Caller.kind`).
        subject: The user that is logged in or that an SDK token names; the id of an API key.
        named: The user or contact that the request of an API key names, if any.
    """
    return f"{kind}:{named if kind == API_KEY else subject}"


def owned_key(use: Use, owner: str, key: str) -> str:
    """Return a client's key as it is known inside: of one use and one owner; "" when the client sent none."""
    if not key:
        return ""
    return blake2b(msgspec.json.encode((use, owner, key)), digest_size=DIGEST_BYTES).hexdigest()
