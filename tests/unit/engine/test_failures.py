from __future__ import annotations

import pytest

from engine.failures import Handler, delay_before


@pytest.mark.parametrize(
    ("backoff", "delays"),
    [("fixed", [500, 500, 500]), ("linear", [500, 1000, 1500]), ("exponential", [500, 1000, 2000])],
)
def test_the_delay_grows_as_the_handler_says(backoff: str, delays: list[int]) -> None:
    handler = Handler({"type": "tool_error", "retry": 3, "retry_delay_ms": 500, "retry_backoff": backoff}, "agent")
    assert [delay_before(handler, attempt) for attempt in (1, 2, 3)] == delays
    assert delay_before(handler, 4) is None


def test_a_delay_has_a_cap() -> None:
    handler = Handler({"type": "x", "retry": 9, "retry_delay_ms": 9000, "retry_backoff": "exponential"}, "agent")
    assert delay_before(handler, 9) == 60_000
    capped = Handler({**handler.ir, "retry_max_delay_ms": 10_000}, "agent")
    assert delay_before(capped, 9) == 10_000
