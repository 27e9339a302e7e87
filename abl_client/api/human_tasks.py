"""The part of the API about human tasks. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.human_tasks import (
        AssignBody,
        CancelBody,
        ClaimBody,
        NewTaskBody,
        ResolveBody,
        TaskListReply,
        TaskReply,
    )


class HumanTasksApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_human_tasks(
        self,
        project_id: str,
        *,
        status: str | None = None,
        type_: Literal["approval", "data_entry", "review", "decision", "escalation"] | None = None,
        priority: Literal["low", "medium", "high", "critical"] | None = None,
        assigned_to: str | None = None,
        team: str | None = None,
        session_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> TaskListReply:
        """Return tasks of a project, the most urgent first, of those the oldest."""
        return cast(
            "TaskListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/human-tasks",
                query={
                    "status": status,
                    "type": type_,
                    "priority": priority,
                    "assignedTo": assigned_to,
                    "team": team,
                    "sessionId": session_id,
                    "limit": limit,
                    "offset": offset,
                },
                schemes=("apiKey", "bearer"),
            ),
        )

    def create_human_task(self, project_id: str, body: NewTaskBody, *, idempotency_key: str = "") -> TaskReply:
        """Give somebody a task."""
        return cast(
            "TaskReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/human-tasks",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_human_task(self, project_id: str, task_id: str) -> TaskReply:
        """Return a task."""
        return cast(
            "TaskReply",
            self._transport.json(
                "GET", f"/api/projects/{place(project_id)}/human-tasks/{place(task_id)}", schemes=("apiKey", "bearer")
            ),
        )

    def claim_human_task(
        self, project_id: str, task_id: str, body: ClaimBody | None = None, *, idempotency_key: str = ""
    ) -> TaskReply:
        """Take a task; of many who try at once one gets it."""
        return cast(
            "TaskReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/human-tasks/{place(task_id)}/claim",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def assign_human_task(
        self, project_id: str, task_id: str, body: AssignBody, *, idempotency_key: str = ""
    ) -> TaskReply:
        """Give a task to a person or a team; whoever had claimed it has it no more."""
        return cast(
            "TaskReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/human-tasks/{place(task_id)}/assign",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def resolve_human_task(
        self, project_id: str, task_id: str, body: ResolveBody, *, idempotency_key: str = ""
    ) -> TaskReply:
        """Close a task with a decision, once; the session that waits for it goes on."""
        return cast(
            "TaskReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/human-tasks/{place(task_id)}/resolve",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def cancel_human_task(
        self, project_id: str, task_id: str, body: CancelBody | None = None, *, idempotency_key: str = ""
    ) -> TaskReply:
        """Close a task that nobody has to do any more; a session that waits goes on when its suspension ..."""
        return cast(
            "TaskReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/human-tasks/{place(task_id)}/cancel",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )
