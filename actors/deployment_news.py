"""Who is told when deployments change, in the transaction of the change: audit log, analytics, webhooks."""

from __future__ import annotations

from typing import Final

from actors.webhooks import emit
from domain.analytics import EventCategory, NewEvent
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import Clock
from domain.deployments import DeploymentEvent, label_of
from domain.json_values import JsonObject
from domain.webhooks import WebhookEvent
from storage.database import Connection, Database
from storage.repositories.audit import AuditLog
from storage.repositories.deployments import NewDeployment
from storage.repositories.events import Events

KIND: Final = "deployment"
VERBS: Final = {DeploymentEvent.FORCE: "retire"}
"""Event -> its verb in the audit log, where that is another word."""


class DeploymentNews:
    """Tells of deployments; every method writes within the caller's transaction."""

    def __init__(self, database: Database, audit: AuditLog, clock: Clock) -> None:
        self._events = Events(database)
        self._audit = audit
        self._clock = clock

    async def created(
        self, connection: Connection, tenant_id: str, made: NewDeployment, event: DeploymentEvent
    ) -> None:
        """Tell that a deployment is active, by itself or promoted."""
        await self._note(connection, tenant_id, made, "deployment_created")
        if event is DeploymentEvent.PROMOTE:
            await self._note(connection, tenant_id, made, "deployment_promoted")
        await emit(connection, tenant_id, made.project_id, WebhookEvent.DEPLOYMENT_CREATED, _told(made))

    async def retired(self, connection: Connection, tenant_id: str, gone: NewDeployment) -> None:
        """Tell that a deployment takes no new sessions."""
        await self._note(connection, tenant_id, gone, "deployment_retired")
        await emit(connection, tenant_id, gone.project_id, WebhookEvent.DEPLOYMENT_RETIRED, _told(gone))

    async def rolled_back(
        self, connection: Connection, tenant_id: str, active: NewDeployment, replaced: str | None
    ) -> None:
        """Tell that an environment has gone back to an earlier deployment."""
        await self._note(connection, tenant_id, active, "deployment_rolled_back", {"replaced": replaced})

    async def audit(
        self,
        connection: Connection,
        tenant_id: str,
        about: NewDeployment,
        event: DeploymentEvent,
        by: Initiator,
        details: JsonObject | None = None,
    ) -> None:
        """Add to the audit log; the last statement of its transaction."""
        entry = AuditEntry(
            by=by,
            action=f"{KIND}.{VERBS.get(event, str(event))}",
            category=AuditCategory.PROJECT,
            resource=Resource(KIND, about.deployment_id, about.endpoint_slug),
            project_id=about.project_id,
            details={"environment": about.environment, "force": event is DeploymentEvent.FORCE, **(details or {})},
        )
        await self._audit.append(connection, tenant_id, entry)

    async def _note(
        self,
        connection: Connection,
        tenant_id: str,
        about: NewDeployment,
        event_type: str,
        more: JsonObject | None = None,
    ) -> None:
        event = NewEvent(
            category=EventCategory.DEPLOYMENT,
            event_type=event_type,
            project_id=about.project_id,
            at=self._clock.now(),
            agent_name=about.entry_agent_name,
            environment=about.environment,
            metadata={"deployment_id": about.deployment_id, **(more or {})},
        )
        await self._events.append(connection, tenant_id, event)


def _told(deployment: NewDeployment) -> JsonObject:
    return {
        "deploymentId": deployment.deployment_id,
        "environment": deployment.environment,
        "endpointSlug": deployment.endpoint_slug,
        "entryAgentName": deployment.entry_agent_name,
        "label": label_of(deployment.label, deployment.endpoint_slug),
    }
