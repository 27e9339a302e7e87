"""Bodies of the health routes. Spec: platform-api 14.8."""

from __future__ import annotations

from typing import Literal

from gateway.envelope import Success, Wire


class HealthReply(Success):
    """The process lives."""

    status: Literal["ok"] = "ok"
    version: str
    uptime_sec: int
    capabilities: dict[str, bool]


class Check(Wire):
    """One part: store, coordination, cluster, queue, model. One that is degraded is one that may be done without."""

    name: str
    status: Literal["ok", "degraded", "failed"]
    message: str | None = None


class ReadinessReply(Success):
    """The system can serve."""

    status: Literal["ready"] = "ready"
    checks: list[Check]


class NotReadyReply(Wire):
    """The system cannot serve yet, or no more."""

    success: Literal[False] = False
    status: Literal["draining", "not_ready"]
    checks: list[Check]
