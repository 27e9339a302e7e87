from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from domain.errors import Unavailable
from storage.blobs import Blobs, DatabaseBlobs, FolderBlobs
from storage.database import Database
from storage.statements import Statement
from tests.suites.blobs import OWNER, TENANT, BlobsSuite

pytestmark = pytest.mark.anyio
EMPTY = Statement("TRUNCATE blob_pieces")


class TestDatabaseBlobs(BlobsSuite):
    @pytest.fixture
    async def blobs(self, database: Database) -> AsyncIterator[Blobs]:
        yield DatabaseBlobs(database)
        await database.execute(EMPTY)


class TestFolderBlobs(BlobsSuite):
    @pytest.fixture
    def blobs(self, tmp_path: Path) -> Blobs:
        return FolderBlobs(tmp_path / "blobs")


async def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:

    (tmp_path / "file").write_text("no folder")
    blobs = FolderBlobs(tmp_path / "file")
    with pytest.raises(Unavailable, match="Attachments cannot be stored"):
        await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(b"one"))


async def test_a_folder_keeps_no_half_written_files(tmp_path: Path) -> None:

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise RuntimeError("the spool is gone")

    blobs = FolderBlobs(tmp_path)
    with pytest.raises(RuntimeError):
        await blobs.write(TENANT, OWNER, "att_1", Broken(b"one"))
    assert [place for place in tmp_path.rglob("*") if place.is_file()] == []
