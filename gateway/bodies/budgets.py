"""Bodies of budgets: limits of tokens, and of US dollars."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from domain.budgets import NANOS_PER_USD, AccountState, Budget, BudgetPeriod, BudgetScope, nanos_of
from domain.clock import iso_ms
from gateway.bodies.texts import Id, RequestBody
from gateway.envelope import PaginatedPage, Success, Wire

MOST_TOKENS = 10**15
MOST_USD = 1_000_000_000
Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
Usd = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]


class Limits(RequestBody):
    """How much may be used; at least one of them."""

    max_tokens: Tokens | None = None
    max_usd: Usd | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.max_tokens is None and self.max_usd is None:
            raise ValueError("maxTokens or maxUsd has to be given")
        return self

    @property
    def max_nanos(self) -> int | None:
        """Return the money in billionths of a dollar."""
        return None if self.max_usd is None else nanos_of(self.max_usd)


class _Periodic(Limits):
    period: Literal["total", "day", "month"] = "total"


def _of_whole_tenant(scope: object) -> object:
    if scope != BudgetScope.TENANT:
        raise ValueError("is tenant here; all other budgets belong to a project: /api/projects/{projectId}/budgets")
    return scope


class TenantBudgetBody(_Periodic):
    """A budget for everything in the tenant; those of a project, agent, contact or session belong to a project."""

    scope: Annotated[Literal["tenant"], BeforeValidator(_of_whole_tenant)] = "tenant"
    subject: None = None


class ProjectBudgetBody(_Periodic):
    """A budget within a project; `subject` names one agent, contact or session, and each has it where none is named."""

    scope: Literal["project", "agent", "contact", "session"] = "project"
    subject: Id | None = None

    @model_validator(mode="after")
    def _subject_fits(self) -> Self:
        if self.scope == "project" and self.subject is not None:
            raise ValueError("a budget of the whole project has no subject")
        return self


class BudgetItem(Wire):
    """A budget; `subject` is null where each has it."""

    id: str
    scope: str
    subject: str | None
    period: str
    max_tokens: int | None
    max_usd: float | None


class BudgetReply(Success):
    """One budget."""

    budget: BudgetItem


class BudgetListReply(PaginatedPage):
    """The budgets of a project, or of the tenant itself."""

    budgets: list[BudgetItem]


class AccountItem(Wire):
    """What one agent, contact or session has used in a period, and what is held for calls under way."""

    subject: str
    began_at: str | None
    tokens_spent: int
    tokens_held: int
    usd_spent: float
    usd_held: float


class AccountsReply(Success):
    """The accounts of a budget, the newest period first, in it those that spent most."""

    budget: BudgetItem
    accounts: list[AccountItem]


def new_budget(body: TenantBudgetBody | ProjectBudgetBody, project_id: str = "") -> Budget:
    """Return what a body wants, without an id; `project_id` is empty for a tenant's."""
    return Budget(
        budget_id="",
        scope=BudgetScope(body.scope),
        project_id=project_id,
        subject=body.subject or "",
        period=BudgetPeriod(body.period),
        max_tokens=body.max_tokens,
        max_nanos=body.max_nanos,
    )


def budget_item(budget: Budget) -> BudgetItem:
    """Return a budget as it is shown."""
    return BudgetItem(
        id=budget.budget_id,
        scope=budget.scope,
        subject=budget.subject or None,
        period=budget.period,
        max_tokens=budget.max_tokens,
        max_usd=None if budget.max_nanos is None else budget.max_nanos / NANOS_PER_USD,
    )


def account_item(state: AccountState, period: str) -> AccountItem:
    """Return an account as it is shown."""
    return AccountItem(
        subject=state.subject,
        began_at=None if period == BudgetPeriod.TOTAL else iso_ms(state.began),
        tokens_spent=state.tokens_spent,
        tokens_held=state.tokens_held,
        usd_spent=state.nanos_spent / NANOS_PER_USD,
        usd_held=state.nanos_held / NANOS_PER_USD,
    )
