"""What a route declares: who may call it, with which permission, and how much; nothing is public by omission.

`caller(...)` and `anyone(...)` stand in a route's `dependencies`; `GuardedRoute` takes them out and acts on them before
the body is read, so a refused caller costs nothing. Spec: platform-api 2.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.params import Depends as DependsParameter
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Route

from actors.runtime import Caller
from domain.errors import TooLarge, Unauthenticated
from gateway import limits
from gateway.auth.public_keys import PublicKey
from gateway.auth.sdk_tokens import SdkClaims
from gateway.errors import ErrorForm, WrongMediaType

CallerKind = Literal["api_key", "user", "sdk", "public_key"]
Permission = Literal[
    "project:read", "session:read", "session:execute", "session:write", "agent:read", "agent:write", "usage:read"
]
Replay = Literal["turn", "reply", "none"]
"""How an `Idempotency-Key` is honoured: with the turn in the journal, by the stored reply, or by the route's nature."""

ADMISSION = "gateway.admission"
ACCESS = "gateway.access"
RATE = "gateway.rate"
REQUEST_ID = "gateway.request_id"
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
        rated: False for health checks, which are never throttled.
        errors: How its errors are spelt.
    """

    kinds: tuple[CallerKind, ...] = ()
    permission: Permission | None = None
    public_key_header: bool = False
    token_grace_s: int = 0
    body_max_bytes: int = limits.BODY_MAX_BYTES
    replay: Replay = "none"
    rated: bool = True
    errors: ErrorForm = "coded"

    @property
    def is_public(self) -> bool:
        """Whether it may be called without a credential."""
        return not self.kinds

    async def __call__(self) -> None:
        """Do nothing: the guard has acted on this before the route began."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Who was let in; `claims` and `key` are there for SDK tokens and public keys."""

    caller: Caller
    claims: SdkClaims | None = None
    key: PublicKey | None = None


def caller(
    *kinds: CallerKind, permission: Permission | None = None, replay: Replay = "none", token_grace_s: int = 0
) -> Any:
    """Declare that a route serves callers of these kinds."""
    return Depends(Access(kinds=kinds, permission=permission, replay=replay, token_grace_s=token_grace_s))


def anyone(*, rated: bool = True, errors: ErrorForm = "coded") -> Any:
    """Declare that a route asks for no credential."""
    return Depends(Access(rated=rated, errors=errors))


def bootstrap() -> Any:
    """Declare the route that turns a public key into a token."""
    return Depends(Access(kinds=("public_key",), public_key_header=True))


class BoundedRequest(Request):
    """A request whose body is refused while it is read, as soon as it is too long; JSON in the fast way."""

    body_max_bytes = limits.BODY_MAX_BYTES

    async def stream(self) -> Any:
        """Yield the body piece by piece. Raises TooLarge."""
        declared = self.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > self.body_max_bytes:
            raise too_large(self.body_max_bytes)
        size_bytes = 0
        async for piece in super().stream():
            size_bytes += len(piece)
            if size_bytes > self.body_max_bytes:
                raise too_large(self.body_max_bytes)
            yield piece

    async def json(self) -> Any:
        """Return the body as JSON; raises json.JSONDecodeError."""
        return orjson.loads(await self.body())


def too_large(max_bytes: int) -> TooLarge:
    """Return the error of a body beyond its limit."""
    return TooLarge(f"Request body exceeds {max_bytes} bytes")


class GuardedRoute(APIRoute):
    """A route that lets callers in, reads the body within its bound, and only then begins."""

    access: Access

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        dependencies: Sequence[DependsParameter] | None = None,
        **declared: Any,
    ) -> None:
        declarations = [needed for needed in dependencies or () if isinstance(needed.dependency, Access)]
        if len(declarations) != 1:
            raise UndeclaredRoute(path)
        self.access = _declared(declarations[0])
        others = [needed for needed in dependencies or () if needed not in declarations]
        super().__init__(path, endpoint, dependencies=others, **declared)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler: admit, read, then what FastAPI made of the function."""
        handle = super().get_route_handler()
        access = self.access
        reads_json = self.body_field is not None or access.errors == "callback"

        async def guarded(request: Request) -> Response:
            scope = request.scope
            scope[ACCESS] = access
            gate = request.app.state.services.gate
            scope[ADMISSION] = await gate.admit(request, access)
            if request.method not in BODY_METHODS:
                return await handle(request)
            bounded = BoundedRequest(scope, request.receive)
            bounded.body_max_bytes = access.body_max_bytes
            body = await bounded.body()
            if reads_json:
                _check_media_type(bounded, body, always=access.errors == "callback")
            key = request.headers.get("idempotency-key")
            if key and access.replay == "reply":
                replayed: Response = await gate.replies.once(bounded, scope[ADMISSION].caller, key, body, handle)
                return replayed
            return await handle(bounded)

        return guarded


def _declared(dependency: DependsParameter) -> Access:
    access = dependency.dependency
    if not isinstance(access, Access):
        raise TypeError("not a declaration of access")
    return access


def _check_media_type(request: Request, body: bytes, *, always: bool) -> None:
    if not body and not always:
        return
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise WrongMediaType("Content-Type must be application/json")


class UndeclaredRoute(TypeError):
    """A route says nothing, or more than one thing, about its callers."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} must declare its callers once: caller(...), anyone() or bootstrap()")


def guarded_router(prefix: str, tag: str) -> APIRouter:
    """Return a router for one section of the specification."""
    return APIRouter(prefix=prefix, tags=[tag], route_class=GuardedRoute)


def api_routes(app: FastAPI) -> list[GuardedRoute]:
    """Return every route of the API, for the tests and the documentation that walk them."""
    return [route for route in app.routes if isinstance(route, GuardedRoute)]


def check_declared(routes: Iterable[BaseRoute], documentation: Iterable[str]) -> None:
    """Refuse to start with a route that is not guarded.

    Args:
        routes: Every route of the app.
        documentation: Paths that FastAPI serves itself.

    Raises:
        UndeclaredRoute: A route says nothing about its callers.
    """
    known = frozenset(documentation)
    for route in routes:
        if isinstance(route, Route) and not isinstance(route, GuardedRoute) and route.path not in known:
            raise UndeclaredRoute(route.path)


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
