"""What a session owes those that work for it, and what a child asks of its parent before it works.

A parent that waits no more has its children give up before it writes that down (`Children.recall`). A child that was
not reached looks at its parent's journal when it begins and when it is taken up after a crash: what is not waited for
there is not begun, and not gone on with. Spec: platform-api 3.1, 5.5; abl-language 7.2, 7.3.
"""

from __future__ import annotations

from actors.session.driver import Performer
from actors.session.kept import ENDED
from actors.session.live import LiveSession
from actors.session.services import Services
from actors.session.store import SessionPin, Stored
from actors.session.tool_calls import effect_of_key
from actors.session.waking import wake

WORK = "handoff"
"""The kind of a suspension that waits for an agent in a session of its own."""


async def waits_for(parent: Stored, key: str, services: Services) -> bool:
    """Return whether a session still waits for what came of the effect with this key.

    Raises:
        UnknownSchema, UnreadableSnapshot: The session was written by a newer version.
    """
    pin = parent.pin
    runtime_session_id, effect_id = effect_of_key(key)
    if parent.status == ENDED or pin.runtime_session_id != runtime_session_id:
        return False
    program = await services.programs.get(pin.tenant_id, pin.project_id, pin.program_id)
    live = LiveSession(pin, program, services.store, 0)
    wake(live, parent)
    state = live.state
    if state is None:
        return False
    is_asked = effect_id in state.pending or effect_id in state.suspensions
    return is_asked or any(task.data.get("effect") == effect_id for task in state.tasks)


async def is_wanted(pin: SessionPin, key: str, services: Services) -> bool:
    """Return whether somebody waits for what a session does under a key; of a session without a parent, always."""
    if not pin.parent_session_id or not key:
        return True
    parent = await services.store.load(pin.tenant_id, pin.parent_session_id)
    return parent is not None and await waits_for(parent, key, services)


async def recall_work(live: LiveSession, performer: Performer, suspension_id: str = "") -> None:
    """Have agents give up that work while the session waits: those of all its suspensions, or of one."""
    waits = live.state.suspensions if live.state is not None else {}
    works = [one for one, wait in waits.items() if wait.kind == WORK and suspension_id in ("", one)]
    if works:
        await performer.recall(works, live)
