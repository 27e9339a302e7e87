"""How a runtime is, part by part. Spec: platform-api 14.8."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

OK: Final = "ok"
"""The state of a part with which nothing is wrong."""


class Health(Struct, frozen=True, kw_only=True):
    """How the runtime is; `ready` is False while starting, draining or without its store.

    `parts` are needed by every turn; `lesser` are those without which some are taken still: the others are refused with
    an answer that says so. Each has the word "ok", or what is wrong with it.
    """

    ready: bool
    draining: bool = False
    hosts: int = 0
    live_sessions: int = 0
    waiting_turns: int = 0
    parts: dict[str, str] = field(default_factory=dict)
    lesser: dict[str, str] = field(default_factory=dict)
