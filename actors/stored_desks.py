"""What the gateway asks for beside sessions, over the store. Assembly only."""

from __future__ import annotations

from contextlib import AsyncExitStack

from actors.a2a_desk import StoredA2a
from actors.agent_checks import AgentChecks
from actors.agent_desk import StoredAgents
from actors.agent_models import StoredAgentModels
from actors.analytics import StoredAnalytics
from actors.audit_desk import StoredAudit
from actors.budget_desk import StoredBudgets
from actors.budgets import BudgetKeeper
from actors.channel_desk import StoredChannels
from actors.completions import StoredCompletions
from actors.contacts import StoredContacts
from actors.conversation_desk import StoredConversations
from actors.deployment_news import DeploymentNews
from actors.deployments import StoredDeployments
from actors.desks import Desks
from actors.draining import Draining
from actors.erasing import StoredErasure
from actors.feedback import StoredFeedback
from actors.files import StoredFiles
from actors.insight import StoredInsight
from actors.installation import allowed_addresses, model_registry
from actors.key_desk import StoredKeys
from actors.manifests import Manifests
from actors.model_desk import StoredModelDesk
from actors.models import StoredModels
from actors.passwords import Passwords
from actors.people import StoredPeople
from actors.preflight import Preflight
from actors.production import is_production
from actors.programs import StoredPrograms
from actors.project_desk import StoredProjects
from actors.project_removal import ProjectRemoval
from actors.quotas import MeteredModels, QuotaKeeper
from actors.refusals import StoredRefusals
from actors.reported_models import ReportedModels
from actors.settings import Settings
from actors.stored_transfer import StoredTransfer
from actors.tally import Tally
from actors.task_desk import StoredHumanTasks
from actors.tool_secrets import StoredToolSecrets
from actors.users import StoredUsers
from actors.variable_desk import StoredVariables
from actors.version_desk import StoredVersions
from actors.webhook_delivery import WebhookSender
from actors.webhooks import StoredWebhooks
from domain.clock import Clock, IdSource
from storage.database import Database
from storage.repositories.audit import AuditLog
from storage.repositories.budgets import Budgets
from storage.repositories.events import Events


def open_desks(
    settings: Settings,
    stack: AsyncExitStack,
    database: Database,
    files: StoredFiles,
    clock: Clock,
    ids: IdSource,
    sender: WebhookSender,
    removal: ProjectRemoval,
    draining: Draining,
    tally: Tally,
    quotas: QuotaKeeper,
) -> Desks:
    """Return what the gateway asks for beside sessions."""
    registry, passwords = model_registry(settings), Passwords()
    stack.push_async_callback(registry.close)
    vault = database.vault
    models = StoredModels(registry, settings.default_model, database, vault, reported=ReportedModels(database, clock))
    audit = AuditLog(database, clock, ids)
    keeper = MeteredModels(BudgetKeeper(Budgets(database), ids), quotas)
    completions = StoredCompletions(models, keeper, Events(database), clock, tally)
    stack.push_async_callback(completions.close)
    stack.callback(passwords.close)
    checks = AgentChecks(database)
    return Desks(
        completions=completions,
        insight=StoredInsight(database, clock),
        files=files,
        refusals=StoredRefusals(database),
        feedback=StoredFeedback(database, clock, ids),
        users=StoredUsers(database, passwords, audit),
        people=StoredPeople(database, passwords, audit, ids),
        budgets=StoredBudgets(database, audit, ids),
        keys=StoredKeys(database, audit, ids),
        audit=StoredAudit(audit),
        models=StoredModelDesk(
            database,
            vault,
            models,
            StoredPrograms(database, settings.environment),
            audit,
            ids,
            allowed_addresses(settings),
        ),
        agent_models=StoredAgentModels(database),
        transfer=StoredTransfer(database, audit, clock, ids),
        webhooks=StoredWebhooks(
            database, vault, audit, ids, allowed_addresses(settings), sender, is_production=is_production(settings)
        ),
        tool_secrets=StoredToolSecrets(database, vault, audit, ids),
        contacts=StoredContacts(database, audit, ids),
        human_tasks=StoredHumanTasks(database, audit, clock, ids),
        erasure=StoredErasure(database, audit),
        analytics=StoredAnalytics(database, clock),
        projects=StoredProjects(database, audit, ids, removal, trace_days=settings.trace_days),
        agents=StoredAgents(database, audit, ids, checks),
        versions=StoredVersions(database, audit, checks),
        deployments=StoredDeployments(
            database,
            DeploymentNews(database, audit, clock),
            ids,
            Manifests(database, settings.environment),
            draining,
            Preflight(database),
        ),
        variables=StoredVariables(database, vault, audit, ids),
        channels=StoredChannels(database, audit, ids),
        conversations=StoredConversations(database),
        a2a=StoredA2a(database, vault, allowed_addresses(settings), clock, is_production=is_production(settings)),
    )
