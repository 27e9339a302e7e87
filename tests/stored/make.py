"""Makes a fixture of what a commit stores: `PYTHONPATH=TREE .venv/bin/python tests/stored/make.py NAME`, see README.md.

TREE is a checkout of the commit whose product talks; this script is always the newest one, so it uses of that tree only
what all commits from d849671 on have: `tests.support.stories` and the agents of `tests.flows`.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine import ENGINE_VERSION
from storage.embedded import PostgresServer
from tests.flows.test_handoff import TEAM
from tests.flows.test_memory import KEEPER
from tests.flows.test_urgent import at_work, begun
from tests.flows.test_waiting import APPROVER, COURIER, said
from tests.support.stories import Story, a_story, a_workshop

HERE = Path(__file__).parent
LONG = "long " * 40_000
SHOWN_CHARS = 1_000
Sessions = dict[str, dict[str, Any]]


def shown(text: str) -> str:
    """Return a text as the fixture says it: a long one by its hash."""
    return text if len(text) < SHOWN_CHARS else sha256(text.encode()).hexdigest()


async def noted(told: Story, sessions: Sessions, name: str, session_id: str) -> None:
    """Keep what a session has said, and where it is."""
    lines = [[role, shown(text)] for role, text in await told.lines(session_id)]
    sessions[name] = {"tenant": told.tenant, "project": told.project, "session": session_id, "lines": lines}


async def approved(told: Story, sessions: Sessions) -> None:
    session = (await told.say("please")).session_id
    (task,) = await told.tasks(session)
    await told.resolve(task.task_id, "approved")
    await said(told, session, "It was")
    await noted(told, sessions, "approved", session)
    await noted(told, sessions, "waits for approval", (await told.say("please")).session_id)


async def remembered(told: Story, sessions: Sessions) -> None:
    session = (await told.say("this is mine", user_id="usr_1")).session_id
    await told.say("this is ours", session, user_id="usr_1")
    await told.say(LONG, session, user_id="usr_1", idempotency_key="once")
    await noted(told, sessions, "remembers", session)


async def handed_over(told: Story, sessions: Sessions) -> None:
    first = await told.say("something special", agent="Front")
    await noted(told, sessions, "is asked how much", first.session_id)
    other = await told.say("something special", agent="Front")
    await told.say("two pounds", other.session_id)
    await noted(told, sessions, "came back", other.session_id)


async def sent(told: Story, sessions: Sessions) -> None:
    session = (await told.say("wait")).session_id
    await told.say("any news?", session)
    await noted(told, sessions, "waits for a callback", session)
    again = (await told.say("hello")).session_id
    await told.running.runtime.reset_session(told.ref(again))
    await told.say("hello again", again)
    await noted(told, sessions, "was reset", again)
    over = (await told.say("hello")).session_id
    await told.running.runtime.end_session(told.ref(over))
    await noted(told, sessions, "has ended", over)


async def converse(folder: str) -> None:
    """Hold all conversations in a folder, and die in the middle of the last one."""
    sessions: Sessions = {}
    async with a_workshop() as workshop:
        stories: tuple[tuple[str, dict[str, str], Callable[[Story, Sessions], Awaitable[None]]], ...] = (
            ("approver", {"a.abl": APPROVER}, approved),
            ("keeper", {"a.abl": KEEPER}, remembered),
            ("team", TEAM, handed_over),
            ("courier", {"a.abl": COURIER.format(url=workshop.url)}, sent),
        )
        for name, files, hold in stories:
            async with a_story(folder, name, files) as told:
                await hold(told, sessions)
    async with a_workshop(takes_s=600.0) as workshop, a_story(folder, "worker", at_work(workshop)) as told:
        session = (await told.say("hello")).session_id
        asked = asyncio.create_task(told.say("work", session))
        await begun(workshop)
        await noted(told, sessions, "was at work", session)
        Path(folder, "sessions.json").write_text(json.dumps(sessions))
        os._exit(0 if not asked.done() else 1)


def binaries(server: PostgresServer) -> Path:
    """Return the folder of the programs that belong to a server."""
    return Path(server._program.command()[0]).parent


async def dump(folder: Path, name: str) -> None:
    """Write what the folder holds beside this script."""
    server = PostgresServer(folder)
    await server.start()
    try:
        kept = ["--format=custom", "--compress=9", "--no-owner", f"--file={folder / 'dump'}"]
        process = await asyncio.create_subprocess_exec(str(binaries(server) / "pg_dump"), *kept, server.url)
        assert await process.wait() == 0
    finally:
        await server.stop()
    (HERE / f"{name}.dump").write_bytes((folder / "dump").read_bytes())
    about = {
        "engine": ENGINE_VERSION,
        "master_key": base64.b64encode((folder / "master.key").read_bytes()).decode(),
        "sessions": json.loads((folder / "sessions.json").read_text()),
    }
    (HERE / f"{name}.json").write_text(json.dumps(about, indent=1) + "\n")


def main(name: str, folder: str = "") -> None:
    """Make the fixture of this name; with a folder, hold its conversations there and die."""
    if folder:
        asyncio.run(converse(folder))
        return
    with tempfile.TemporaryDirectory(prefix="abl-stored-") as made:
        Path(made).chmod(0o755)
        subprocess.run([sys.executable, __file__, name, made], check=True)
        asyncio.run(dump(Path(made), name))


if __name__ == "__main__":
    main(*sys.argv[1:])
