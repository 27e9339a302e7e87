"""The names of things: one type per kind of id, and the prefix each kind carries. Spec: platform-api 1.6."""

from __future__ import annotations

import hashlib
from typing import NewType

TenantId = NewType("TenantId", str)
ProjectId = NewType("ProjectId", str)
AgentId = NewType("AgentId", str)
VersionId = NewType("VersionId", str)
DeploymentId = NewType("DeploymentId", str)
SessionId = NewType("SessionId", str)
MessageId = NewType("MessageId", str)
EffectId = NewType("EffectId", str)
CallbackId = NewType("CallbackId", str)
TaskId = NewType("TaskId", str)
ContactId = NewType("ContactId", str)
AttachmentId = NewType("AttachmentId", str)
KeyId = NewType("KeyId", str)
UserId = NewType("UserId", str)
HostId = NewType("HostId", str)

PREFIXES = {
    "tenant": "ten",
    "session": "sess",
    "message": "msg",
    "agent": "ag",
    "version": "ver",
    "deployment": "dep",
    "secret": "sec",
    "contact": "ct",
    "attachment": "att",
    "event": "evt",
    "callback": "cb",
    "human_task": "ht",
    "persona": "per",
    "scenario": "scn",
    "evaluator": "evl",
    "eval_set": "set",
    "eval_run": "run",
    "key": "key",
    "user": "usr",
    "feedback": "fb",
    "webhook": "wh",
    "channel": "ch",
    "variable": "var",
    "settings_version": "setv",
    "audit": "aud",
    "model_provider": "mp",
    "budget": "bud",
    "host": "host",
}
"""Kind -> what stands before the `_` of its ids. A project id has no prefix: it is a CUID, `c` and 24 signs."""

CUID_CHARS = 25
_CUID_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def is_project_id(text: str) -> bool:
    """Return whether `text` has the form of a project id, `^c[a-z0-9]{24}$`."""
    return len(text) == CUID_CHARS and text[0] == "c" and set(text) <= _CUID_SIGNS


def prefixed(kind: str, cuid: str) -> str:
    """Return the id of a `kind` of `PREFIXES` made from `cuid`.

    >>> prefixed("session", "c123")
    'sess_c123'
    """
    return f"{PREFIXES[kind]}_{cuid}"


def event_id(session_id: str, seq: int) -> str:
    """Return the id of a session's trace event with this number.

    >>> event_id("sess_c123", 4)
    'evt_c123_4'
    """
    return f"{PREFIXES['event']}_{session_id.removeprefix(PREFIXES['session'] + '_')}_{seq}"


def session_address(session_id: str, agent: str) -> str:
    """Return the address of one agent's thread in a session."""
    return f"{session_id}/{agent}"


def stable_id(prefix: str, *parts: str) -> str:
    """Return the same id for the same parts, made of their hash; without a prefix as ids of projects are."""
    digest = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest())
    signs = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while len(text) < CUID_CHARS - 1:
        digest, place = divmod(digest, len(signs))
        text += signs[place]
    return f"{prefix}_c{text}" if prefix else f"c{text}"
