"""A replay names what does not follow from the journal: a reply, a trace event or a state that was changed in the store."""

from __future__ import annotations

import asyncio

import msgspec

from actors.replaying import Replayer
from storage.keys import session_key
from storage.turn_frames import pack_events, unpack_events
from tests.support.echo import an_echo
from tests.support.stories import Story, a_story

ECHO = an_echo("you said")
MINE = "session_key = session_key(:tenant, :session)"


async def spoken(told: Story) -> str:
    session = (await told.say("one")).session_id
    await told.say("two", session)
    return session


async def difference(told: Story, session: str) -> str:
    return (await Replayer(told.running.database).replay(told.tenant, session)).difference


def test_a_reply_that_was_changed_in_the_store_is_named(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo-replies", {"a.abl": ECHO}) as told:
            session = await spoken(told)
            assert await difference(told, session) == ""
            last = f"seq = (SELECT max(seq) FROM transcripts WHERE {MINE})"
            change = f"UPDATE transcripts SET answer = 'no' WHERE {last} AND {MINE}"
            assert await told.run(change, tenant=told.tenant, session=session) == 1
            assert await difference(told, session) == "the replies are not those of the transcript"

    asyncio.run(story())


def test_a_trace_event_that_was_changed_in_the_store_is_named(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo-events", {"a.abl": ECHO}) as told:
            session = await spoken(told)
            assert await difference(told, session) == ""
            names = {"tenant": told.tenant, "session": session}
            rows = await told.rows(f"SELECT seq, events FROM traces WHERE {MINE} ORDER BY seq", **names)
            sealing, key = told.running.database.contents, session_key(told.tenant, session)
            first, *others = unpack_events(await sealing.opened(told.tenant, key, rows[-1]["events"]))
            changed = pack_events([msgspec.structs.replace(first, agent_name="Somebody"), *others])
            change = f"UPDATE traces SET events = :events WHERE seq = :seq AND {MINE}"
            assert await told.run(change, events=changed, seq=rows[-1]["seq"], **names) == 1
            assert await difference(told, session) == f"trace event {first.seq} ({first.type}) is not the stored one"

    asyncio.run(story())


def test_events_that_are_missing_in_the_store_are_counted(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo-lost", {"a.abl": ECHO}) as told:
            session = await spoken(told)
            names = {"tenant": told.tenant, "session": session}
            rows = await told.rows(f"SELECT seq FROM traces WHERE {MINE} ORDER BY seq", **names)
            await told.run(f"DELETE FROM traces WHERE seq = :seq AND {MINE}", seq=rows[-1]["seq"], **names)
            assert "trace events, and" in await difference(told, session)

    asyncio.run(story())


LOST = {
    "transcripts": "the replies are not those of the transcript",
    "traces": "is missing",
    "snapshots": "turns have ended, and no state is stored",
    "journal": "its journal is not there",
}
"""What a session has left in a table -> what is said when it is gone."""


def test_what_is_gone_from_the_store_is_not_taken_for_old(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo-gone", {"a.abl": ECHO}) as told:
            for table, said in LOST.items():
                session = await spoken(told)
                assert await difference(told, session) == ""
                names = {"tenant": told.tenant, "session": session}
                assert await told.run(f"DELETE FROM {table} WHERE {MINE}", **names) > 0
                assert said in await difference(told, session), table

    asyncio.run(story())


def test_a_session_that_began_before_the_journal_is_kept_is_said_to_be_older(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo-older", {"a.abl": ECHO}) as told:
            session = await spoken(told)
            names = {"tenant": told.tenant, "session": session}
            first = f"DELETE FROM journal WHERE seq = (SELECT min(seq) FROM journal WHERE {MINE}) AND {MINE}"
            assert await told.run(first, **names) == 1
            assert "no SessionBegun before it" in await difference(told, session)
            await told.run(f"UPDATE sessions SET created_at = created_at - interval '2 years' WHERE {MINE}", **names)
            replayed = await Replayer(told.running.database).replay(told.tenant, session)
            assert replayed.is_older
            assert replayed.difference == ""

    asyncio.run(story())
