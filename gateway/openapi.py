"""The OpenAPI 3.1 document: what FastAPI knows of a route, and what its declaration of access adds.

Credentials and errors are not written at the routes; they follow from `Access`, the parameters and the body.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from domain.json_values import JsonObject, JsonValue
from domain.permissions import Permission
from gateway.access import BODY_METHODS, Access, CallerKind
from gateway.bodies.openai import OpenAiErrorBody
from gateway.envelope import CallbackErrorBody, ErrorBody, OverloadedBody
from gateway.guarded import GuardedRoute, api_routes
from gateway.idempotency import REPLAYED
from gateway.openapi_examples import SCHEMAS, add_examples
from gateway.openapi_streams import STREAMS, describe_streams
from gateway.openapi_words import describe_all

VALIDATION_BY_FASTAPI = "422"
SECURITY_SCHEMES: dict[str, JsonObject] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key (abl_...) or a user's JWT"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "sdkToken": {"type": "apiKey", "in": "header", "name": "X-SDK-Token"},
    "publicKey": {"type": "apiKey", "in": "header", "name": "X-Public-Key"},
    "publicApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "A public key (pk_...)"},
    "sandboxToken": {"type": "http", "scheme": "bearer", "description": "The token that sandboxed code was given"},
}
SCHEMES_OF_KIND: dict[CallerKind, tuple[str, ...]] = {
    "api_key": ("bearer", "apiKey"),
    "user": ("bearer",),
    "sdk": ("sdkToken",),
    "public_key": ("publicApiKey",),
    "sandbox": ("sandboxToken",),
}
ERRORS = {
    400: "The request breaks a rule",
    401: "Missing, invalid or expired credentials",
    403: "Permission or origin not sufficient",
    404: "Not there, or not yours",
    408: "The body came too slowly",
    409: "Exists already, or wrong state",
    410: "Retired or expired",
    413: "Body too large",
    415: "Body is not JSON",
    429: "Rate or concurrency limit",
    500: "Unexpected error",
    503: "A needed backend is absent or down",
}
BOOTSTRAP: Final = ("publicKey",)
"""The scheme of the route whose public key has a header of its own."""
WHO_MAY: Mapping[CallerKind, str] = MappingProxyType(
    {
        "api_key": "authenticated",
        "user": "authenticated",
        "sdk": str(Permission.SESSION_SEND_MESSAGE),
        "public_key": "public key",
        "sandbox": "sandbox token",
    }
)
"""What a credential must be where a route asks for no permission."""
EVERYBODY: Final = "none"
MODULES: Final = "__"
"""Between the modules in the name of a form that has a namesake."""
HERE: Final = "/"
RATE_HEADERS: Mapping[str, JsonObject] = MappingProxyType(
    {
        "X-RateLimit-Limit": {"description": "Units of the tightest limit", "schema": {"type": "integer"}},
        "X-RateLimit-Remaining": {"description": "Units that are left of it", "schema": {"type": "integer"}},
        "X-RateLimit-Reset": {
            "description": "When all are there again, in seconds since 1970",
            "schema": {"type": "integer"},
        },
    }
)
REQUEST_ID: JsonObject = {"description": "The id of the request, as in the logs", "schema": {"type": "string"}}
RETRY_AFTER: JsonObject = {"description": "Seconds to wait before trying again", "schema": {"type": "integer"}}
REPLAY: JsonObject = {
    "description": "`true` where the answer is that of an earlier request",
    "schema": {"type": "string"},
}
MAY_BE_GONE = ("chat", "callbacks")
IDEMPOTENCY_HEADER: JsonObject = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The same key with the same request gives the first reply again, for 24 hours",
}


def describe(app: FastAPI, public_url: str = "") -> None:
    """Make `app.openapi()` return the whole document; it is made once, when it is first asked for.

    Args:
        app: The app.
        public_url: Where the outside reaches it; empty is wherever the document was read.
    """

    def openapi() -> JsonObject:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app, public_url)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign] # FastAPI's documented way to extend the document


def _document(app: FastAPI, public_url: str) -> JsonObject:
    document: JsonObject = get_openapi(
        title=app.title,
        version=app.version,
        routes=app.routes,
        servers=[{"url": public_url or HERE, "description": "This gateway"}],
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for model in (ErrorBody, OverloadedBody, CallbackErrorBody, OpenAiErrorBody):
        schemas.update(_schemas(model))
    components["securitySchemes"] = SECURITY_SCHEMES
    components["headers"] = {**RATE_HEADERS, "X-Request-Id": REQUEST_ID, "Retry-After": RETRY_AFTER, REPLAYED: REPLAY}
    routes = api_routes(app)
    names = Counter(route.name for route in routes)
    for route in routes:
        for method in route.methods or ():
            operation = document["paths"][route.path_format][method.lower()]
            operation["operationId"] = _short(route, names)
            _complete(operation, route, method)
    _close(document)
    if any(route.path_format in STREAMS for route in routes):
        describe_streams(document)
    describe_all(document)
    _tell_namesakes_apart(document)
    add_examples(document)
    return document


def _tell_namesakes_apart(document: JsonObject) -> None:
    """Call forms of one name by their modules too, in name and title: generators make classes of these."""
    schemas = document["components"]["schemas"]
    renamed = {name: _with_module(name) for name in schemas if MODULES in name}
    for name, short in renamed.items():
        schemas[short] = {**schemas.pop(name), "title": short}
    waiting: list[JsonValue] = [document]
    while waiting:
        match waiting.pop():
            case dict() as inner:
                place = inner.get("$ref")
                if isinstance(place, str) and (short := renamed.get(place.removeprefix(SCHEMAS), "")):
                    inner["$ref"] = SCHEMAS + short
                waiting += inner.values()
            case list() as inner:
                waiting += inner


def _with_module(name: str) -> str:
    """Return the name of a form that is told from a namesake by its module.

    >>> _with_module("gateway__bodies__openai__Usage")
    'OpenaiUsage'
    """
    *_, module, form = name.split(MODULES)
    return module.title().replace("_", "") + form


def _short(route: GuardedRoute, names: Mapping[str, int]) -> str:
    """Return what an operation is called: as its function, after its part of the API where two are called so."""
    if names[route.name] == 1:
        return route.name
    return f"{str(route.tags[0]).replace(' ', '_').replace('-', '_')}_{route.name}" + (
        "_of_tenant" if route.path.startswith("/api/agents") else ""
    )


def permission_of(access: Access) -> str:
    """Return what a caller of a route must be allowed, in a word; of a page its session counts besides."""
    if access.permission is not None:
        return str(access.permission)
    return " or ".join(dict.fromkeys(WHO_MAY[kind] for kind in access.kinds)) or EVERYBODY


def _close(document: JsonObject) -> None:
    """Say of everything that is answered that it has no other fields; request bodies say it of themselves."""
    schemas = document["components"]["schemas"]
    operations = [one for path in document["paths"].values() for one in path.values()]
    asked = _reached([one.get("requestBody", {}) for one in operations], schemas)
    answered = _reached([one["responses"] for one in operations], schemas)
    for name in answered - asked:
        if "properties" in schemas[name]:
            schemas[name].setdefault("additionalProperties", False)


def _reached(values: list[JsonValue], schemas: JsonObject) -> set[str]:
    """Return the names of all schemas that are referred to, directly or through others."""
    found: set[str] = set()
    waiting = list(values)
    while waiting:
        match waiting.pop():
            case {"$ref": str() as place} if place.startswith(SCHEMAS):
                name = place.removeprefix(SCHEMAS)
                if name not in found:
                    found.add(name)
                    waiting.append(schemas[name])
            case dict() as inner:
                waiting += inner.values()
            case list() as inner:
                waiting += inner
    return found


def _schemas(model: type[BaseModel]) -> JsonObject:
    schema = model.model_json_schema(ref_template=SCHEMAS + "{model}", mode="serialization")
    inner: JsonObject = schema.pop("$defs", {})
    return {**inner, model.__name__: schema}


def _complete(operation: JsonObject, route: GuardedRoute, method: str) -> None:
    access = route.access
    of_kinds = [BOOTSTRAP] if access.public_key_header else [SCHEMES_OF_KIND[kind] for kind in access.kinds]
    schemes = dict.fromkeys(scheme for some in of_kinds for scheme in some)
    operation["security"] = [{scheme: []} for scheme in schemes]
    operation["x-permission"] = permission_of(access)
    if access.replay != "none":
        operation["parameters"] = [*operation.get("parameters", ()), IDEMPOTENCY_HEADER]
    responses = operation["responses"]
    responses.pop(VALIDATION_BY_FASTAPI, None)
    for status in documented_errors(route, method):
        responses.setdefault(str(status), {"description": ERRORS[status], "content": _content(route, status)})
    for status, response in responses.items():
        response["headers"] = {
            **response.get("headers", {}),
            **{name: {"$ref": f"#/components/headers/{name}"} for name in _headers(access, status)},
        }


def _headers(access: Access, status: str) -> Iterator[str]:
    """Yield the headers that an answer may have."""
    yield "X-Request-Id"
    if access.rated and not access.is_public:
        yield from RATE_HEADERS
    if status in ("429", "503"):
        yield "Retry-After"
    if access.replay != "none" and status.startswith("2"):
        yield REPLAYED


def _content(route: GuardedRoute, status: int) -> JsonObject:
    if route.access.errors == "callback":
        model: type[BaseModel] = CallbackErrorBody
    elif route.access.errors == "openai":
        model = OpenAiErrorBody
    else:
        model = OverloadedBody if status == 429 else ErrorBody
    return {"application/json": {"schema": {"$ref": SCHEMAS + model.__name__}}}


def documented_errors(route: GuardedRoute, method: str) -> Iterator[int]:
    """Yield the statuses of the errors that a route may answer, in rising order."""
    access, dependant = route.access, route.dependant
    reads = method in BODY_METHODS
    asks = bool(dependant.path_params or dependant.query_params) or access.errors == "openai"
    if reads or asks:
        yield 400
    if not access.is_public or access.errors == "callback":
        yield 401
    if not access.is_public:
        yield 403
    if asks or route.body_field is not None:
        yield 404
    if reads:
        yield 408
    if reads or method == "DELETE":
        yield 409
    if set(route.tags) & set(MAY_BE_GONE) and reads:
        yield 410
    if reads:
        yield 413
        yield 415
    if not access.is_public:
        yield 429
    yield 500
    if "health" not in route.tags:
        yield 503
