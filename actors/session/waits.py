"""What a session waits for outside: a callback for every suspension, and a human task where a person is asked.

Both are made once per suspension, however often they are asked for. Spec: platform-api 3.3, 3.4; abl-language 7.4.
"""

from __future__ import annotations

from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.store import CallbackTicket, Waiting, WantedTask
from engine import OpenTask

MAX_TITLE_CHARS = 300


async def open_wait(
    live: LiveSession, output: TurnOutput, suspension_id: str, agent: str, subject: str, expires_s: float | None
) -> CallbackTicket:
    """Return the callback of a suspension."""
    ticket = await live.store.open_callback(
        live.pin, suspension_id=suspension_id, agent=agent, tool=subject, expires_s=expires_s
    )
    known = output.waits.get(suspension_id)
    task_id = known.task_id if known is not None else ""
    output.waits[suspension_id] = Waiting(ticket.callback_id, task_id, ticket.expires_at)
    return ticket


async def open_task(live: LiveSession, output: TurnOutput, effect: OpenTask) -> None:
    """Have a person asked. The task is due when the suspension expires."""
    wait = output.waits.get(effect.suspension_id, Waiting())
    wanted = WantedTask(
        suspension_id=effect.suspension_id,
        agent=effect.agent,
        task_type=effect.task_type,
        priority=effect.priority,
        title=effect.reason[:MAX_TITLE_CHARS] or effect.task_type,
        context=effect.context,
        tags=effect.tags,
        assignee=effect.assignee,
        team=str(effect.routing.get("queue") or ""),
        due_at=wait.expires_at,
    )
    task_id = await live.store.open_task(live.pin, wanted)
    output.waits[effect.suspension_id] = Waiting(wait.callback_id, task_id, wait.expires_at)
