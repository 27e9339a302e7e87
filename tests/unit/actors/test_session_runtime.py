"""What the gateway asks for, over hosts that lose answers: nothing is run twice, with a key of the caller or without."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from actors.directory import Directory, Member
from actors.health import ModelHealth
from actors.hosts.port import HostGone
from actors.messages import HostAnswer, HostMessage, RunTurn
from actors.runtime import ChatTurn, NewSession, SessionRef, SessionView
from actors.session.stream import Listener
from actors.session_host import SessionHost
from actors.session_runtime import SessionRuntime
from actors.turn_keys import request_hash
from domain.clock import CountingIds, FixedClock
from domain.errors import Conflict, Unavailable
from domain.limits import IDEMPOTENCY_KEPT_S
from domain.messages import TranscriptLine
from tests.support.sessions import PROJECT, TENANT, MemoryStore, TablePerformer, some_services


class OneArchive:
    """Knows every session under the name it is asked for. Satisfies the part of `Archive` that turns need."""

    async def resolve(self, session: SessionRef) -> SessionRef:
        return session

    async def agent(self, tenant_id: str, view: SessionView) -> dict[str, object]:
        return {"agentId": f"ag_{view.agent_name}", "agentVersion": None}

    async def parts(self) -> dict[str, str]:
        return {"store": "ok"}

    async def uncounted(self) -> tuple[int, str]:
        return 0, "ok"


class LosingHost:
    """A host whose answers to turns are lost when a test says so; the turn has taken place."""

    def __init__(self, host: SessionHost) -> None:
        self.host = host
        self.loses = 0
        self.before_lost: list[HostMessage] = []

    @property
    def host_id(self) -> str:
        return self.host.host_id

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        answer = await self.host.ask(message, listener)
        if self.loses and isinstance(message, RunTurn):
            self.loses -= 1
            for other in self.before_lost:
                await self.host.ask(other)
            raise HostGone("the answer is lost")
        return answer

    def close(self) -> None: ...


@pytest.fixture(autouse=True)
def often_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The members are read often: a turn whose host is gone waits for the next reading."""
    monkeypatch.setattr("actors.directory.POLL_S", 0.02)


@asynccontextmanager
async def a_runtime() -> AsyncIterator[tuple[SessionRuntime, LosingHost, MemoryStore, TablePerformer]]:
    store, performer = MemoryStore(), TablePerformer(FixedClock())
    host = LosingHost(SessionHost("host-0", some_services(store, performer)))

    async def members() -> list[Member]:
        return [Member("host-0", "unix:/here")]

    directory = Directory(members, lambda _host_id, _address: host)
    await directory.start()
    try:
        yield SessionRuntime(directory, OneArchive(), CountingIds()), host, store, performer
    finally:
        await directory.stop()


def clock(host: LosingHost) -> FixedClock:
    """Return the clock of a host."""
    found = host.host._services.clock
    assert isinstance(found, FixedClock)
    return found


def a_chat(text: str, session: str = "", key: str = "") -> ChatTurn:
    return ChatTurn(tenant_id=TENANT, project_id=PROJECT, message=text, session_id=session, idempotency_key=key)


@pytest.mark.parametrize("key", ["", "k1"], ids=["without-a-key", "with-a-key"])
def test_a_turn_whose_answer_was_lost_is_answered_and_not_run_again(key: str) -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, host, store, performer):
            host.loses = 1
            reply = await runtime.chat(a_chat("keyed 1", key=key))
            assert reply.repeated
            assert reply.response == "noted keyed 1"
            assert len(performer.calls) == 1
            assert len(store.commits) == 1

    asyncio.run(story())


def test_also_when_another_turn_of_the_session_came_between() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, host, store, _performer):
            session = (await runtime.chat(a_chat("first"))).session_id
            other = msgspec.structs.replace(a_chat("between", session), idempotency_key="own:other")
            host.before_lost = [RunTurn(turn=other, may_be_known=False)]
            host.loses = 1
            reply = await runtime.chat(a_chat("lost", session))
            assert (reply.repeated, reply.response, reply.turn) == (True, "heard lost", 2)
            assert [text for role, text in store.transcript if role == "user"] == ["first", "lost", "between"]

    asyncio.run(story())


def test_a_stream_whose_host_died_is_told_to_its_end() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, host, _store, performer):
            host.loses = 1
            events = [event async for event in runtime.stream(a_chat("keyed 1"))]
            assert events[-1].kind == "complete"
            assert events[-1].data["response"] == "noted keyed 1"
            assert [event.seq for event in events] == sorted({event.seq for event in events})
            assert len(performer.calls) == 1

    asyncio.run(story())


def test_the_same_key_names_the_same_new_session_and_another_request_is_a_conflict() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, _host, _store, _performer):
            first = await runtime.chat(a_chat("hello", key="k1"))
            again = await runtime.chat(a_chat("hello", key="k1"))
            assert again.session_id == first.session_id
            assert again.repeated
            with pytest.raises(Conflict) as refused:
                await runtime.chat(a_chat("other", key="k1"))
            assert refused.value.details["reason"] == "IDEMPOTENCY_KEY_REUSED"
            wanted = NewSession(tenant_id=TENANT, project_id=PROJECT, agent="Ledger", idempotency_key="k1")
            opened = await runtime.create_session(wanted)
            assert opened.id != first.session_id
            assert (await runtime.create_session(wanted)).id == opened.id

    asyncio.run(story())


def test_a_key_opens_no_session_again_after_a_day_but_a_name_finds_it() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, host, store, _performer):
            keyed = NewSession(tenant_id=TENANT, project_id=PROJECT, agent="Ledger", idempotency_key="k1")
            named = msgspec.structs.replace(keyed, idempotency_key="", name="k1")
            opened, found = [(await runtime.create_session(one)).id for one in (keyed, named)]
            spoken = (await runtime.chat(a_chat("hello", key="k1"))).session_id
            assert len({opened, found, spoken}) == 3
            clock(host).move(seconds=IDEMPOTENCY_KEPT_S)
            assert (await runtime.create_session(named)).id == found
            with pytest.raises(Conflict) as refused:
                await runtime.create_session(keyed)
            assert refused.value.details == {"reason": "IDEMPOTENCY_KEY_EXPIRED"}
            store.turns.clear()
            store.commits.clear()  # the store has forgotten the turn, and a retention rule what was said
            with pytest.raises(Conflict) as refused:
                await runtime.chat(a_chat("hello", key="k1"))
            assert refused.value.details == {"reason": "IDEMPOTENCY_KEY_EXPIRED"}

    asyncio.run(story())


def test_a_first_message_runs_in_a_session_that_a_wrong_clock_has_made_and_nothing_was_written_in() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, _host, store, _performer):
            other = await runtime.chat(a_chat("hello"))
            session_id = runtime.new_session_id(a_chat("hello", key="k1"))
            wrong = {"session_id": session_id, "created_at": "2025-01-01T00:00:00.000Z"}
            await store.create(msgspec.structs.replace(store.pins[other.session_id], **wrong))
            reply = await runtime.chat(a_chat("hello", key="k1"))
            assert (reply.session_id, reply.turn, reply.repeated) == (session_id, 1, False)

    asyncio.run(story())


def test_two_people_with_one_key_have_two_sessions_and_their_own_replies() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, _host, store, _performer):
            people = ({"user_id": "usr_1", "user_kind": "user"}, {"user_id": "usr_2", "user_kind": "user"}, {})
            people += ({"contact_id": "con_1"},)
            turns = [msgspec.structs.replace(a_chat("hello", key="k1"), **one) for one in people]
            first = [await runtime.chat(turn) for turn in turns]
            again = [await runtime.chat(turn) for turn in turns]
            assert len({reply.session_id for reply in first}) == len(turns) == len(store.commits)
            assert [reply.message_id for reply in again] == [reply.message_id for reply in first]

    asyncio.run(story())


@pytest.mark.parametrize(
    "change",
    [
        {"message": "x"},
        {"agent": "x"},
        {"deployment_id": "x"},
        {"environment": "x"},
        {"metadata": {"x": 1}},
        {"attachment_ids": ("x",)},
        {"action": {"actionId": "x"}},
        {"test_context": {}},
        {"session_id": "sess_x"},
        {"earlier": (TranscriptLine("user", "x"),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_requests_that_ask_for_something_else_have_another_hash(change: dict[str, object]) -> None:
    turn = a_chat("hello")
    assert request_hash(msgspec.structs.replace(turn, **change)) != request_hash(turn)
    assert request_hash(msgspec.structs.replace(turn, user_id="usr_2", idempotency_key="k9")) == request_hash(turn)


def test_nothing_is_taken_any_more_once_it_drains() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, _host, _store, _performer):
            await runtime.drain()
            with pytest.raises(Unavailable):
                await runtime.chat(a_chat("hello"))

    asyncio.run(story())


def test_a_follower_hears_turns_as_they_come() -> None:
    async def story() -> None:
        async with a_runtime() as (runtime, _host, _store, _performer):
            session = (await runtime.chat(a_chat("first"))).session_id
            following = aiter(runtime.follow(SessionRef(TENANT, PROJECT, session), 0))
            first = [await anext(following) for _ in range(4)]
            assert first[0].kind == "session_start"
            await runtime.chat(a_chat("second", session))
            seen = first
            while not (seen[-1].kind == "complete" and seen[-1].turn == 2):
                seen.append(await anext(following))
            assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
            await following.aclose()  # type: ignore[attr-defined]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("hosts", "waiting", "model", "ready", "told"),
    [
        (1, 2, ModelHealth(), True, {"store": "ok", "cluster": "ok", "queue": "ok", "model": "ok"}),
        (1, 2, ModelHealth("none is set", is_set=False), True, {"model": "none is set"}),
        (1, 2, ModelHealth("it is being loaded"), False, {"model": "it is being loaded"}),
        (1, 3, ModelHealth(), False, {"queue": "3 turns wait, no more are taken."}),
        (0, 0, ModelHealth(), False, {"cluster": "No session host is alive."}),
    ],
)
def test_health_names_every_part(
    hosts: int, waiting: int, model: ModelHealth, ready: bool, told: dict[str, str]
) -> None:
    async def story() -> None:
        async def members() -> list[Member]:
            return [Member("host-0", "unix:/here", waiting=waiting)] * hosts

        directory = Directory(members, lambda *_: LosingHost(SessionHost("host-0", some_services(MemoryStore()))))
        await directory.start()
        try:
            runtime = SessionRuntime(directory, OneArchive(), CountingIds(), max_waiting=3, model=lambda: model)
            health = await runtime.health()
        finally:
            await directory.stop()
        assert health.ready is ready
        assert told.items() <= {**health.parts, **health.lesser}.items()

    asyncio.run(story())
