from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from domain.errors import NotFound, Unavailable
from storage.blobs import Blobs, DatabaseBlobs, FolderBlobs
from storage.contents import Contents
from storage.crypto import MasterKeys, Unopenable, new_data_key
from storage.database import Database
from storage.statements import Statement
from storage.vault import Vault
from tests.suites.blobs import LARGE, OWNER, TENANT, BlobsSuite, content_of
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
EMPTY = Statement("TRUNCATE blob_pieces")
DESTROY = Statement("DELETE FROM tenant_keys WHERE tenant_id = :tenant_id")
SWAP = Statement("""
    UPDATE blob_pieces p SET content = o.content FROM blob_pieces o
    WHERE p.tenant_id = :tenant_id AND o.tenant_id = p.tenant_id AND p.number < 2 AND o.number = 1 - p.number
""")
KEYS = MasterKeys([new_data_key()])


@pytest.fixture
async def sealing(servers: Servers) -> AsyncIterator[Database]:
    opened = await Database.open(servers.database_url, master_keys=KEYS)
    yield opened
    await opened.execute(DESTROY, tenant_id=TENANT)
    await opened.close()


class TestDatabaseBlobs(BlobsSuite):
    @pytest.fixture
    async def blobs(self, database: Database) -> AsyncIterator[Blobs]:
        yield DatabaseBlobs(database)
        await database.execute(EMPTY)


class TestFolderBlobs(BlobsSuite):
    @pytest.fixture
    def blobs(self, tmp_path: Path) -> Blobs:
        return FolderBlobs(tmp_path / "blobs")


class TestSealedDatabaseBlobs(BlobsSuite):
    @pytest.fixture
    async def blobs(self, sealing: Database) -> AsyncIterator[Blobs]:
        yield DatabaseBlobs(sealing)
        await sealing.execute(EMPTY)


class TestSealedFolderBlobs(BlobsSuite):
    @pytest.fixture
    def blobs(self, tmp_path: Path, sealing: Database) -> Blobs:
        return FolderBlobs(tmp_path / "blobs", sealing.contents)


async def test_a_file_says_nothing_without_the_key_and_the_older_ones_are_read_on(
    tmp_path: Path, sealing: Database
) -> None:
    older, blobs = FolderBlobs(tmp_path), FolderBlobs(tmp_path, sealing.contents)
    for keeper, blob_id in ((older, "att_1"), (blobs, "att_2")):
        await keeper.write(TENANT, OWNER, blob_id, io.BytesIO(b"a canary"))
        assert await content_of(blobs, TENANT, OWNER, blob_id) == b"a canary"
    with pytest.raises(NotFound):
        await content_of(older, TENANT, OWNER, "att_2")
    await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(b"a canary"))
    files = [place for place in tmp_path.rglob("*") if place.is_file()]
    assert len(files) == 2
    assert not any(b"canary" in place.read_bytes() for place in files)
    await sealing.execute(DESTROY, tenant_id=TENANT)
    with pytest.raises(Unopenable):
        await content_of(FolderBlobs(tmp_path, Contents(Vault(sealing, KEYS))), TENANT, OWNER, "att_2")


async def test_pieces_that_changed_places_are_refused(sealing: Database) -> None:
    blobs = DatabaseBlobs(sealing)
    await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(LARGE))
    assert await sealing.execute(SWAP, tenant_id=TENANT) == 2
    with pytest.raises(Unopenable):
        await content_of(blobs, TENANT, OWNER, "att_1")
    await sealing.execute(EMPTY)


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
