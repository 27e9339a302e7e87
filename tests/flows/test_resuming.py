"""The output of a turn, read again: from a host that still holds it, that has packed it, from another process."""

from __future__ import annotations

import asyncio

import pytest

from actors.projects import put_project
from actors.runtime import ChatTurn, SessionRef, StreamEvent
from actors.settings import HostLimits, ModelProvider
from actors.wiring import RunningRuntime
from domain.errors import Conflict
from tests.support.stories import Story, a_story, eventually

TALKER = """\
AGENT: Talker
GOAL: "Talk"

EXECUTION:
  model: "scripted/long"
"""
WORDS = tuple(f"word{n} " for n in range(120))
ECHO = """\
AGENT: Echo
GOAL: "Say it again"

MEMORY:
  session:
    - NAME: last
      INITIAL: ""

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    RESPOND: "Say something."
    ON_INPUT:
      - ELSE:
        SET: last = input
        RESPOND: "heard {{last}}"
        THEN: listen
"""


async def streamed(told: Story, text: str, session: str = "") -> list[StreamEvent]:
    turn = ChatTurn(tenant_id=told.tenant, project_id=told.project, message=text, session_id=session)
    return [event async for event in told.running.runtime.stream(turn)]


async def resumed(running: RunningRuntime, ref: SessionRef, after: int) -> list[StreamEvent]:
    return [event async for event in running.runtime.resume(ref, after)]


async def followed(told: Story, session: str, heard: list[StreamEvent]) -> None:
    """Follow a session from its beginning."""
    async for event in told.running.runtime.follow(told.ref(session), 0):
        heard.append(event)  # noqa: PERF401 - a comprehension would hand over nothing until the end


async def asleep(told: Story) -> None:
    """Wait until the host has let go of every session."""

    async def is_empty() -> bool:
        return (await told.running.runtime.health()).live_sessions == 0

    await eventually(is_empty)


QUICK = HostLimits(idle_s=0.2, sweep_s=0.1)


def test_a_turn_is_told_again_number_for_number_after_the_session_fell_asleep(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, limits=QUICK) as told:
            first = await streamed(told, "one")
            session = first[0].data["sessionId"]
            whole = await streamed(told, "two", session)
            assert [event.kind for event in whole][-2:] == ["response_end", "complete"]
            for cut in range(-1, len(whole)):
                await asleep(told)
                after = whole[cut].seq if cut >= 0 else whole[0].seq - 1
                assert await resumed(told.running, told.ref(session), after) == whole[cut + 1 :]

    asyncio.run(story())


def test_a_turn_is_told_again_number_for_number_after_a_restart(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            whole = await streamed(told, "one")
            session = whole[0].data["sessionId"]
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            for cut in range(len(whole)):
                rest = await resumed(told.running, told.ref(session), whole[cut].seq)
                assert rest == whole[cut + 1 :]
            following = await streamed(told, "two", session)
            assert following[0].seq > whole[-1].seq

    asyncio.run(story())


def test_a_long_answer_of_a_model_is_told_again_piece_by_piece(data_dir: str) -> None:
    async def story() -> None:
        provider = ModelProvider(
            name="scripted",
            kind="scripted",
            models=("long",),
            options={"rows": [{"text": "".join(WORDS), "delta_chars": 6}]},
        )
        more = {"providers": (provider,), "default_model": "scripted/long"}
        async with a_story(data_dir, "talker", {"a.abl": TALKER}, **more) as told:
            whole = await streamed(told, "talk")
            chunks = [event for event in whole if event.kind == "response_chunk"]
            assert len(chunks) > 50
            session = whole[0].data["sessionId"]
        async with a_story(data_dir, "talker", {"a.abl": TALKER}, **more) as told:
            for cut in (0, 1, 2, 50, len(whole) - 3, len(whole) - 1):
                rest = await resumed(told.running, told.ref(session), whole[cut].seq)
                assert rest == whole[cut + 1 :]

    asyncio.run(story())


def test_a_follower_hears_every_turn_also_across_sleep(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, limits=QUICK) as told:
            first = await streamed(told, "one")
            session = first[0].data["sessionId"]
            heard: list[StreamEvent] = []

            following = asyncio.create_task(followed(told, session, heard))
            expected = list(first)

            async def has_heard_all() -> bool:
                return len(heard) >= len(expected)

            for text in ("two", "three", "four"):
                expected += await streamed(told, text, session)
                await eventually(has_heard_all)
                await asleep(told)
            following.cancel()
            await asyncio.wait([following])
            assert heard == expected

    asyncio.run(story())


def test_a_follower_is_told_that_the_session_has_ended(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            session = (await streamed(told, "one"))[0].data["sessionId"]
            heard: list[StreamEvent] = []

            following = asyncio.create_task(followed(told, session, heard))

            async def has_heard() -> bool:
                return bool(heard)

            await eventually(has_heard)
            await told.running.runtime.end_session(told.ref(session))
            with pytest.raises(Conflict, match="Session has ended"):
                await following

    asyncio.run(story())


def test_following_a_session_that_sleeps_does_not_wake_it(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, limits=QUICK) as told:
            first = await streamed(told, "one")
            session = first[0].data["sessionId"]
            following = asyncio.create_task(anext(aiter(told.running.runtime.follow(told.ref(session), first[-1].seq))))
            await asleep(told)
            turn = await streamed(told, "two", session)
            assert await following == turn[0]

    asyncio.run(story())


def test_a_tenant_wide_caller_finds_the_session_without_naming_its_project(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            whole = await streamed(told, "one")
            anywhere = SessionRef(told.tenant, "", whole[0].data["sessionId"])
            view = await told.running.runtime.session(anywhere)
            assert view.project_id == told.project
            assert view.detail["lastSeq"] == whole[-1].seq
            by_runtime_id = SessionRef(told.tenant, "", view.runtime_session_id)
            assert (await told.running.runtime.session(by_runtime_id)).id == view.id
            assert (await resumed(told.running, anywhere, whole[3].seq)) == whole[4:]

    asyncio.run(story())


@pytest.mark.parametrize("known", [True, False], ids=["other-project", "unknown"])
def test_a_session_is_not_found_under_another_project(data_dir: str, known: bool) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            session = (await told.say("one")).session_id
            seeded = await put_project(told.running.database, "other", {"a.abl": ECHO})
            turn = ChatTurn(
                tenant_id=told.tenant,
                project_id=seeded.project_id,
                message="hello",
                session_id=session if known else "sess_cnobody",
            )
            with pytest.raises(Exception, match="Session not found"):
                await told.running.runtime.chat(turn)

    asyncio.run(story())
