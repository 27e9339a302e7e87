"""What stands in the rows of sessions opens with the tenant's key alone, and with nothing once that is gone."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from io import BytesIO

import pytest
from msgspec.structs import replace

from storage.activation import Activations
from storage.beside import Beside
from storage.blobs import DatabaseBlobs
from storage.contents import LARGE_VALUES, SEALED, Contents, Seal
from storage.crypto import KEY_BYTES, MasterKeys, NoMasterKey, Unopenable, new_data_key
from storage.database import Database
from storage.errors import KeyReplaced
from storage.frames import BLOB_MIN_BYTES, expand, squeeze
from storage.journal import Journal
from storage.keys import session_key
from storage.leases import Leases
from storage.repositories.attachments import Attachments, NewAttachment
from storage.repositories.memory import Memory, MemoryValue, place_key
from storage.repositories.memory_stores import MemoryStores
from storage.repositories.sessions import NewSession, SessionQuery, Sessions
from storage.repositories.traces import Traces
from storage.repositories.transcripts import Transcripts
from storage.repositories.turn_readers import TurnReader
from storage.repositories.turns import Turns
from storage.statements import Statement
from storage.turn_end import KeyedReply, MessageRow, TraceRow, TurnEnd
from storage.vault import DataKey, Vault
from tests.support.remains import remains
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio

AT = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
CANARY = "nobody has heard the canary since spring"
FACT = CANARY.encode()
LARGE = CANARY.encode() + random.Random(1).randbytes(BLOB_MIN_BYTES)
DESTROY = Statement("DELETE FROM tenant_keys WHERE tenant_id = :tenant_id")
NAMES = Statement("SELECT blob_hash FROM journal_blobs WHERE tenant_id = :tenant_id")
STORED = {
    *("attachments", "blob_pieces", "journal", "journal_blobs", "memory", "memory_stores", "snapshots", "traces"),
    *("transcripts", "turns"),
}
FILE = NewAttachment(
    attachment_id="att_1",
    project_id="p",
    session_id="s",
    filename="said.txt",
    mime_type="text/plain",
    category="document",
    size_bytes=len(FACT),
    sha=b"hash",
    readable=CANARY,
)


@pytest.fixture
def keys() -> MasterKeys:
    return MasterKeys([new_data_key()])


@pytest.fixture
async def sealing(servers: Servers, keys: MasterKeys) -> AsyncIterator[Database]:
    opened = await Database.open(servers.database_url, master_keys=keys)
    yield opened
    await opened.close()


@pytest.fixture
async def without(servers: Servers) -> AsyncIterator[Database]:
    """Yield the same database as somebody sees it who has a copy of it and no key."""
    opened = await Database.open(servers.database_url)
    yield opened
    await opened.close()


def a_line(seq: int, role: str) -> MessageRow:
    return MessageRow(seq=seq, message_id=f"m{seq}", role=role, content=f"{role}: {CANARY}", turn=1, at=AT)


TURN = TurnEnd(
    turn=1,
    keyed=KeyedReply("key", "hash", FACT),
    spoke=a_line(1, "user"),
    answered=a_line(2, "assistant"),
    beside=FACT,
    snapshot=FACT,
    traces=(TraceRow(seq=1, turn=1, type="llm_call", at="now", agent_name="Desk", span_id="s", data={"text": CANARY}),),
)


async def written(database: Database, tenant_id: str, session_id: str = "s") -> int:
    """Write a turn that says it everywhere; return the epoch of who wrote it."""
    epoch = await Leases(database).register_host(f"host of {tenant_id} {session_id}", "unix:here")
    new = NewSession(session_id=session_id, project_id="p", runtime_session_id=session_id, entry_agent_name="Desk")
    await Sessions(database).create(tenant_id, new, epoch=epoch)
    journal = Journal(database)
    await journal.append(tenant_id, session_id, epoch, [LARGE], expect_seq=0)
    stores = Beside(stores={"cart": {"text": CANARY}})
    await journal.append(tenant_id, session_id, epoch, [FACT], expect_seq=1, turn=TURN, beside=stores)
    await journal.close()
    for place in ("user", "project"):
        value = MemoryValue(scope=place, subject="somebody", path="said", value=f"{place}: {CANARY}")
        await Memory(database).write(tenant_id, "p", [value])
    await Attachments(database).add(tenant_id, replace(FILE, session_id=session_id), most=1)
    await DatabaseBlobs(database).write(tenant_id, session_id, "att_1", BytesIO(FACT))
    return epoch


async def remembered(database: Database, tenant_id: str) -> list[object]:
    memory = Memory(database)
    return [await memory.read(tenant_id, "p", scope, "somebody", ["said"]) for scope in ("user", "project")]


async def bytes_of_file(database: Database, tenant_id: str) -> bytes:
    return b"".join([piece async for piece in DatabaseBlobs(database).read(tenant_id, "s", "att_1")])


async def searched(database: Database, tenant_id: str, words: str = "CANARY since") -> list[str]:
    found = await Sessions(database).list(tenant_id, "p", SessionQuery(words=words))
    return [row.session_id for row in found.rows]


READERS: dict[str, Callable[[Database, str], Awaitable[object]]] = {
    "journal": lambda database, tenant_id: Journal(database).read(tenant_id, "s"),
    "snapshot": lambda database, tenant_id: Journal(database).snapshot(tenant_id, "s"),
    "lines": lambda database, tenant_id: Transcripts(database).after(tenant_id, "s", 0, 10),
    "lines backwards": lambda database, tenant_id: Transcripts(database).before(tenant_id, "s", None, 10),
    "line": lambda database, tenant_id: Transcripts(database).find(tenant_id, "s", "m2"),
    "turns": lambda database, tenant_id: Transcripts(database).turns(tenant_id, "s", None, 10),
    "traces": lambda database, tenant_id: Traces(database).list(tenant_id, "s"),
    "traces of a turn": lambda database, tenant_id: Traces(database).of_turn(tenant_id, "s", 2),
    "reply": lambda database, tenant_id: Turns(database).find(tenant_id, "s", "key"),
    "memory": remembered,
    "store": lambda database, tenant_id: MemoryStores(database).read(tenant_id, "s", "cart"),
    "file": lambda database, tenant_id: Attachments(database).find(tenant_id, "s", "att_1"),
    "files": lambda database, tenant_id: Attachments(database).list(tenant_id, "s", limit=10, offset=0),
    "files of a project": lambda database, tenant_id: Attachments(database).of_project(tenant_id, "p", ["att_1"]),
    "file in use": lambda database, tenant_id: Attachments(database).use(tenant_id, "p", "s", ["att_1"]),
    "bytes of a file": bytes_of_file,
}


async def test_whoever_has_the_key_reads_what_was_written(sealing: Database, tenant_id: str) -> None:
    epoch = await written(sealing, tenant_id)
    assert await Journal(sealing).read(tenant_id, "s") == [(1, LARGE), (2, FACT)]
    assert (await Activations(sealing).activate(tenant_id, "s", epoch)).snapshot == await READERS["snapshot"](
        sealing, tenant_id
    )
    assert await Transcripts(sealing).list(tenant_id, "s", limit=10) == ((TURN.spoke, TURN.answered), 2)
    (turn,) = await Transcripts(sealing).turns(tenant_id, "s", None, 10)
    assert (turn.answered, turn.beside) == (TURN.answered, FACT)
    assert await Transcripts(sealing).find(tenant_id, "s", "m1") == TURN.spoke
    assert await Traces(sealing).list(tenant_id, "s") == (TURN.traces, 1)
    stored = await Turns(sealing).find(tenant_id, "s", "key")
    assert stored is not None
    assert stored.reply == FACT
    assert await remembered(sealing, tenant_id) == [{"said": f"user: {CANARY}"}, {"said": f"project: {CANARY}"}]
    assert await MemoryStores(sealing).read(tenant_id, "s", "cart") == {"text": CANARY}
    assert await bytes_of_file(sealing, tenant_id) == FACT
    file = await Attachments(sealing).find(tenant_id, "s", "att_1")
    assert file is not None
    assert file.readable == CANARY
    assert await searched(sealing, tenant_id) == ["s"]
    assert await searched(sealing, tenant_id, "sparrow") == []


async def test_nothing_of_it_can_be_read_without_the_key(sealing: Database, without: Database, tenant_id: str) -> None:
    before = await remains(without, CANARY)  # what other tests have written unsealed
    await written(sealing, tenant_id)
    assert set(await remains(sealing, CANARY)) >= STORED
    assert await remains(without, CANARY) == before
    for read in READERS.values():
        with pytest.raises(NoMasterKey):
            await read(without, tenant_id)
    assert await searched(without, tenant_id) == []
    assert await searched(without, tenant_id, "s") == ["s"], "it is still found by its name"


async def test_nothing_can_be_read_once_the_key_is_destroyed(
    sealing: Database, servers: Servers, keys: MasterKeys, tenant_id: str
) -> None:
    before = await remains(sealing, CANARY)  # what other tests have written unsealed
    await written(sealing, tenant_id)
    assert await sealing.execute(DESTROY, tenant_id=tenant_id) == 1
    restarted = await Database.open(servers.database_url, master_keys=keys)
    assert await remains(restarted, CANARY) == before
    for read in READERS.values():
        with pytest.raises(Unopenable):
            await read(restarted, tenant_id)
    assert await searched(restarted, tenant_id) == []
    await restarted.close()


async def test_nothing_is_acknowledged_that_was_sealed_with_a_key_that_is_gone(
    sealing: Database, servers: Servers, keys: MasterKeys, tenant_id: str
) -> None:
    """A tenant was erased and made anew, or the store brought back to a moment before its key: a process holds that."""
    epoch, journal, memory = await written(sealing, tenant_id), Journal(sealing), Memory(sealing)
    value = MemoryValue(scope="user", subject="somebody", path="said", value="mine")
    for _ in range(2):
        await sealing.execute(DESTROY, tenant_id=tenant_id)
        with pytest.raises(KeyReplaced):
            await journal.append(tenant_id, "s", epoch, [b"lost"], expect_seq=2)
        await sealing.contents.seal(tenant_id, place_key("p", "said"))
        await sealing.execute(DESTROY, tenant_id=tenant_id)
        with pytest.raises(KeyReplaced):
            await memory.write(tenant_id, "p", [value])
        file = DatabaseBlobs(sealing)
        await sealing.contents.sealer(tenant_id)
        await sealing.execute(DESTROY, tenant_id=tenant_id)
        with pytest.raises(KeyReplaced):
            await file.write(tenant_id, "s", "att_1", BytesIO(FACT))
        await sealing.contents.seal(tenant_id, session_key(tenant_id, "s"))
    assert await journal.append(tenant_id, "s", epoch, [b"kept"], expect_seq=2) == 3
    await memory.write(tenant_id, "p", [value])
    await journal.close()
    restarted = await Database.open(servers.database_url, master_keys=keys)
    assert await Journal(restarted).read(tenant_id, "s", 2) == [(3, b"kept")]
    assert await Memory(restarted).read(tenant_id, "p", "user", "somebody", ["said"]) == {"said": "mine"}
    await restarted.close()


async def test_turns_that_lie_under_another_master_key_are_put_aside_and_read_where_it_is(
    sealing: Database, servers: Servers, tenant_id: str
) -> None:
    name = f"reader of {tenant_id}"
    await TurnReader(sealing, name).begin()
    await written(sealing, tenant_id)
    other = await Database.open(servers.database_url, master_keys=MasterKeys([new_data_key()]))
    away, here = TurnReader(other, name), TurnReader(sealing, name)
    async with other.transaction() as connection:
        place = await away.place(connection)
        (turn,) = await away.next_of_session(connection, place, tenant_id, "s", 10)
        assert turn.turn is None
        read = await away.next(connection, place, 1_000)
        assert [one.locked_by for one in read if one.tenant_id == tenant_id] == [1]
        await away.move(connection, read)
        assert await away.opened(connection, 10) is None
    async with sealing.transaction() as connection:
        assert await here.next(connection, await here.place(connection), 1_000) == []
        opened = await here.opened(connection, 10)
        assert opened is not None
        assert [(one.tenant_id, one.turn is not None) for one in opened.read] == [(tenant_id, True)]
        await here.take_back(connection, opened)
        assert await here.opened(connection, 10) is None
    await other.close()


async def test_a_key_that_another_process_destroyed_is_forgotten_after_a_while(
    sealing: Database, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = [0.0]
    monkeypatch.setattr("storage.vault.monotonic", lambda: moment[0])
    contents = Contents(Vault(sealing, MasterKeys([new_data_key()])))
    sealed = await _sealed(contents, tenant_id, b"value")
    await sealing.execute(DESTROY, tenant_id=tenant_id)
    moment[0] = 59.0
    assert await contents.opened(tenant_id, b"scope", sealed) == b"value"
    moment[0] = 121.0
    with pytest.raises(Unopenable):
        await contents.opened(tenant_id, b"scope", sealed)


async def _sealed(contents: Contents, tenant_id: str, value: bytes) -> bytes:
    seal = await contents.seal(tenant_id, b"scope")
    assert seal is not None
    return seal.close(value)


async def test_what_was_written_before_there_was_a_key_is_read_on(
    sealing: Database, without: Database, tenant_id: str
) -> None:
    epoch = await written(without, tenant_id)
    assert set(await remains(without, CANARY)) >= STORED
    for read in READERS.values():
        assert await read(sealing, tenant_id) == await read(without, tenant_id)
    journal = Journal(sealing)
    await journal.append(tenant_id, "s", epoch, [FACT], expect_seq=2)
    assert await journal.read(tenant_id, "s") == [(1, LARGE), (2, FACT), (3, FACT)]
    await journal.close()


async def test_what_sessions_of_a_tenant_share_is_kept_once_and_named_so_that_none_can_tell_what_it_is(
    sealing: Database, tenant_id: str
) -> None:
    other = f"{tenant_id} other"
    for tenant, session in ((tenant_id, "a"), (tenant_id, "b"), (other, "a")):
        await written(sealing, tenant, session)
    mine, theirs = [await sealing.rows(NAMES, tenant_id=one) for one in (tenant_id, other)]
    assert (len(mine), len(theirs)) == (1, 1)
    assert mine[0]["blob_hash"] != theirs[0]["blob_hash"]
    assert await Journal(sealing).read(tenant_id, "b") == [(1, LARGE), (2, FACT)]


async def test_a_newer_key_seals_and_the_older_one_still_opens(sealing: Database, tenant_id: str) -> None:
    vault = Vault(sealing, MasterKeys([new_data_key()]))
    contents = Contents(vault)
    before = await _sealed(contents, tenant_id, b"value")
    assert await vault.renew(tenant_id) == 2
    contents = Contents(vault)
    after = await _sealed(contents, tenant_id, b"value")
    assert before[: len(SEALED) + 2] == SEALED + bytes([0, 1])
    assert after[: len(SEALED) + 2] == SEALED + bytes([0, 2])
    assert [await contents.opened(tenant_id, b"scope", one) for one in (before, after)] == [b"value"] * 2


def test_a_value_opens_for_its_session_alone_and_only_as_it_was() -> None:
    data_key = DataKey(1, bytes(KEY_BYTES), bytes(16), 0.0)
    mine = Seal(data_key, session_key("ten", "mine"))
    sealed = mine.close(squeeze(FACT))
    assert expand(mine.open(sealed)) == FACT
    assert FACT not in sealed
    assert mine.close(squeeze(FACT)) != sealed
    for scope in (session_key("ten", "yours"), session_key("net", "mine"), LARGE_VALUES):
        with pytest.raises(Unopenable):
            Seal(data_key, scope).open(sealed)
    for place in range(len(SEALED) + 2, len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        with pytest.raises(Unopenable):
            mine.open(bytes(changed))
    for length in range(len(sealed)):
        with pytest.raises(Unopenable):
            mine.open(sealed[:length])
