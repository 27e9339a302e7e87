"""A folder made by any commit from d849671 on opens: each fixture of `tests/stored` is read, folded and gone on with."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from actors.installation import MASTER_KEY_FILE
from actors.replaying import Replayed, Replayer
from actors.settings import Settings
from actors.wiring import open_runtime
from domain.errors import Conflict
from engine import ENGINE_VERSION
from storage.crypto import OWNER_ONLY, MasterKeys
from storage.database import Database
from storage.embedded import PostgresServer
from storage.migrate import migrate
from storage.statements import Statement
from tests.stored.make import binaries, shown
from tests.support.repository import ROOT
from tests.support.servers import make_folder
from tests.support.stories import Story

STORED = ROOT / "tests" / "stored"
NAMES = sorted(path.stem for path in STORED.glob("*.json"))
SAYS = {
    "approved": ("please", ""),
    "remembers": ("?", "user this is mine, project this is ours, tree nothing"),
    "is asked how much": ("two pounds", "Back with you: two pounds."),
    "came back": ("something special", "How much tea?"),
    "was reset": ("still there?", "heard still there?"),
    "was at work": ("hello", "heard hello"),
}
"""What is said next in a session, and what its answer holds."""
STEADY = Statement("UPDATE clock_looks SET seen_at = clock_timestamp(), steady_since = clock_timestamp()")
"""Nothing is ended or dropped because its time is over: the fixture ages, and what is tried here does not."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder through which the account of the database can pass."""
    made = make_folder()
    yield made
    shutil.rmtree(made)


@asynccontextmanager
async def database_in(folder: Path) -> AsyncIterator[tuple[PostgresServer, Database]]:
    """Yield the database of a folder in which no product runs."""
    server = PostgresServer(folder)
    await server.start()
    try:
        database = await Database.open(server.url, master_keys=MasterKeys.kept_in(folder / MASTER_KEY_FILE))
        yield server, database
        await database.close()
    finally:
        await server.stop()


async def restore(folder: Path, name: str, about: dict[str, Any]) -> None:
    """Make a folder as it was when its commit had ended."""
    (folder / MASTER_KEY_FILE).write_bytes(base64.b64decode(about["master_key"]))
    (folder / MASTER_KEY_FILE).chmod(OWNER_ONLY)
    async with database_in(folder) as (server, database):
        words = ("--no-owner", "--exit-on-error", f"--dbname={server.url}", str(STORED / f"{name}.dump"))
        process = await asyncio.create_subprocess_exec(str(binaries(server) / "pg_restore"), *words)
        assert await process.wait() == 0
        await migrate(database)
        await database.execute(STEADY)


async def replayed(folder: Path) -> dict[str, Replayed]:
    """Return what becomes of each session when its journal is folded again."""
    async with database_in(folder) as (_, database):
        replayer = Replayer(database)
        found = [await replayer.replay(*names) for names in await replayer.sessions()]
        return {one.session_id: one for one in found}


async def check_read(told: dict[str, tuple[Story, str]], sessions: dict[str, dict[str, Any]]) -> None:
    """See that every session says what it said."""
    for title, (there, session) in told.items():
        said = sessions[title]["lines"]
        assert [[role, shown(text)] for role, text in await there.lines(session)][: len(said)] == said, title
        view = await there.running.runtime.session(there.ref(session))
        assert (view.status == "ended") == (title == "has ended"), title


@pytest.mark.parametrize("name", NAMES)
def test_what_a_commit_has_stored_is_read_folded_and_gone_on_with(folder: Path, name: str) -> None:
    about = json.loads((STORED / f"{name}.json").read_text())
    sessions: dict[str, dict[str, Any]] = about["sessions"]
    is_older = about["engine"] != ENGINE_VERSION

    async def story() -> None:
        await restore(folder, name, about)
        before = await replayed(folder)
        assert {one["session"] for one in sessions.values()} <= before.keys()
        for one in before.values():
            assert one.facts
            assert not one.difference or (one.engines == (about["engine"],) and is_older), one
        settings = Settings(data_dir=str(folder), hosts=1, database_connections=4)
        async with open_runtime(settings) as running:
            told = {
                title: (Story(running, one["tenant"], one["project"]), one["session"])
                for title, one in sessions.items()
            }
            await check_read(told, sessions)
            for title, (text, answer) in SAYS.items():
                there, session = told[title]
                reply = await there.say(text, session, user_id="usr_1" if title == "remembers" else "")
                assert answer in reply.response, title
            ended, over = told["has ended"]
            with pytest.raises(Conflict, match="Session has ended"):
                await ended.say("hello", over)
        for session, one in (await replayed(folder)).items():
            assert one.facts >= before[session].facts if session in before else one.facts
            assert not one.difference or (about["engine"] in one.engines and is_older), one

    asyncio.run(story())


def test_there_is_a_fixture_of_the_oldest_folder_that_opens() -> None:
    assert "d849671" in NAMES
