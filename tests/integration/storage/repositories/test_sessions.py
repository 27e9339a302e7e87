from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from msgspec.structs import asdict

from domain.errors import InvalidInput, NotFound
from storage.database import Database
from storage.errors import StaleEpoch
from storage.journal import Journal
from storage.leases import Leases
from storage.repositories.attachments import ADD, LOCK, Attachments, NewAttachment
from storage.repositories.session_statements import LIST, SORT_COLUMNS
from storage.repositories.sessions import CONDITIONS, NewSession, SessionQuery, Sessions
from storage.statements import Statement
from storage.turn_end import MessageRow, TurnEnd
from tests.support.servers import until

pytestmark = pytest.mark.anyio

AT = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def sessions(database: Database) -> Sessions:
    return Sessions(database)


def a_session(session_id: str = "s1", **changed: object) -> NewSession:
    session = NewSession(
        session_id=session_id,
        project_id="c1",
        runtime_session_id=f"run of {session_id}",
        entry_agent_name="Desk",
        pin={"program_id": "p"},
    )
    return msgspec.structs.replace(session, **changed)


async def test_a_session_is_created_once_with_an_empty_journal(
    sessions: Sessions, journal: Journal, tenant_id: str
) -> None:
    assert await sessions.create(tenant_id, a_session(), epoch=7)
    assert not await sessions.create(tenant_id, a_session(pin={}), epoch=8)
    found = await sessions.get(tenant_id, "s1")
    assert (found.pin, found.agent_name, found.status) == ({"program_id": "p"}, "Desk", "active")
    head = await journal.head(tenant_id, "s1")
    assert head is not None
    assert (head.last_seq, head.owner_epoch, head.snapshot) == (0, 7, None)


async def test_a_session_is_as_old_as_its_creator_says(sessions: Sessions, tenant_id: str) -> None:
    await sessions.create(tenant_id, a_session(created_at=AT))
    await sessions.create(tenant_id, a_session("s2"))
    assert (await sessions.get(tenant_id, "s1")).created_at == AT
    assert (await sessions.get(tenant_id, "s2")).created_at > AT


async def test_both_names_find_a_session_but_not_another_tenants(sessions: Sessions, tenant_id: str) -> None:
    await sessions.create(tenant_id, a_session())
    assert (await sessions.get(tenant_id, "run of s1")).session_id == "s1"
    assert await sessions.find(f"{tenant_id} other", "s1") is None
    with pytest.raises(NotFound, match="Session not found"):
        await sessions.get(tenant_id, "s2")


A_FILE = NewAttachment(
    attachment_id="att_1", project_id="c1", session_id="s1", filename="f.txt", mime_type="text/plain",
    category="document", size_bytes=1, sha=b"s" * 32,
)  # fmt: skip
WAITS = Statement("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")


async def test_a_session_that_nothing_was_said_in_is_not_removed_under_a_file_that_is_just_coming(
    sessions: Sessions, database: Database, leases: Leases, tenant_id: str
) -> None:
    """Who has uploaded it is told that it is there: whether it was in time the upload says, not the removal."""
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await sessions.create(tenant_id, a_session(), epoch=epoch)
    values = {**asdict(A_FILE), "tenant_id": tenant_id, "most": 1, "sealed": None}
    async with database.transaction() as connection:
        await connection.value(LOCK, session_id="s1")
        assert await connection.row(ADD, **values) is not None
        removal = asyncio.create_task(sessions.discard(tenant_id, "s1", epoch))

        async def waits_or_is_done() -> bool:
            return removal.done() or bool(await database.value(WAITS))

        await until(waits_or_is_done)
    assert not await removal
    assert await sessions.find(tenant_id, "s1") is not None
    assert await Attachments(database).find(tenant_id, "s1", "att_1") is not None


async def test_a_session_that_nothing_was_said_in_is_removed_by_its_host_alone(
    sessions: Sessions, leases: Leases, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await sessions.create(tenant_id, a_session(), epoch=epoch)
    with pytest.raises(StaleEpoch):
        await sessions.discard(tenant_id, "s1", epoch + 1)
    assert await sessions.discard(tenant_id, "s1", epoch)
    with pytest.raises(StaleEpoch):  # a second time, late: what is opened under this id meanwhile is not this one
        await sessions.discard(tenant_id, "s1", epoch)


async def test_a_list_is_filtered_sorted_and_counted(
    sessions: Sessions, journal: Journal, leases: Leases, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await sessions.create(tenant_id, a_session("s1"), epoch=epoch)
    await sessions.create(tenant_id, a_session("s2", channel="voice", environment="dev"), epoch=epoch)
    await sessions.create(tenant_id, a_session("s3", source="eval"))
    await sessions.create(tenant_id, a_session("s4", parent_session_id="s1"))
    await sessions.create(tenant_id, a_session("s5", project_id="c2"))
    message = MessageRow(seq=1, message_id="m", role="user", content="Where is the Parcel", turn=1, at=AT)
    await journal.append(tenant_id, "s1", epoch, [b"x"], expect_seq=0, turn=TurnEnd(turn=1, spoke=message))

    async def ids(**wanted: object) -> tuple[list[str], int]:
        page = await sessions.list(tenant_id, "c1", SessionQuery(**wanted))
        assert page.is_exact
        return [row.session_id for row in page.rows], page.total

    assert await ids() == (["s1", "s2"], 2)
    assert await ids(descending=False, limit=1) == (["s2"], 2)
    assert await ids(descending=False, limit=1, offset=1) == (["s1"], 2)
    assert await ids(channel="voice") == (["s2"], 1)
    assert await ids(environment="dev", agent_name="Desk") == (["s2"], 1)
    assert await ids(words="parcel") == (["s1"], 1)
    assert await ids(words="run of s2") == (["s2"], 1)
    assert await ids(status="ended") == ([], 0)
    assert (await ids(includes_eval=True))[1] == 3
    assert await ids(since=datetime.now(UTC) + timedelta(hours=1)) == ([], 0)
    assert (await ids(until=datetime.now(UTC) + timedelta(hours=1)))[1] == 2


@pytest.mark.parametrize("sort_by", sorted(SORT_COLUMNS))
async def test_every_sort_key_works(sessions: Sessions, tenant_id: str, sort_by: str) -> None:
    await sessions.create(tenant_id, a_session())
    assert (await sessions.list(tenant_id, "c1", SessionQuery(sort_by=sort_by))).total == 1


MANY = Statement("""
    INSERT INTO sessions (tenant_id, session_id, project_id, runtime_session_id, created_at, last_activity_at)
    SELECT :tenant_id, 's' || n, 'c1', 'run ' || n, now() - n * interval '1 minute', now() - n * interval '90 seconds'
    FROM generate_series(1, :count::int) n
""")
SAY = Statement("""
    INSERT INTO transcripts (at, session_key, seq, turn, message, spoke)
    SELECT created_at, session_key, 1, 1, 0, 'where is my ' || :word FROM sessions
    WHERE tenant_id = :tenant_id AND session_id = :session_id
""")
LAST = Statement(
    "UPDATE sessions SET last_activity_at = now() WHERE tenant_id = :tenant_id AND session_id = :session_id"
)
ANALYZE = Statement("ANALYZE sessions")
IN_PLACE = Statement("SELECT pg_stat_get_xact_tuples_hot_updated('sessions'::regclass)")
LATER = Statement("""
    UPDATE sessions SET last_activity_at = date_trunc('hour', last_activity_at) + make_interval(mins => :minutes)
    WHERE tenant_id = :tenant_id AND session_id = 's1'
""")


async def test_pages_by_last_activity_follow_each_other_and_read_an_index(database: Database, tenant_id: str) -> None:
    sessions = Sessions(database)
    await database.execute(MANY, tenant_id=tenant_id, count=3_000)
    await database.execute(LAST, tenant_id=tenant_id, session_id="s700")
    pages = [
        [one.session_id for one in (await sessions.list(tenant_id, "c1", SessionQuery(limit=40, offset=at))).rows]
        for at in (0, 40, 80)
    ]
    assert [one for page in pages for one in page] == ["s700", *(f"s{number}" for number in range(1, 120))]
    await database.execute(ANALYZE)
    wanted = dict.fromkeys(CONDITIONS)
    given = {"tenant_id": tenant_id, "project_id": "c1", "limit": 50, "offset": 0, **wanted}
    page = LIST["lastActivityAt", True, False]
    text = re.sub(r"\$(\d+)", lambda found: f":{page.names[int(found[1]) - 1]}", page.sql)
    plan = await database.rows(Statement(f"EXPLAIN {text}"), **given)
    assert any("sessions_by_activity" in row[0] for row in plan)
    assert any("Incremental Sort" in row[0] for row in plan)


async def test_a_turn_leaves_the_indexes_of_its_session_alone(database: Database, tenant_id: str) -> None:
    await Sessions(database).create(tenant_id, a_session())
    in_place = []
    async with database.transaction() as connection:
        for minutes in (1, 2, 14, 16):
            await connection.execute(LATER, tenant_id=tenant_id, minutes=minutes)
            in_place.append(await connection.value(IN_PLACE))
    assert in_place[2] - in_place[0] == 2, "within a quarter of an hour"
    assert in_place[3] == in_place[2], "another quarter is another entry"


async def test_many_sessions_are_counted_up_to_a_bound_that_is_told(
    database: Database, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.repositories.sessions.SESSIONS_COUNTED_AHEAD", 20)
    await database.execute(MANY, tenant_id=tenant_id, count=60)
    sessions = Sessions(database)

    async def told(**wanted: object) -> tuple[int, bool]:
        page = await sessions.list(tenant_id, "c1", SessionQuery(**wanted))
        return page.total, page.is_exact

    assert await told(limit=5) == (25, False)
    assert await told(limit=5, offset=25) == (50, False), "the bound stays ahead of who reads page after page"
    assert await told(limit=5, offset=40) == (60, True)
    assert await told(limit=50, offset=40) == (60, True), "a page that is not full knows"
    assert await told(limit=5, offset=90) == (60, True)
    assert await told(limit=5, environment="dev") == (0, True)


async def test_words_are_looked_for_in_the_newest_sessions_and_how_far_is_told(
    database: Database, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.repositories.session_search.SESSIONS_SEARCHED_MAX", 10)
    await database.execute(MANY, tenant_id=tenant_id, count=25)
    for session_id in ("s3", "s14", "s25"):
        await database.execute(SAY, tenant_id=tenant_id, session_id=session_id, word="parcel")
    sessions, found, until = Sessions(database), [], None
    for _ in range(3):
        page = await sessions.list(tenant_id, "c1", SessionQuery(words="PARCEL", until=until))
        found.append(([one.session_id for one in page.rows], page.total, page.is_exact))
        until = page.searched_from
    assert found == [(["s3"], 1, False), (["s14"], 1, False), (["s25"], 1, True)]
    assert until is None
    by_id = await sessions.list(tenant_id, "c1", SessionQuery(words="run 24"))
    assert [one.session_id for one in by_id.rows] == ["s24"], "an id is found however old it is"


async def test_an_unknown_sort_key_is_refused(sessions: Sessions, tenant_id: str) -> None:
    with pytest.raises(InvalidInput, match="sorted by mood"):
        await sessions.list(tenant_id, "c1", SessionQuery(sort_by="mood"))


async def test_a_session_is_ended_once(sessions: Sessions, tenant_id: str) -> None:
    await sessions.create(tenant_id, a_session())
    assert await sessions.count_active(tenant_id) == await sessions.count_active(tenant_id, "c1") == 1
    assert await sessions.end(tenant_id, "s1", "api")
    assert not await sessions.end(tenant_id, "s1", "user")
    ended = await sessions.get(tenant_id, "s1")
    assert (ended.status, ended.end_reason, ended.execution_state) == ("ended", "api", "ended")
    assert await sessions.count_active(tenant_id) == 0


async def test_a_session_is_given_another_pin(sessions: Sessions, tenant_id: str) -> None:
    await sessions.create(tenant_id, a_session())
    await sessions.pin(tenant_id, "s1", {"program_id": "q"})
    assert (await sessions.get(tenant_id, "s1")).pin == {"program_id": "q"}
    with pytest.raises(NotFound):
        await sessions.pin(tenant_id, "s2", {})


async def test_idle_sessions_are_found_by_their_last_activity(sessions: Sessions, tenant_id: str) -> None:
    await sessions.create(tenant_id, a_session())
    now = datetime.now(UTC)
    assert await sessions.idle_before(tenant_id, now + timedelta(hours=1), 10) == ["s1"]
    assert await sessions.idle_before(tenant_id, now - timedelta(hours=1), 10) == []


async def test_a_contact_is_linked(sessions: Sessions, leases: Leases, tenant_id: str) -> None:
    epoch = await leases.register_host(f"host of {tenant_id}", "unix:here")
    await sessions.create(tenant_id, a_session(), epoch=epoch)
    await sessions.link_contact(tenant_id, "s1", epoch, "ct_1")
    assert (await sessions.get(tenant_id, "s1")).contact_id == "ct_1"
    with pytest.raises(StaleEpoch):
        await sessions.link_contact(tenant_id, "s2", epoch, "ct_1")


async def test_a_deleted_session_leaves_nothing(
    sessions: Sessions, journal: Journal, leases: Leases, tenant_id: str
) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await sessions.create(tenant_id, a_session(), epoch=epoch)
    await journal.append(tenant_id, "s1", epoch, [b"x"], expect_seq=0)
    assert await sessions.delete(tenant_id, "s1")
    assert await journal.read(tenant_id, "s1") == []
    assert await journal.head(tenant_id, "s1") is None
    assert not await sessions.delete(tenant_id, "s1")
