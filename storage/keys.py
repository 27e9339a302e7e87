"""The short keys under which a session's rows stand: hashes that cannot be made without the tenant.

`session_key` is also a function in the database, so that a statement may be given the names instead.
"""

from __future__ import annotations

from hashlib import blake2b, sha256

from domain.limits import IDEMPOTENCY_KEPT_S

SESSION_KEY_BYTES = 16
REQUESTS_KEPT = f"interval '{IDEMPOTENCY_KEPT_S} seconds'"
"""In SQL: how long a request under an idempotency key is known."""
REQUEST_KEY_BYTES = 8


def session_key(tenant_id: str, session_id: str) -> bytes:
    """Return the 16 bytes that stand for this session of this tenant."""
    return sha256(f"{tenant_id}\0{session_id}".encode()).digest()[:SESSION_KEY_BYTES]


def request_key(idempotency_key: str) -> int:
    """Return the number, of 64 bits with a sign, that stands for a caller's key within its session."""
    digest = blake2b(idempotency_key.encode(), digest_size=REQUEST_KEY_BYTES).digest()
    return int.from_bytes(digest, "little", signed=True)
