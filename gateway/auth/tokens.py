"""Signed tokens: HS256 with one key per purpose, so that one kind cannot stand for another. Spec: platform-api 2.1."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from hashlib import sha256
from typing import Literal

import jwt
from jwt.types import Options

from domain.clock import Clock, IdSource
from domain.errors import Unauthenticated
from domain.json_values import JsonObject
from gateway import bounds

TokenType = Literal["sdk", "ticket", "resume", "access", "refresh"]
ALGORITHM = "HS256"
SECRET_MIN_BYTES = 32
OPTIONS: Options = {
    "require": ["iss", "typ", "iat", "exp", "jti"],
    "verify_aud": False,
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}
"""The time is checked by `Tokens.read`, against our clock and for remembered tokens too."""


class Tokens:
    """Makes and reads the tokens of one kind."""

    def __init__(self, typ: TokenType, secret: bytes, issuer: str, clock: Clock, ids: IdSource) -> None:
        if len(secret) < SECRET_MIN_BYTES:
            raise ValueError(f"the token secret must have at least {SECRET_MIN_BYTES} bytes")
        self._typ = typ
        self._key = hmac.digest(secret, f"token:{typ}".encode(), sha256)
        self._issuer = issuer
        self._clock = clock
        self._ids = ids
        self._read: OrderedDict[str, JsonObject] = OrderedDict()

    def make(self, claims: JsonObject, life_s: int) -> str:
        """Return a token that carries `claims` and lives `life_s` seconds."""
        now = int(self._clock.now().timestamp())
        standard = {"iss": self._issuer, "typ": self._typ, "iat": now, "exp": now + life_s, "jti": self._ids.new("")}
        return jwt.encode({**claims, **standard}, self._key, algorithm=ALGORITHM)

    def read(self, token: str, *, grace_s: int = 0) -> JsonObject:
        """Return the claims of a token, which may have expired at most `grace_s` seconds ago.

        Raises:
            Unauthenticated: It is not ours, not of this kind, or expired.
        """
        claims = self._read.get(token)
        if claims is None:
            claims = self._verified(token)
            self._read[token] = claims
            if len(self._read) > bounds.CREDENTIALS_HELD:
                self._read.popitem(last=False)
        if claims["exp"] + grace_s <= self._clock.now().timestamp():
            self._read.pop(token, None)
            raise Unauthenticated("The token has expired")
        return claims

    def _verified(self, token: str) -> JsonObject:
        try:
            claims: JsonObject = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=self._issuer,
                options=OPTIONS,
            )
        except jwt.InvalidTokenError as error:
            raise Unauthenticated("Invalid token") from error
        if claims["typ"] != self._typ or type(claims["exp"]) is not int:
            raise Unauthenticated("Invalid token")
        return claims
