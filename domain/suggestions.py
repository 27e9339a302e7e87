"""What to do about the findings of a session; each names the spans that show why. Spec: platform-api 5.7."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from domain.session_findings import AnomalyKind, DecisionAnomaly, ErrorPattern, SlowSpan, SpanType, Suggestion

WORDS: Mapping[SpanType, tuple[str, str]] = MappingProxyType(
    {
        "llm_call": (
            "The model {name} is slow",
            "Take a faster model or tier for {agents}, or shorten its prompt and its answers.",
        ),
        "tool_call": (
            "The tool {name} is slow",
            "Look at what is behind {name}, give it a shorter timeout, or make it asynchronous: then no turn waits.",
        ),
        "delegate": (
            "The delegation to {name} is slow",
            "Look at the session of {name}; delegate to several agents at once, or asynchronously.",
        ),
    }
)
"""Type of a slow span -> title and advice."""

ADVICE: Mapping[AnomalyKind, tuple[str, str]] = MappingProxyType(
    {
        "handoff_loop": (
            "Agents hand over in a circle",
            "Narrow the WHEN of one of the two handoffs, or let it return instead of handing over anew.",
        ),
        "repeated_tool_call": (
            "A tool is called again for what it has answered",
            "Keep its result in a variable, or say in its description what the result means.",
        ),
        "no_matching_candidate": (
            "A decision finds no candidate",
            "Add a branch for this case, or an ELSE.",
        ),
        "repeated_question": (
            "Users do not find the answer to a question",
            "Reword the question, give an example, or loosen the check of the field.",
        ),
        "repeated_after_block": (
            "A blocked output is said again",
            "Tell the agent what the guardrail forbids, or let the guardrail rewrite instead of block.",
        ),
    }
)
"""Kind of an anomaly -> title and advice."""


def suggestions_of(
    slow: Sequence[SlowSpan], errors: Sequence[ErrorPattern], anomalies: Sequence[DecisionAnomaly]
) -> tuple[Suggestion, ...]:
    """Return one suggestion for each cause, numbered in this order: errors, what is slow, decisions."""
    found = [*_of_errors(errors), *_of_slow(slow), *_of_anomalies(anomalies)]
    return tuple(
        Suggestion(id=f"s{number}", title=one.title, detail=one.detail, severity=one.severity,
                   related_span_ids=one.related_span_ids)
        for number, one in enumerate(found, 1)
    )  # fmt: skip


def _of_slow(slow: Sequence[SlowSpan]) -> Iterator[Suggestion]:
    causes: dict[tuple[SpanType, str], list[SlowSpan]] = defaultdict(list)
    for one in slow:
        causes[one.type, one.name].append(one)
    for (kind, name), spans in causes.items():
        title, advice = WORDS[kind]
        agents = ", ".join(dict.fromkeys(one.agent_name for one in spans))
        longest = max(spans, key=lambda one: one.duration_ms)
        detail = (
            f"{len(spans)} span{'s' if len(spans) > 1 else ''} over the limit, the longest {longest.span_id} with "
            f"{longest.duration_ms} ms in turn {longest.turn}. {advice.format(name=name, agents=agents)}"
        )
        yield Suggestion(
            id="",
            title=title.format(name=name),
            detail=detail,
            severity="warning",
            related_span_ids=tuple(one.span_id for one in spans),
        )


def _of_errors(errors: Sequence[ErrorPattern]) -> Iterator[Suggestion]:
    for one in errors:
        named = f" of {', '.join(one.names)}" if one.names else ""
        times = "once" if one.count == 1 else f"{one.count} times"
        detail = f"It happened {times}, last at {one.last_at}"
        if one.span_ids:
            detail += f" in {one.span_ids[-1]}"
        yield Suggestion(
            id="",
            title=f"Errors {one.code}{named}",
            detail=f"{detail}: {one.sample_message}".strip(),
            severity="error" if one.count > 1 else "warning",
            related_span_ids=one.span_ids,
        )


def _of_anomalies(anomalies: Sequence[DecisionAnomaly]) -> Iterator[Suggestion]:
    kinds: dict[AnomalyKind, list[DecisionAnomaly]] = defaultdict(list)
    for one in anomalies:
        kinds[one.kind].append(one)
    for kind, found in kinds.items():
        title, advice = ADVICE[kind]
        spans = dict.fromkeys(span for one in found for span in (*one.related, one.span_id))
        yield Suggestion(
            id="",
            title=title,
            detail=f"{found[-1].description}. {advice}",
            severity=found[-1].severity,
            related_span_ids=tuple(spans),
        )
