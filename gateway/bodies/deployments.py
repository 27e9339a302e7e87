"""Bodies of deployments. Spec: platform-api 3.2, 6.4."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from msgspec.structs import asdict
from pydantic import Field, StringConstraints, model_validator

from actors.deployment_desk import DeploymentView, Promotion, WantedDeployment
from actors.preflight import PreflightReport
from actors.programs import SETTINGS_VERSION
from domain import limits
from domain.clock import iso_ms
from domain.deployments import label_of
from domain.json_values import JsonObject
from gateway.bodies.agents import AgentNameText, VersionText
from gateway.bodies.projects import Description, Label
from gateway.bodies.texts import Id, RequestBody
from gateway.envelope import Success, Wire
from storage.repositories.deployments import DeploymentRecord

Environment = Literal["dev", "staging", "production"]
Overrides = Annotated[dict[AgentNameText, "ModelOverrideBody"], Field(max_length=limits.MANIFEST_AGENTS_MAX)]


class ModelOverrideBody(RequestBody):
    """What a deployment says of the model calls of one agent."""

    model: Id | None = None
    temperature: Annotated[float, Field(ge=0, le=limits.TEMPERATURE_MAX)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=limits.MAX_TOKENS_MAX)] | None = None


class VersionRef(RequestBody):
    """A version as newer clients send it."""

    version: VersionText


class NewDeploymentBody(RequestBody):
    """A deployment to make; `auto` freezes the draft."""

    environment: Environment
    agent_version_manifest: Annotated[
        dict[AgentNameText, VersionText | VersionRef],
        Field(min_length=1, max_length=limits.MANIFEST_AGENTS_MAX),
    ]
    entry_agent_name: AgentNameText
    label: Label | None = None
    description: Description | None = None
    model_overrides: Overrides | None = None
    settings_version_id: Id | None = None
    workflow_version_manifest: (
        Annotated[dict[Annotated[str, StringConstraints(max_length=128)], str], Field(max_length=200)] | None
    ) = None
    placement: Literal["packed", "dedicated"] | None = None

    @model_validator(mode="after")
    def _names_stand_in_the_manifest(self) -> Self:
        if self.entry_agent_name not in self.agent_version_manifest:
            raise ValueError("entryAgentName has to be in agentVersionManifest")
        unknown = sorted((self.model_overrides or {}).keys() - self.agent_version_manifest.keys())
        if unknown:
            raise ValueError(f"modelOverrides names {unknown[0]}, which is not in agentVersionManifest")
        return self

    def wanted(self) -> WantedDeployment:
        """Return what is asked for."""
        details: JsonObject = {"modelOverrides": overrides_of(self.model_overrides)}
        if self.workflow_version_manifest is not None:
            details["workflowVersionManifest"] = self.workflow_version_manifest
        if self.placement is not None:
            details["placement"] = self.placement
        return WantedDeployment(
            environment=self.environment,
            manifest={
                name: one.version if isinstance(one, VersionRef) else one
                for name, one in self.agent_version_manifest.items()
            },
            entry_agent_name=self.entry_agent_name,
            label=self.label,
            description=self.description,
            settings_version_id=self.settings_version_id or "",
            details=details,
        )


class RetireBody(RequestBody):
    """How a deployment is retired: with `force` its sessions are ended at once."""

    force: bool = False


class RollbackBody(RequestBody):
    """Nothing has to be said."""


class PromoteBody(RequestBody):
    """Where a deployment is to be active too; what is not given is as in the source."""

    target_environment: Environment
    label: Label | None = None
    description: Description | None = None
    model_overrides: Overrides | None = None

    def wanted(self) -> Promotion:
        """Return what is asked for."""
        return Promotion(
            target_environment=self.target_environment,
            label=self.label,
            description=self.description,
            model_overrides=None if self.model_overrides is None else overrides_of(self.model_overrides),
        )


class ModelOverrideItem(Wire):
    """What a deployment says of the model calls of one agent."""

    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None


class WarningItem(Wire):
    """Something that the agents read and nobody has set."""

    code: str
    key: str
    message: str


class DeploymentItem(Wire):
    """A deployment as lists show it; without a label of its own it is called as its endpoint."""

    id: str
    project_id: str
    environment: str
    status: Literal["active", "retired"]
    label: str
    endpoint_slug: str
    created_at: str


class DeploymentDetail(DeploymentItem):
    """A deployment."""

    description: str | None
    entry_agent_name: str
    agent_version_manifest: dict[str, str]
    workflow_version_manifest: dict[str, str]
    model_overrides: dict[str, ModelOverrideItem]
    settings_version_id: str | None
    placement: Literal["packed", "dedicated"]
    created_by: str
    retired_at: str | None
    draining: bool
    active_session_count: int
    promoted_from: str | None
    warnings: list[WarningItem]


class SeenDeployment(DeploymentDetail):
    """A deployment as its own address shows it, with the channels that reach it."""

    channel_count: int


class SeenDeploymentReply(Success):
    """One deployment, looked at."""

    deployment: SeenDeployment


class DeploymentListReply(Success):
    """The deployments of a project, the newest first."""

    deployments: list[DeploymentItem]


class DeploymentReply(Success):
    """One deployment."""

    deployment: DeploymentDetail


class RetiredItem(Wire):
    """A deployment that takes no new sessions."""

    id: str
    status: Literal["active", "retired"]
    retired_at: str | None
    draining: bool
    active_session_count: int


class RetiredReply(Success):
    """What came of retiring a deployment."""

    deployment: RetiredItem


class PreviousItem(Wire):
    """What was active before a rollback."""

    id: str
    status: Literal["active", "retired"]
    retired_at: str | None


class RollbackReply(Success):
    """What is active after a rollback, and what was before."""

    deployment: DeploymentDetail
    previous_deployment: PreviousItem | None


class PromotedReply(DeploymentReply):
    """The deployment that was made in the target environment."""

    source_deployment_id: str


class DivergenceItem(Wire):
    """Where a live session would have gone another way; `seq` numbers the events of its journal from 1."""

    session_id: str
    seq: int
    turn: int
    event: str
    at: str
    agent_name: str
    reason: str


class PreflightReply(Success):
    """What a promotion would do to the sessions that are live now.

    Attributes:
        deployment_id: Whose live sessions were looked at: the active one of the target environment, else the source.
        unchecked: Sessions whose journal cannot be folded any more.
        is_truncated: There are more live sessions than are looked at.
    """

    dry_run: Literal[True] = True
    source_deployment_id: str
    target_environment: str
    deployment_id: str
    checked: int
    diverging: list[DivergenceItem]
    unchecked: list[str]
    is_truncated: bool


def overrides_of(given: dict[str, ModelOverrideBody] | None) -> JsonObject:
    """Return model overrides as they are stored: what was not said is absent."""
    shown = {name: one.model_dump(by_alias=True, exclude_none=True) for name, one in (given or {}).items()}
    return {name: one for name, one in shown.items() if one}


def deployment_item(record: DeploymentRecord) -> DeploymentItem:
    """Return a deployment as lists show it."""
    return DeploymentItem.model_validate(_listed(record))


def seen_deployment(view: DeploymentView) -> SeenDeployment:
    """Return a deployment as its own address shows it."""
    return SeenDeployment.model_validate({**_detailed(view), "channel_count": view.channels})


def deployment_detail(view: DeploymentView) -> DeploymentDetail:
    """Return a deployment with what hangs on it."""
    return DeploymentDetail.model_validate(_detailed(view))


def _detailed(view: DeploymentView) -> JsonObject:
    record, details = view.record, view.record.details
    return {
        **_listed(record),
        "description": record.description,
        "entry_agent_name": record.entry_agent_name,
        "agent_version_manifest": record.agent_version_manifest,
        "workflow_version_manifest": details.get("workflowVersionManifest") or {},
        "model_overrides": details.get("modelOverrides") or {},
        "settings_version_id": details.get(SETTINGS_VERSION),
        "placement": details.get("placement") or "packed",
        "created_by": record.created_by,
        "retired_at": _moment(record),
        "draining": view.is_draining,
        "active_session_count": view.active_sessions,
        "promoted_from": details.get("promotedFrom"),
        "warnings": details.get("warnings") or [],
    }


def retired_item(view: DeploymentView) -> RetiredItem:
    """Return what came of retiring a deployment."""
    return RetiredItem.model_validate(
        {
            "id": view.record.deployment_id,
            "status": view.record.status,
            "retired_at": _moment(view.record),
            "draining": view.is_draining,
            "active_session_count": view.active_sessions,
        }
    )


def previous_item(record: DeploymentRecord | None) -> PreviousItem | None:
    """Return what was active before a rollback."""
    if record is None:
        return None
    shown = {"id": record.deployment_id, "status": record.status, "retired_at": _moment(record)}
    return PreviousItem.model_validate(shown)


def preflight_reply(source_id: str, target: str, report: PreflightReport) -> PreflightReply:
    """Return a report as it is shown."""
    return PreflightReply(
        source_deployment_id=source_id,
        target_environment=target,
        deployment_id=report.deployment_id,
        checked=report.checked,
        diverging=[DivergenceItem.model_validate(asdict(one)) for one in report.diverging],
        unchecked=list(report.unchecked),
        is_truncated=report.is_truncated,
    )


def _listed(record: DeploymentRecord) -> JsonObject:
    return {
        "id": record.deployment_id,
        "project_id": record.project_id,
        "environment": record.environment,
        "status": record.status,
        "label": label_of(record.label, record.endpoint_slug),
        "endpoint_slug": record.endpoint_slug,
        "created_at": iso_ms(record.created_at),
    }


def _moment(record: DeploymentRecord) -> str | None:
    return iso_ms(record.retired_at) if record.retired_at is not None else None
