"""What every keeper of blobs does, whatever it keeps them in."""

from __future__ import annotations

import asyncio
import io

import pytest

from domain.errors import NotFound
from storage.blobs.port import PIECE_BYTES, Blobs

LARGE = bytes(range(256)) * (PIECE_BYTES // 256) * 3 + b"end"
TENANT, OWNER = "ten_one", "sess_one"


async def content_of(blobs: Blobs, tenant_id: str, owner_id: str, blob_id: str) -> bytes:
    return b"".join([piece async for piece in blobs.read(tenant_id, owner_id, blob_id)])


class Cut(io.BytesIO):
    """A file whose disk gives up in the middle."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > PIECE_BYTES:
            raise RuntimeError("the spool is gone")
        return super().read(size)


class BlobsSuite:
    """Subclassed with a fixture `blobs`."""

    @pytest.mark.parametrize(
        "content", [b"", b"one", b"x" * PIECE_BYTES, LARGE], ids=["empty", "small", "one", "large"]
    )
    async def test_what_is_written_is_read(self, blobs: Blobs, content: bytes) -> None:
        spool = io.BytesIO(content)
        spool.seek(0, io.SEEK_END)
        assert await blobs.write(TENANT, OWNER, "att_1", spool) == len(content)
        assert await content_of(blobs, TENANT, OWNER, "att_1") == content

    async def test_it_is_read_in_pieces(self, blobs: Blobs) -> None:
        await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(LARGE))
        assert max([len(piece) async for piece in blobs.read(TENANT, OWNER, "att_1")]) <= PIECE_BYTES

    async def test_a_reader_may_leave_early(self, blobs: Blobs) -> None:
        await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(LARGE))
        reading = blobs.read(TENANT, OWNER, "att_1")
        assert await anext(reading)
        await reading.aclose()
        assert await content_of(blobs, TENANT, OWNER, "att_1") == LARGE

    async def test_written_again_it_is_the_new_one_alone(self, blobs: Blobs) -> None:
        await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(LARGE))
        await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(b"short"))
        assert await content_of(blobs, TENANT, OWNER, "att_1") == b"short"

    async def test_of_writers_at_once_one_is_the_last(self, blobs: Blobs) -> None:
        contents = [bytes([number]) * (PIECE_BYTES + number) for number in range(6)]
        await asyncio.gather(*(blobs.write(TENANT, OWNER, "att_1", io.BytesIO(content)) for content in contents))
        assert await content_of(blobs, TENANT, OWNER, "att_1") in contents

    async def test_of_a_write_that_breaks_off_nothing_is_kept(self, blobs: Blobs) -> None:
        with pytest.raises(RuntimeError):
            await blobs.write(TENANT, OWNER, "att_1", Cut(LARGE))
        with pytest.raises(NotFound):
            await content_of(blobs, TENANT, OWNER, "att_1")

    @pytest.mark.parametrize(
        "names",
        [("ten_two", OWNER, "att_1"), (TENANT, "sess_two", "att_1"), (TENANT, OWNER, "att_2")],
        ids=["tenant", "owner", "id"],
    )
    async def test_under_other_names_it_is_not_there(self, blobs: Blobs, names: tuple[str, str, str]) -> None:
        await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(b"mine"))
        await blobs.delete(*names)
        with pytest.raises(NotFound):
            await content_of(blobs, *names)
        assert await content_of(blobs, TENANT, OWNER, "att_1") == b"mine"

    @pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", "ä ö", "x" * 500])
    async def test_any_name_is_only_a_name(self, blobs: Blobs, name: str) -> None:
        await blobs.write(name, name, name, io.BytesIO(b"safe"))
        assert await content_of(blobs, name, name, name) == b"safe"

    async def test_deleted_it_is_gone_and_deleting_again_changes_nothing(self, blobs: Blobs) -> None:
        await blobs.write(TENANT, OWNER, "att_1", io.BytesIO(b"one"))
        for _ in range(2):
            await blobs.delete(TENANT, OWNER, "att_1")
        with pytest.raises(NotFound):
            await content_of(blobs, TENANT, OWNER, "att_1")

    async def test_with_its_owner_all_goes_and_nothing_else(self, blobs: Blobs) -> None:
        for owner, blob in ((OWNER, "att_1"), (OWNER, "att_2"), ("sess_two", "att_3")):
            await blobs.write(TENANT, owner, blob, io.BytesIO(blob.encode()))
        for _ in range(2):
            await blobs.delete_all(TENANT, OWNER)
        with pytest.raises(NotFound):
            await content_of(blobs, TENANT, OWNER, "att_1")
        assert await content_of(blobs, TENANT, "sess_two", "att_3") == b"att_3"

    async def test_many_are_written_at_once(self, blobs: Blobs) -> None:
        names = [f"att_{number}" for number in range(20)]
        await asyncio.gather(*(blobs.write(TENANT, OWNER, name, io.BytesIO(name.encode() * 9_999)) for name in names))
        found = await asyncio.gather(*(content_of(blobs, TENANT, OWNER, name) for name in names))
        assert found == [name.encode() * 9_999 for name in names]
