"""Who follows a session while its host loads it."""

import asyncio

from actors.messages import Done, Follow, Replied
from actors.runtime import StreamEvent
from actors.session.store import SessionPin
from actors.session_host import SessionHost
from tests.support.sessions import SESSION, TENANT, MemoryStore, a_turn, some_services
from tests.support.until import until


class SlowStore(MemoryStore):
    """A store that takes its time to give a session."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.gives = asyncio.Event(), asyncio.Event()

    async def create(self, pin: SessionPin, *, reopens: bool = False) -> int:
        self.asked.set()
        await self.gives.wait()
        return await super().create(pin, reopens=reopens)


def test_who_follows_a_session_that_is_just_being_loaded_is_not_kept_but_asks_again() -> None:
    async def story() -> None:
        store = SlowStore()
        host = SessionHost("host-0", some_services(store))
        heard: list[StreamEvent] = []

        def listen(event: StreamEvent) -> bool:
            heard.append(event)
            return True

        follows = Follow(tenant_id=TENANT, session_id=SESSION, after=0, endless=True)
        turn = asyncio.create_task(host.ask(a_turn("keyed 1")))
        await asyncio.wait_for(store.asked.wait(), 5)
        assert await asyncio.wait_for(host.ask(follows, listen), 5) == Done(note="waking")
        store.gives.set()
        assert isinstance(await turn, Replied)
        following = asyncio.create_task(host.ask(follows, listen))
        await until(lambda: [one.kind for one in heard][-1:] == ["complete"])
        following.cancel()

    asyncio.run(story())
