"""Whether the process lives, whether it can serve, and its numbers. Spec: platform-api 14.8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fastapi import Response

from actors.health import OK
from gateway.access import anyone
from gateway.bodies.health import Check, HealthReply, NotReadyReply, ReadinessReply
from gateway.envelope import json_response
from gateway.guarded import guarded_router
from gateway.metrics import MEDIA_TYPE
from gateway.services import Serving

NOT_READY = 503

router = guarded_router("", "health")


@router.get("/health", response_model=HealthReply, dependencies=[anyone(rated=False, always=True)])
async def show_health(services: Serving) -> HealthReply:
    """Return that the process lives."""
    return HealthReply(
        version=services.settings.version,
        uptime_sec=int(services.metrics.uptime_s()),
        capabilities={"chat": True, "streaming": True, "webSocket": True, "voice": False},
    )


@router.get(
    "/ready",
    response_model=ReadinessReply,
    responses={NOT_READY: {"model": NotReadyReply, "description": "Starting, draining, or a part is down"}},
    dependencies=[anyone(rated=False, always=True)],
)
async def show_readiness(services: Serving) -> Response:
    """Return whether new turns can be taken, with the state of each part."""
    health = await services.runtime.health()
    checks = [*_checks(health.parts, "failed"), *_checks(health.lesser, "degraded")]
    is_leaving = health.draining or services.leaving.has_begun
    if health.ready and not is_leaving:
        return _json(ReadinessReply(checks=checks))
    return _json(NotReadyReply(status="draining" if is_leaving else "not_ready", checks=checks), NOT_READY)


def _checks(parts: Mapping[str, str], otherwise: Literal["degraded", "failed"]) -> list[Check]:
    return [
        Check(name=name, status="ok") if state == OK else Check(name=name, status=otherwise, message=state)
        for name, state in parts.items()
    ]


def _json(body: ReadinessReply | NotReadyReply, status: int = 200) -> Response:
    return json_response(body.model_dump(by_alias=True, exclude_none=True), status)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    dependencies=[anyone(rated=False, always=True)],
)
async def show_metrics(services: Serving) -> Response:
    """Return the numbers of this process and of the runtime, for Prometheus."""
    return Response(services.metrics.text(await services.runtime.metrics()), media_type=MEDIA_TYPE)
