from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from storage.frames import content_hash, pack, unpack


@given(st.lists(st.binary()))
def test_what_is_packed_is_unpacked_as_it_was(facts: list[bytes]) -> None:
    assert unpack(pack(facts)) == facts


def test_a_sample_of_the_first_version_is_still_read() -> None:
    assert unpack(b"\x92\xc4\x02{}\xc4\x01x") == [b"{}", b"x"]


def test_the_hash_depends_on_the_content_alone() -> None:
    assert content_hash(b"a") == content_hash(b"a") != content_hash(b"b")
