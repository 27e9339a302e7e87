"""Which host a session belongs to when nobody holds it: the highest hash of session and host wins.

Every caller with the same list of hosts comes to the same answer; when a host leaves, only its sessions move.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

_DIGEST_BYTES = 8


def weight(session_id: str, host_id: str) -> bytes:
    """Return how strongly a host is drawn to a session; compared as bytes."""
    return blake2b(session_id.encode(), key=host_id.encode()[:64], digest_size=_DIGEST_BYTES).digest()


def choose(session_id: str, host_ids: Sequence[str]) -> str | None:
    """Return the host of a session; None when there are no hosts.

    >>> choose("sess_1", ["b", "a"]) == choose("sess_1", ["a", "b"])
    True
    """
    return max(host_ids, key=lambda host_id: (weight(session_id, host_id), host_id), default=None)
