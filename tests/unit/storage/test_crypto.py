from __future__ import annotations

import base64
from pathlib import Path

import pytest

from domain.errors import InvalidInput, Unavailable
from storage.crypto import KEY_BYTES, MasterKeys, Unopenable, Wrapped, bound, new_data_key, open_sealed, seal

KEY = bytes(range(KEY_BYTES))
SAMPLE = bytes.fromhex("01000102030405060708090a0b3467b569a091ef18f3c96eac53264497913e8a997143")


def test_what_is_sealed_opens_with_its_key_and_what_it_is_about() -> None:
    sealed = seal(KEY, b"secret", ("ten_1", "sec_1", "1"))
    assert b"secret" not in sealed
    assert open_sealed(KEY, sealed, ("ten_1", "sec_1", "1")) == b"secret"
    assert seal(KEY, b"secret", ()) != seal(KEY, b"secret", ())


@pytest.mark.parametrize("about", [("ten_2", "sec_1"), ("ten_1s", "ec_1"), ("ten_1",), ("ten_1", "sec_1", "")])
def test_it_opens_for_nothing_else(about: tuple[str, ...]) -> None:
    sealed = seal(KEY, b"secret", ("ten_1", "sec_1"))
    with pytest.raises(Unopenable):
        open_sealed(KEY, sealed, about)
    assert bound(about) != bound(("ten_1", "sec_1"))


@pytest.mark.parametrize("place", [0, 1, 14, -1])
def test_a_changed_value_does_not_open(place: int) -> None:
    changed = bytearray(seal(KEY, b"secret", ()))
    changed[place] ^= 1
    with pytest.raises(Unopenable):
        open_sealed(KEY, bytes(changed), ())
    with pytest.raises(Unopenable):
        open_sealed(KEY, bytes(changed[:5]), ())


def test_values_of_the_first_version_still_open() -> None:
    assert open_sealed(KEY, SAMPLE, ("ten_1", "sec_1")) == b"secret"


def test_of_two_live_master_keys_the_first_wraps_and_both_unwrap() -> None:
    old, new = new_data_key(), new_data_key()
    before = MasterKeys([old]).wrap(KEY, ("ten_1", "1"))
    both = MasterKeys([new, old])
    assert both.unwrap(before, ("ten_1", "1")) == KEY
    after = both.wrap(KEY, ("ten_1", "1"))
    assert after.master_id == both.current_id == MasterKeys([new]).current_id
    assert MasterKeys([new]).unwrap(after, ("ten_1", "1")) == KEY
    with pytest.raises(Unopenable, match="not configured"):
        MasterKeys([new]).unwrap(before, ("ten_1", "1"))
    with pytest.raises(Unopenable):
        both.unwrap(Wrapped(after.master_id, after.sealed), ("ten_2", "1"))


def test_master_keys_are_read_from_a_setting() -> None:
    one, two = new_data_key(), new_data_key()
    text = ", ".join(base64.b64encode(key).decode() for key in (one, two))
    assert MasterKeys.parse(text).current_id == MasterKeys([one]).current_id
    for wrong in ("not base64!", base64.b64encode(b"short").decode()):
        with pytest.raises(InvalidInput):
            MasterKeys.parse(wrong)
    with pytest.raises(Unavailable, match="Encryption service unavailable"):
        MasterKeys.parse("").wrap(KEY, ())


def test_a_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "master.key"
    made = MasterKeys.kept_in(file).current_id
    assert MasterKeys.kept_in(file).current_id == made
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["master.key"]
    file.write_text(base64.b64encode(KEY).decode() + "\n" + file.read_text(encoding="ascii"), encoding="ascii")
    assert MasterKeys.kept_in(file).current_id == MasterKeys([KEY]).current_id
