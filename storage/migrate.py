"""Applies `migrations/NNNN_<what>.sql` in order, under a lock. Applied files never change; newer ones are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files

from msgspec import Struct

from storage.database import Connection, Database, Row
from storage.errors import MigrationRefused
from storage.statements import Statement

LOCK_ID = 0x41424C  # "ABL"
FOLDER = "migrations"

LEDGER = """
    CREATE TABLE IF NOT EXISTS schema_migrations (
        number integer PRIMARY KEY,
        name text NOT NULL,
        sha256 text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )
"""
HAS_LEDGER = Statement("SELECT to_regclass('schema_migrations') IS NOT NULL")
LOCK = Statement("SELECT pg_advisory_xact_lock(:lock_id)")
APPLIED = Statement("SELECT number, name, sha256 FROM schema_migrations ORDER BY number")
NOTE = Statement("INSERT INTO schema_migrations (number, name, sha256) VALUES (:number, :name, :sha)")


class Migration(Struct, frozen=True):
    """One step of the schema."""

    number: int
    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Return the hash of the text, by which a change is noticed."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def known_migrations() -> list[Migration]:
    """Return the migrations of this version in order."""
    found = [entry for entry in files("storage").joinpath(FOLDER).iterdir() if entry.name.endswith(".sql")]
    return [
        Migration(int(entry.name.partition("_")[0]), entry.name, entry.read_text(encoding="utf-8"))
        for entry in sorted(found, key=lambda entry: entry.name)
    ]


async def migrate(database: Database, migrations: Sequence[Migration] | None = None) -> int:
    """Bring the database to this version; return how many migrations were applied now.

    Raises:
        MigrationRefused: The database is newer than this version, or was made from other texts.
    """
    wanted = list(known_migrations() if migrations is None else migrations)
    async with database.connection() as connection:
        if await connection.value(HAS_LEDGER) and not pending(wanted, await connection.rows(APPLIED)):
            return 0
    async with database.transaction() as connection:
        await connection.value(LOCK, lock_id=LOCK_ID)
        await connection.script(LEDGER)
        todo = pending(wanted, await connection.rows(APPLIED))
        for migration in todo:
            await _apply(connection, migration)
    return len(todo)


def pending(wanted: Sequence[Migration], applied: Sequence[Row]) -> list[Migration]:
    """Return the migrations that have not been applied.

    Raises:
        MigrationRefused: What was applied is not a beginning of `wanted`.
    """
    if len(applied) > len(wanted):
        newest = applied[-1]["name"]
        raise MigrationRefused(f"The database was made by a newer version ({newest}); upgrade this one.")
    for migration, row in zip(wanted, applied, strict=False):
        if (migration.number, migration.sha256) != (row["number"], row["sha256"]):
            raise MigrationRefused(
                f"The database was made with another text of {row['name']} than this version's {migration.name}; "
                "use the version that made it."
            )
    return list(wanted[len(applied) :])


async def _apply(connection: Connection, migration: Migration) -> None:
    await connection.script(migration.text)
    await connection.execute(NOTE, number=migration.number, name=migration.name, sha=migration.sha256)
