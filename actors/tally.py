"""How models and tools fare, counted where they are asked: one addition to a plain number. Spec: platform-api 14.8.

A host tells its counts with each renewal of its lease; `actors.host_numbers` sums them up for Prometheus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from domain.model_calls import MODEL_ERROR_KINDS, UNANSWERABLE

OK: Final = "ok"
OTHER: Final = "other"
OUTCOME_UNKNOWN: Final = "outcome_unknown"
RATE_LIMITED: Final = "rate_limited"
MODEL, TOOL = "model", "tool"
TOOL_ERROR_KINDS: Final = ("tool_error", "tool_timeout", "invalid_input", "api_error", OUTCOME_UNKNOWN, RATE_LIMITED)
KINDS: Final[Mapping[str, frozenset[str]]] = {
    MODEL: frozenset((OK, *MODEL_ERROR_KINDS, *UNANSWERABLE)),
    TOOL: frozenset((OK, *TOOL_ERROR_KINDS)),
}
"""What is asked -> how it can end; every other end is told as `other`, so that labels stay few."""


class Tally:
    """How often models and tools of one process ended in what way."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def model(self, end: str = OK) -> None:
        """Count a model call that ended so: `ok`, or the kind of its error."""
        self._count(MODEL, end)

    def tool(self, end: str = OK) -> None:
        """Count a tool call that ended so."""
        self._count(TOOL, end)

    def counts(self) -> dict[str, int]:
        """Return what was counted since the process began: `model:ok`, `tool:tool_timeout` ... -> how often."""
        return dict(self._counts)

    def _count(self, asked: str, end: str) -> None:
        self._counts[f"{asked}:{end if end in KINDS[asked] else OTHER}"] += 1
