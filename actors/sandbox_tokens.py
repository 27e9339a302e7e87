"""Tokens with which code that runs elsewhere reaches the memory stores of its session, and nothing else.

HS256 under a key of its own purpose, 15 minutes. Hosts make them, the gateway reads them, so both are given the same
secret. Spec: platform-api 2.1, 7.3. Decision: 0015.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

import jwt
from jwt.types import Options
from msgspec import Struct

from actors.session.store import SessionPin
from domain.clock import Clock, IdSource
from domain.errors import InvalidInput, Unauthenticated
from domain.json_values import JsonObject
from domain.limits import SANDBOX_TOKEN_S
from providers.ports import Sandbox

TYPE: Final = "sandbox"
ALGORITHM: Final = "HS256"
ISSUER: Final = "abl-runtime"
SECRET_MIN_BYTES: Final = 32
MEMORY_PATH: Final = "/api/v1/memory"
AHEAD_S: Final = 300
"""How far the clock of the host that made a token may be ahead; what a leapt clock made is not taken for as long."""
REFUSED: Final = "Invalid or expired token"
_OPTIONS: Final[Options] = {
    "require": ["iss", "typ", "iat", "exp", "jti", "tid", "pid"],
    "verify_aud": False,
    "verify_exp": False,  # against our clock
    "verify_iat": False,
    "verify_nbf": False,
}


class SandboxClaims(Struct, frozen=True, kw_only=True):
    """What a token says: whose session, and for which agent's code it was made."""

    tenant_id: str
    project_id: str
    session_id: str
    agent: str


class SandboxTokens:
    """Makes them under `secret`, and reads those made under it or an older one."""

    def __init__(self, secret: bytes, clock: Clock, ids: IdSource, *, older: Sequence[bytes] = ()) -> None:
        secrets = (secret, *older)
        if any(len(one) < SECRET_MIN_BYTES for one in secrets):
            raise InvalidInput(f"The sandbox secret must have at least {SECRET_MIN_BYTES} bytes")
        self._keys = tuple(hmac.digest(one, b"token:sandbox", sha256) for one in secrets)
        self._clock = clock
        self._ids = ids

    def make(self, claims: SandboxClaims) -> str:
        """Return a token."""
        now = int(self._clock.now().timestamp())
        said: JsonObject = {
            "iss": ISSUER,
            "typ": TYPE,
            "iat": now,
            "exp": now + SANDBOX_TOKEN_S,
            "jti": self._ids.new(""),
            "tid": claims.tenant_id,
            "pid": claims.project_id,
            "sid": claims.session_id,
            "agent": claims.agent,
        }
        return jwt.encode(said, self._keys[0], algorithm=ALGORITHM)

    def read(self, token: str) -> SandboxClaims:
        """Return what a token says.

        Raises:
            Unauthenticated: It is not ours, not of this kind, or its time is over.
            InvalidInput: It names no session.
        """
        said = self._verified(token)
        ends_at, now = said["exp"], self._clock.now().timestamp()
        if said["typ"] != TYPE or type(ends_at) is not int or not now < ends_at <= now + SANDBOX_TOKEN_S + AHEAD_S:
            raise Unauthenticated(REFUSED)
        if not said.get("sid"):
            raise InvalidInput("Token missing sessionId")
        return SandboxClaims(
            tenant_id=str(said["tid"]),
            project_id=str(said["pid"]),
            session_id=str(said["sid"]),
            agent=str(said.get("agent", "")),
        )

    def _verified(self, token: str) -> JsonObject:
        for key in self._keys:
            try:
                said: JsonObject = jwt.decode(token, key, algorithms=[ALGORITHM], issuer=ISSUER, options=_OPTIONS)
            except jwt.InvalidSignatureError:
                continue
            except jwt.InvalidTokenError as error:
                raise Unauthenticated(REFUSED) from error
            return said
        raise Unauthenticated(REFUSED)


class SessionSandbox:
    """Satisfies `providers.ports.Sandbox` for the code of one agent of a session."""

    def __init__(self, tokens: SandboxTokens, public_url: str, pin: SessionPin, agent: str) -> None:
        self._tokens = tokens
        self._memory_url = public_url.rstrip("/") + MEMORY_PATH
        self._claims = SandboxClaims(
            tenant_id=pin.tenant_id, project_id=pin.project_id, session_id=pin.session_id, agent=agent
        )

    def variables(self) -> JsonObject:
        """Return a new token and where it is taken."""
        return {"token": self._tokens.make(self._claims), "memoryUrl": self._memory_url}


def sandboxes_of(tokens: SandboxTokens, public_url: str) -> Callable[[SessionPin, str], Sandbox]:
    """Return what gives the code of a session's agents its token."""
    return lambda pin, agent: SessionSandbox(tokens, public_url, pin, agent)
