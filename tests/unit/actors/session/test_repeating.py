"""What a request is told that comes again under its key, when another host than the first one has the session."""

import asyncio

import msgspec
import pytest

from actors.session.commit import commit
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.records import TurnOpening
from actors.session.repeating import derived_id, kept_reply, own_reply, spoken_id
from domain.clock import FixedClock, iso_ms
from domain.errors import Conflict, Unavailable
from engine import EndTurn, UserSpoke
from tests.support.sessions import PIN, PROGRAM, MemoryStore

AT = iso_ms(FixedClock().now())
KEY = "k1"
SPENT = EndTurn(id="1.9", reply="", action={}, agent="Ledger", status="failed", error="budget_exceeded")
LATE = msgspec.structs.replace(SPENT, status="cancelled", error="deadline")


async def moved_after(end: EndTurn, *, acted: bool = False) -> LiveSession:
    """Return a session as a host has it that took it over after a turn under the key was refused."""
    store = MemoryStore()
    await store.create(PIN)
    live = LiveSession(PIN, PROGRAM, store, 1)
    live.acted_in = 1 if acted else -1
    message_id = derived_id(PIN.session_id, KEY)
    output = TurnOutput(live, message_id, 1)
    output.open()
    spoke = UserSpoke(at=AT, message_id=spoken_id(PIN.session_id, KEY), text="hello")
    with pytest.raises((Conflict, Unavailable)):
        await commit(live, output, TurnOpening("user", message_id, KEY, "h1"), end, spoke, AT)
    moved = LiveSession(PIN, PROGRAM, store, 2)
    moved.keys = None
    return moved


@pytest.mark.parametrize("end", [SPENT, LATE])
def test_what_was_refused_before_it_did_anything_is_run_when_it_comes_again_elsewhere(end: EndTurn) -> None:
    async def story() -> None:
        assert await kept_reply(await moved_after(end), KEY, "h1") is None

    asyncio.run(story())


def test_what_had_acted_is_told_its_refusal_and_never_run_again() -> None:
    async def story() -> None:
        moved = await moved_after(LATE, acted=True)
        with pytest.raises(Unavailable, match="Turn timed out"):
            await kept_reply(moved, KEY, "h1")
        moved.store.turns.clear()  # a day later
        with pytest.raises(Conflict) as refused:
            await kept_reply(moved, KEY, "h1")
        assert refused.value.details == {"reason": "IDEMPOTENCY_KEY_EXPIRED"}

    asyncio.run(story())


def test_a_turn_without_a_key_of_its_caller_that_was_refused_is_no_empty_answer() -> None:
    async def story() -> None:
        with pytest.raises(Conflict, match="Budget exceeded"):
            await own_reply(await moved_after(SPENT), KEY)

    asyncio.run(story())
