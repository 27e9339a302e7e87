"""Events of a project as its agents would have told them over a month, written by COPY."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from typing import Any

from storage.keys import session_key
from storage.repositories.analytics_rows import Kind

DAYS = 30
TURNS = 6
AGENTS = ("Parcel_Desk", "Billing", "Returns", "Clerk", "Front", "Night_Desk", "Claims", "Sales", "Survey", "Escort")
MODELS = (("gpt-4o-mini", "openai", 0.00012), ("gpt-4o", "openai", 0.004), ("claude-haiku", "anthropic", 0.0008),
          ("claude-sonnet", "anthropic", 0.006), ("qwen2.5-0.5b", "embedded", 0.0))  # fmt: skip
CHANNELS = ("api", "api", "api", "web_debug", "voice")
NULL = "\\N"
NO_FIGURES = "\t".join([NULL] * 3)
NO_CALL = "\t".join([NULL] * 4)
EVENTS_PER_SESSION = 3 + 6 * TURNS
CHUNK_SESSIONS = 500


EVENT_COLUMNS = (
    "project_key", "at", "kind_key", "session_key", "duration_ms", "tokens_in", "tokens_out", "cost", "error", "turn",
    "seq", "first_token_ms", "span_id",
)  # fmt: skip
SESSION_COLUMNS = ("session_key", "tenant_id", "session_id", "project_id")
KIND_COLUMNS = (
    "tenant_id", "kind_key", "project_id", "category", "event_type", "agent_name", "channel", "environment",
    "operation", "labels", "last_at",
)  # fmt: skip
PROJECT_KEY = "SELECT project_key($1, $2)"


class Month:
    """The lines of COPY for all events of a month, a session after the other in the order of their beginnings.

    Attributes:
        kinds: Those of the events so far, with their keys.
        sessions: The lines of the sessions so far.
    """

    def __init__(self, tenant_id: str, project_id: str, project_key: int, until: datetime) -> None:
        self.tenant_id = tenant_id
        self.project_id = project_id
        self.kinds: dict[Kind, int] = {}
        self.sessions: list[str] = []
        self._head = str(project_key)
        self._until = until
        self._random = Random(11)

    def lines(self, number: int) -> Iterator[str]:
        """Yield about `number` events."""
        sessions = max(number // EVENTS_PER_SESSION, 1)
        since = self._until - timedelta(days=DAYS)
        step_s = timedelta(days=DAYS).total_seconds() / (sessions + 1)
        for place in range(sessions):
            yield from self._session(f"sess_c{place:024d}", since + timedelta(seconds=step_s * place))

    def kind_lines(self) -> Iterator[str]:
        """Yield the kinds of all events so far."""
        for kind, key in self.kinds.items():
            texts = "\t".join(kind[1:-1])
            yield f"{kind.tenant_id}\t{key}\t{texts}\t{json.dumps(dict(kind.labels))}\t{self._until.isoformat()}\n"

    def _session(self, session: str, at: datetime) -> Iterator[str]:
        random, until = self._random, self._until
        agent, channel = random.choice(AGENTS), random.choice(CHANNELS)
        model, provider, price = random.choice(MODELS)
        place = session_key(self.tenant_id, session).hex()
        self.sessions.append(f"{place}\t{self.tenant_id}\t{session}\t{self.project_id}\n")
        second = timedelta(seconds=1)

        def line(
            category: str, kind: str, *, took: int | None = None, figures: str = NO_FIGURES, call: str = NO_CALL,
            operation: str = "", **labels: str,
        ) -> str:  # fmt: skip
            error = "timeout" if category in ("llm", "tool") and random.random() < 0.02 else NULL
            when = min(at, until).isoformat()
            duration = NULL if took is None else took
            key = self._key(category, kind, agent, channel, operation, labels)
            return f"{self._head}\t{when}\t{key}\t{place}\t{duration}\t{figures}\t{error}\t{call}\n"

        yield line("session", "session_started")
        yield line("agent", "agent_entered", by="start")
        for turn in range(TURNS):
            at += second * random.randrange(5, 90)
            yield line("message", "message_received")
            yield line("flow", "step_entered", step="ask")
            tokens_in, tokens_out = random.randrange(200, 1_500), random.randrange(10, 200)
            took = int(random.lognormvariate(6.6, 0.5))
            cost = (tokens_in + 4 * tokens_out) * price / 1_000
            figures = f"{tokens_in}\t{tokens_out}\t{cost}"
            call = f"{turn}\t{9 * turn}\t{took // 3}\t{turn}.1"
            said = {"model": model, "provider": provider, "status": "stop"}
            yield line("llm", "llm_call", took=took, figures=figures, call=call, operation="response_gen", **said)
            yield line("tool", "tool_call", took=int(random.lognormvariate(5, 0.7)), tool="look_up")
            yield line("gather", "field_collected", field="order")
            at += timedelta(milliseconds=took)
            yield line("message", "message_sent", took=took + 40)
        yield line("session", "session_ended", took=TURNS * 50_000, end_reason="idle_timeout")

    def _key(
        self, category: str, kind: str, agent: str, channel: str, operation: str, labels: dict[str, str]
    ) -> int:  # fmt: skip
        place = (self.tenant_id, self.project_id, category, kind, agent, channel, "production", operation)
        one = Kind(*place, labels=tuple(sorted(labels.items())))
        if (key := self.kinds.get(one)) is None:
            key = self.kinds[one] = one.key()
        return key


async def write_events(connection: Any, tenant_id: str, project_id: str, number: int, until: datetime) -> int:
    """Write about `number` events by COPY over a connection of the driver; return how many there are."""
    key = await connection.fetchval(PROJECT_KEY, tenant_id, project_id)
    month = Month(tenant_id, project_id, key, until.astimezone(UTC))
    written = 0

    async def pieces(lines: Iterator[str]) -> AsyncIterator[bytes]:
        nonlocal written
        written = 0
        while held := list(islice(lines, CHUNK_SESSIONS * EVENTS_PER_SESSION)):
            written += len(held)
            yield "".join(held).encode()

    async def copy(table: str, columns: Sequence[str], lines: Iterator[str]) -> int:
        await connection.copy_to_table(table, source=pieces(lines), columns=columns, format="text", timeout=7_200)
        return written

    events = await copy("analytics_events", EVENT_COLUMNS, month.lines(number))
    await copy("analytics_kinds", KIND_COLUMNS, month.kind_lines())
    await copy("analytics_sessions", SESSION_COLUMNS, iter(month.sessions))
    return events
