"""The forms of the API about deployments. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class DeploymentDetail(TypedDict):
    """A deployment."""

    id: str
    projectId: str
    environment: str
    status: Literal["active", "retired"]
    label: str
    endpointSlug: str
    createdAt: str
    description: str | None
    entryAgentName: str
    agentVersionManifest: dict[str, str]
    workflowVersionManifest: dict[str, str]
    modelOverrides: dict[str, ModelOverrideItem]
    settingsVersionId: str | None
    placement: Literal["packed", "dedicated"]
    createdBy: str
    retiredAt: str | None
    draining: bool
    activeSessionCount: int
    promotedFrom: str | None
    warnings: list[WarningItem]


class DeploymentItem(TypedDict):
    """A deployment as lists show it; without a label of its own it is called as its endpoint."""

    id: str
    projectId: str
    environment: str
    status: Literal["active", "retired"]
    label: str
    endpointSlug: str
    createdAt: str


class DeploymentListReply(TypedDict):
    """The deployments of a project, the newest first."""

    success: NotRequired[Literal[True]]
    deployments: list[DeploymentItem]


class DeploymentReply(TypedDict):
    """One deployment."""

    success: NotRequired[Literal[True]]
    deployment: DeploymentDetail


class DivergenceItem(TypedDict):
    """Where a live session would have gone another way; `seq` numbers the events of its journal from 1."""

    sessionId: str
    seq: int
    turn: int
    event: str
    at: str
    agentName: str
    reason: str


class ModelOverrideBody(TypedDict):
    """What a deployment says of the model calls of one agent."""

    model: NotRequired[str | None]
    temperature: NotRequired[float | None]
    maxTokens: NotRequired[int | None]


class ModelOverrideItem(TypedDict):
    """What a deployment says of the model calls of one agent."""

    model: NotRequired[str | None]
    temperature: NotRequired[float | None]
    maxTokens: NotRequired[int | None]


class NewDeploymentBody(TypedDict):
    """A deployment to make; `auto` freezes the draft."""

    environment: Literal["dev", "staging", "production"]
    agentVersionManifest: dict[str, Any]
    entryAgentName: str
    label: NotRequired[str | None]
    description: NotRequired[str | None]
    modelOverrides: NotRequired[dict[str, Any] | None]
    settingsVersionId: NotRequired[str | None]
    workflowVersionManifest: NotRequired[dict[str, str] | None]
    placement: NotRequired[Literal["packed", "dedicated"] | None]


class PreflightReply(TypedDict):
    """What a promotion would do to the sessions that are live now."""

    success: NotRequired[Literal[True]]
    dryRun: NotRequired[Literal[True]]
    sourceDeploymentId: str
    targetEnvironment: str
    deploymentId: str
    checked: int
    diverging: list[DivergenceItem]
    unchecked: list[str]
    isTruncated: bool


class PreviousItem(TypedDict):
    """What was active before a rollback."""

    id: str
    status: Literal["active", "retired"]
    retiredAt: str | None


class PromoteBody(TypedDict):
    """Where a deployment is to be active too; what is not given is as in the source."""

    targetEnvironment: Literal["dev", "staging", "production"]
    label: NotRequired[str | None]
    description: NotRequired[str | None]
    modelOverrides: NotRequired[dict[str, Any] | None]


class PromotedReply(TypedDict):
    """The deployment that was made in the target environment."""

    success: NotRequired[Literal[True]]
    deployment: DeploymentDetail
    sourceDeploymentId: str


class RetireBody(TypedDict):
    """How a deployment is retired: with `force` its sessions are ended at once."""

    force: NotRequired[bool]


class RetiredItem(TypedDict):
    """A deployment that takes no new sessions."""

    id: str
    status: Literal["active", "retired"]
    retiredAt: str | None
    draining: bool
    activeSessionCount: int


class RetiredReply(TypedDict):
    """What came of retiring a deployment."""

    success: NotRequired[Literal[True]]
    deployment: RetiredItem


class RollbackBody(TypedDict):
    """Nothing has to be said."""


class RollbackReply(TypedDict):
    """What is active after a rollback, and what was before."""

    success: NotRequired[Literal[True]]
    deployment: DeploymentDetail
    previousDeployment: PreviousItem | None


class SeenDeployment(TypedDict):
    """A deployment as its own address shows it, with the channels that reach it."""

    id: str
    projectId: str
    environment: str
    status: Literal["active", "retired"]
    label: str
    endpointSlug: str
    createdAt: str
    description: str | None
    entryAgentName: str
    agentVersionManifest: dict[str, str]
    workflowVersionManifest: dict[str, str]
    modelOverrides: dict[str, ModelOverrideItem]
    settingsVersionId: str | None
    placement: Literal["packed", "dedicated"]
    createdBy: str
    retiredAt: str | None
    draining: bool
    activeSessionCount: int
    promotedFrom: str | None
    warnings: list[WarningItem]
    channelCount: int


class SeenDeploymentReply(TypedDict):
    """One deployment, looked at."""

    success: NotRequired[Literal[True]]
    deployment: SeenDeployment


class VersionRef(TypedDict):
    """A version as newer clients send it."""

    version: str


class WarningItem(TypedDict):
    """Something that the agents read and nobody has set."""

    code: str
    key: str
    message: str
