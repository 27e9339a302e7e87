"""Setting budgets, and seeing what stands on their accounts. Spec: decision 0024."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.budgets import AccountState, Budget
from domain.clock import IdSource
from domain.errors import InvalidInput, NotFound
from domain.ids import PREFIXES
from storage.database import Database
from storage.repositories.audit import AuditLog
from storage.repositories.budgets import Budgets

KIND: Final = "budget"
MAX_BUDGETS: Final = 100
"""Of one project, and of a tenant itself: all of them are looked at before a call."""
NO_BUDGET: Final = "Budget not found"


class BudgetDesk(Protocol):
    """The budgets of projects, and with an empty project id those of the tenant itself."""

    async def list(self, tenant_id: str, project_id: str) -> Sequence[Budget]:
        """Return all of them, the oldest first."""
        ...

    async def set_up(self, tenant_id: str, wanted: Budget, by: Initiator) -> Budget:
        """Keep a new budget; return it with its id. Raises InvalidInput: There are too many."""
        ...

    async def change(
        self, tenant_id: str, project_id: str, budget_id: str, *, tokens: int | None, nanos: int | None, by: Initiator
    ) -> Budget:
        """Replace the limits of a budget; what was spent stays. Raises NotFound."""
        ...

    async def remove(self, tenant_id: str, project_id: str, budget_id: str, by: Initiator) -> None:
        """Delete a budget with its accounts. Raises NotFound."""
        ...

    async def accounts(
        self, tenant_id: str, project_id: str, budget_id: str, *, limit: int
    ) -> tuple[Budget, Sequence[AccountState]]:
        """Return a budget and its accounts: the newest period first, in it those that spent most. Raises NotFound."""
        ...


class StoredBudgets:
    """Satisfies `BudgetDesk`."""

    def __init__(self, database: Database, audit: AuditLog, ids: IdSource) -> None:
        self._database = database
        self._budgets = Budgets(database)
        self._audit = audit
        self._ids = ids

    async def list(self, tenant_id: str, project_id: str) -> Sequence[Budget]:
        """Return all of them, the oldest first."""
        return await self._budgets.list(tenant_id, project_id)

    async def set_up(self, tenant_id: str, wanted: Budget, by: Initiator) -> Budget:
        """Keep a new budget; return it with its id."""
        if len(await self._budgets.list(tenant_id, wanted.project_id)) >= MAX_BUDGETS:
            raise InvalidInput(f"There are {MAX_BUDGETS} budgets already; delete one first")
        budget = msgspec.structs.replace(wanted, budget_id=self._ids.new(PREFIXES[KIND]))
        await self._keep(tenant_id, budget, "create", by)
        return budget

    async def change(
        self, tenant_id: str, project_id: str, budget_id: str, *, tokens: int | None, nanos: int | None, by: Initiator
    ) -> Budget:
        """Replace the limits of a budget; what was spent stays."""
        before = await self._find(tenant_id, project_id, budget_id)
        budget = msgspec.structs.replace(before, max_tokens=tokens, max_nanos=nanos)
        await self._keep(tenant_id, budget, "update", by)
        return budget

    async def remove(self, tenant_id: str, project_id: str, budget_id: str, by: Initiator) -> None:
        """Delete a budget with its accounts."""
        budget = await self._find(tenant_id, project_id, budget_id)
        async with self._database.transaction() as connection:
            if not await self._budgets.delete(connection, tenant_id, project_id, budget_id):
                raise NotFound(NO_BUDGET)
            await self._audit.append(connection, tenant_id, _entry(budget, "delete", by))

    async def accounts(
        self, tenant_id: str, project_id: str, budget_id: str, *, limit: int
    ) -> tuple[Budget, Sequence[AccountState]]:
        """Return a budget and its accounts."""
        budget = await self._find(tenant_id, project_id, budget_id)
        return budget, await self._budgets.accounts(tenant_id, budget_id, limit=limit)

    async def _keep(self, tenant_id: str, budget: Budget, verb: str, by: Initiator) -> None:
        async with self._database.transaction() as connection:
            await self._budgets.put(connection, tenant_id, budget, by.actor.id)
            await self._audit.append(connection, tenant_id, _entry(budget, verb, by))

    async def _find(self, tenant_id: str, project_id: str, budget_id: str) -> Budget:
        for one in await self._budgets.list(tenant_id, project_id):
            if one.budget_id == budget_id:
                return one
        raise NotFound(NO_BUDGET)


def _entry(budget: Budget, verb: str, by: Initiator) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"{KIND}.{verb}",
        category=AuditCategory.WORKSPACE,
        resource=Resource(KIND, budget.budget_id, str(budget.scope)),
        project_id=budget.project_id,
        details={"maxTokens": budget.max_tokens, "maxNanoUsd": budget.max_nanos, "period": str(budget.period)},
    )
