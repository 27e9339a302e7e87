"""The forms of the API about health. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Check(TypedDict):
    """One part: store, coordination, cluster, queue, model. One that is degraded is one that may be ..."""

    name: str
    status: Literal["ok", "degraded", "failed"]
    message: NotRequired[str | None]


class HealthReply(TypedDict):
    """The process lives."""

    success: NotRequired[Literal[True]]
    status: NotRequired[Literal["ok"]]
    version: str
    uptimeSec: int
    capabilities: dict[str, bool]


class ReadinessReply(TypedDict):
    """The system can serve."""

    success: NotRequired[Literal[True]]
    status: NotRequired[Literal["ready"]]
    checks: list[Check]
