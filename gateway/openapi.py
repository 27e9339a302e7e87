"""The OpenAPI 3.1 document: what FastAPI knows of a route, and what its declaration of access adds.

Credentials and errors are not written at the routes; they follow from `Access`, the parameters and the body.
"""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from domain.json_values import JsonObject, JsonValue
from gateway.access import BODY_METHODS, CallerKind
from gateway.bodies.openai import OpenAiErrorBody
from gateway.envelope import CallbackErrorBody, ErrorBody, OverloadedBody
from gateway.guarded import GuardedRoute, api_routes

SCHEMAS = "#/components/schemas/"
VALIDATION_BY_FASTAPI = "422"
SECURITY_SCHEMES: dict[str, JsonObject] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key (abl_...) or a user's JWT"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "sdkToken": {"type": "apiKey", "in": "header", "name": "X-SDK-Token"},
    "publicKey": {"type": "apiKey", "in": "header", "name": "X-Public-Key"},
    "sandboxToken": {"type": "http", "scheme": "bearer", "description": "The token that sandboxed code was given"},
}
SCHEMES_OF_KIND: dict[CallerKind, tuple[str, ...]] = {
    "api_key": ("bearer", "apiKey"),
    "user": ("bearer",),
    "sdk": ("sdkToken",),
    "public_key": ("publicKey",),
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
MAY_BE_GONE = ("chat", "callbacks")
IDEMPOTENCY_HEADER: JsonObject = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The same key with the same request gives the first reply again, for 24 hours",
}


def describe(app: FastAPI) -> None:
    """Make `app.openapi()` return the whole document; it is made once, when it is first asked for."""

    def openapi() -> JsonObject:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign] # FastAPI's documented way to extend the document


def _document(app: FastAPI) -> JsonObject:
    document: JsonObject = get_openapi(title=app.title, version=app.version, routes=app.routes)
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for model in (ErrorBody, OverloadedBody, CallbackErrorBody, OpenAiErrorBody):
        schemas.update(_schemas(model))
    components["securitySchemes"] = SECURITY_SCHEMES
    for route in api_routes(app):
        for method in route.methods or ():
            _complete(document["paths"][route.path_format][method.lower()], route, method)
    _close(document)
    return document


def _close(document: JsonObject) -> None:
    """Say of everything that is answered that it has no other fields; in requests unknown fields are ignored."""
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
            case {"$ref": str() as place}:
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
    schemes = dict.fromkeys(scheme for kind in access.kinds for scheme in SCHEMES_OF_KIND[kind])
    operation["security"] = [{scheme: []} for scheme in schemes]
    if access.replay != "none":
        operation["parameters"] = [*operation.get("parameters", ()), IDEMPOTENCY_HEADER]
    responses = operation["responses"]
    responses.pop(VALIDATION_BY_FASTAPI, None)
    for status in documented_errors(route, method):
        responses.setdefault(str(status), {"description": ERRORS[status], "content": _content(route, status)})


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
