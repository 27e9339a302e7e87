"""What a route declares: who may call it, with which permission, and how much; nothing is public by omission.

`caller(...)` and `anyone(...)` stand in a route's `dependencies`; `gateway.guarded` takes them out and acts on them
before the body is read, so a refused caller costs nothing. Spec: platform-api 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Depends, Request

from actors.runtime import Caller
from actors.sandbox_tokens import SandboxClaims
from domain import limits
from domain.errors import Unauthenticated
from domain.permissions import Permission
from gateway.auth.public_keys import PublicKey
from gateway.auth.sdk_tokens import SdkClaims
from gateway.auth.user_tokens import LoggedIn
from gateway.errors import ErrorForm

CallerKind = Literal["api_key", "user", "sdk", "public_key", "sandbox"]
Replay = Literal["turn", "reply", "none"]
"""How an `Idempotency-Key` is honoured: with the turn in the journal, by the stored reply, or by the route's nature."""

ADMISSION = "gateway.admission"
ACCESS = "gateway.access"
RATE = "gateway.rate"
REQUEST_ID = "gateway.request_id"
REPLY_NAME = "gateway.reply_name"
"""Of a request under an `Idempotency-Key`: under what its reply is kept."""
BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})


@dataclass(frozen=True, slots=True)
class Access:
    """What a route says about its callers.

    Attributes:
        kinds: Credentials that may call it; none means that no credential is asked for.
        permission: What an API key or user must be allowed; an SDK token is bound by its session instead.
        public_key_header: True for the bootstrap route, whose key has a header of its own.
        token_grace_s: Seconds for which an expired SDK token is still taken.
        replay: How an `Idempotency-Key` is honoured.
        repeatable: Run twice it does no more than run once, so it may run again when what became of it is unknown.
        streams: The route reads the body itself, within the bound, as it comes.
        rated: False for health checks, which are never throttled.
        always: Answered also by a gateway that ends.
        errors: How its errors are spelt.
        too_large: What is said of a body beyond the bound, in the place of the usual sentence.
        checks_texts: False where the route refuses texts itself that no store can keep.
    """

    kinds: tuple[CallerKind, ...] = ()
    permission: Permission | None = None
    public_key_header: bool = False
    token_grace_s: int = 0
    body_max_bytes: int = limits.BODY_MAX_BYTES
    replay: Replay = "none"
    repeatable: bool = False
    streams: bool = False
    rated: bool = True
    always: bool = False
    errors: ErrorForm = "coded"
    too_large: str = ""
    checks_texts: bool = True

    @property
    def is_public(self) -> bool:
        """Whether it may be called without a credential."""
        return not self.kinds

    async def __call__(self) -> None:
        """Do nothing: the guard has acted on this before the route began."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Who was let in, and by what: an SDK token, a public key, the log-in of a person, a sandbox's token."""

    caller: Caller
    claims: SdkClaims | None = None
    key: PublicKey | None = None
    logged_in: LoggedIn | None = None
    sandbox: SandboxClaims | None = None


OF_NO_ROUTE = Access(kinds=("api_key", "user", "sdk"))
"""Whose requests are counted that no route takes: those of callers whose credential stands in the usual headers."""


def caller(
    *kinds: CallerKind,
    permission: Permission | None = None,
    replay: Replay = "none",
    repeatable: bool = False,
    token_grace_s: int = 0,
    body_max_bytes: int = limits.BODY_MAX_BYTES,
    too_large: str = "",
    checks_texts: bool = True,
    errors: ErrorForm = "coded",
) -> Any:
    """Declare that a route serves callers of these kinds."""
    return Depends(
        Access(
            kinds=kinds,
            permission=permission,
            replay=replay,
            repeatable=repeatable,
            token_grace_s=token_grace_s,
            body_max_bytes=body_max_bytes,
            too_large=too_large,
            checks_texts=checks_texts,
            errors=errors,
        )
    )


def uploader(*kinds: CallerKind, permission: Permission, body_max_bytes: int) -> Any:
    """Declare that a route takes files from callers of these kinds; it honours an `Idempotency-Key` itself."""
    return Depends(
        Access(kinds=kinds, permission=permission, body_max_bytes=body_max_bytes, replay="turn", streams=True)
    )


def anyone(*, rated: bool = True, always: bool = False, errors: ErrorForm = "coded") -> Any:
    """Declare that a route asks for no credential."""
    return Depends(Access(rated=rated, always=always, errors=errors))


def bootstrap() -> Any:
    """Declare the route that turns a public key into a token."""
    return Depends(Access(kinds=("public_key",), public_key_header=True, replay="reply", repeatable=True))


def admission_of(request: Request) -> Admission:
    """Return who was let in."""
    admitted = request.scope[ADMISSION]
    if not isinstance(admitted, Admission):
        raise Unauthenticated("Missing credentials")
    return admitted


async def _admission(request: Request) -> Admission:
    return admission_of(request)


Admitted = Annotated[Admission, Depends(_admission)]
"""Parameter of a route that wants to know who is calling."""
