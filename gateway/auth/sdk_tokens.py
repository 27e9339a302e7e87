"""SDK session tokens: what a page holds after it showed its public key, and what such a caller is. Spec: 2.4, 12.1."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from actors.runtime import Caller
from domain import limits
from domain.clock import Clock, IdSource
from domain.errors import Unauthenticated
from domain.json_values import JsonObject
from domain.permissions import SDK_TOKEN
from gateway.auth.public_keys import PublicKey
from gateway.auth.tokens import Tokens


class SdkClaims(Struct, frozen=True, kw_only=True):
    """What an SDK token says.

    Attributes:
        family: All tokens refreshed from one another share it; one family has one session.
        session_id: The family's session, empty while no token knows it.
        agent: The agent that the page has named, for the beginning of the session; empty for the entry agent.
        user: What the page says of who speaks; untrusted.
    """

    tenant_id: str
    project_id: str
    key_id: str
    family: str
    subject: str
    session_id: str = ""
    agent: str = ""
    user: JsonObject = field(default_factory=dict)
    permissions: tuple[str, ...] = tuple(SDK_TOKEN)

    def of_session(self, session_id: str) -> SdkClaims:
        """Return these claims, knowing the family's session."""
        return replace(self, session_id=session_id)

    def caller(self, key: PublicKey) -> Caller:
        """Return the caller that a holder of these claims is."""
        return Caller(
            tenant_id=self.tenant_id,
            subject=self.subject,
            permissions=frozenset(self.permissions),
            project_id=self.project_id,
            kind="sdk",
            may_see_traces=key.may_see_traces,
        )


class SdkTokens:
    """Makes and reads SDK tokens, socket tickets and resume tokens."""

    def __init__(self, secret: bytes, issuer: str, clock: Clock, ids: IdSource, *, older: Sequence[bytes] = ()) -> None:
        self._sdk = Tokens("sdk", secret, issuer, clock, ids, older=older)
        self._tickets = Tokens("ticket", secret, issuer, clock, ids, older=older)
        self._resumes = Tokens("resume", secret, issuer, clock, ids, older=older)

    def make(self, claims: SdkClaims) -> str:
        """Return an SDK token for `claims`."""
        return self._sdk.make(_packed(claims), limits.SDK_TOKEN_S)

    def read(self, token: str, *, grace_s: int = 0) -> SdkClaims:
        """Return what an SDK token says; raises Unauthenticated."""
        return _unpacked(self._sdk.read(token, grace_s=grace_s))

    def make_ticket(self, claims: SdkClaims) -> str:
        """Return a ticket that opens one WebSocket."""
        return self._tickets.make(_packed(claims), limits.TICKET_S)

    def read_ticket(self, ticket: str) -> tuple[str, SdkClaims]:
        """Return the id of a ticket, to be used once, and what it says; raises Unauthenticated."""
        claims = self._tickets.read(ticket)
        return str(claims["jti"]), _unpacked(claims)

    def make_resume(self, claims: SdkClaims) -> str:
        """Return a token with which a page that was loaded again finds its session."""
        return self._resumes.make(_packed(claims), limits.RESUME_TOKEN_S)

    def read_resume(self, token: str, key: PublicKey, project_id: str) -> SdkClaims:
        """Return what a resume token says; it is bound to its key and project. Raises Unauthenticated."""
        claims = _unpacked(self._resumes.read(token))
        if (claims.key_id, claims.project_id, claims.tenant_id) != (key.id, project_id, key.tenant_id):
            raise Unauthenticated("The resume token belongs to another key")
        return claims


def _packed(claims: SdkClaims) -> JsonObject:
    packed: JsonObject = {
        "tid": claims.tenant_id,
        "pid": claims.project_id,
        "kid": claims.key_id,
        "fam": claims.family,
        "sub": claims.subject,
        "perms": list(claims.permissions),
    }
    optional = {"sid": claims.session_id, "agt": claims.agent, "usr": claims.user}
    return {**packed, **{name: value for name, value in optional.items() if value}}


def _unpacked(claims: JsonObject) -> SdkClaims:
    try:
        return SdkClaims(
            tenant_id=claims["tid"],
            project_id=claims["pid"],
            key_id=claims["kid"],
            family=claims["fam"],
            subject=claims["sub"],
            session_id=claims.get("sid", ""),
            agent=claims.get("agt", ""),
            user=claims.get("usr", {}),
            permissions=tuple(claims["perms"]),
        )
    except KeyError as error:
        raise Unauthenticated("Invalid token") from error
