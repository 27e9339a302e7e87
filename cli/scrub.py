"""`abl scrub`: what was deleted is taken out of the files of the database as well. Decision: 0025."""

from __future__ import annotations

import asyncio
import os
import shutil

from actors.installation import data_folder
from cli.database import opened
from cli.environment import settings_from
from cli.output import CLEAN, refuse
from domain.errors import AppError
from storage.scrubbing import Scrubbed, scrub

MB = 1_000_000
STATISTICS_LEFT = (
    "The statistics of the planner and the write-ahead log were left alone: our role is not a superuser there. They "
    "hold what was deleted until they are written again."
)
LOG_LEFT = "Statistics, too. Of the write-ahead log older segments are still held, by a replica or an archive."


def scrub_database(*, data_dir: str) -> int:
    """Write the database of the installation anew; return the exit status."""
    settings = settings_from(os.environ, data_dir=data_dir)

    def room() -> int | None:
        return None if settings.database_url else shutil.disk_usage(data_folder(settings)).free

    async def run() -> Scrubbed:
        async with opened(settings) as database:
            return await scrub(database, print, room)

    try:
        done = asyncio.run(run())
    except AppError as error:
        refuse(error.message)
    before, after = done.bytes_before / MB, done.bytes_after / MB
    print(f"{done.tables} tables written anew, {before:,.1f} MB before, {after:,.1f} after")
    if done.has_log:
        print("Statistics and write-ahead log, too.")
    else:
        print(LOG_LEFT if done.has_statistics else STATISTICS_LEFT)
    return CLEAN
