"""Human tasks: what people are asked to do, and each way in which a task changes. Spec: platform-api 3.4, 10.

Every function takes a task as it stands and returns it as it is afterwards, or raises why it may not be; nothing here
waits, so whoever keeps tasks has to see that nobody else changes one meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field

from domain.clock import iso_ms
from domain.errors import Conflict, Forbidden, InvalidInput
from domain.json_values import JsonObject, JsonValue

TaskType = Literal["approval", "data_entry", "review", "decision", "escalation"]
Priority = Literal["low", "medium", "high", "critical"]
FieldType = Literal["text", "number", "boolean", "select", "textarea", "date"]
SourceKind = Literal["session", "eval_run", "api"]


class TaskStatus(StrEnum):
    """Where a task stands."""

    PENDING = "pending"
    ASSIGNED = "assigned"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


OPEN: Final = (TaskStatus.PENDING, TaskStatus.ASSIGNED, TaskStatus.IN_PROGRESS)
PRIORITIES: Final[tuple[Priority, ...]] = ("critical", "high", "medium", "low")
"""The most urgent first."""
DECISIONS: Final[dict[str, frozenset[str]]] = {
    "approval": frozenset({"approved", "rejected"}),
    "review": frozenset({"approved", "rejected", "changes_requested"}),
    "data_entry": frozenset({"submitted"}),
    "escalation": frozenset({"resolved", "needs_agent", "rejected"}),
}
"""Type of a task -> what may be decided; a `decision` has options of its own."""
UNASKED: Final = "is no field of this task"


class TaskField(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One field of the form of a task; `options` are those of a `select`."""

    name: str
    type: FieldType
    label: str = ""
    required: bool = False
    options: tuple[str, ...] = ()


class EscalationLevel(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """Who has a task next when its time is over, and for how many minutes."""

    after_minutes: int
    user_id: str | None = None
    team: str | None = None


class Resolution(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a person decided."""

    responded_by: str
    decision: str
    fields: JsonObject
    notes: str
    resolved_at: str


class HumanTask(Struct, frozen=True, kw_only=True):
    """A task.

    Attributes:
        place: Of a task of a session: the runtime session and the suspension that waits.
        current_escalation_level: How many levels of the chain have had it.
    """

    task_id: str
    project_id: str
    type: TaskType
    title: str
    session_id: str = ""
    place: str = ""
    source_kind: SourceKind = "session"
    agent_name: str = ""
    status: TaskStatus = TaskStatus.PENDING
    priority: Priority = "medium"
    description: str | None = None
    context: JsonObject = field(default_factory=dict)
    fields: tuple[TaskField, ...] = ()
    options: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    assigned_to: str | None = None
    assigned_to_team: str | None = None
    assigned_at: datetime | None = None
    claimed_by: str | None = None
    claimed_at: datetime | None = None
    due_at: datetime | None = None
    escalation_chain: tuple[EscalationLevel, ...] = ()
    current_escalation_level: int = 0
    resolution: JsonObject | None = None
    cancel_reason: str | None = None
    created_at: datetime
    updated_at: datetime
    created_by: str = ""

    @property
    def is_open(self) -> bool:
        """Whether anybody may still do anything with it."""
        return self.status in OPEN


class Person(Struct, frozen=True, kw_only=True):
    """Who acts on a task.

    Attributes:
        user_id: Of a user, or of the API key that acts.
        email: By which tasks may be assigned too.
        is_admin: May act on tasks of others and in the names of others.
    """

    user_id: str
    email: str = ""
    teams: frozenset[str] = frozenset()
    is_admin: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return under which names a task may be this person's."""
        return tuple(name for name in (self.user_id, self.email) if name)


def opened(task: HumanTask) -> HumanTask:
    """Return a new task as it begins: with somebody, or with nobody yet.

    Without a time of its own it is due after what the first level of its escalation chain says.
    """
    due_at = task.due_at
    if due_at is None and task.escalation_chain:
        due_at = task.created_at + timedelta(minutes=task.escalation_chain[0].after_minutes)
    if task.assigned_to is None and task.assigned_to_team is None:
        return msgspec.structs.replace(task, status=TaskStatus.PENDING, due_at=due_at)
    return msgspec.structs.replace(task, status=TaskStatus.ASSIGNED, due_at=due_at, assigned_at=task.created_at)


def assigned(task: HumanTask, now: datetime, *, user: str | None = None, team: str | None = None) -> HumanTask:
    """Return a task that is somebody else's now; who had claimed it has it no more. Raises Conflict: TASK_CLOSED."""
    _need_open(task)
    return msgspec.structs.replace(
        task,
        status=TaskStatus.ASSIGNED,
        assigned_to=user,
        assigned_to_team=team,
        assigned_at=now,
        claimed_by=None,
        claimed_at=None,
        updated_at=now,
    )


def claimed(task: HumanTask, by: Person, now: datetime, user_id: str = "") -> HumanTask:
    """Return a task that somebody works on.

    Args:
        user_id: For whom it is claimed; empty is whoever claims.

    Raises:
        Conflict: TASK_CLAIMED: somebody else works on it; TASK_CLOSED.
        Forbidden: It is assigned to others, or claimed for somebody else, and the caller is no project admin.
    """
    _need_open(task)
    claimant = _claimant(by, user_id)
    if task.status == TaskStatus.IN_PROGRESS:
        if task.claimed_by == claimant:
            return task
        raise Conflict("The task is claimed by somebody else", details={"reason": "TASK_CLAIMED"})
    if task.status == TaskStatus.ASSIGNED and not (by.is_admin or _is_theirs(task, by)):
        raise Forbidden("The task is assigned to somebody else")
    return msgspec.structs.replace(
        task, status=TaskStatus.IN_PROGRESS, claimed_by=claimant, claimed_at=now, updated_at=now
    )


def resolved(
    task: HumanTask,
    by: Person,
    now: datetime,
    *,
    decision: str,
    fields: JsonObject,
    notes: str = "",
    responded_by: str = "",
) -> HumanTask:
    """Return a task that is done; one that nobody has claimed is claimed by `responded_by` first.

    One that the same person has closed with the same decision comes back as it is.

    Raises:
        Conflict: TASK_CLOSED; TASK_CLAIMED: somebody else works on it, and the caller is no project admin.
        Forbidden: As `claimed`.
        InvalidInput: The decision is none of this task; a field is missing or of another type.
    """
    answerer = by.user_id if responded_by in ("", *by.names) else responded_by
    is_theirs = by.is_admin or answerer == by.user_id
    if is_theirs and _is_said_again(task, answerer, decision, fields, notes):
        return task
    _need_open(task)
    is_taken_over = by.is_admin and task.status == TaskStatus.IN_PROGRESS
    mine = task if is_taken_over else claimed(task, by, now, responded_by)
    told = Resolution(
        responded_by=_claimant(by, responded_by),
        decision=checked_decision(task, decision),
        fields=checked_fields(task, fields),
        notes=notes,
        resolved_at=iso_ms(now),
    )
    return msgspec.structs.replace(
        mine, status=TaskStatus.COMPLETED, resolution=msgspec.to_builtins(told), updated_at=now
    )


def overdue(task: HumanTask, now: datetime) -> HumanTask:
    """Return a task whose time is over: the next level of its escalation chain has it, or nobody any more.

    One that is closed, or not due yet, comes back as it is.
    """
    if not task.is_open or task.due_at is None or task.due_at > now:
        return task
    level = task.current_escalation_level
    if level >= len(task.escalation_chain):
        return msgspec.structs.replace(task, status=TaskStatus.EXPIRED, updated_at=now)
    upper = task.escalation_chain[level]
    return msgspec.structs.replace(
        assigned(task, now, user=upper.user_id, team=upper.team),
        current_escalation_level=level + 1,
        due_at=now + timedelta(minutes=upper.after_minutes),
    )


def cancelled(task: HumanTask, now: datetime, reason: str = "") -> HumanTask:
    """Return a task that nobody has to do any more; why is kept with it. Raises Conflict: TASK_CLOSED."""
    _need_open(task)
    return msgspec.structs.replace(task, status=TaskStatus.CANCELLED, cancel_reason=reason or None, updated_at=now)


def checked_decision(task: HumanTask, decision: str) -> str:
    """Return a decision that this task takes. Raises InvalidInput."""
    allowed: Sequence[str] = task.options if task.type == "decision" else sorted(DECISIONS[task.type])
    if decision in allowed or (not allowed and decision):
        return decision
    raise _refused([("/decision", f"must be one of {', '.join(allowed)}")])


def checked_fields(task: HumanTask, given: JsonObject) -> JsonObject:
    """Return the fields that the form of a task asks for, without those left open; all of them where it has no form.

    Raises:
        InvalidInput: A required one is missing, one is of another type, or the form has none of this name;
            `details.fields` says which.
    """
    if not task.fields:
        return given
    wrong = [(_place(one.name), told) for one in task.fields if (told := _wrong(one, given.get(one.name)))]
    wrong += [(_place(name), UNASKED) for name in sorted(given.keys() - {one.name for one in task.fields})]
    if wrong:
        raise _refused(wrong)
    return {one.name: given[one.name] for one in task.fields if given.get(one.name) is not None}


def _place(name: str) -> str:
    """Return the JSON pointer (RFC 6901) of a field."""
    return "/fields/" + name.replace("~", "~0").replace("/", "~1")


def _wrong(form: TaskField, value: JsonValue) -> str:
    """Return what is wrong with a value; empty when nothing is."""
    if value is None or value == "":
        return "is required" if form.required else ""
    match form.type:
        case "text" | "textarea":
            return "" if isinstance(value, str) else "must be a text"
        case "number":
            return "" if isinstance(value, int | float) and not isinstance(value, bool) else "must be a number"
        case "boolean":
            return "" if isinstance(value, bool) else "must be true or false"
        case "select":
            return "" if value in form.options else f"must be one of {', '.join(form.options)}"
        case "date":
            return "" if _is_date(value) else "must be a date (ISO 8601)"


def _is_date(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            read(value)
        except ValueError:
            continue
        return True
    return False


def _claimant(by: Person, user_id: str) -> str:
    if user_id in ("", *by.names):
        return by.user_id
    if not by.is_admin:
        raise Forbidden("Only a project admin may act for somebody else")
    return user_id


def _is_said_again(task: HumanTask, answerer: str, decision: str, fields: JsonObject, notes: str) -> bool:
    """Return whether a task was closed by just this decision."""
    if task.status != TaskStatus.COMPLETED or task.resolution is None:
        return False
    given = {name: value for name, value in fields.items() if value is not None} if task.fields else fields
    said = {"respondedBy": answerer, "decision": decision, "fields": given, "notes": notes}
    return said == {name: value for name, value in task.resolution.items() if name != "resolvedAt"}


def _is_theirs(task: HumanTask, by: Person) -> bool:
    return task.assigned_to in by.names or (task.assigned_to_team is not None and task.assigned_to_team in by.teams)


def _need_open(task: HumanTask) -> None:
    if not task.is_open:
        raise Conflict("The task is closed", details={"reason": "TASK_CLOSED"})


def _refused(wrong: Sequence[tuple[str, str]]) -> InvalidInput:
    fields = [{"path": path, "message": message} for path, message in wrong]
    return InvalidInput("Invalid request", details={"fields": fields})
