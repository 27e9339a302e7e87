"""The part of the API about health. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport

if TYPE_CHECKING:
    from abl_client.forms.health import HealthReply, ReadinessReply


class HealthApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def show_health(self) -> HealthReply:
        """Return that the process lives."""
        return cast("HealthReply", self._transport.json("GET", "/health", schemes=()))

    def show_readiness(self) -> ReadinessReply:
        """Return whether new turns can be taken, with the state of each part."""
        return cast("ReadinessReply", self._transport.json("GET", "/ready", schemes=()))

    def show_metrics(self) -> bytes:
        """Return the numbers of this process and of the runtime, for Prometheus."""
        return self._transport.bytes("GET", "/metrics", schemes=())
