"""The memory stores of a session as code outside of this process uses them, with its sandbox token.

What it sets is a record of the session's journal like everything else that happens to it, written in the order in
which it happens: between two facts while a turn runs, by itself while none does. Decision: 0015.
"""

from __future__ import annotations

from actors.messages import HostAnswer, MemoryUsed, UseMemory
from actors.session.driver import Turn
from actors.session.live import NO_STORES, LiveSession
from actors.session.opening import found
from actors.session.replies import refusal
from actors.session.tool_calls import LentStores
from domain.errors import AppError, InvalidInput, NotFound


async def remember(live: LiveSession, message: UseMemory) -> MemoryUsed:
    """Carry a message out; what it sets is durable and readable when this returns.

    Raises:
        NotFound: The session has ended.
        InvalidInput, TooLarge, Conflict: The request is wrong or cannot be carried out; nothing has changed.
        SessionMoved, StoreLost: As for every write.
    """
    if live.status == "ended":
        raise NotFound("Session not found")
    stores = LentStores(live)
    value = await stores.act(message.action, message.store, message.content)
    if stores.changed:
        live.note_stores(stores.changed)
        try:
            await live.write()
        except InvalidInput:
            live.unwritten.pop()
            live.stores = NO_STORES
            raise
    return MemoryUsed(value=value)


async def remember_meanwhile(turn: Turn | None, live: LiveSession | None, message: UseMemory) -> HostAnswer | None:
    """Carry a message out between two facts of the turn that runs; None when none does, or it is over before."""
    if turn is None or live is None:
        return None
    try:
        found(live, message.tenant_id, message.project_id)
        return await turn.aside(lambda: remember(live, message))
    except AppError as error:
        return refusal(error)
