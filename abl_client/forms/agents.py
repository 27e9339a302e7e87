"""The forms of the API about agents. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class AgentChangeBody(TypedDict):
    """What is to be different; `description: null` clears it, `domain: null` is that of the project again."""

    name: NotRequired[str | None]
    domain: NotRequired[str | None]
    description: NotRequired[str | None]


class AgentDetail(TypedDict):
    """An agent with its draft."""

    id: str
    name: str
    agentPath: str
    type: Literal["agent", "supervisor"]
    description: str | None
    versionCount: int
    activeVersions: dict[str, str]
    sourceHash: str
    createdAt: str
    updatedAt: str
    dslContent: str


class AgentItem(TypedDict):
    """An agent without its text; `activeVersions` is environment -> version that is deployed there."""

    id: str
    name: str
    agentPath: str
    type: Literal["agent", "supervisor"]
    description: str | None
    versionCount: int
    activeVersions: dict[str, str]
    sourceHash: str
    createdAt: str
    updatedAt: str


class AgentListReply(TypedDict):
    """The agents of a project, the oldest first."""

    success: NotRequired[Literal[True]]
    agents: list[AgentItem]


class AgentsAgentReply(TypedDict):
    """One agent with its draft."""

    success: NotRequired[Literal[True]]
    agent: AgentDetail


class DiagnosticItem(TypedDict):
    """What is found in a text."""

    code: str
    message: str
    severity: Literal["error", "warning", "info"]
    line: NotRequired[int | None]
    column: NotRequired[int | None]
    agent: NotRequired[str | None]


class DraftBody(TypedDict):
    """A draft to save as it is."""

    dslContent: str


class MadeAgentReply(TypedDict):
    """A new agent, and what is found in its text."""

    success: NotRequired[Literal[True]]
    agent: AgentDetail
    diagnostics: list[DiagnosticItem]


class NamedAgent(TypedDict):
    """An agent of some project."""

    id: str
    name: str


class NewAgentBody(TypedDict):
    """An agent to make."""

    name: str
    dslContent: NotRequired[str]
    domain: NotRequired[str | None]
    description: NotRequired[str | None]


class SavedReply(TypedDict):
    """When the draft was saved."""

    success: NotRequired[Literal[True]]
    updatedAt: str


class TenantAgent(TypedDict):
    """An agent with its draft."""

    id: str
    name: str
    projectId: str
    dslContent: str


class TenantAgentReply(TypedDict):
    """One agent of a tenant."""

    success: NotRequired[Literal[True]]
    agent: TenantAgent


class TenantAgentsReply(TypedDict):
    """The agents of all projects that the caller sees, the oldest first."""

    success: NotRequired[Literal[True]]
    total: int
    agents: list[NamedAgent]


class ValidateBody(TypedDict):
    """A text to check in the place of the draft."""

    dslContent: NotRequired[str | None]


class ValidatedReply(TypedDict):
    """What is found in a text; it is valid when nothing of it is an error."""

    success: NotRequired[Literal[True]]
    valid: bool
    diagnostics: list[DiagnosticItem]
