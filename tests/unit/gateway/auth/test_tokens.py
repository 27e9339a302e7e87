from __future__ import annotations

import jwt
import pytest

from domain.clock import CountingIds, FixedClock
from domain.errors import Unauthenticated
from gateway.auth.tokens import Tokens, TokenType

SECRET = b"x" * 32


def tokens(typ: str = "sdk", clock: FixedClock | None = None, secret: bytes = SECRET, issuer: str = "here") -> Tokens:
    return Tokens(typ, secret, issuer, clock or FixedClock(), CountingIds())  # type: ignore[arg-type]


def test_what_is_made_can_be_read_until_it_expires() -> None:
    clock = FixedClock()
    made = tokens(clock=clock)
    token = made.make({"tid": "t"}, 900)
    claims = made.read(token)
    assert (claims["tid"], claims["typ"], claims["iss"], claims["exp"] - claims["iat"]) == ("t", "sdk", "here", 900)
    clock.move(seconds=900)
    with pytest.raises(Unauthenticated, match="expired"):
        made.read(token)
    assert made.read(token, grace_s=10)["tid"] == "t"
    clock.move(seconds=10)
    with pytest.raises(Unauthenticated):
        made.read(token, grace_s=10)


def test_one_kind_cannot_stand_for_another() -> None:
    token = tokens("resume").make({}, 900)
    with pytest.raises(Unauthenticated):
        tokens("sdk").read(token)


@pytest.mark.parametrize("other", [tokens(secret=b"y" * 32), tokens(issuer="there")])
def test_tokens_of_other_installations_are_refused(other: Tokens) -> None:
    with pytest.raises(Unauthenticated):
        tokens().read(other.make({}, 900))


def test_the_algorithm_and_the_claims_are_pinned() -> None:
    made = tokens()
    claims = {"iss": "here", "typ": "sdk", "iat": 0, "exp": 9e9, "jti": "1"}
    key = made._keys[0]
    for forged in (
        jwt.encode(claims, None, algorithm="none"),
        jwt.encode(claims, key + b"0" * 32, algorithm="HS512"),
        jwt.encode({**claims, "typ": "access"}, key, algorithm="HS256"),
        jwt.encode({name: claims[name] for name in ("iss", "typ", "iat", "jti")}, key, algorithm="HS256"),
        "a.b.c",
        "",
    ):
        with pytest.raises(Unauthenticated):
            made.read(forged)


def test_a_short_secret_is_refused_at_start() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        tokens(secret=b"short")
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Tokens("sdk", SECRET, "here", FixedClock(), CountingIds(), older=(b"short",))


@pytest.mark.parametrize("typ", ["sdk", "ticket", "resume", "access", "refresh"])
def test_a_token_of_an_older_secret_is_read_until_that_secret_is_gone(typ: TokenType) -> None:
    def under(*secrets: bytes) -> Tokens:
        return Tokens(typ, secrets[0], "here", FixedClock(), CountingIds(), older=secrets[1:])

    old, new = SECRET, b"y" * 32
    token = under(old).make({"tid": "t"}, 900)
    assert under(new, old).read(token)["tid"] == "t"
    with pytest.raises(Unauthenticated):
        under(new).read(token)
    made_since = under(new, old).make({"tid": "t"}, 900)
    assert under(new).read(made_since)["tid"] == "t"
    with pytest.raises(Unauthenticated):
        under(old).read(made_since)


def test_a_token_that_a_leapt_clock_made_is_not_taken() -> None:
    clock = FixedClock()
    made = tokens(clock=clock)
    clock.move(seconds=400 * 86_400)
    token = made.make({"tid": "t"}, 900)
    assert made.read(token)["tid"] == "t"
    clock.move(seconds=-400 * 86_400)
    with pytest.raises(Unauthenticated, match="from the future"):
        made.read(token)
