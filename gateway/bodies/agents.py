"""Bodies of agents and their versions. Spec: platform-api 6.2, 6.3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import UNSET
from pydantic import AfterValidator, StringConstraints

from actors.agent_desk import AgentChange, AgentView, WantedAgent
from actors.version_desk import WantedVersion
from domain import limits
from domain.clock import iso_ms
from domain.deployments import AUTO
from domain.json_values import JsonObject
from domain.project_file import AGENT_DOMAIN, AGENT_NAME
from gateway.bodies.projects import Description, Label
from gateway.bodies.texts import RequestBody, without_nul
from gateway.envelope import Success, TotalOnlyPage, Wire
from storage.repositories.agents import AgentName
from storage.repositories.versions import VersionRecord

AgentNameText = Annotated[str, StringConstraints(pattern=AGENT_NAME)]
Domain = Annotated[str, StringConstraints(pattern=AGENT_DOMAIN)]
Dsl = Annotated[str, StringConstraints(max_length=limits.BODY_MAX_BYTES), AfterValidator(without_nul)]
VersionText = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}$")]


def _no_word(text: str) -> str:
    if text == AUTO:
        raise ValueError(f"{AUTO} is no name of a version")
    return text


def _with_content(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


class NewAgentBody(RequestBody):
    """An agent to make."""

    name: AgentNameText
    dsl_content: Dsl = ""
    domain: Domain | None = None
    description: Description | None = None

    def wanted(self) -> WantedAgent:
        """Return what is asked for."""
        return WantedAgent(name=self.name, dsl=self.dsl_content, domain=self.domain or "", description=self.description)


class AgentChangeBody(RequestBody):
    """What is to be different; `description: null` clears it, `domain: null` is that of the project again."""

    name: AgentNameText | None = None
    domain: Domain | None = None
    description: Description | None = None

    def change(self) -> AgentChange:
        """Return what is asked for."""
        given = self.model_fields_set
        return AgentChange(
            name=UNSET if self.name is None else self.name,
            domain=(self.domain or "") if "domain" in given else UNSET,
            description=self.description if "description" in given else UNSET,
        )


class DraftBody(RequestBody):
    """A draft to save as it is."""

    dsl_content: Annotated[Dsl, AfterValidator(_with_content)]


class ValidateBody(RequestBody):
    """A text to check in the place of the draft."""

    dsl_content: Dsl | None = None


class NewVersionBody(RequestBody):
    """A version to freeze; without a name it gets the next integer."""

    version: Annotated[VersionText, AfterValidator(_no_word)] | None = None
    label: Label | None = None
    changelog: Description | None = None
    expected_draft_source_hash: Annotated[str, StringConstraints(max_length=100)] | None = None

    def wanted(self) -> WantedVersion:
        """Return what is asked for."""
        return WantedVersion(
            version=self.version or "",
            label=self.label,
            changelog=self.changelog,
            expected_hash=self.expected_draft_source_hash or "",
        )


class AgentItem(Wire):
    """An agent without its text; `activeVersions` is environment -> version that is deployed there."""

    id: str
    name: str
    agent_path: str
    type: Literal["agent", "supervisor"]
    description: str | None
    version_count: int
    active_versions: dict[str, str]
    source_hash: str
    created_at: str
    updated_at: str


class AgentDetail(AgentItem):
    """An agent with its draft."""

    dsl_content: str


class DiagnosticItem(Wire):
    """What is found in a text."""

    code: str
    message: str
    severity: Literal["error", "warning", "info"]
    line: int | None = None
    column: int | None = None
    agent: str | None = None


class AgentListReply(Success):
    """The agents of a project, the oldest first."""

    agents: list[AgentItem]


class AgentReply(Success):
    """One agent with its draft."""

    agent: AgentDetail


class MadeAgentReply(AgentReply):
    """A new agent, and what is found in its text."""

    diagnostics: list[DiagnosticItem]


class SavedReply(Success):
    """When the draft was saved."""

    updated_at: str


class ValidatedReply(Success):
    """What is found in a text; it is valid when nothing of it is an error."""

    valid: bool
    diagnostics: list[DiagnosticItem]


class NamedAgent(Wire):
    """An agent of some project."""

    id: str
    name: str


class TenantAgentsReply(TotalOnlyPage):
    """The agents of all projects that the caller sees, the oldest first."""

    agents: list[NamedAgent]


class TenantAgent(NamedAgent):
    """An agent with its draft."""

    project_id: str
    dsl_content: str


class TenantAgentReply(Success):
    """One agent of a tenant."""

    agent: TenantAgent


class VersionItem(Wire):
    """A version without its text."""

    version: str
    source_hash: str
    label: str | None
    changelog: str | None
    created_at: str
    created_by: str


class VersionDetail(VersionItem):
    """A version with its text."""

    dsl_content: str


class VersionListReply(Success):
    """The versions of an agent, the newest first."""

    versions: list[VersionItem]


class VersionReply(Success):
    """One version."""

    version: VersionDetail


class DiffReply(Success):
    """What is different, as a unified diff; empty when nothing is."""

    diff: str


def agent_item(agent: AgentView) -> AgentItem:
    """Return an agent as lists show it."""
    return AgentItem.model_validate(_shown(agent))


def agent_detail(agent: AgentView) -> AgentDetail:
    """Return an agent with its draft."""
    return AgentDetail.model_validate({**_shown(agent), "dsl_content": agent.dsl})


def named_agent(agent: AgentName) -> NamedAgent:
    """Return an agent as the tenant's list shows it."""
    return NamedAgent(id=agent.agent_id, name=agent.name)


def tenant_agent(agent: AgentView) -> TenantAgent:
    """Return an agent as the tenant's route shows it."""
    return TenantAgent(id=agent.id, name=agent.name, project_id=agent.project_id, dsl_content=agent.dsl)


def diagnostics(found: Sequence[JsonObject]) -> list[DiagnosticItem]:
    """Return findings as they are shown."""
    return [DiagnosticItem.model_validate(one) for one in found]


def version_item(version: VersionRecord) -> VersionItem:
    """Return a version as lists show it."""
    return VersionItem.model_validate(_frozen(version))


def version_detail(version: VersionRecord) -> VersionDetail:
    """Return a version with its text."""
    return VersionDetail.model_validate({**_frozen(version), "dsl_content": version.dsl})


def _shown(agent: AgentView) -> JsonObject:
    return {
        "id": agent.id,
        "name": agent.name,
        "agent_path": f"{agent.domain}/{agent.name}",
        "type": agent.type,
        "description": agent.description,
        "version_count": agent.version_count,
        "active_versions": agent.active_versions,
        "source_hash": agent.source_hash,
        "created_at": iso_ms(agent.created_at),
        "updated_at": iso_ms(agent.updated_at),
    }


def _frozen(version: VersionRecord) -> JsonObject:
    return {
        "version": version.version,
        "source_hash": version.source_hash,
        "label": version.label,
        "changelog": version.changelog,
        "created_at": iso_ms(version.created_at),
        "created_by": version.created_by,
    }
