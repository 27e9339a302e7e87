"""Calls of models by agents, listed as generations: events that still know their place. Spec: platform-api 5.7.

What they and all others used is counted with the events, see `analytics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import asdict

from storage.database import Database
from storage.repositories.analytics_statements import ALL, EVENTS_OF_PROJECT, MODEL, PROVIDER, SESSION_ID
from storage.statements import Statement

_OF_AGENTS = f"""
    FROM analytics_told
    WHERE {EVENTS_OF_PROJECT} AND seq IS NOT NULL AND {ALL}
      AND (:model::text IS NULL OR {MODEL} = :model OR {PROVIDER} || '/' || {MODEL} = :model)
      AND (:agent_name::text IS NULL OR agent_name = :agent_name)
      AND (
          :session_id::text IS NULL
          OR session_key = session_key(:tenant_id, :session_id) AND child_session_id IS NULL
          OR child_session_id = :session_id AND session_key = (
              SELECT session_key(:tenant_id, pin ->> 'root_session_id') FROM sessions
              WHERE session_key = session_key(:tenant_id, :session_id)
          )
      )
"""
"""A call of a delegated agent stands with the conversation, under the name of its own session."""
LIST = Statement(f"""
    SELECT at, seq, coalesce(child_session_id, {SESSION_ID}) AS session_id, turn, span_id, agent_name, {MODEL} AS model,
        {PROVIDER} AS provider, operation, coalesce(duration_ms, 0) AS latency_ms, first_token_ms,
        coalesce(tokens_in, 0) AS input_tokens, coalesce(tokens_out, 0) AS output_tokens,
        cost AS estimated_cost, coalesce(labels ->> 'status', metadata ->> 'status', '') AS finish_reason,
        error IS NULL AS success, prompt_messages, prompt_characters, system_prompt_hash
    FROM (SELECT * {_OF_AGENTS} ORDER BY at DESC, number DESC LIMIT :limit OFFSET :offset) AS found
    ORDER BY at DESC, number DESC
""")
COUNT = Statement(f"SELECT count(*) {_OF_AGENTS}")


class ModelCall(Struct, frozen=True, kw_only=True):
    """One call; `seq` is the number of its trace event. A cost of None is one that nobody knows."""

    at: datetime
    seq: int
    session_id: str
    turn: int
    span_id: str
    agent_name: str
    model: str
    provider: str
    operation: str
    latency_ms: int
    first_token_ms: int | None
    input_tokens: int
    output_tokens: int
    estimated_cost: float | None
    finish_reason: str
    success: bool
    prompt_messages: int | None
    prompt_characters: int | None
    system_prompt_hash: str | None


class CallQuery(Struct, frozen=True, kw_only=True):
    """Which calls of a project's agents; None means any. A model is named with its provider (`openai/x`) or without."""

    since: datetime
    until: datetime
    model: str | None = None
    agent_name: str | None = None
    session_id: str | None = None


class ModelCalls:
    """The calls of all projects, as far as they are counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(
        self, tenant_id: str, project_id: str, wanted: CallQuery, *, limit: int, offset: int
    ) -> tuple[Sequence[ModelCall], int]:
        """Return one page of the calls of agents, the newest first, and how many there are."""
        values = asdict(wanted)
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, limit=limit, offset=offset, **values
        )
        total = await self._database.value(COUNT, tenant_id=tenant_id, project_id=project_id, **values)
        return [ModelCall(**dict(row)) for row in rows], int(total)
