"""The names of suspensions, and of what is made for them: each the same however often it is asked for."""

from __future__ import annotations

import hashlib

from actors.session.store import SessionPin
from domain.ids import PREFIXES

ID_DIGEST_BYTES = 12
BETWEEN = "/"
"""Between a runtime session id and a suspension id: after a reset the same suspension ids come again."""


def place_of(pin: SessionPin, suspension_id: str) -> str:
    """Return the name of a suspension that no other one of the session ever has."""
    return f"{pin.runtime_session_id}{BETWEEN}{suspension_id}"


def callback_id_of(pin: SessionPin, suspension_id: str) -> str:
    """Return the id of the callback of a suspension."""
    return id_at("callback", pin.session_id, place_of(pin, suspension_id))


def task_id_of(pin: SessionPin, suspension_id: str) -> str:
    """Return the id of the human task of a suspension."""
    return id_at("human_task", pin.session_id, place_of(pin, suspension_id))


def id_at(kind: str, session_id: str, place: str) -> str:
    """Return the id of what one kind of thing is called at a place of a session."""
    text = f"{session_id}{BETWEEN}{place}"
    return f"{PREFIXES[kind]}_c{hashlib.blake2b(text.encode(), digest_size=ID_DIGEST_BYTES).hexdigest()}"
