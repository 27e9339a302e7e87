from __future__ import annotations

import pytest

from gateway.auth.sealing import Broken, Seal

SECRET = b"0123456789abcdef0123456789abcdef"


def test_what_is_sealed_opens_under_its_name_and_purpose_only() -> None:
    seal = Seal(SECRET, "replies")
    sealed = seal.seal(b"a token", "ten_1 k")
    assert b"a token" not in sealed
    assert sealed != seal.seal(b"a token", "ten_1 k")
    assert seal.open(sealed, "ten_1 k") == b"a token"
    for other, name in (
        (seal, "ten_2 k"),
        (Seal(SECRET, "other"), "ten_1 k"),
        (Seal(SECRET[::-1], "replies"), "ten_1 k"),
    ):
        with pytest.raises(Broken):
            other.open(sealed, name)


def test_what_was_sealed_under_an_older_secret_opens_until_that_secret_is_gone() -> None:
    old, new = SECRET, SECRET[::-1]
    sealed = Seal(old, "replies").seal(b"a token", "name")
    both = Seal(new, "replies", older=(old,))
    assert both.open(sealed, "name") == b"a token"
    for broken in (Seal(new, "replies"), Seal(new, "other", older=(old,))):
        with pytest.raises(Broken):
            broken.open(sealed, "name")
    with pytest.raises(Broken):
        both.open(sealed, "another name")
    assert Seal(new, "replies").open(both.seal(b"b", "name"), "name") == b"b"


@pytest.mark.parametrize("broken", [b"", b"short", b"x" * 60])
def test_what_was_never_sealed_does_not_open(broken: bytes) -> None:
    with pytest.raises(Broken):
        Seal(SECRET, "replies").open(broken, "name")
