"""The forms of the API about budgets. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class AccountItem(TypedDict):
    """What one agent, contact or session has used in a period, and what is held for calls under way."""

    subject: str
    beganAt: str | None
    tokensSpent: int
    tokensHeld: int
    usdSpent: float
    usdHeld: float


class AccountsReply(TypedDict):
    """The accounts of a budget, the newest period first, in it those that spent most."""

    success: NotRequired[Literal[True]]
    budget: BudgetItem
    accounts: list[AccountItem]


class BudgetItem(TypedDict):
    """A budget; `subject` is null where each has it."""

    id: str
    scope: str
    subject: str | None
    period: str
    maxTokens: int | None
    maxUsd: float | None


class BudgetListReply(TypedDict):
    """The budgets of a project, or of the tenant itself."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    budgets: list[BudgetItem]


class BudgetReply(TypedDict):
    """One budget."""

    success: NotRequired[Literal[True]]
    budget: BudgetItem


class Limits(TypedDict):
    """How much may be used; at least one of them."""

    maxTokens: NotRequired[int | None]
    maxUsd: NotRequired[float | None]


class ProjectBudgetBody(TypedDict):
    """A budget within a project; `subject` names one agent, contact or session, and each has it where ..."""

    maxTokens: NotRequired[int | None]
    maxUsd: NotRequired[float | None]
    period: NotRequired[Literal["total", "day", "month"]]
    scope: NotRequired[Literal["project", "agent", "contact", "session"]]
    subject: NotRequired[str | None]


class TenantBudgetBody(TypedDict):
    """A budget for everything in the tenant; those of a project, agent, contact or session belong to ..."""

    maxTokens: NotRequired[int | None]
    maxUsd: NotRequired[float | None]
    period: NotRequired[Literal["total", "day", "month"]]
    scope: NotRequired[Literal["tenant"]]
    subject: NotRequired[None]
