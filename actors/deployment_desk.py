"""What may be asked of deployments, and how they are told of. Spec: platform-api 3.2, 6.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct, field

from actors.preflight import PreflightReport
from domain.audit import Initiator
from domain.json_values import JsonObject
from storage.repositories.deployments import DeploymentRecord


class WantedDeployment(Struct, frozen=True, kw_only=True):
    """A deployment to make.

    Attributes:
        manifest: Agent name -> version, or `auto` to freeze the draft.
        details: What is kept as it is: modelOverrides, workflowVersionManifest, placement.
        settings_version_id: Of an earlier deployment; empty takes the settings of now.
    """

    environment: str
    manifest: dict[str, str]
    entry_agent_name: str
    label: str | None = None
    description: str | None = None
    settings_version_id: str = ""
    details: JsonObject = field(default_factory=dict)


class Promotion(Struct, frozen=True, kw_only=True):
    """Where a deployment is to be active too; what is not said is as in the source."""

    target_environment: str
    label: str | None = None
    description: str | None = None
    model_overrides: JsonObject | None = None


class DeploymentView(NamedTuple):
    """A deployment, and what hangs on it now."""

    record: DeploymentRecord
    active_sessions: int
    channels: int

    @property
    def is_draining(self) -> bool:
        """Whether sessions go on in it though it is retired."""
        return self.record.draining and self.active_sessions > 0


class RolledBack(NamedTuple):
    """What is active after a rollback, and what was before."""

    active: DeploymentView
    previous: DeploymentRecord | None


class DeploymentDesk(Protocol):
    """The deployments of projects; one is named by its id or its endpoint slug."""

    async def list(
        self, tenant_id: str, project_id: str, *, environment: str | None, status: str | None
    ) -> Sequence[DeploymentRecord]:
        """Return deployments, the newest first."""
        ...

    async def get(self, tenant_id: str, project_id: str, name: str) -> DeploymentView:
        """Return a deployment. Raises NotFound."""
        ...

    async def create(self, tenant_id: str, project_id: str, wanted: WantedDeployment, by: Initiator) -> DeploymentView:
        """Make a deployment the active one of its environment.

        Raises:
            NotFound: There is no such agent, version or settings version.
            InvalidInput: The agents do not compile or do not fit together; `details["diagnostics"]` says why.
        """
        ...

    async def retire(self, tenant_id: str, project_id: str, name: str, *, force: bool, by: Initiator) -> DeploymentView:
        """Take no new sessions; with `force` the old ones are ended. Raises NotFound, Conflict: it is retired."""
        ...

    async def roll_back(self, tenant_id: str, project_id: str, name: str, by: Initiator) -> RolledBack:
        """Make a retired deployment active again, or of an active one its predecessor.

        Raises:
            NotFound: There is no such deployment.
            Conflict: Nothing stands behind it.
        """
        ...

    async def promote(
        self, tenant_id: str, project_id: str, name: str, wanted: Promotion, by: Initiator
    ) -> DeploymentView:
        """Make the same program active in another environment. Raises NotFound, InvalidInput."""
        ...

    async def preflight(self, tenant_id: str, project_id: str, name: str, wanted: Promotion) -> PreflightReport:
        """Return which live sessions would have gone another way on what would be promoted. Raises as `promote`."""
        ...
