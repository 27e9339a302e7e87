from __future__ import annotations

import pytest

from engine.effects import CallTool
from engine.failures import Handler, delay_before
from engine.testing import Conversation, fails, program_of

CHECKER = """\
AGENT: Checker
GOAL: "Check"
TOOLS:
  check(order: string) -> {done: boolean}
    side_effects: false
    type: http
    endpoint: "https://bank.example/check"
FLOW:
  entry_point: check
  check:
    REASONING: false
    CALL: check("o1")
      AS: found
    ON_SUCCESS:
      RESPOND: "Done"
      THEN: COMPLETE
    ON_FAILURE:
      RESPOND: "Not done"
      THEN: COMPLETE
"""


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


@pytest.mark.parametrize(
    ("code", "tries"),
    [("NO_CONNECTION", 2), ("SECRET_NOT_FOUND", 1), ("SECRET_EXPIRED", 1), ("AUTH_PROFILE_NOT_FOUND", 1)],
)
def test_what_lasts_is_not_tried_again(code: str, tries: int) -> None:
    talk = Conversation(program_of({"c.abl": CHECKER}), tools={"check": fails(code=code)})
    talk.begin()
    assert sum(isinstance(effect, CallTool) for effect in talk.effects) == tries
