"""Bodies of human tasks: what is asked of people, and what they answer. Spec: platform-api 10."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

import orjson
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from actors.human_tasks import wire_task
from actors.task_desk import Decision, NewTask
from domain import limits
from domain.human_tasks import EscalationLevel, FieldType, HumanTask, Priority, SourceKind, TaskField, TaskType
from domain.json_values import JsonValue
from gateway.bodies.moments import moment_of
from gateway.bodies.texts import Id, QueryMoment, RequestBody, without_nul
from gateway.envelope import PaginatedPage, Success, Wire

Status = Literal["pending", "assigned", "in_progress", "completed", "expired", "cancelled"]
Word = Annotated[
    str, StringConstraints(min_length=1, max_length=limits.TASK_WORD_MAX_CHARS), AfterValidator(without_nul)
]
Text = Annotated[str, StringConstraints(max_length=limits.TASK_TEXT_MAX_CHARS), AfterValidator(without_nul)]
Title = Annotated[
    str, StringConstraints(min_length=1, max_length=limits.TASK_TITLE_MAX_CHARS), AfterValidator(without_nul)
]
Words = Annotated[list[Word], Field(max_length=limits.TASK_ENTRIES_MAX)]


def _bounded(values: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if len(orjson.dumps(values)) > limits.TASK_CONTEXT_MAX_BYTES:
        raise ValueError(f"must be at most {limits.TASK_CONTEXT_MAX_BYTES} bytes")
    return values


Values = Annotated[dict[str, JsonValue], AfterValidator(_bounded)]


class FieldBody(RequestBody):
    """One field of the form of a task; a `select` has options."""

    name: Word
    type: FieldType
    label: Annotated[str, StringConstraints(max_length=limits.TASK_WORD_MAX_CHARS)] = ""
    required: bool = False
    options: Words = Field(default_factory=list)

    @model_validator(mode="after")
    def _can_be_chosen(self) -> Self:
        if self.type == "select" and not self.options:
            raise ValueError("a select needs options")
        return self


class LevelBody(RequestBody):
    """Who has the task next when its time is over: a user or a team, and for how many minutes."""

    user_id: Id | None = None
    team: Word | None = None
    after_minutes: Annotated[int, Field(ge=1, le=limits.ESCALATION_MAX_MINUTES)]

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.user_id is None) == (self.team is None):
            raise ValueError("either userId or team has to be given")
        return self


class NewTaskBody(RequestBody):
    """A task for somebody; without a time of its own it is due after what the first level of its chain says."""

    type: TaskType
    title: Title
    priority: Priority = "medium"
    description: Text | None = None
    fields: Annotated[list[FieldBody], Field(default_factory=list, max_length=limits.TASK_ENTRIES_MAX)]
    context: Values = Field(default_factory=dict)
    options: Words = Field(default_factory=list)
    due_at: QueryMoment | None = None
    assigned_to: Id | None = None
    assigned_to_team: Word | None = None
    escalation_chain: Annotated[list[LevelBody], Field(default_factory=list, max_length=limits.ESCALATION_LEVELS_MAX)]
    tags: Words = Field(default_factory=list)
    session_id: Id | None = None

    @model_validator(mode="after")
    def _can_be_done(self) -> Self:
        if self.type == "decision" and not self.options:
            raise ValueError("a decision needs options")
        if self.assigned_to is not None and self.assigned_to_team is not None:
            raise ValueError("either assignedTo or assignedToTeam may be given")
        names = [one.name for one in self.fields]
        if len(set(names)) < len(names):
            raise ValueError("two fields have the same name")
        return self


class ClaimBody(RequestBody):
    """For whom a task is claimed; without it, for the caller."""

    user_id: Id | None = None


class AssignBody(RequestBody):
    """Whose a task is from now on: one person's or one team's."""

    assigned_to: Id | None = None
    assigned_to_team: Word | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.assigned_to is None) == (self.assigned_to_team is None):
            raise ValueError("exactly one of assignedTo and assignedToTeam has to be given")
        return self


class ResolveBody(RequestBody):
    """What somebody decides; what `fields` holds becomes state of the session that waits."""

    decision: Word
    responded_by: Id | None = None
    fields: Values = Field(default_factory=dict)
    notes: Text | None = None


class CancelBody(RequestBody):
    """Why nobody has to do it any more."""

    reason: Text | None = None


class FieldItem(Wire):
    """One field of a form."""

    name: str
    type: FieldType
    label: str
    required: bool
    options: list[str] | None = None


class SourceItem(Wire):
    """Where a task comes from."""

    kind: SourceKind
    session_id: str | None = None
    agent_name: str | None = None
    run_id: str | None = None
    conversation_id: str | None = None
    callback_id: str | None = None


class LevelItem(Wire):
    """One level of an escalation chain."""

    user_id: str | None = None
    team: str | None = None
    after_minutes: int


class ResolutionItem(Wire):
    """What was decided."""

    responded_by: str
    decision: str
    fields: dict[str, JsonValue] = Field(description="free JSON, by the names of the form's fields")
    notes: str
    resolved_at: str


class TaskItem(Wire):
    """A task."""

    id: str
    project_id: str
    tenant_id: str
    type: TaskType
    status: Status
    priority: Priority
    title: str
    description: str | None
    context: dict[str, JsonValue] = Field(description="free JSON, as it was given")
    fields: list[FieldItem]
    options: list[str]
    tags: list[str]
    source: SourceItem
    assigned_to: str | None
    assigned_to_team: str | None
    assigned_at: str | None
    claimed_by: str | None
    claimed_at: str | None
    due_at: str | None
    escalation_chain: list[LevelItem]
    current_escalation_level: int
    resolution: ResolutionItem | None
    cancel_reason: str | None
    created_at: str
    updated_at: str
    created_by: str


class TaskReply(Success):
    """One task."""

    task: TaskItem


class TaskListReply(PaginatedPage):
    """Some tasks, the most urgent first."""

    tasks: list[TaskItem]


def new_task(body: NewTaskBody, project_id: str) -> NewTask:
    """Return the task that a body wants."""
    return NewTask(
        project_id=project_id,
        type=body.type,
        title=body.title,
        priority=body.priority,
        description=body.description,
        fields=tuple(
            TaskField(name=one.name, type=one.type, label=one.label, required=one.required, options=tuple(one.options))
            for one in body.fields
        ),
        context=body.context,
        options=tuple(body.options),
        due_at=due_of(body.due_at),
        assigned_to=body.assigned_to,
        assigned_to_team=body.assigned_to_team,
        escalation_chain=tuple(
            EscalationLevel(after_minutes=one.after_minutes, user_id=one.user_id, team=one.team)
            for one in body.escalation_chain
        ),
        tags=tuple(body.tags),
        session_id=body.session_id or "",
    )


def due_of(text: str | None) -> datetime | None:
    """Return when a task is due."""
    return moment_of(text or "")


def decision_of(body: ResolveBody) -> Decision:
    """Return what a body decides."""
    return Decision(
        decision=body.decision,
        fields=body.fields,
        notes=body.notes or "",
        responded_by=body.responded_by or "",
    )


def task_item(tenant_id: str, task: HumanTask) -> TaskItem:
    """Return a task as it is shown."""
    return TaskItem.model_validate(wire_task(tenant_id, task))
