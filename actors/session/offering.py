"""Which set of actions of a session is open, and which turns answer it. Decision: 0075.

At most one is: the last that was shown. It is carried from the end of one turn to the end of the next (`KeptTurn`), so
that it is the same in whichever host the session wakes. Spec: platform-api 12.4, 13.2.
"""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b
from typing import Final

import msgspec

from actors.runtime import ChatTurn
from actors.session.kept import ENDED, OpenSet
from actors.session.live import LiveSession
from actors.session.opening import action_of
from actors.session.output import TurnOutput
from domain.errors import Conflict
from domain.json_values import JsonObject
from domain.limits import ACTIONS_OPEN_TURNS
from domain.messages import wire_action
from domain.offers import ACTION_CLOSED, check_action, offered
from engine import EndTurn, SessionState, UserSpoke

PLACE_BYTES: Final = 8


async def answering(live: LiveSession, asked: ChatTurn) -> tuple[ChatTurn, str]:
    """Return a message as it is run, and whose set of actions it answers; one without an action answers none.

    A button without a value sends the one that it was offered with, and what is pressed is said where nothing else is.

    Raises:
        Conflict: What it answers is open no more.
        InvalidInput: It is none of what is offered, or has another form than platform-api 12.4 says.
    """
    action = action_of(asked.action)
    if action is None:
        return asked, ""
    found = _open_in(live)
    if found is None:
        raise _closed("The actions that it answers are not open: they were answered, or the conversation has gone on")
    actions, rich = await _shown_with(live, found.message_id)
    own = str((actions or {}).get("render_id", ""))
    wanted = offered(actions, rich)
    if not wanted or action.render_id not in ("", own, found.message_id):
        raise _closed(f"{action.render_id or action.action_id!r} is not open: something else was offered since")
    checked = check_action(action, wanted, _handled(live))
    checked = msgspec.structs.replace(checked, render_id=own)
    said = asked.message or checked.value
    return msgspec.structs.replace(asked, message=said, action=wire_action(checked)), found.message_id


def open_after(
    live: LiveSession, output: TurnOutput, end: EndTurn, *, is_refused: bool, is_void: bool
) -> OpenSet | None:
    """Return the set of actions that can be answered once a turn has ended.

    Args:
        live: The session after the turn.
        output: What it has shown.
        end: How it ends.
        is_refused: It has no reply.
        is_void: Nor has it changed anything: its message may be sent again.
    """
    before, state = _open_in(live), live.state
    if is_void:
        return before
    if end.status == ENDED or state is None:
        return None
    if not is_refused and offered(end.actions, end.rich_content):
        return OpenSet(output.message_id, output.number, live.pin.runtime_session_id, place_of(state))
    stands = before is not None and before.place == place_of(state)
    if before is None or not stands or output.answers or output.number - before.turn > ACTIONS_OPEN_TURNS:
        return None
    return before


def answered_by(live: LiveSession, spoke: UserSpoke | None) -> str:
    """Return whose set of actions a turn answers that another host began; it was checked there."""
    found = _open_in(live)
    return found.message_id if found is not None and spoke is not None and spoke.action is not None else ""


def place_of(state: SessionState) -> str:
    """Return where a conversation stands: who speaks, at which step of a flow, and what is asked there.

    What is offered at one place is no answer at another one: it could be a yes to something else.
    """
    thread = state.threads.get(state.active)
    asked = (thread.step, thread.awaiting, bool(thread.confirmation)) if thread is not None else ()
    return blake2b(msgspec.json.encode((state.active, *asked)), digest_size=PLACE_BYTES).hexdigest()


def _open_in(live: LiveSession) -> OpenSet | None:
    found = live.last.open if live.last is not None else None
    return found if found is not None and found.life == live.pin.runtime_session_id else None


async def _shown_with(live: LiveSession, message_id: str) -> tuple[JsonObject | None, JsonObject | None]:
    """Return the actions and the rich content of a message."""
    if live.last is not None and live.last.message_id == message_id:
        return live.last.actions, live.last.rich_content
    line = await live.store.line(live.pin, message_id)
    extra: JsonObject = msgspec.json.decode(line.extra) if line is not None and line.extra else {}
    return extra.get("actions"), extra.get("richContent")


def _handled(live: LiveSession) -> Collection[str]:
    """Return the ids of the actions that the agent handles where the conversation stands."""
    state = live.state
    thread = state.threads.get(state.active) if state is not None else None
    agent = live.program.find(thread.agent) if thread is not None else None
    if thread is None or agent is None:
        return ()
    step: JsonObject = agent.steps.get(thread.step) or {}
    handlers = (*(step.get("on_action") or ()), *(agent.ir.get("action_handlers") or ()))
    return {str(one.get("action_id")) for one in handlers}


def _closed(message: str) -> Conflict:
    return Conflict(message, details={"reason": ACTION_CLOSED})
