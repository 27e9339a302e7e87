"""Calls of voice, as figures: one row each, written when a call has ended. Spec: platform-api 8.3."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from msgspec.structs import asdict

from storage.database import Connection, Database
from storage.statements import Statement

_FIGURES = """
    avg(duration_ms)::float8 AS avg_call_duration_ms,
    avg(inbound_mos) AS avg_inbound_mos, avg(outbound_mos) AS avg_outbound_mos,
    avg(inbound_jitter_ms) AS avg_inbound_jitter_ms, avg(outbound_jitter_ms) AS avg_outbound_jitter_ms,
    avg(e2e_latency_ms) AS avg_e2e_latency_ms,
    avg(barge_ins::float8 / nullif(turns, 0)) AS avg_barge_in_rate,
    avg(coalesce(dtmf_turns::float8 / nullif(turns, 0), 0)) AS avg_dtmf_fallback_rate,
    avg(asr_score) AS avg_asr_score, avg(tts_proxy_mos) AS avg_tts_proxy_mos,
    avg(silence_percent) AS avg_silence_percent,
    sum(barge_ins)::float8 / nullif(sum(turns), 0) AS barge_in_rate,
    CASE WHEN count(*) > 0 THEN coalesce(sum(dtmf_turns)::float8 / nullif(sum(turns), 0), 0) END
        AS dtmf_fallback_rate,
    coalesce(sum(turns), 0)::bigint AS turns, coalesce(sum(barge_ins), 0)::bigint AS barge_ins,
    coalesce(sum(dtmf_turns), 0)::bigint AS dtmf_turns
"""
_FROM = """
    FROM voice_calls
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND started_at >= :since AND started_at < :until
"""
HOURLY = Statement(f"""
    SELECT date_trunc('hour', started_at, 'UTC') AS hour, count(*) AS calls, count(*) FILTER (WHERE failed) AS failures,
        {_FIGURES} {_FROM} GROUP BY 1 ORDER BY 1
""")
SUMMARY = Statement(f"""
    SELECT NULL::timestamptz AS hour, count(*) AS calls, count(*) FILTER (WHERE failed) AS failures, {_FIGURES} {_FROM}
""")
ADD = Statement(
    """
    INSERT INTO voice_calls (
        tenant_id, project_id, call_id, session_id, started_at, duration_ms, failed, inbound_mos, outbound_mos,
        inbound_jitter_ms, outbound_jitter_ms, e2e_latency_ms, asr_score, tts_proxy_mos, silence_percent, turns,
        barge_ins, dtmf_turns
    ) VALUES (
        :tenant_id, :project_id, :call_id, :session_id, :started_at, :duration_ms, :failed, :inbound_mos,
        :outbound_mos, :inbound_jitter_ms, :outbound_jitter_ms, :latency_ms, :asr_score, :tts_proxy_mos,
        :silence_percent, :turns, :barge_ins, :dtmf_turns
    )
    ON CONFLICT DO NOTHING
    """,
    is_repeatable=True,
)


class VoiceCall(Struct, frozen=True, kw_only=True):
    """A call that has ended; None is a figure that could not be measured.

    Attributes:
        inbound_mos, outbound_mos, tts_proxy_mos: 1 to 5.
        asr_score: 0 to 1.
        turns: Of the agent.
    """

    project_id: str
    call_id: str
    session_id: str
    started_at: datetime
    duration_ms: int | None = None
    failed: bool = False
    inbound_mos: float | None = None
    outbound_mos: float | None = None
    inbound_jitter_ms: float | None = None
    outbound_jitter_ms: float | None = None
    e2e_latency_ms: float | None = None
    asr_score: float | None = None
    tts_proxy_mos: float | None = None
    silence_percent: float | None = None
    turns: int = 0
    barge_ins: int = 0
    dtmf_turns: int = 0


class VoiceFigures(Struct, frozen=True, kw_only=True):
    """Figures of the calls that began in an hour, or in the whole time; None where nothing was measured.

    Attributes:
        avg_barge_in_rate, avg_dtmf_fallback_rate: Of calls, each counting the same.
        barge_in_rate, dtmf_fallback_rate: Of all turns together.
    """

    hour: datetime | None
    calls: int
    failures: int
    avg_call_duration_ms: float | None
    avg_inbound_mos: float | None
    avg_outbound_mos: float | None
    avg_inbound_jitter_ms: float | None
    avg_outbound_jitter_ms: float | None
    avg_e2e_latency_ms: float | None
    avg_barge_in_rate: float | None
    avg_dtmf_fallback_rate: float | None
    avg_asr_score: float | None
    avg_tts_proxy_mos: float | None
    avg_silence_percent: float | None
    barge_in_rate: float | None
    dtmf_fallback_rate: float | None
    turns: int
    barge_ins: int
    dtmf_turns: int


class VoiceCalls:
    """The calls of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, connection: Connection, tenant_id: str, call: VoiceCall) -> None:
        """Keep a call; one that is kept already changes nothing."""
        values = asdict(call)
        latency_ms = values.pop("e2e_latency_ms")
        await connection.execute(ADD, tenant_id=tenant_id, latency_ms=latency_ms, **values)

    async def hourly(self, tenant_id: str, project_id: str, since: datetime, until: datetime) -> list[VoiceFigures]:
        """Return the figures of each hour in which calls began, the earliest first."""
        rows = await self._database.rows(HOURLY, tenant_id=tenant_id, project_id=project_id, since=since, until=until)
        return [VoiceFigures(**dict(row)) for row in rows]

    async def summary(self, tenant_id: str, project_id: str, since: datetime, until: datetime) -> VoiceFigures:
        """Return the figures of all calls that began in the time."""
        row = await self._database.row(SUMMARY, tenant_id=tenant_id, project_id=project_id, since=since, until=until)
        assert row is not None, "an aggregate has one row"
        return VoiceFigures(**dict(row))
