from __future__ import annotations

from pathlib import Path

import pytest

from storage.errors import MigrationRefused
from storage.migrate import Migration, known_migrations, pending

FIRST = Migration(1, "0001_first.sql", "SELECT 1;")
SECOND = Migration(2, "0002_second.sql", "SELECT 2;")


def row(migration: Migration) -> dict[str, object]:
    return {"number": migration.number, "name": migration.name, "sha256": migration.sha256}


def test_what_was_applied_is_not_applied_again() -> None:
    assert pending([FIRST, SECOND], [row(FIRST)]) == [SECOND]


def test_a_database_of_a_newer_version_is_refused() -> None:
    with pytest.raises(MigrationRefused, match=r"newer version \(0002_second\.sql\)"):
        pending([FIRST], [row(FIRST), row(SECOND)])


def test_a_changed_text_is_refused() -> None:
    changed = Migration(1, "0001_first.sql", "SELECT 3;")
    with pytest.raises(MigrationRefused, match=r"another text of 0001_first\.sql"):
        pending([changed], [row(FIRST)])


def test_the_files_are_numbered_without_gaps() -> None:
    assert [one.number for one in known_migrations()] == list(range(1, len(known_migrations()) + 1))


def test_no_text_that_has_landed_changes() -> None:
    """Databases keep the hashes of what made them: a file that is changed is one that nobody can open any more.

    A new migration is a new line in `migration_hashes.txt`; a line that is there stays.
    """
    known = [f"{one.sha256}  {one.name}" for one in known_migrations()]
    noted = Path(__file__).with_name("migration_hashes.txt").read_text(encoding="utf-8").splitlines()
    assert noted == known[: len(noted)], "a migration that has landed was changed: put it back and add a new file"
    assert len(noted) == len(known), f"add to migration_hashes.txt: {known[len(noted) :]}"
