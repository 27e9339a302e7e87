"""Signed tokens: HS256 with one key per purpose, so that one kind cannot stand for another. Spec: platform-api 2.1."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Sequence
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
    """Makes the tokens of one kind under `secret`, and reads those made under it or an older one."""

    def __init__(
        self,
        typ: TokenType,
        secret: bytes,
        issuer: str,
        clock: Clock,
        ids: IdSource,
        *,
        older: Sequence[bytes] = (),
    ) -> None:
        secrets = (secret, *older)
        if any(len(one) < SECRET_MIN_BYTES for one in secrets):
            raise ValueError(f"the token secret must have at least {SECRET_MIN_BYTES} bytes")
        self._typ = typ
        self._keys = tuple(hmac.digest(one, f"token:{typ}".encode(), sha256) for one in secrets)
        self._issuer = issuer
        self._clock = clock
        self._ids = ids
        self._read: OrderedDict[str, JsonObject] = OrderedDict()

    def make(self, claims: JsonObject, life_s: int) -> str:
        """Return a token that carries `claims` and lives `life_s` seconds."""
        now = int(self._clock.now().timestamp())
        standard = {"iss": self._issuer, "typ": self._typ, "iat": now, "exp": now + life_s, "jti": self._ids.new("")}
        return jwt.encode({**claims, **standard}, self._keys[0], algorithm=ALGORITHM)

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
        now = self._clock.now().timestamp()
        if claims["exp"] + grace_s <= now:
            self._read.pop(token, None)
            raise Unauthenticated("The token has expired")
        if claims["iat"] > now + bounds.TOKEN_AHEAD_S:
            raise Unauthenticated("The token is from the future; get a new one")
        return claims

    def _verified(self, token: str) -> JsonObject:
        claims = self._signed(token)
        if claims["typ"] != self._typ or not type(claims["exp"]) is type(claims["iat"]) is int:
            raise Unauthenticated("Invalid token")
        return claims

    def _signed(self, token: str) -> JsonObject:
        for key in self._keys:
            try:
                claims: JsonObject = jwt.decode(
                    token, key, algorithms=[ALGORITHM], issuer=self._issuer, options=OPTIONS
                )
            except jwt.InvalidSignatureError:
                continue
            except jwt.InvalidTokenError as error:
                raise Unauthenticated("Invalid token") from error
            return claims
        raise Unauthenticated("Invalid token")
