"""Budgets: how much models may use in a tenant or project, by an agent, for a contact or session, before a run stops.

Before a model is asked, the most that the call can use is held; afterwards what it did use is spent, and the rest of
the hold is free again. So what is spent never passes a budget, however many calls are under way. The bound of a call:
a token is at least one byte of what is sent, and the answer has at most the tokens that were asked for.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from domain.model_calls import ModelRequest

ANSWER_TOKENS: Final = 4_096
"""The most an answer may have under a budget when neither the agent nor the deployment says less or more."""
IMAGE_TOKENS: Final = 50_000
"""The most that a picture counts as at any provider that is known: gpt-4o-mini, eight tiles, has 48,169."""
FRAME_TOKENS: Final = 16
"""What providers add around a message or a tool, and around the whole."""
NANOS_PER_USD: Final = 1_000_000_000
SPENT: Final = "Budget exceeded"
"""What whoever asks for something that would pass a budget is told."""


class BudgetScope(StrEnum):
    """What a budget is for; of all but the tenant and the project, one named or each."""

    TENANT = "tenant"
    PROJECT = "project"
    AGENT = "agent"
    CONTACT = "contact"
    SESSION = "session"


class BudgetPeriod(StrEnum):
    """After what time a budget begins anew, in UTC."""

    TOTAL = "total"
    DAY = "day"
    MONTH = "month"


class Amount(NamedTuple):
    """What is held or spent: tokens, and billionths of a US dollar."""

    tokens: int
    nanos: int


NOTHING: Final = Amount(0, 0)


class Budget(Struct, frozen=True, kw_only=True):
    """A limit.

    Attributes:
        project_id: Empty for a tenant's.
        subject: Name of the agent, id of the contact or session; empty: each of them has this much.
        max_tokens: Input and output together; None is no limit.
        max_nanos: Billionths of a US dollar; None is no limit.
    """

    budget_id: str
    scope: BudgetScope
    project_id: str = ""
    subject: str = ""
    period: BudgetPeriod = BudgetPeriod.TOTAL
    max_tokens: int | None = None
    max_nanos: int | None = None


class AccountState(Struct, frozen=True):
    """What stands on the account of a budget."""

    subject: str
    began: datetime
    tokens_held: int
    nanos_held: int
    tokens_spent: int
    nanos_spent: int


class Spender(Struct, frozen=True, kw_only=True):
    """For whom a model is asked; a completion has a project only."""

    project_id: str
    session_id: str = ""
    contact_id: str = ""
    agent: str = ""


def subject_of(budget: Budget, spender: Spender) -> str | None:
    """Return whose account of a budget a call goes on, None when the budget is not about it."""
    if budget.project_id not in ("", spender.project_id):
        return None
    if budget.scope in (BudgetScope.TENANT, BudgetScope.PROJECT):
        return ""
    mine = {
        BudgetScope.AGENT: spender.agent,
        BudgetScope.CONTACT: spender.contact_id,
        BudgetScope.SESSION: spender.session_id,
    }[budget.scope]
    return mine if mine and budget.subject in ("", mine) else None


def period_start(period: BudgetPeriod, now: datetime) -> datetime:
    """Return when the account of this moment began."""
    now = now.astimezone(UTC)
    match period:
        case BudgetPeriod.TOTAL:
            return datetime(1970, 1, 1, tzinfo=UTC)
        case BudgetPeriod.DAY:
            return now.replace(hour=0, minute=0, second=0, microsecond=0)
        case BudgetPeriod.MONTH:
            return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def most_input_tokens(request: ModelRequest) -> int:
    """Return how many tokens the input of a call can have at the most.

    >>> from domain.model_calls import Message
    >>> most_input_tokens(ModelRequest(messages=(Message("user", "Hi"),))) < 100
    True
    """
    messages = [msgspec.structs.replace(one, images=()) if one.images else one for one in request.messages]
    said = msgspec.json.encode((messages, request.tools, request.json_schema))
    parts = len(messages) + len(request.tools) + 1
    images = sum(len(one.images) for one in request.messages)
    return len(said) + parts * FRAME_TOKENS + images * IMAGE_TOKENS


def bounded_answer(request: ModelRequest, most: int | None = None) -> ModelRequest:
    """Return the request with a bound for its answer, which is no more than the `most` tokens that its model gives."""
    wanted = request.max_tokens or ANSWER_TOKENS
    bound = wanted if most is None else min(wanted, most)
    return request if request.max_tokens == bound else msgspec.structs.replace(request, max_tokens=bound)


def nanos_of(usd: float) -> int:
    """Return US dollars in billionths, rounded up.

    >>> nanos_of(0.0000000001)
    1
    """
    return math.ceil(round(usd * NANOS_PER_USD, 3))
