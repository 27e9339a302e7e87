from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Unavailable
from storage.dictionaries import FORM_1, FORM_2
from storage.frames import SQUEEZE_MIN_BYTES, content_hash, expand, pack, squeeze, unpack

FACT = (
    b'{"engine":"1","fact":{"type":"UserSpoke","at":"2026-11-21T09:55:32.756Z","text":"Hello"},'
    b'"asked":{"1.1":"8d5db32ff01680476ffbfba4598bf04a"},"opens":{"kind":"user","message_id":"msg_c7v6xpwd5zde6o770nwm"}}'
)
FORM_1_SAMPLE = bytes.fromhex(
    "01c39ffc81454a517001b028021a883bdd999a21a53b8fd49c9c7c2ce9cc22c53425c9d8282dcdc0d0ccc2c0c4dc2c2d2d29"
    "2d29d1c4d4d22229cdc024114faac34c6ae665661505e529a65529a966f9e6e60679e5b94ab5b500"
)

FORM_2_SAMPLE = bytes.fromhex(
    "029dcfb11180200c00c08dbc08240126700d7321158a95784eafa5858d6ef0ff3f07292366ef06467af4a6526b7be9444515efcc60a40881"
    "c94c4ce680298a41983fc179a763eb8aa7166accb0f6e5be5c"
)


@given(st.lists(st.binary(max_size=500)))
def test_what_is_packed_is_unpacked_as_it_was(facts: list[bytes]) -> None:
    assert unpack(pack(facts)) == facts


@given(st.binary(max_size=9_000))
def test_a_squeezed_value_expands_to_itself_and_is_always_the_same(value: bytes) -> None:
    assert expand(squeeze(value)) == value
    assert squeeze(value) == squeeze(value)


def test_values_of_every_form_are_still_read() -> None:
    assert unpack(b"\x00\x92\xc4\x02{}\xc4\x01x") == [b"{}", b"x"]
    assert expand(FORM_1_SAMPLE) == expand(FORM_2_SAMPLE) == FACT
    assert squeeze(FACT) == FORM_2_SAMPLE


def test_dictionaries_never_change() -> None:
    assert hashlib.sha256(FORM_1).hexdigest()[:16] == "59378b45706160e1"
    assert hashlib.sha256(FORM_2).hexdigest()[:16] == "2e1f1f71234c9ebe"


def test_a_fact_is_less_than_half_as_long_when_squeezed() -> None:
    assert len(squeeze(FACT)) < len(FACT) / 2
    assert len(squeeze(b"x" * (SQUEEZE_MIN_BYTES - 1))) == SQUEEZE_MIN_BYTES


def test_a_newer_form_is_refused() -> None:
    with pytest.raises(Unavailable, match="newer version"):
        expand(b"\x09abc")


def test_the_hash_depends_on_the_content_alone() -> None:
    assert content_hash(b"a") == content_hash(b"a") != content_hash(b"b")
