"""What the gateway asks for beside sessions, over the store. Assembly only."""

from __future__ import annotations

from contextlib import AsyncExitStack

from actors.budget_desk import StoredBudgets
from actors.budgets import BudgetKeeper
from actors.completions import StoredCompletions
from actors.desks import Desks
from actors.feedback import StoredFeedback
from actors.files import StoredFiles
from actors.insight import StoredInsight
from actors.installation import master_keys, model_registry
from actors.models import StoredModels
from actors.passwords import Passwords
from actors.settings import Settings
from actors.users import StoredUsers
from domain.clock import Clock, IdSource
from storage.database import Database
from storage.repositories.audit import AuditLog
from storage.repositories.budgets import Budgets
from storage.repositories.model_calls import ModelCalls
from storage.vault import Vault


def open_desks(
    settings: Settings, stack: AsyncExitStack, database: Database, files: StoredFiles, clock: Clock, ids: IdSource
) -> Desks:
    """Return what the gateway asks for beside sessions."""
    registry, passwords = model_registry(settings), Passwords()
    stack.push_async_callback(registry.close)
    models = StoredModels(registry, settings.default_model, database, Vault(database, master_keys(settings)))
    audit = AuditLog(database, clock, ids)
    keeper = BudgetKeeper(Budgets(database), clock, ids)
    completions = StoredCompletions(models, keeper, ModelCalls(database), clock, ids)
    stack.push_async_callback(completions.close)
    stack.callback(passwords.close)
    return Desks(
        completions=completions,
        insight=StoredInsight(database, clock),
        files=files,
        feedback=StoredFeedback(database, ids),
        users=StoredUsers(database, passwords),
        budgets=StoredBudgets(database, audit, ids),
    )
