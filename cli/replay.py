"""`abl replay SESSION`: folds journals again and says whether they still give what was stored."""

from __future__ import annotations

import asyncio
import os

from actors.replaying import Replayed, Replayer
from actors.settings import Settings
from cli.database import opened
from cli.environment import settings_from
from cli.output import CLEAN, FAULTY, refuse
from domain.errors import AppError
from engine import ENGINE_VERSION

ALL = "all"


def replay(session: str, *, data_dir: str) -> int:
    """Replay one session, or all; return the exit status."""
    try:
        results = asyncio.run(_replay(settings_from(os.environ, data_dir=data_dir), session))
    except AppError as error:
        refuse(error.message)
    for one in results:
        if session != ALL or one.difference:
            print(_line(one))
    same = sum(1 for one in results if not one.difference)
    if session == ALL:
        older = sum(one.is_older for one in results)
        facts, waiting = sum(one.facts for one in results), sum(one.waiting for one in results)
        print(f"replayed={same - older}/{len(results) - older} facts={facts} waiting={waiting}{_aside(older)}")
    return CLEAN if same == len(results) else FAULTY


async def _replay(settings: Settings, session: str) -> list[Replayed]:
    async with opened(settings) as database:
        replayer = Replayer(database)
        wanted = await replayer.sessions() if session == ALL else [await replayer.find(session)]
        return [await replayer.replay(*one) for one in wanted]


def _aside(older: int) -> str:
    return f" older={older} (begun before the journal is kept)" if older else ""


def _line(one: Replayed) -> str:
    if one.is_older:
        why = "began before the journal is kept, so it cannot be folded from its beginning"
        return f"{one.session_id}: {why}{_still_to_run(one.waiting)}"
    engines = f" (written by engine {', '.join(one.engines)}; this is {ENGINE_VERSION})" if one.engines else ""
    verdict = f"differs at {one.difference}" if one.difference else "the same, byte by byte"
    return f"{one.session_id}: {one.facts} facts, {verdict}{engines}{_still_to_run(one.waiting)}"


def _still_to_run(waiting: int) -> str:
    """Say of messages that were acknowledged that they are not in the journal yet."""
    return f"; accepted and still to be run: {waiting}" if waiting else ""
