"""The forms of the API about human tasks. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class AssignBody(TypedDict):
    """Whose a task is from now on: one person's or one team's."""

    assignedTo: NotRequired[str | None]
    assignedToTeam: NotRequired[str | None]


class CancelBody(TypedDict):
    """Why nobody has to do it any more."""

    reason: NotRequired[str | None]


class ClaimBody(TypedDict):
    """For whom a task is claimed; without it, for the caller."""

    userId: NotRequired[str | None]


class FieldBody(TypedDict):
    """One field of the form of a task; a `select` has options."""

    name: str
    type: Literal["text", "number", "boolean", "select", "textarea", "date"]
    label: NotRequired[str]
    required: NotRequired[bool]
    options: NotRequired[list[str]]


class FieldItem(TypedDict):
    """One field of a form."""

    name: str
    type: Literal["text", "number", "boolean", "select", "textarea", "date"]
    label: str
    required: bool
    options: NotRequired[list[str] | None]


class LevelBody(TypedDict):
    """Who has the task next when its time is over: a user or a team, and for how many minutes."""

    userId: NotRequired[str | None]
    team: NotRequired[str | None]
    afterMinutes: int


class LevelItem(TypedDict):
    """One level of an escalation chain."""

    userId: NotRequired[str | None]
    team: NotRequired[str | None]
    afterMinutes: int


class NewTaskBody(TypedDict):
    """A task for somebody; without a time of its own it is due after what the first level of its ..."""

    type: Literal["approval", "data_entry", "review", "decision", "escalation"]
    title: str
    priority: NotRequired[Literal["low", "medium", "high", "critical"]]
    description: NotRequired[str | None]
    fields: NotRequired[list[FieldBody]]
    context: NotRequired[dict[str, Any]]
    options: NotRequired[list[str]]
    dueAt: NotRequired[str | None]
    assignedTo: NotRequired[str | None]
    assignedToTeam: NotRequired[str | None]
    escalationChain: NotRequired[list[LevelBody]]
    tags: NotRequired[list[str]]
    sessionId: NotRequired[str | None]


class ResolutionItem(TypedDict):
    """What was decided."""

    respondedBy: str
    decision: str
    fields: dict[str, Any]
    notes: str
    resolvedAt: str


class ResolveBody(TypedDict):
    """What somebody decides; what `fields` holds becomes state of the session that waits."""

    decision: str
    respondedBy: NotRequired[str | None]
    fields: NotRequired[dict[str, Any]]
    notes: NotRequired[str | None]


class SourceItem(TypedDict):
    """Where a task comes from."""

    kind: Literal["session", "eval_run", "api"]
    sessionId: NotRequired[str | None]
    agentName: NotRequired[str | None]
    runId: NotRequired[str | None]
    conversationId: NotRequired[str | None]
    callbackId: NotRequired[str | None]


class TaskItem(TypedDict):
    """A task."""

    id: str
    projectId: str
    tenantId: str
    type: Literal["approval", "data_entry", "review", "decision", "escalation"]
    status: Literal["pending", "assigned", "in_progress", "completed", "expired", "cancelled"]
    priority: Literal["low", "medium", "high", "critical"]
    title: str
    description: str | None
    context: dict[str, Any]
    fields: list[FieldItem]
    options: list[str]
    tags: list[str]
    source: SourceItem
    assignedTo: str | None
    assignedToTeam: str | None
    assignedAt: str | None
    claimedBy: str | None
    claimedAt: str | None
    dueAt: str | None
    escalationChain: list[LevelItem]
    currentEscalationLevel: int
    resolution: ResolutionItem | None
    cancelReason: str | None
    createdAt: str
    updatedAt: str
    createdBy: str


class TaskListReply(TypedDict):
    """Some tasks, the most urgent first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    tasks: list[TaskItem]


class TaskReply(TypedDict):
    """One task."""

    success: NotRequired[Literal[True]]
    task: TaskItem
