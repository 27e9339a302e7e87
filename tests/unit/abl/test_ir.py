from __future__ import annotations

import json

from abl.ir import canonical_bytes, short_hash


def test_the_order_of_keys_does_not_matter() -> None:
    assert (
        canonical_bytes({"b": 1, "a": [True, None]})
        == canonical_bytes({"a": [True, None], "b": 1})
        == b'{"a":[true,null],"b":1}'
    )


def test_text_is_utf_8_and_lone_surrogates_are_escapes() -> None:
    assert canonical_bytes("ü") == '"ü"'.encode()
    assert canonical_bytes("\ud800") == rb'"\ud800"'
    assert json.loads(canonical_bytes("\ud800")) == "\ud800"


def test_a_hash_has_16_hexadecimal_digits() -> None:
    assert short_hash("") == "e3b0c44298fc1c14"
    assert len(short_hash("\ud800")) == 16
