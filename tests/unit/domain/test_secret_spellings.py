"""The spellings of a secret, and a text without them."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from domain.secret_spellings import spellings, without

SECRET = 's3cret /"value"+x'
RAW = SECRET.encode()


def masked(text: str, *secrets: str) -> str:
    given = frozenset(secrets or (SECRET,))
    return without(text, given, frozenset().union(*map(spellings, given)), "[secret]")


@pytest.mark.parametrize(
    "spelt",
    [
        SECRET,
        SECRET[::-1],
        RAW.hex(),
        RAW.hex().upper(),
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        quote_plus(SECRET),
        "".join(f"%{byte:02x}" for byte in RAW),
        json.dumps(SECRET)[1:-1],
        base64.b64encode(RAW).decode(),
        base64.urlsafe_b64encode(RAW).decode(),
    ],
)
def test_every_spelling_is_masked(spelt: str) -> None:
    assert masked(f"<{spelt}>") == "<[secret]>"


@pytest.mark.parametrize("before", ["", "u", "u:", "user:", "someone:"])
@pytest.mark.parametrize("behind", ["", "!", "!!"])
def test_in_base64_it_is_found_within_something_longer(before: str, behind: str) -> None:
    encoded = base64.b64encode(f"{before}{SECRET}{behind}".encode()).decode()
    said = masked(f"Basic {encoded}")
    assert "[secret]" in said
    assert len(said) <= len("Basic [secret]") + len(encoded) - len(RAW), "only what stands around it is left"


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert masked("s3cret-one-more s3cret-one", "s3cret-one", "s3cret-one-more") == "[secret] [secret]"


def test_short_secrets_are_left_alone_or_looked_for_plainly_only() -> None:
    assert spellings("123") == frozenset()
    assert masked("room 12345", "123") == "room 12345"
    assert masked("1234 and 4321", "1234") == "[secret] and 4321"


def test_a_text_without_secrets_stays_as_it_is() -> None:
    assert masked("100% of a%20b") == "100% of a%20b"
