"""Tasks of Agent2Agent as they are written, in the spellings of its versions 0.3 and 1.0 (ProtoJSON). Pure.

Spec: a2a-protocol.org, 0.3 (6) and 1.0 (4.1). Decision: 0054.
"""

from __future__ import annotations

from actors.a2a_desk import OVER, SUSPENDED, WORKING, StandingTask
from domain.clock import iso_ms
from domain.json_values import JsonObject
from storage.turn_end import MessageRow


def task_form(
    standing: StandingTask, dialect: str, *, history: int | None = None, with_artifacts: bool = True
) -> JsonObject:
    """Return a task; `history`: how many of its last messages are told, None for all."""
    task = standing.task
    lines = standing.lines if history is None else standing.lines[len(standing.lines) - history :] if history else ()
    told: JsonObject = {
        "id": task.task_id,
        "contextId": task.session_id,
        "status": status_form(standing, dialect),
        "history": [_line(standing, one, dialect) for one in lines],
        "metadata": {"agent": task.agent},
    }
    if with_artifacts and standing.reply and task.state != "failed":
        told["artifacts"] = [artifact_form(standing.reply_id, standing.reply, dialect)]
    return told if dialect == "1.0" else {"kind": "task", **told}


def status_form(standing: StandingTask, dialect: str) -> JsonObject:
    """Return how a task stands, with the reply in which it rests."""
    status: JsonObject = {
        "state": state_form(standing.task.state, dialect),
        "timestamp": iso_ms(standing.task.updated_at),
    }
    if standing.reply:
        said = _message(standing, standing.reply_id, standing.reply, "agent", dialect)
        status["message"] = said
    return status


def state_form(state: str, dialect: str) -> str:
    """Return a state as it is spelt.

    >>> state_form("input-required", "1.0"), state_form("suspended", "0.3")
    ('TASK_STATE_INPUT_REQUIRED', 'working')
    """
    told = WORKING if state == SUSPENDED else state
    return f"TASK_STATE_{told.upper().replace('-', '_')}" if dialect == "1.0" else told


def artifact_form(message_id: str, text: str, dialect: str) -> JsonObject:
    """Return a reply as what a task has made."""
    return {"artifactId": message_id, "name": "reply", "parts": [_part(text, dialect)]}


def task_event(task: JsonObject, dialect: str) -> JsonObject:
    """Return a task as the result of a message, or as an event of a stream."""
    return {"task": task} if dialect == "1.0" else task


def status_event(standing: StandingTask, dialect: str) -> JsonObject:
    """Return the event that says how a task stands; of one that rests it ends the stream."""
    names = {"taskId": standing.task.task_id, "contextId": standing.task.session_id}
    told: JsonObject = {**names, "status": status_form(standing, dialect)}
    is_last = bool(standing.reply_id) or standing.task.state in OVER
    return {"statusUpdate": told} if dialect == "1.0" else {"kind": "status-update", **told, "final": is_last}


def notification(standing: StandingTask, dialect: str) -> JsonObject:
    """Return what an address is told of a task that rests."""
    return task_event(task_form(standing, dialect), dialect)


def _line(standing: StandingTask, line: MessageRow, dialect: str) -> JsonObject:
    return _message(standing, line.message_id, line.content, "user" if line.role == "user" else "agent", dialect)


def _message(standing: StandingTask, message_id: str, text: str, role: str, dialect: str) -> JsonObject:
    told: JsonObject = {
        "messageId": message_id,
        "taskId": standing.task.task_id,
        "contextId": standing.task.session_id,
        "role": f"ROLE_{role.upper()}" if dialect == "1.0" else role,
        "parts": [_part(text, dialect)],
    }
    return told if dialect == "1.0" else {"kind": "message", **told}


def _part(text: str, dialect: str) -> JsonObject:
    return {"text": text} if dialect == "1.0" else {"kind": "text", "text": text}
