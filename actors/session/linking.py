"""Whose session it is, once somebody has said so: its agents know from the next turn on. Spec: platform-api 7.4."""

from __future__ import annotations

import msgspec

from actors.messages import Done, LinkContact
from actors.session.driver import fold
from actors.session.kept import ENDED
from actors.session.live import LiveSession
from actors.session.store import TurnCommit
from domain.clock import Clock, iso_ms
from engine import ContactLinked


async def link(live: LiveSession, message: LinkContact, clock: Clock) -> Done:
    """Make a contact the session's: its `customer_id`, and whose `user.` memory its agents read and write."""
    contact_id = message.contact_id
    if live.state is not None and live.status != ENDED:
        fact = ContactLinked(at=iso_ms(clock.now()), contact_id=contact_id)
        live.note(fact, fold(live, fact).effects, None)
        await live.write(TurnCommit(snapshot=live.snapshot()))
    await live.store.link_contact(live.pin, live.epoch, contact_id)
    live.pin = msgspec.structs.replace(live.pin, contact_id=contact_id)
    return Done()
