"""How a turn is known again: under the idempotency key of its owner, by a hash of what was asked. Decision: 0008."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from actors.runtime import ChatTurn
from domain.request_keys import owned_key, owner_of_key

HASH_DIGEST_BYTES: Final = 16


def key_of(turn: ChatTurn) -> str:
    """Return a turn's idempotency key as it is known inside; "" when it has none."""
    person = turn.user_id or turn.contact_id
    return owned_key("turn", owner_of_key(turn.user_kind, person, person), turn.idempotency_key)


def request_hash(turn: ChatTurn) -> str:
    """Return what tells two requests under one idempotency key apart."""
    target = (turn.project_id, turn.session_id, turn.agent, turn.deployment_id, turn.environment)
    asked: tuple[object, ...] = (
        target, turn.message, turn.metadata, turn.test_context, turn.attachment_ids, turn.action,
    )  # fmt: skip
    if turn.earlier:  # without, the hash is that of turns from before there were such
        asked = (*asked, turn.earlier)
    encoded = msgspec.json.encode(asked, order="deterministic")
    return hashlib.blake2b(encoded, digest_size=HASH_DIGEST_BYTES).hexdigest()
