"""What was missed of turns that are over, told again from the store as it was."""

import asyncio

import msgspec
import pytest

from actors.messages import Done, Follow, Replied
from actors.runtime import StreamEvent
from actors.session import telling
from actors.session.body import SessionBody
from tests.support.sessions import SESSION, TENANT, MemoryStore, a_body, a_turn, some_services


async def talked(store: MemoryStore, *texts: str) -> list[StreamEvent]:
    """Return all that is shown of turns, each in a host of its own, as if the last one had been killed."""
    shown: list[StreamEvent] = []
    for number, text in enumerate(texts):
        services = some_services(store)
        services.clock.move(seconds=number)
        body = SessionBody(TENANT, SESSION, services)

        def take(event: StreamEvent) -> bool:
            shown.append(event)
            return True

        message = msgspec.structs.replace(a_turn(text), follow=True, new=not store.pins)
        assert isinstance(await body.handle(message, take), Replied)
        store.epoch += 1
    return shown


async def heard(store: MemoryStore, after: int) -> list[StreamEvent]:
    """Return what somebody hears who comes back after this number."""
    body = a_body(store)
    assert isinstance(await body.handle(Follow(tenant_id=TENANT, session_id=SESSION, after=after), None), Done)
    told: list[StreamEvent] = []
    assert body.live is not None
    body.live.stream.listen(lambda event: told.append(event) is None, after, gaps=True)
    return told


@pytest.mark.parametrize("place", range(16))
def test_turns_of_hosts_that_are_gone_are_told_again_number_for_number(place: int) -> None:
    async def story() -> None:
        store = MemoryStore()
        shown = await talked(store, "one", "keyed two", "three", "four")
        told = await heard(store, shown[place].seq)
        assert "resume_gap" not in {event.kind for event in told}
        assert [event.seq for event in told] == [event.seq for event in shown[place + 1 :]]
        assert [event.kind for event in told] == [event.kind for event in shown[place + 1 :]]
        assert [event.data for event in told] == [event.data for event in shown[place + 1 :]]

    asyncio.run(story())


def test_nothing_is_missed_by_who_has_seen_everything_before_the_session_moved() -> None:
    async def story() -> None:
        store = MemoryStore()
        shown = await talked(store, "one", "two")
        assert await heard(store, shown[-1].seq) == []

    asyncio.run(story())


def test_only_what_is_too_much_or_was_written_by_an_older_version_is_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        store = MemoryStore()
        shown = await talked(store, "one", "two", "three", "four")
        starts = [event.seq for event in shown if event.kind == "session_start"]
        with monkeypatch.context() as bound:
            bound.setattr(telling, "MAX_RETOLD_TURNS", 2)
            told = await heard(store, 1)
        assert (told[0].kind, told[0].data) == ("resume_gap", {"fromSeq": 2, "toSeq": starts[2] - 1})
        assert told[1].seq == starts[2]
        store.said[1] = msgspec.structs.replace(store.said[1], beside=b"")
        told = await heard(store, 1)
        assert (told[0].kind, told[1].seq) == ("resume_gap", starts[2])

    asyncio.run(story())
