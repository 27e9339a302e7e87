"""The part of the API about budgets. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.budgets import (
        AccountsReply,
        BudgetListReply,
        BudgetReply,
        Limits,
        ProjectBudgetBody,
        TenantBudgetBody,
    )
    from abl_client.forms.users import DeletedReply


class BudgetsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_project_budgets(
        self, project_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> BudgetListReply:
        """Return the budgets within a project."""
        return cast(
            "BudgetListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/budgets",
                query={"limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )

    def set_project_budget(self, project_id: str, body: ProjectBudgetBody, *, idempotency_key: str = "") -> BudgetReply:
        """Set a budget for the project, or for an agent, contact or session of it, or for each of them."""
        return cast(
            "BudgetReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/budgets",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_project_budget(self, project_id: str, budget_id: str) -> AccountsReply:
        """Return a budget with what was used of it."""
        return cast(
            "AccountsReply",
            self._transport.json(
                "GET", f"/api/projects/{place(project_id)}/budgets/{place(budget_id)}", schemes=("apiKey", "bearer")
            ),
        )

    def change_project_budget(self, project_id: str, budget_id: str, body: Limits) -> BudgetReply:
        """Replace the limits of a budget; what was used stays used."""
        return cast(
            "BudgetReply",
            self._transport.json(
                "PUT",
                f"/api/projects/{place(project_id)}/budgets/{place(budget_id)}",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def delete_project_budget(self, project_id: str, budget_id: str) -> DeletedReply:
        """Remove a budget."""
        return cast(
            "DeletedReply",
            self._transport.json(
                "DELETE", f"/api/projects/{place(project_id)}/budgets/{place(budget_id)}", schemes=("apiKey", "bearer")
            ),
        )

    def list_tenant_budgets(self, *, limit: int | None = None, offset: int | None = None) -> BudgetListReply:
        """Return the budgets of the tenant itself."""
        return cast(
            "BudgetListReply",
            self._transport.json(
                "GET", "/api/budgets", query={"limit": limit, "offset": offset}, schemes=("apiKey", "bearer")
            ),
        )

    def set_tenant_budget(self, body: TenantBudgetBody, *, idempotency_key: str = "") -> BudgetReply:
        """Set a budget for everything in the tenant."""
        return cast(
            "BudgetReply",
            self._transport.json(
                "POST", "/api/budgets", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def get_tenant_budget(self, budget_id: str) -> AccountsReply:
        """Return a budget with what was used of it."""
        return cast(
            "AccountsReply",
            self._transport.json("GET", f"/api/budgets/{place(budget_id)}", schemes=("apiKey", "bearer")),
        )

    def change_tenant_budget(self, budget_id: str, body: Limits) -> BudgetReply:
        """Replace the limits of a budget; what was used stays used."""
        return cast(
            "BudgetReply",
            self._transport.json("PUT", f"/api/budgets/{place(budget_id)}", body=body, schemes=("apiKey", "bearer")),
        )

    def delete_tenant_budget(self, budget_id: str) -> DeletedReply:
        """Remove a budget."""
        return cast(
            "DeletedReply",
            self._transport.json("DELETE", f"/api/budgets/{place(budget_id)}", schemes=("apiKey", "bearer")),
        )
