"""How a runtime is, part by part. Spec: platform-api 14.8."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

OK: Final = "ok"
"""The state of a part with which nothing is wrong."""


class ModelHealth(Struct, frozen=True):
    """How the model is that agents ask which name none; `is_set` is False where the installation has none."""

    state: str = OK
    is_set: bool = True

    @property
    def needed(self) -> dict[str, str]:
        """What it is among the parts that turns need."""
        return {"model": self.state} if self.is_set else {}

    @property
    def lesser(self) -> dict[str, str]:
        """What it is among those that may be done without."""
        return {} if self.is_set else {"model": self.state}


class Health(Struct, frozen=True, kw_only=True):
    """How the runtime is; `ready` is False while starting, draining or without one of its `parts`.

    `parts` are those that this gateway is to serve turns with; `lesser` are those that an installation may do without.
    Each has the word "ok", or what is wrong with it. Decision: 0065.
    """

    ready: bool
    draining: bool = False
    hosts: int = 0
    live_sessions: int = 0
    waiting_turns: int = 0
    parts: dict[str, str] = field(default_factory=dict)
    lesser: dict[str, str] = field(default_factory=dict)
