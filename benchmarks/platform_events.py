"""Events of a project as its agents would have told them over a month, written by COPY."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

DAYS = 30
TURNS = 6
AGENTS = ("Parcel_Desk", "Billing", "Returns", "Clerk", "Front", "Night_Desk", "Claims", "Sales", "Survey", "Escort")
MODELS = (("gpt-4o-mini", "openai", 0.00012), ("gpt-4o", "openai", 0.004), ("claude-haiku", "anthropic", 0.0008),
          ("claude-sonnet", "anthropic", 0.006), ("qwen2.5-0.5b", "embedded", 0.0))  # fmt: skip
CHANNELS = ("api", "api", "api", "web_debug", "voice")
COLUMNS = (
    "tenant_id", "project_id", "at", "duration_ms", "tokens", "cost", "category", "event_type", "agent_name",
    "session_id", "channel", "environment", "error", "metadata",
)  # fmt: skip
NULL = "\\N"
EVENTS_PER_SESSION = 3 + 6 * TURNS
CHUNK_SESSIONS = 500


def lines(tenant_id: str, project_id: str, number: int, until: datetime) -> Iterator[str]:
    """Yield events as lines of COPY, `number` of them, a session after the other in the order of their beginnings."""
    random = Random(11)
    sessions = max(number // EVENTS_PER_SESSION, 1)
    since = until - timedelta(days=DAYS)
    step_s = timedelta(days=DAYS).total_seconds() / (sessions + 1)
    head = f"{tenant_id}\t{project_id}"
    for place in range(sessions):
        yield from _session(random, head, f"sess_c{place:024d}", since + timedelta(seconds=step_s * place), until)


def _session(random: Random, head: str, session: str, at: datetime, until: datetime) -> Iterator[str]:
    agent, channel = random.choice(AGENTS), random.choice(CHANNELS)
    model, provider, price = random.choice(MODELS)
    tail = f"{agent}\t{session}\t{channel}\tproduction"
    second = timedelta(seconds=1)

    def line(kind: str, *, took: int | None = None, metadata: str = "{}", tokens: int = 0, cost: float = 0.0) -> str:
        error = "timeout" if kind in ("llm\tllm_call", "tool\ttool_call") and random.random() < 0.02 else NULL
        when = min(at, until).isoformat()
        duration = NULL if took is None else took
        return f"{head}\t{when}\t{duration}\t{tokens}\t{cost}\t{kind}\t{tail}\t{error}\t{metadata}\n"

    yield line("session\tsession_started")
    yield line("agent\tagent_entered", metadata='{"by": "start"}')
    for _ in range(TURNS):
        at += second * random.randrange(5, 90)
        yield line("message\tmessage_received")
        yield line("flow\tstep_entered", metadata='{"step": "ask"}')
        tokens_in, tokens_out = random.randrange(200, 1_500), random.randrange(10, 200)
        took = int(random.lognormvariate(6.6, 0.5))
        cost = (tokens_in + 4 * tokens_out) * price / 1_000
        said = f'"model": "{model}", "provider": "{provider}", "cost": {cost}'
        metadata = f'{{"tokens_in": {tokens_in}, "tokens_out": {tokens_out}, {said}}}'
        yield line("llm\tllm_call", took=took, metadata=metadata, tokens=tokens_in + tokens_out, cost=cost)
        yield line("tool\ttool_call", took=int(random.lognormvariate(5, 0.7)), metadata='{"tool": "look_up"}')
        yield line("gather\tfield_collected", metadata='{"field": "order"}')
        at += timedelta(milliseconds=took)
        yield line("message\tmessage_sent", took=took + 40)
    yield line("session\tsession_ended", took=TURNS * 50_000, metadata='{"end_reason": "idle_timeout"}')


async def write_events(connection: Any, tenant_id: str, project_id: str, number: int, until: datetime) -> int:
    """Write about `number` events by COPY over a connection of the driver; return how many there are."""
    written = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal written
        held: list[str] = []
        for one in lines(tenant_id, project_id, number, until.astimezone(UTC)):
            held.append(one)
            if len(held) >= CHUNK_SESSIONS * EVENTS_PER_SESSION:
                written += len(held)
                yield "".join(held).encode()
                held.clear()
        written += len(held)
        yield "".join(held).encode()

    await connection.copy_to_table("analytics_events", source=pieces(), columns=COLUMNS, format="text", timeout=7_200)
    return written
