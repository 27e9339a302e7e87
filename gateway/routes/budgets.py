"""Budgets of a tenant and of its projects: how much models may use before a run stops. Spec: decision 0024."""

from __future__ import annotations

from collections.abc import Sequence

from domain import limits
from domain.budgets import Budget
from domain.permissions import Permission
from gateway.access import Admission, Admitted, caller
from gateway.audited import Asking
from gateway.bodies.budgets import (
    AccountsReply,
    BudgetListReply,
    BudgetReply,
    Limits,
    ProjectBudgetBody,
    TenantBudgetBody,
    account_item,
    budget_item,
    new_budget,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import DeletedReply, Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.services import Services, Serving
from gateway.visible import of_whole_tenant

CREATED = 201
OF_TENANT = ""
READER = caller("api_key", "user", permission=Permission.USAGE_READ)
WRITER = caller("api_key", "user", permission=Permission.PROJECT_WRITE)
MAKER = caller("api_key", "user", permission=Permission.PROJECT_WRITE, replay="reply")

of_project = guarded_router("/api/projects/{project_id}/budgets", "budgets")
of_tenant = guarded_router("/api/budgets", "budgets")


@of_project.get("", response_model=BudgetListReply, dependencies=[READER])
async def list_project_budgets(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> BudgetListReply:
    """Return the budgets within a project."""
    return _page(await services.desks.budgets.list(admitted.caller.tenant_id, project_id), limit, offset)


@of_project.post("", status_code=CREATED, response_model=BudgetReply, dependencies=[MAKER])
async def set_project_budget(
    project_id: str, body: ProjectBudgetBody, admitted: Admitted, asking: Asking, services: Serving
) -> BudgetReply:
    """Set a budget for the project, or for an agent, contact or session of it, or for each of them."""
    wanted = new_budget(body, project_id)
    return _one(await services.desks.budgets.set_up(admitted.caller.tenant_id, wanted, asking))


@of_project.get("/{budget_id}", response_model=AccountsReply, dependencies=[READER])
async def get_project_budget(
    project_id: str, budget_id: QueryText, admitted: Admitted, services: Serving
) -> AccountsReply:
    """Return a budget with what was used of it."""
    return await _accounts(services, admitted, project_id, budget_id)


@of_project.put("/{budget_id}", response_model=BudgetReply, dependencies=[WRITER])
async def change_project_budget(
    project_id: str, budget_id: QueryText, body: Limits, admitted: Admitted, asking: Asking, services: Serving
) -> BudgetReply:
    """Replace the limits of a budget; what was used stays used."""
    return await _changed(services, admitted, asking, project_id, budget_id, body)


@of_project.delete("/{budget_id}", response_model=DeletedReply, dependencies=[WRITER])
async def delete_project_budget(
    project_id: str, budget_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Remove a budget."""
    await services.desks.budgets.remove(admitted.caller.tenant_id, project_id, budget_id, asking)
    return DeletedReply()


@of_tenant.get("", response_model=BudgetListReply, dependencies=[READER])
async def list_tenant_budgets(
    admitted: Admitted, services: Serving, limit: PageLimit = limits.PAGE_LIMIT_DEFAULT, offset: Offset = 0
) -> BudgetListReply:
    """Return the budgets of the tenant itself."""
    of_whole_tenant(admitted.caller)
    return _page(await services.desks.budgets.list(admitted.caller.tenant_id, OF_TENANT), limit, offset)


@of_tenant.post("", status_code=CREATED, response_model=BudgetReply, dependencies=[MAKER])
async def set_tenant_budget(
    body: TenantBudgetBody, admitted: Admitted, asking: Asking, services: Serving
) -> BudgetReply:
    """Set a budget for everything in the tenant."""
    of_whole_tenant(admitted.caller)
    return _one(await services.desks.budgets.set_up(admitted.caller.tenant_id, new_budget(body), asking))


@of_tenant.get("/{budget_id}", response_model=AccountsReply, dependencies=[READER])
async def get_tenant_budget(budget_id: QueryText, admitted: Admitted, services: Serving) -> AccountsReply:
    """Return a budget with what was used of it."""
    of_whole_tenant(admitted.caller)
    return await _accounts(services, admitted, OF_TENANT, budget_id)


@of_tenant.put("/{budget_id}", response_model=BudgetReply, dependencies=[WRITER])
async def change_tenant_budget(
    budget_id: QueryText, body: Limits, admitted: Admitted, asking: Asking, services: Serving
) -> BudgetReply:
    """Replace the limits of a budget; what was used stays used."""
    of_whole_tenant(admitted.caller)
    return await _changed(services, admitted, asking, OF_TENANT, budget_id, body)


@of_tenant.delete("/{budget_id}", response_model=DeletedReply, dependencies=[WRITER])
async def delete_tenant_budget(
    budget_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Remove a budget."""
    of_whole_tenant(admitted.caller)
    await services.desks.budgets.remove(admitted.caller.tenant_id, OF_TENANT, budget_id, asking)
    return DeletedReply()


def _page(budgets: Sequence[Budget], limit: int, offset: int) -> BudgetListReply:
    return BudgetListReply(
        budgets=[budget_item(one) for one in budgets[offset : offset + limit]],
        pagination=Totals(total=len(budgets), limit=limit, offset=offset),
    )


def _one(budget: Budget) -> BudgetReply:
    return BudgetReply(budget=budget_item(budget))


async def _accounts(services: Services, admitted: Admission, project_id: str, budget_id: str) -> AccountsReply:
    budget, states = await services.desks.budgets.accounts(
        admitted.caller.tenant_id, project_id, budget_id, limit=limits.PAGE_LIMIT_MAX
    )
    return AccountsReply(budget=budget_item(budget), accounts=[account_item(one, budget.period) for one in states])


async def _changed(
    services: Services, admitted: Admission, asking: Asking, project_id: str, budget_id: str, body: Limits
) -> BudgetReply:
    budget = await services.desks.budgets.change(
        admitted.caller.tenant_id, project_id, budget_id, tokens=body.max_tokens, nanos=body.max_nanos, by=asking
    )
    return _one(budget)
