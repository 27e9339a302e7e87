"""`PP/human-tasks`: what people are asked to do, and what they answer. Spec: platform-api 3.4, 10."""

from __future__ import annotations

from typing import Annotated, get_args

from fastapi import Query, Response

from actors.human_tasks import wire_task
from actors.task_desk import TaskRef
from domain import limits
from domain.errors import InvalidInput
from domain.human_tasks import HumanTask, Person, Priority, TaskStatus, TaskType
from domain.permissions import Permission, may
from gateway.access import Admission, Admitted, caller
from gateway.audited import Asking
from gateway.bodies.human_tasks import (
    AssignBody,
    CancelBody,
    ClaimBody,
    NewTaskBody,
    ResolveBody,
    Status,
    TaskListReply,
    TaskReply,
    decision_of,
    new_task,
    task_item,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import Offset, PageLimit, Totals, json_response
from gateway.guarded import guarded_router
from gateway.services import Serving
from storage.repositories.human_tasks import TaskQuery

CREATED = 201
MYSELF = "me"
READER = caller("api_key", "user", permission=Permission.HUMAN_TASK_READ)
WRITER = caller("api_key", "user", permission=Permission.HUMAN_TASK_WRITE, replay="reply", repeatable=True)

router = guarded_router("/api/projects/{project_id}/human-tasks", "human tasks")


@router.get("", response_model=TaskListReply, dependencies=[READER])
async def list_human_tasks(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    status: Annotated[str, Query(description="one status, or several with commas")] = "",
    kind: Annotated[TaskType | None, Query(alias="type")] = None,
    priority: Priority | None = None,
    assigned_to: Annotated[QueryText, Query(alias="assignedTo", description="a user, or `me`")] = "",
    team: QueryText = "",
    session_id: Annotated[QueryText, Query(alias="sessionId")] = "",
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> Response:
    """Return tasks of a project, the most urgent first, of those the oldest."""
    tenant_id = admitted.caller.tenant_id
    wanted = TaskQuery(
        statuses=task_statuses(status),
        type=kind or "",
        priority=priority or "",
        assignees=_assignees(admitted, project_id, assigned_to),
        team=team,
        session_id=session_id,
        limit=limit,
        offset=offset,
    )
    page = await services.desks.human_tasks.list(tenant_id, project_id, wanted)
    where = Totals(total=page.total, limit=limit, offset=offset)
    tasks = [wire_task(tenant_id, one) for one in page.rows]
    return json_response({"success": True, "tasks": tasks, "pagination": where.model_dump()})


@router.get("/{task_id}", response_model=TaskReply, response_model_exclude_unset=True, dependencies=[READER])
async def get_human_task(project_id: str, task_id: str, admitted: Admitted, services: Serving) -> TaskReply:
    """Return a task."""
    return _reply(admitted, await services.desks.human_tasks.get(_ref(admitted, project_id, task_id)))


@router.post(
    "", status_code=CREATED, response_model=TaskReply, response_model_exclude_unset=True, dependencies=[WRITER]
)
async def create_human_task(
    project_id: str, body: NewTaskBody, admitted: Admitted, asking: Asking, services: Serving
) -> TaskReply:
    """Give somebody a task."""
    wanted = new_task(body, project_id)
    return _reply(admitted, await services.desks.human_tasks.create(admitted.caller.tenant_id, wanted, asking))


@router.post("/{task_id}/claim", response_model=TaskReply, response_model_exclude_unset=True, dependencies=[WRITER])
async def claim_human_task(
    project_id: str, task_id: str, admitted: Admitted, services: Serving, body: ClaimBody | None = None
) -> TaskReply:
    """Take a task; of many who try at once one gets it."""
    ref, person = _ref(admitted, project_id, task_id), _person(admitted, project_id)
    user_id = body.user_id if body is not None else None
    return _reply(admitted, await services.desks.human_tasks.claim(ref, person, user_id or ""))


@router.post("/{task_id}/assign", response_model=TaskReply, response_model_exclude_unset=True, dependencies=[WRITER])
async def assign_human_task(
    project_id: str, task_id: str, body: AssignBody, admitted: Admitted, asking: Asking, services: Serving
) -> TaskReply:
    """Give a task to a person or a team; whoever had claimed it has it no more."""
    ref = _ref(admitted, project_id, task_id)
    task = await services.desks.human_tasks.assign(ref, user=body.assigned_to, team=body.assigned_to_team, by=asking)
    return _reply(admitted, task)


@router.post("/{task_id}/resolve", response_model=TaskReply, response_model_exclude_unset=True, dependencies=[WRITER])
async def resolve_human_task(
    project_id: str, task_id: str, body: ResolveBody, admitted: Admitted, asking: Asking, services: Serving
) -> TaskReply:
    """Close a task with a decision, once; the session that waits for it goes on."""
    ref, person = _ref(admitted, project_id, task_id), _person(admitted, project_id)
    task = await services.desks.human_tasks.resolve(ref, person, decision_of(body), asking)
    if task.place:
        await services.runtime.task_closed(ref.tenant_id, task.session_id, task.task_id)
    return _reply(admitted, task)


@router.post("/{task_id}/cancel", response_model=TaskReply, response_model_exclude_unset=True, dependencies=[WRITER])
async def cancel_human_task(
    project_id: str, task_id: str, admitted: Admitted, asking: Asking, services: Serving, body: CancelBody | None = None
) -> TaskReply:
    """Close a task that nobody has to do any more; a session that waits goes on when its suspension expires."""
    ref, reason = _ref(admitted, project_id, task_id), body.reason if body is not None else None
    return _reply(admitted, await services.desks.human_tasks.cancel(ref, reason or "", asking))


def task_statuses(words: str) -> tuple[TaskStatus, ...]:
    """Return the statuses that a query names, separated by commas; raises InvalidInput."""
    named = [word.strip() for word in words.split(",") if word.strip()]
    unknown = [word for word in named if word not in get_args(Status)]
    if unknown:
        message = f"must be of {', '.join(get_args(Status))}"
        raise InvalidInput("Invalid request", details={"fields": [{"path": "/status", "message": message}]})
    return tuple(map(TaskStatus, named))


def _assignees(admitted: Admission, project_id: str, assigned_to: str) -> tuple[str, ...]:
    if assigned_to == MYSELF:
        return _person(admitted, project_id).names
    return (assigned_to,) if assigned_to else ()


def _person(admitted: Admission, project_id: str) -> Person:
    user = admitted.logged_in.user if admitted.logged_in is not None else None
    return Person(
        user_id=admitted.caller.subject,
        email=user.email if user is not None else "",
        teams=frozenset(user.teams) if user is not None else frozenset(),
        is_admin=may(admitted.caller.permissions_in(project_id), Permission.PROJECT_WRITE),
    )


def _ref(admitted: Admission, project_id: str, task_id: str) -> TaskRef:
    return TaskRef(admitted.caller.tenant_id, project_id, task_id)


def _reply(admitted: Admission, task: HumanTask) -> TaskReply:
    return TaskReply(success=True, task=task_item(admitted.caller.tenant_id, task))
