"""The stores: the embedded servers, or the ones that DATABASE_URL and REDIS_URL name; and a Ray cluster."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from cli.doctor.faults import WARNING, Fault, Place

OLDEST_SERVER = 150_000
"""PostgreSQL 15, as its `server_version_num` says it."""
LOOK_S = 5.0
CLUSTER_FILE = Path("/tmp/ray/ray_current_cluster")


def look_at_lock(place: Place) -> Iterator[Fault]:
    """No other server works in the data folder."""
    from storage.embedded import POSTGRES, REDIS, DirectoryInUse, check_is_free

    try:
        check_is_free(place.data_dir, [POSTGRES, REDIS])
    except DirectoryInUse as error:
        mend = "use that server, end it, or take another --data-dir"
        yield Fault("DATA_DIR_IN_USE", error.message, mend, WARNING)
    except OSError as error:
        yield Fault("DATA_DIR_UNREADABLE", f"{place.data_dir}: {error.strerror}", "take a --data-dir of your own")


def look_at_database(place: Place) -> Iterator[Fault]:
    """The database that is named answers, lets us in, is new enough and not of a newer version of ours."""
    url = place.environment.get("DATABASE_URL", "")
    if not url:
        return
    if urlsplit(url).scheme not in ("postgresql", "postgres"):
        yield Fault(
            "DATABASE_URL",
            "DATABASE_URL is no postgresql:// address",
            "export DATABASE_URL=postgresql://user:password@host/name",
        )
        return
    yield from asyncio.run(_database(url))


async def _database(url: str) -> list[Fault]:
    from domain.errors import AppError
    from storage.database import Database
    from storage.errors import MigrationRefused
    from storage.migrate import APPLIED, HAS_LEDGER, known_migrations, pending
    from storage.statements import Statement

    try:
        async with asyncio.timeout(LOOK_S):
            database = await Database.open(url, pool_max=1)
    except (AppError, TimeoutError) as error:
        said = error.message if isinstance(error, AppError) else "The database does not answer."
        return [
            Fault("DATABASE_AWAY", f"DATABASE_URL: {said}", 'psql "$DATABASE_URL" says more; or unset DATABASE_URL')
        ]
    try:
        faults = []
        if int(await database.value(Statement("SHOW server_version_num"))) < OLDEST_SERVER:
            faults.append(Fault("DATABASE_TOO_OLD", "the database server is older than PostgreSQL 15", "upgrade it"))
        if await database.value(Statement("SELECT pg_is_in_recovery()")):
            faults.append(Fault("DATABASE_READ_ONLY", "DATABASE_URL names a standby", "name the primary server"))
        elif not await database.value(
            Statement("SELECT has_schema_privilege(current_schema(), 'CREATE') AND current_schema() IS NOT NULL")
        ):
            mend = "GRANT CREATE ON SCHEMA public TO the user of DATABASE_URL"
            faults.append(Fault("DATABASE_MAY_NOT_CREATE", "the user of DATABASE_URL may not make tables", mend))
        if await database.value(HAS_LEDGER):
            try:
                pending(known_migrations(), await database.rows(APPLIED))
            except MigrationRefused as error:
                faults.append(Fault("DATABASE_IS_NEWER", error.message, "pip install --upgrade abl-runtime"))
        return faults
    finally:
        await database.close()


def look_at_coordination(place: Place) -> Iterator[Fault]:
    """The server of the Redis protocol that is named answers."""
    url = place.environment.get("REDIS_URL", "")
    if not url:
        return
    if urlsplit(url).scheme not in ("redis", "rediss", "unix"):
        yield Fault("REDIS_URL", "REDIS_URL is no redis:// address", "export REDIS_URL=redis://host:6379/0")
        return
    said = asyncio.run(_ping(url))
    if said:
        yield Fault("REDIS_AWAY", f"REDIS_URL: {said}", "redis-cli -u $REDIS_URL ping says more; or unset REDIS_URL")


async def _ping(url: str) -> str:
    """Return what is wrong with a server; nothing when it answers."""
    from storage.coordination import Coordination

    try:
        coordination = Coordination.open(url)
    except ValueError as error:
        return str(error)
    try:
        async with asyncio.timeout(LOOK_S):
            return await coordination.fault()
    except TimeoutError:
        return "The server does not answer."
    finally:
        await coordination.close()


def look_at_ray(place: Place) -> Iterator[Fault]:
    """A cluster that is named answers and has the database it needs; none that has gone is taken for one."""
    if place.runtime != "ray":
        return
    address = place.environment.get("ABL_RAY_ADDRESS", "")
    if address and not place.environment.get("DATABASE_URL"):
        yield Fault(
            "CLUSTER_WITHOUT_DATABASE", "a Ray cluster needs a database that all its machines reach", "set DATABASE_URL"
        )
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), LOOK_S).close()
        except OSError as error:
            mend = "ray start --head on that machine, or unset ABL_RAY_ADDRESS"
            yield Fault("RAY_AWAY", f"no Ray cluster answers at {address}: {error.strerror or error}", mend)
    if not address and CLUSTER_FILE.exists():
        yield Fault("STALE_RAY", f"{CLUSTER_FILE} is left of another Ray", f"ray stop; rm -f {CLUSTER_FILE}", WARNING)
