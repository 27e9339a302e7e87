from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from actors.runtime import ChatTurn, SessionRef, StreamEvent
from domain import limits
from domain.errors import AppError, QueueFull, Unavailable
from gateway import bounds
from gateway.feeds import Feeds
from gateway.metrics import Metrics
from tests.support.fake_runtime import FakeRuntime
from tests.support.until import until

pytestmark = pytest.mark.anyio
TENANT, PROJECT = "ten_one", "c" + "a" * 24


async def a_session(runtime: FakeRuntime) -> SessionRef:
    reply = await runtime.chat(ChatTurn(tenant_id=TENANT, project_id=PROJECT, message="first"))
    return SessionRef(TENANT, PROJECT, reply.session_id)


def a_turn(session: SessionRef, text: str = "hello") -> ChatTurn:
    return ChatTurn(tenant_id=TENANT, project_id=PROJECT, message=text, session_id=session.session_id)


def never(error: AppError) -> None:
    raise AssertionError(error)


async def test_a_socket_that_fell_behind_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SOCKET_OUTBOX_FRAMES", 4)
    runtime = FakeRuntime()
    session = await a_session(runtime)
    held = len(runtime.sessions_by_id[session.session_id].events)
    feeds = Feeds(runtime, Metrics())
    outlet = feeds.attach(session, held)
    runtime.chunks = tuple(str(n) for n in range(50))
    following = feeds.follow(outlet)
    (await feeds.take(a_turn(session), never))()
    seen = [await anext(following)]
    await until(lambda: feeds.waiting(session.session_id) == 0)
    while seen[-1].kind != "complete":
        seen.append(await anext(following))
    assert [event.seq for event in seen] == list(range(held + 1, held + 1 + len(seen)))
    assert sum(event.kind == "response_chunk" for event in seen) == 50
    await following.aclose()
    await feeds.close()


async def test_a_socket_hears_a_session_that_is_there_again_beside_one_that_lost_it() -> None:
    runtime = FakeRuntime()
    session = await a_session(runtime)
    gone = runtime.sessions_by_id.pop(session.session_id)
    feeds = Feeds(runtime, Metrics())
    late = feeds.attach(session, 0)
    await until(lambda: late.gone)
    runtime.sessions_by_id[session.session_id] = gone
    outlet = feeds.attach(session, len(gone.events))
    following = feeds.follow(outlet)
    (await feeds.take(a_turn(session), never))()
    async with asyncio.timeout(10):
        seen = [await anext(following)]
        while seen[-1].kind != "complete":
            seen.append(await anext(following))
        seen = []
        (await feeds.take(a_turn(session, "once more"), never))()
        while not seen or seen[-1].kind != "complete":
            seen.append(await anext(following))
    await following.aclose()
    await feeds.close()


async def test_only_so_many_turns_of_a_session_wait() -> None:
    runtime = FakeRuntime()
    session = await a_session(runtime)
    runtime.gate = asyncio.Event()
    feeds = Feeds(runtime, Metrics())
    for _ in range(limits.SESSION_QUEUE_TURNS + 1):
        (await feeds.take(a_turn(session), never))()
    with pytest.raises(QueueFull) as full:
        (await feeds.take(a_turn(session), never))()
    assert full.value.retry_after_ms >= a_turn(session).deadline_s * 1_000, "what runs may take so long"
    runtime.gate.set()
    await until(lambda: feeds.waiting(session.session_id) == 0)
    assert len(runtime.asked) == limits.SESSION_QUEUE_TURNS + 2


async def test_closing_leaves_the_turns_to_the_runtime() -> None:
    runtime = FakeRuntime()
    session = await a_session(runtime)
    runtime.gate = asyncio.Event()
    feeds = Feeds(runtime, Metrics())
    (await feeds.take(a_turn(session), never))()
    await until(lambda: len(runtime.asked) == 2)
    await feeds.close()
    assert feeds.waiting(session.session_id) == 0
    runtime.gate.set()
    spoken = runtime.sessions_by_id[session.session_id]
    await until(lambda: spoken.turns == 2 and not spoken.running)
    await until(lambda: spoken.events[-1].kind == "complete")


async def test_a_session_is_followed_once_for_all_its_sockets_and_again_when_that_breaks_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "SOCKET_FOLLOW_PAUSE_S", 0.0)
    runtime = FakeRuntime()
    session = await a_session(runtime)
    began: list[int] = []
    follow = runtime.follow

    async def breaking(of: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        began.append(after)
        async for event in follow(of, after):
            yield event
            if len(began) == 1:
                raise Unavailable("the host has gone")

    runtime.follow = breaking  # type: ignore[method-assign]
    feeds = Feeds(runtime, Metrics())
    held = len(runtime.sessions_by_id[session.session_id].events)
    outlets = [feeds.attach(session, held) for _ in range(3)]
    followers = [feeds.follow(outlet) for outlet in outlets]
    asking = [asyncio.create_task(anext(one)) for one in followers]
    await runtime.say(session.session_id, "by itself")
    seen = [[(await one).kind] for one in asking]
    for kinds, follower in zip(seen, followers, strict=True):
        while kinds[-1] != "complete":
            kinds.append((await anext(follower)).kind)
    assert seen[0] == seen[1] == seen[2]
    assert began == [held, held + 1]
    for outlet, follower in zip(outlets, followers, strict=True):
        await follower.aclose()
        await feeds.detach(outlet)
    await feeds.close()
