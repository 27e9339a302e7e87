"""Measuring a turn while its events pass: how long to its first words, how long to its end. Spec: platform-api 14.8."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from time import perf_counter

from actors.runtime import StreamEvent
from gateway.metrics import Metrics, Transport


async def measured(
    events: AsyncIterator[StreamEvent], metrics: Metrics, transport: Transport, began: float
) -> AsyncGenerator[StreamEvent]:
    """Yield the events of one turn that began at `began` (of `perf_counter`), and close what gives them."""
    spoken = False
    try:
        async for event in events:
            if event.kind == "response_chunk" and not spoken:
                spoken = True
                metrics.first_token(transport, perf_counter() - began)
            elif event.kind == "complete":
                metrics.turn(transport, perf_counter() - began)
            yield event
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
