from __future__ import annotations

import pytest

from engine import delegate
from engine.effects import AskModel, CallTool
from engine.facts import ModelFailed
from engine.failures import Handler, delay_before
from engine.state import Outcome
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
    [
        ("NO_CONNECTION", 2),
        ("SECRET_NOT_FOUND", 1),
        ("SECRET_EXPIRED", 1),
        ("AUTH_PROFILE_NOT_FOUND", 1),
        ("ADDRESS_REFUSED", 1),
        ("SyntaxError", 1),
        ("MEMORY_LIMIT", 1),
        ("RESULT_TOO_DEEP", 1),
    ],
)
@pytest.mark.parametrize("rule", ["", "RETRY: 3", "RETRY: 3\n      THEN: retry_step"])
def test_what_lasts_is_not_tried_again(code: str, tries: int, rule: str) -> None:
    """Neither by the built-in handler, nor by one that says so, nor with the whole step."""
    text = f"{CHECKER}ON_ERROR:\n  tool_error:\n    {rule}\n" if rule else CHECKER
    text = text.replace("      THEN: retry_step", "    THEN: retry_step")
    talk = Conversation(program_of({"c.abl": text}), tools={"check": fails(code=code)})
    talk.begin()
    expected = 4 if rule and tries > 1 else tries
    assert sum(isinstance(effect, CallTool) for effect in talk.effects) == expected


@pytest.mark.parametrize(("is_final", "calls"), [(False, 3), (True, 1)])
def test_a_model_that_may_not_be_called_is_asked_once(is_final: bool, calls: int) -> None:
    text = 'AGENT: Desk\nGOAL: "Help"\nON_ERROR:\n  llm_error:\n    RETRY: 2\n    RESPOND: "Sorry"\n'
    refused = ModelFailed(at="", effect_id="", kind="llm_api_error", message="no", is_final=is_final)
    talk = Conversation(program_of({"d.abl": text}), model=lambda _effect: refused)
    talk.begin()
    talk.say("hello")
    assert sum(isinstance(effect, AskModel) for effect in talk.effects) == calls


@pytest.mark.parametrize(
    ("remote", "kind", "again"),
    [
        ({"endpoint": "x"}, "delegation_error", False),
        ({"endpoint": "x"}, "unavailable", True),
        (None, "delegation_error", True),
    ],
)
def test_a_sub_task_that_another_system_refuses_is_given_out_once(
    remote: dict[str, str] | None, kind: str, again: bool
) -> None:
    rule = {"remote": remote, "on_failure": "retry", "retry_count": 3}
    assert delegate._tries_again(rule, Outcome(ok=False, kind=kind), 1) is again
