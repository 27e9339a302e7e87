"""What was deleted is in no file after `abl scrub`: neither as it was said nor as it was packed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from actors.projects import put_project
from domain.audit import SYSTEM
from domain.contacts import ContactFields
from domain.errors import Unavailable
from storage.database import Database
from storage.repositories.memory import Memory, MemoryValue
from storage.scrubbing import scrub
from tests.support.echo import an_echo
from tests.support.remains import everything
from tests.support.servers import make_folder
from tests.support.stories import Story, a_story, kept_servers

SAID = b"Canary-4e1fb7 sings in the shed behind the mill and nobody has heard it since spring. "
FIRST_BYTES = 40
"""Of a packed value: enough to be no other one."""
PATIENCE_S = 240
TURNS = 8
ECHO = an_echo("You said")


async def packed(database: Database) -> set[bytes]:
    """Return the beginnings of stored values that hold what was said, though it cannot be read in them."""
    found = set()
    async for _, row in everything(database):
        for as_stored, *unpacked in row:
            if any(SAID[:FIRST_BYTES] in one for one in unpacked):
                found.add(as_stored[:FIRST_BYTES])
    return found


def files_with(folder: Path, needles: Iterable[bytes]) -> set[str]:
    """Return the folders of files in which one of the needles stands."""
    looked_for, found = tuple(needles), set()
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if any(needle in content for needle in looked_for):
                found.add(path.relative_to(folder).parts[-2])
    return found


async def scrubbed(told: Story) -> str:
    """Run `abl scrub` beside the runtime and return what it prints."""
    abl = str(Path(sys.executable).with_name("abl"))
    process = await asyncio.create_subprocess_exec(
        abl,
        "scrub",
        env={**os.environ, "DATABASE_URL": told.running.settings.database_url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == 0, output.decode()
    return output.decode()


async def talking(told: Story, session: str, stop: asyncio.Event) -> int:
    """Go on with a conversation until told to stop; return how many turns were answered."""
    turns = 0
    while not stop.is_set():
        assert (await told.say(f"still {turns}", session)).response == f"You said still {turns}"
        turns += 1
    return turns


async def tell(told: Story) -> str:
    """Return a session in which it was said, in the open and packed."""
    session = (await told.say("hello")).session_id
    for turn in range(TURNS):
        text = f"{turn} {SAID.decode() * (1 if turn % 2 else 40)}"
        await told.say(text, session, idempotency_key=f"k{turn}")
    return session


async def a_contact(told: Story) -> str:
    """Return a contact whose fields, memory and session hold what was said."""
    contact = await told.running.desks.contacts.create(told.tenant, ContactFields(display_name=SAID.decode()))
    await told.running.runtime.link_contact(told.ref(await tell(told)), contact.contact_id)
    value = MemoryValue(scope="user", subject=contact.contact_id, path="user.said", value=SAID.decode())
    await Memory(told.running.database).write(told.tenant, told.project, [value], written_by="test")
    return contact.contact_id


async def another_tenant(told: Story) -> Story:
    """Return the story of a second tenant of the same runtime, in which it was said as well."""
    seeded = await put_project(told.running.database, "gone", {"echo.agent.abl": ECHO}, tenant_id="ten_gone")
    other = Story(told.running, seeded.tenant_id, seeded.project_id)
    await tell(other)
    return other


def test_nothing_of_what_was_erased_is_left_in_a_file_and_others_go_on_meanwhile() -> None:
    folder = make_folder()

    async def story(data_dir: str) -> None:
        async with a_story(data_dir, "scrubbed", {"echo.agent.abl": ECHO}) as told:
            running, database = told.running, told.running.database
            erasure, delete = running.desks.erasure, running.runtime.delete_session
            kept, deleted = (await told.say("hello")).session_id, await tell(told)
            contact, other = await a_contact(told), await another_tenant(told)
            needles = {SAID, *await packed(database)}
            assert len(needles) > 3 * TURNS // 2
            async with database.connection() as connection:
                await connection.script("ANALYZE")
                await connection.script("CHECKPOINT")
            await delete(told.ref(deleted))
            await running.desks.contacts.remove(told.tenant, contact, SYSTEM)
            assert (await erasure.contact(told.tenant, contact, delete, SYSTEM)).sessions == 1
            assert (await erasure.tenant(other.tenant, delete, SYSTEM)).sessions == 1
            assert {"pg_wal"} < files_with(folder, needles)  # there is something to take away
            stop = asyncio.Event()
            conversation = asyncio.create_task(talking(told, kept, stop))
            said = await scrubbed(told)
            stop.set()
            assert await conversation > 0
            assert "tables written anew" in said
            assert "Statistics and write-ahead log, too." in said
            assert files_with(folder, needles) == set()
            assert (await told.lines(kept))[0] == ("user", "hello")

    with kept_servers(folder) as data_dir:
        asyncio.run(story(data_dir))


def test_a_disk_without_room_for_a_copy_is_not_filled() -> None:
    folder = make_folder()

    async def story(data_dir: str) -> None:
        async with a_story(data_dir, "no-room", {"echo.agent.abl": ECHO}) as told:
            begun: list[str] = []
            with pytest.raises(Unavailable, match="Make room"):
                await scrub(told.running.database, begun.append, lambda: 1_000)
            assert len(begun) == 1
            assert (await told.say("hello")).response == "You said hello"

    with kept_servers(folder) as data_dir:
        asyncio.run(story(data_dir))
