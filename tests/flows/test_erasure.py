"""What is deleted leaves nothing behind: looked for in every row of every table, unpacked, and in every file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from domain.audit import SYSTEM
from domain.contacts import ContactFields
from domain.errors import NotFound, Unavailable
from storage.repositories.memory import Memory, MemoryValue
from tests.flows.test_delegation import a_team
from tests.support.remains import remains
from tests.support.stories import Story, a_story, a_workshop

CANARY = "canary-7f3a9b"
LONG = CANARY + "".join(map(chr, Random(7).choices(range(0x4E00, 0x9FA5), k=30_000)))
"""More, however it is packed, than facts that stand in the journal itself."""


async def spoken(told: Story, *, text: str = CANARY) -> str:
    """Return a session in which a text was said, by the user and by the agent."""
    session = (await told.say(text, agent="Front")).session_id
    await told.say(f"again {text}", session, idempotency_key="k1", metadata={"note": text[:100]})
    return session


def files_with(folder: Path, text: str) -> list[Path]:
    """Return files outside the databases' own that hold a text."""
    return [
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not {"postgres", "redis", "valkey"} & set(path.parts)
        and text.encode() in path.read_bytes()
    ]


def test_a_deleted_session_leaves_nothing_and_others_keep_what_they_share(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as workshop, a_story(data_dir, "erased", a_team(workshop.url)) as told:
            database = told.running.database
            deleted, kept = await spoken(told), await spoken(told, text=LONG)
            other = await spoken(told, text=LONG)
            await told.say("all", deleted)
            before = await remains(database, CANARY)
            assert {"transcripts", "journal", "journal_blobs", "snapshots", "turns"} <= set(before), before
            lines = await told.lines(kept)
            await told.running.runtime.delete_session(told.ref(deleted))
            await told.running.runtime.delete_session(told.ref(other))
            assert await told.lines(kept) == lines
            await told.running.runtime.delete_session(told.ref(kept))
            assert await remains(database, CANARY) == {}
            left = "SELECT session_id FROM sessions WHERE project_id = :project"
            assert await told.rows(left, project=told.project) == []
            assert files_with(told.data_folder, CANARY) == []

    asyncio.run(story())


def test_an_erased_tenant_leaves_the_head_of_its_audit_chain(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as workshop, a_story(data_dir, "tenant", a_team(workshop.url)) as told:
            running = told.running
            for _ in range(3):
                await spoken(told)
            assert await remains(running.database, CANARY)
            erased = await running.desks.erasure.tenant(told.tenant, running.runtime.delete_session, SYSTEM)
            assert erased.sessions >= 3
            assert erased.rows > 0
            assert await remains(running.database, CANARY) == {}
            assert set(await remains(running.database, told.tenant)) <= {"audit_heads"}

    asyncio.run(story())


def test_an_erased_contact_leaves_nothing_of_what_was_said_or_remembered(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as workshop, a_story(data_dir, "contact", a_team(workshop.url)) as told:
            running = told.running
            contacts = running.desks.contacts
            contact = await contacts.create(told.tenant, ContactFields(display_name=CANARY))
            mine, other = await spoken(told), (await told.say("hello", agent="Front")).session_id
            await running.runtime.link_contact(told.ref(mine), contact.contact_id)
            kept = MemoryValue(scope="user", subject=contact.contact_id, path="user.name", value=CANARY)
            await Memory(running.database).write(told.tenant, told.project, [kept], written_by="test")
            await contacts.remove(told.tenant, contact.contact_id, SYSTEM)
            erased = await running.desks.erasure.contact(
                told.tenant, contact.contact_id, running.runtime.delete_session, SYSTEM
            )
            assert erased.sessions == 1
            assert await remains(running.database, CANARY) == {}
            assert set(await remains(running.database, contact.contact_id)) == {"audit_log"}
            assert await told.lines(other)
            with pytest.raises(NotFound):
                await running.desks.erasure.contact(
                    told.tenant, contact.contact_id, running.runtime.delete_session, SYSTEM
                )

    asyncio.run(story())


def test_what_nobody_can_read_any_more_can_still_be_erased(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as workshop:
            texts = a_team(workshop.url)
            async with a_story(data_dir, "keyless", texts) as told:
                sessions = [await spoken(told) for _ in range(2)]
                await told.run("DELETE FROM tenant_keys WHERE tenant_id = :tenant", tenant=told.tenant)
            async with a_story(data_dir, "keyless", texts) as again:
                runtime = again.running.runtime
                with pytest.raises(Unavailable, match="cannot be read: the key of its tenant is not here"):
                    await again.say("hello", sessions[0])
                await runtime.delete_session(again.ref(sessions[0]))
                with pytest.raises(NotFound):
                    await runtime.delete_session(again.ref(sessions[0]))
                erased = await again.running.desks.erasure.tenant(again.tenant, runtime.delete_session, SYSTEM)
                assert erased.sessions >= 1
                assert set(await remains(again.running.database, again.tenant)) <= {"audit_heads"}

    asyncio.run(story())
