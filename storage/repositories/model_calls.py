"""Calls of models: listed as generations, counted as usage. Spec: platform-api 4.5, 5.7.

Rows of agents are written by the end of their turn, in its transaction; here are those of completions, and the reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from domain.limits import USAGE_KEPT_DAYS
from storage.database import Database
from storage.statements import Statement

_COLUMNS = """
    call_id, at, session_id, turn, span_id, agent_name, model, provider, operation, latency_ms, first_token_ms,
    input_tokens, output_tokens, estimated_cost, finish_reason, success, prompt_messages, prompt_characters,
    system_prompt_hash
"""
ADD = Statement(
    f"""
    WITH kept AS (
        INSERT INTO model_calls (tenant_id, project_id, {_COLUMNS})
        VALUES (
            :tenant_id, :project_id, :call_id, :at, :session_id, :turn, :span_id, :agent_name, :model, :provider,
            :operation, :latency_ms, :first_token_ms, :input_tokens, :output_tokens, :estimated_cost, :finish_reason,
            :success, :prompt_messages, :prompt_characters, :system_prompt_hash
        )
        ON CONFLICT DO NOTHING RETURNING *
    )
    INSERT INTO analytics_inbox (
        tenant_id, project_id, at, category, event_type, agent_name, session_id, duration_ms, error, metadata
    )
    SELECT tenant_id, project_id, at, 'llm', 'llm_call', agent_name, coalesce(session_id, ''), latency_ms,
        CASE WHEN NOT success THEN 'error' END,
        jsonb_strip_nulls(jsonb_build_object(
            'model', model, 'provider', provider, 'tokens_in', input_tokens, 'tokens_out', output_tokens,
            'cost', estimated_cost, 'status', finish_reason
        ))
    FROM kept
    """,
    is_repeatable=True,
)
_OF_AGENTS = """
    FROM model_calls
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND session_id IS NOT NULL
      AND at >= :since AND at < :until
      AND (:model::text IS NULL OR model = :model)
      AND (:agent_name::text IS NULL OR agent_name = :agent_name)
      AND (:session_id::text IS NULL OR session_id = :session_id)
"""
LIST = Statement(f"SELECT {_COLUMNS} {_OF_AGENTS} ORDER BY at DESC, call_id DESC LIMIT :limit OFFSET :offset")
COUNT = Statement(f"SELECT count(*) {_OF_AGENTS}")
_SUMS = """
    coalesce(sum(input_tokens + output_tokens), 0)::bigint AS total_tokens,
    sum(estimated_cost) AS total_cost, count(*) AS request_count, avg(latency_ms)::float8 AS avg_latency_ms
"""
_USED = """
    FROM model_calls
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND at >= :since AND at < :until
"""
SUM = Statement(f"SELECT '' AS model, '' AS provider, {_SUMS} {_USED}")
SUM_BY_MODEL = Statement(
    f"SELECT model, provider, {_SUMS} {_USED} GROUP BY model, provider ORDER BY total_tokens DESC, model, provider"
)
FORGET_OLD = Statement(f"""
    DELETE FROM model_calls WHERE ctid IN (
        SELECT ctid FROM model_calls WHERE at <= clock_timestamp() - interval '{USAGE_KEPT_DAYS} days' LIMIT :limit
    )
""")


class ModelCall(Struct, frozen=True, kw_only=True):
    """One call. A completion has no session; a cost of None is one that nobody knows."""

    call_id: str
    at: datetime
    session_id: str | None = None
    turn: int = 0
    span_id: str = ""
    agent_name: str = ""
    model: str = ""
    provider: str = ""
    operation: str = ""
    latency_ms: int = 0
    first_token_ms: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    estimated_cost: float | None = None
    finish_reason: str = ""
    success: bool = True
    prompt_messages: int | None = None
    prompt_characters: int | None = None
    system_prompt_hash: str | None = None


class CallQuery(Struct, frozen=True, kw_only=True):
    """Which calls of a project's agents; None means any."""

    since: datetime
    until: datetime
    model: str | None = None
    agent_name: str | None = None
    session_id: str | None = None


class Used(Struct, frozen=True, kw_only=True):
    """What calls used together; the cost of those whose price is known, None when it is known of none."""

    model: str
    provider: str
    total_tokens: int
    total_cost: float | None
    request_count: int
    avg_latency_ms: float | None


class ModelCalls:
    """The calls of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, tenant_id: str, project_id: str, call: ModelCall) -> None:
        """Keep a call; one that is kept already changes nothing."""
        values = {name: getattr(call, name) for name in call.__struct_fields__}
        await self._database.execute(ADD, tenant_id=tenant_id, project_id=project_id, **values)

    async def list(
        self, tenant_id: str, project_id: str, wanted: CallQuery, *, limit: int, offset: int
    ) -> tuple[Sequence[ModelCall], int]:
        """Return one page of the calls of agents, the newest first, and how many there are."""
        values = {name: getattr(wanted, name) for name in wanted.__struct_fields__}
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, limit=limit, offset=offset, **values
        )
        total = await self._database.value(COUNT, tenant_id=tenant_id, project_id=project_id, **values)
        return [ModelCall(**dict(row)) for row in rows], int(total)

    async def used(
        self, tenant_id: str, project_id: str, since: datetime, until: datetime, *, by_model: bool = False
    ) -> Sequence[Used]:
        """Return what all calls used, in one row or one for each model, the most used first."""
        rows = await self._database.rows(
            SUM_BY_MODEL if by_model else SUM, tenant_id=tenant_id, project_id=project_id, since=since, until=until
        )
        return [Used(**dict(row)) for row in rows]

    async def forget_old(self, limit: int) -> int:
        """Remove calls past their retention, at most `limit`; return how many."""
        return await self._database.execute(FORGET_OLD, limit=limit)
