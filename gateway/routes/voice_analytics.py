"""Figures of voice calls: hour by hour, and all together. Spec: platform-api 8.3."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from domain import limits
from domain.clock import iso_ms
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.bodies.analytics import VoiceHour, VoiceHoursReply, VoiceSummary, VoiceSummaryReply
from gateway.guarded import guarded_router
from gateway.services import Serving

READER = caller("api_key", "user", permission=Permission.SESSION_READ)
Hours = Annotated[int, Query(ge=1, le=limits.VOICE_WINDOW_MAX_HOURS, description="how many, up to now")]
SAME = (
    "avg_call_duration_ms", "avg_inbound_mos", "avg_outbound_mos", "avg_inbound_jitter_ms", "avg_outbound_jitter_ms",
    "avg_e2e_latency_ms", "avg_barge_in_rate", "avg_dtmf_fallback_rate", "avg_asr_score", "avg_tts_proxy_mos",
    "avg_silence_percent",
)  # fmt: skip

router = guarded_router("/api/projects/{project_id}/voice-analytics", "analytics")


@router.get("/hourly", response_model=VoiceHoursReply, dependencies=[READER])
async def list_hours(
    project_id: str, admitted: Admitted, services: Serving, hours: Hours = limits.VOICE_WINDOW_HOURS
) -> VoiceHoursReply:
    """Return the figures of each hour in which calls began."""
    found = await services.desks.analytics.voice_hourly(admitted.caller.tenant_id, project_id, hours)
    rows = [
        VoiceHour(
            hour=iso_ms(one.hour),
            session_count=one.calls,
            error_count=one.failures,
            total_turns=one.turns,
            total_barge_in_count=one.barge_ins,
            total_dtmf_turn_count=one.dtmf_turns,
            **{name: getattr(one, name) for name in SAME},
        )
        for one in found
        if one.hour is not None
    ]
    return VoiceHoursReply(data=rows)


@router.get("/summary", response_model=VoiceSummaryReply, dependencies=[READER])
async def get_summary(
    project_id: str, admitted: Admitted, services: Serving, hours: Hours = limits.VOICE_WINDOW_HOURS
) -> VoiceSummaryReply:
    """Return the figures of all calls together."""
    one = await services.desks.analytics.voice_summary(admitted.caller.tenant_id, project_id, hours)
    summary = VoiceSummary(
        total_calls=one.calls,
        total_errors=one.failures,
        avg_call_duration_ms=one.avg_call_duration_ms,
        overall_avg_inbound_mos=one.avg_inbound_mos,
        overall_avg_outbound_mos=one.avg_outbound_mos,
        overall_avg_latency_ms=one.avg_e2e_latency_ms,
        overall_barge_in_rate=one.barge_in_rate,
        overall_dtmf_fallback_rate=one.dtmf_fallback_rate,
        overall_asr_score=one.avg_asr_score,
        total_turns=one.turns,
        total_barge_in_count=one.barge_ins,
        total_dtmf_turn_count=one.dtmf_turns,
    )
    return VoiceSummaryReply(data=summary)
