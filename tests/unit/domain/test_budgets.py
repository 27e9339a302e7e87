"""Whose account a call goes on, when an account began, and the most a call can use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.budgets import (
    ANSWER_TOKENS,
    Budget,
    BudgetPeriod,
    BudgetScope,
    Spender,
    bounded_answer,
    most_input_tokens,
    nanos_of,
    period_start,
    subject_of,
)
from domain.model_calls import Message, ModelRequest, ToolSpec

ANNA = Spender(project_id="p", session_id="s", contact_id="anna", agent="Desk")
COMPLETION = Spender(project_id="p")


def a_budget(scope: str, subject: str = "", project_id: str = "p") -> Budget:
    return Budget(budget_id="b", scope=BudgetScope(scope), subject=subject, project_id=project_id, max_tokens=1)


@pytest.mark.parametrize(
    ("budget", "spender", "account"),
    [
        (a_budget("tenant", project_id=""), ANNA, ""),
        (a_budget("tenant", project_id=""), COMPLETION, ""),
        (a_budget("project"), COMPLETION, ""),
        (a_budget("project", project_id="q"), ANNA, None),
        (a_budget("session"), ANNA, "s"),
        (a_budget("session", "s"), ANNA, "s"),
        (a_budget("session", "other"), ANNA, None),
        (a_budget("session"), COMPLETION, None),
        (a_budget("contact"), ANNA, "anna"),
        (a_budget("contact"), COMPLETION, None),
        (a_budget("agent", "Desk"), ANNA, "Desk"),
        (a_budget("agent", "Front"), ANNA, None),
    ],
)
def test_a_call_goes_on_the_account_of_who_asks(budget: Budget, spender: Spender, account: str | None) -> None:
    assert subject_of(budget, spender) == account


@pytest.mark.parametrize(
    ("period", "began"),
    [("total", "1970-01-01"), ("day", "2026-03-31"), ("month", "2026-03-01")],
)
def test_an_account_begins_with_its_period(period: str, began: str) -> None:
    now = datetime(2026, 3, 31, 23, 59, 59, 5, tzinfo=UTC)
    assert period_start(BudgetPeriod(period), now) == datetime.fromisoformat(began).replace(tzinfo=UTC)


def test_no_input_has_more_tokens_than_the_bound() -> None:
    said = "ß \U0001f600 " * 50
    tool = ToolSpec("find", "Find it", {"type": "object", "properties": {"a": {"type": "string"}}})
    request = ModelRequest(messages=(Message("system", said), Message("user", "x")), tools=(tool,))
    assert most_input_tokens(request) > len(said.encode()) + len("find") + len("Find it") + len('{"type":"object"}')


def test_an_answer_always_has_a_bound() -> None:
    assert bounded_answer(ModelRequest(messages=())).max_tokens == ANSWER_TOKENS
    assert bounded_answer(ModelRequest(messages=(), max_tokens=7)).max_tokens == 7


@pytest.mark.parametrize(("asked", "bound"), [(None, 1_000), (20_000, 1_000), (7, 7)])
def test_an_answer_is_bounded_by_what_its_model_gives(asked: int | None, bound: int) -> None:
    assert bounded_answer(ModelRequest(messages=(), max_tokens=asked), 1_000).max_tokens == bound


@pytest.mark.parametrize(("usd", "nanos"), [(0.0, 0), (1.0, 10**9), (0.1 + 0.2, 300_000_000), (1e-10, 1)])
def test_money_is_rounded_up(usd: float, nanos: int) -> None:
    assert nanos_of(usd) == nanos
