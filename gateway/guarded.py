"""The route class of every route: callers are let in, then the body is read within its bound, and only then it begins.

A route whose function takes just its body and the request is called without FastAPI's machinery for dependencies,
which costs as much as the rest of the exchange; its declaration, and so the documentation, is an ordinary one.
Spec: platform-api 1.1, 2.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any

import orjson
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.params import Depends as DependsParameter
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from domain.errors import InvalidInput, TooLarge
from domain.json_values import JsonValue
from gateway import bounds
from gateway.access import ACCESS, ADMISSION, BODY_METHODS, REPLY_NAME, Access, Admission
from gateway.bodies.texts import ESCAPED_NUL, holds_nul
from gateway.errors import MalformedRequest, WrongMediaType
from gateway.headers import headers_of
from gateway.idempotency import ReplyName, checked_key, sent_key
from gateway.reading import Paced, declares_more, read_json

Direct = Callable[[Any, Request], Coroutine[Any, Any, Response]]


async def read_body(scope: Scope, receive: Receive, max_bytes: int, sentence: str = "") -> bytes:
    """Return the body, refused while it is read as soon as it is too long.

    Raises:
        TooLarge: It is longer than `max_bytes`, or says so; with the `sentence`, if one is given.
        SlowRequest: It comes too slowly.
        ClientDisconnect: The client has gone.
    """
    if declares_more(headers_of(scope).get("content-length", ""), max_bytes):
        raise too_large(max_bytes, sentence)
    pieces: list[bytes] = []
    size_bytes = 0
    more = True
    next_piece = Paced(receive)
    while more:
        message = await next_piece()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece = message.get("body", b"")
        size_bytes += len(piece)
        if size_bytes > max_bytes:
            raise too_large(max_bytes, sentence)
        pieces.append(piece)
        more = message.get("more_body", False)
    return b"".join(pieces)


def bounded(scope: Scope, receive: Receive, max_bytes: int) -> Receive:
    """Return what reads a body and refuses it as soon as it is too long.

    Raises:
        TooLarge: It says that it is longer than `max_bytes`; what turns out to be is refused while it is read.
        SlowRequest: While it is read, because it comes too slowly.
    """
    if declares_more(headers_of(scope).get("content-length", ""), max_bytes):
        raise too_large(max_bytes)
    size_bytes = 0
    next_piece = Paced(receive)

    async def read() -> Message:
        nonlocal size_bytes
        message = await next_piece()
        size_bytes += len(message.get("body", b""))
        if size_bytes > max_bytes:
            raise too_large(max_bytes)
        return message

    return read


def too_large(max_bytes: int, sentence: str = "") -> TooLarge:
    """Return the error of a body beyond its limit."""
    return TooLarge(sentence or f"Request body exceeds {max_bytes} bytes")


class ReadRequest(Request):
    """A request whose body has been read."""

    def __init__(self, scope: Scope, receive: Receive, body: bytes) -> None:
        super().__init__(scope, receive)
        self._body = body

    async def json(self) -> Any:
        """Return the body as JSON; raises json.JSONDecodeError, MalformedRequest where a key stands twice."""
        return read_json(self._body)


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
        model = self._direct_model()
        if model is not None:
            self.app = _direct_app(self.access, model, endpoint)

    @property
    def needed_fields(self) -> tuple[str, ...]:
        """The fields, as they are called on the wire, without which the body is refused."""
        model = self.body_field.field_info.annotation if self.body_field is not None else None
        if not isinstance(model, type) or not issubclass(model, BaseModel):
            return ()
        return tuple(field.alias or name for name, field in model.model_fields.items() if field.is_required())

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler: admit, read, then what FastAPI made of the function."""
        handle = super().get_route_handler()
        access = self.access
        reads_json = self.body_field is not None or access.errors == "callback"

        async def guarded(request: Request) -> Response:
            scope = request.scope
            scope[ACCESS] = access
            gate = request.app.state.services.gate
            scope[ADMISSION] = await gate.admit(scope, access)
            if request.method not in BODY_METHODS:
                return await handle(request)
            if access.streams:
                return await handle(Request(scope, bounded(scope, request.receive, access.body_max_bytes)))
            body = await read_body(scope, request.receive, access.body_max_bytes, access.too_large)
            if reads_json:
                check_media_type(scope, body, always=access.errors == "callback")
            read = ReadRequest(scope, request.receive, body)
            if access.errors != "callback" and access.checks_texts:
                _check_texts(body)
            if access.replay == "reply" and (key := sent_key(scope)):
                name = scope[REPLY_NAME] = reply_name(request, scope[ADMISSION], key)
                replayed: Response = await gate.replies.once(read, name, body, handle, repeatable=access.repeatable)
                return replayed
            return await handle(read)

        return guarded

    def _direct_model(self) -> type[BaseModel] | None:
        """Return the model of the body when the function takes nothing but `body` and `request`; None otherwise."""
        found = self.dependant
        asks = found.path_params or found.query_params or found.header_params or found.cookie_params
        names = [one.name for one in found.body_params]
        if asks or found.dependencies or names != ["body"] or found.request_param_name != "request":
            return None
        model = found.body_params[0].field_info.annotation
        if self.access.replay == "reply" or not isinstance(model, type) or not issubclass(model, BaseModel):
            return None
        return model


def _direct_app(access: Access, model: type[BaseModel], endpoint: Direct) -> Callable[..., Coroutine[Any, Any, None]]:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope[ACCESS] = access
        scope[ADMISSION] = await scope["app"].state.services.gate.admit(scope, access)
        raw = await read_body(scope, receive, access.body_max_bytes)
        check_media_type(scope, raw, always=False)
        response = await endpoint(_validated(model, raw), Request(scope, receive))
        await response(scope, receive, send)

    return app


def _check_texts(raw: bytes, value: JsonValue = None) -> None:
    """Refuse a text that no store can keep, anywhere in a body; what is no JSON is told of elsewhere.

    Raises:
        InvalidInput: There is one.
    """
    if ESCAPED_NUL not in raw:
        return
    with suppress(orjson.JSONDecodeError):
        if holds_nul(value if value is not None else orjson.loads(raw)):
            raise InvalidInput("A text must not contain U+0000")


def _validated(model: type[BaseModel], raw: bytes) -> BaseModel:
    try:
        value = read_json(raw) if raw else None
    except orjson.JSONDecodeError as error:
        raise MalformedRequest("Invalid JSON body") from error
    try:
        read = model.model_validate(value)
        _check_texts(raw, value)
        return read
    except ValidationError as error:
        problems = [
            {**one, "type": one["type"] if raw else "missing", "loc": ("body", *one["loc"])}
            for one in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        raise RequestValidationError(problems, body=value) from error


def reply_name(request: Request, admission: Admission, key: str) -> ReplyName:
    """Return under what the reply to a request is kept; strangers behind one public key do not meet.

    Raises:
        InvalidInput: The key is not fit to be stored, or too short to be nobody else's.
    """
    tenant_id = admission.caller.tenant_id
    if admission.claims is not None:
        return ReplyName(tenant_id, f"family:{admission.claims.family}", checked_key(key))
    if admission.key is not None:
        address = request.client.host if request.client else ""
        scope = f"public:{admission.key.id}:{address}:{headers_of(request.scope).get('origin', '')}"
        return ReplyName(tenant_id, scope, checked_key(key, min_chars=bounds.IDEMPOTENCY_KEY_OF_NOBODY_MIN_CHARS))
    if admission.sandbox is not None:
        return ReplyName(tenant_id, f"sandbox:{admission.sandbox.session_id}", checked_key(key))
    return ReplyName(tenant_id, f"{admission.caller.kind}:{admission.caller.subject}", checked_key(key))


def _declared(dependency: DependsParameter) -> Access:
    access = dependency.dependency
    if not isinstance(access, Access):
        raise TypeError("not a declaration of access")
    return access


def check_media_type(scope: Scope, body: bytes, *, always: bool) -> None:
    """Refuse a body that is not JSON; an empty one is none. Raises WrongMediaType."""
    if not body and not always:
        return
    media_type = headers_of(scope).get("content-type", "")
    if media_type == "application/json":
        return
    media_type = media_type.partition(";")[0].strip().lower()
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
