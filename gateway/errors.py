"""Error classes to statuses, codes and bodies: the only place that knows both. Spec: platform-api 1.3, 12.7."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from domain.errors import (
    AgentFault,
    AppError,
    Conflict,
    Forbidden,
    Gone,
    InvalidInput,
    LastingOutage,
    NotFound,
    Overloaded,
    QueueFull,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from domain.json_values import JsonObject, JsonValue
from gateway import bounds

ErrorForm = Literal["coded", "callback", "openai"]
"""How a route spells its errors: in the coded envelope, as `{ok: false, error}` of callbacks, or as OpenAI does."""

MS_PER_S = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """How a class of errors is told to a caller."""

    status: int
    code: str


ANSWERS: Mapping[type[AppError], Answer] = MappingProxyType(
    {
        InvalidInput: Answer(400, "VALIDATION_ERROR"),
        Unauthenticated: Answer(401, "UNAUTHORIZED"),
        Forbidden: Answer(403, "FORBIDDEN"),
        NotFound: Answer(404, "NOT_FOUND"),
        Conflict: Answer(409, "CONFLICT"),
        Gone: Answer(410, "GONE"),
        TooLarge: Answer(413, "PAYLOAD_TOO_LARGE"),
        Overloaded: Answer(429, "RATE_LIMIT_EXCEEDED"),
        QueueFull: Answer(429, "QUEUE_FULL"),
        Unavailable: Answer(503, "SERVICE_UNAVAILABLE"),
        LastingOutage: Answer(503, "SERVICE_UNAVAILABLE"),
        AgentFault: Answer(500, "INTERNAL_ERROR"),
    }
)
UNEXPECTED = Answer(500, "INTERNAL_ERROR")
UNEXPECTED_MESSAGE = "Something went wrong on our side"

OPENAI_TYPES: Mapping[int, str] = MappingProxyType(
    {
        401: "authentication_error",
        403: "permission_error",
        429: "rate_limit_error",
        500: "server_error",
        503: "server_error",
    }
)
"""Status -> the type of an error in OpenAI's form; every other one is the request's."""
OPENAI_REQUEST_ERROR = "invalid_request_error"

PROTOCOL_CODES: Mapping[int, str] = MappingProxyType(
    {
        400: "BAD_REQUEST",
        401: "UNAUTHORIZED",
        403: "FORBIDDEN",
        404: "NOT_FOUND",
        405: "METHOD_NOT_ALLOWED",
        413: "PAYLOAD_TOO_LARGE",
        415: "UNSUPPORTED_MEDIA_TYPE",
    }
)
"""Codes of what the web framework refuses before any of our code runs."""

PROTOCOL_MESSAGES: Mapping[int, str] = MappingProxyType(
    {404: "Not found", 405: "Method not allowed", 415: "Content-Type must be application/json"}
)


class MalformedRequest(InvalidInput):
    """The request cannot be read at all: broken JSON, or a required parameter is missing."""


class WrongMediaType(AppError):
    """The body is of a type that the route does not read."""


class SlowRequest(AppError):
    """The body of the request came too slowly."""


HTTP_ONLY: Mapping[type[AppError], Answer] = MappingProxyType(
    {
        MalformedRequest: Answer(400, "BAD_REQUEST"),
        SlowRequest: Answer(408, "REQUEST_TIMEOUT"),
        WrongMediaType: Answer(415, "UNSUPPORTED_MEDIA_TYPE"),
    }
)


def answer(error: AppError) -> Answer:
    """Return status and code of an error: those of the nearest class that has a row."""
    for kind in type(error).__mro__:
        if kind in HTTP_ONLY:
            return HTTP_ONLY[kind]
        if kind in ANSWERS:
            return ANSWERS[kind]
    return UNEXPECTED


def error_body(error: AppError, form: ErrorForm = "coded") -> JsonObject:
    """Return the JSON body of an error, before a stream has begun."""
    told = answer(error)
    if form == "callback":
        return {"ok": False, "error": error.message}
    if form == "openai":
        fields = error.details.get("fields") or [{}]
        place = str(fields[0].get("path", "")).removeprefix("/").replace("/", ".")
        return openai_body(told, sentence_of(error), place or None)
    if isinstance(error, Overloaded):
        said = {"success": False, "error": error.message, "code": told.code, "retryAfterMs": error.retry_after_ms}
        return {**said, "details": error.details} if error.details else said
    return coded(told.code, error.message, error.details)


def sentence_of(error: AppError) -> str:
    """Return what an error says where there is room for one text only: with its hint, or its first wrong field."""
    fields = error.details.get("fields") or [{}]
    more = str(error.details.get("hint") or fields[0].get("message", ""))
    return error.message if more in error.message else f"{error.message}: {more}"


def openai_body(told: Answer, message: str, param: str | None = None) -> JsonObject:
    """Return the body of an error in OpenAI's form; `param` is the place in the request."""
    kind = OPENAI_TYPES.get(told.status, OPENAI_REQUEST_ERROR)
    return {"error": {"message": message, "type": kind, "param": param, "code": told.code}}


def spelt(told: Answer, message: str, form: ErrorForm, details: JsonObject | None = None) -> JsonObject:
    """Return the body of an error that is none of our classes, as a route spells its errors."""
    if form == "callback":
        return {"ok": False, "error": message}
    return openai_body(told, message) if form == "openai" else coded(told.code, message, details)


def coded(code: str, message: str, details: JsonObject | None = None) -> JsonObject:
    """Return the coded error envelope."""
    error: JsonObject = {"code": code, "message": message}
    if details:
        error["details"] = details
    return {"success": False, "error": error}


def error_event(error: AppError) -> JsonObject:
    """Return the data of the `error` event that ends a stream."""
    event: JsonObject = {"error": error.message, "code": answer(error).code}
    if isinstance(error, Overloaded):
        event["retryAfterMs"] = error.retry_after_ms
    return event


def retry_headers(error: AppError) -> dict[str, str]:
    """Return `Retry-After` in whole seconds, rounded up and at least 1, where the wait is known."""
    wait_ms = error.retry_after_ms if isinstance(error, Overloaded) else error.details.get("retryAfterMs")
    if wait_ms is None:
        return {}
    return {"Retry-After": str(max(1, math.ceil(wait_ms / MS_PER_S)))}


def missing(sentence: str, *names: str) -> MalformedRequest:
    """Return the error of a body that lacks fields; each is named."""
    fields = [{"path": f"/{name}", "message": f"{name} is required"} for name in names]
    return MalformedRequest(sentence, details={"fields": fields})


def from_validation(problems: Sequence[Any], body: JsonValue = None, needed: Sequence[str] = ()) -> InvalidInput:
    """Return the error that says what pydantic found wrong with a request.

    Args:
        problems: The entries of `ValidationError.errors()`.
        body: What the request held; None where that is not known.
        needed: The fields that the body of the route must have, to be named where there is no body at all.
    """
    if any(problem["type"] == "json_invalid" for problem in problems):
        return MalformedRequest("Invalid JSON body")
    if needed and [(problem["type"], tuple(problem["loc"])) for problem in problems] == [("missing", ("body",))]:
        return missing("Invalid request", *needed)
    fields = [
        {"path": _pointer(_place(problem, body)), "message": _sentence(problem)}
        for problem in problems[: bounds.ERROR_FIELDS_SHOWN]
    ]
    kind = MalformedRequest if all(problem["type"] == "missing" for problem in problems) else InvalidInput
    return kind("Invalid request", details={"fields": fields})


def _place(problem: Any, body: JsonValue) -> list[str | int]:
    """Return where a problem is, without what is not there: the word for body or query, pydantic's names of unions."""
    source, *words = problem["loc"]
    location: list[str | int] = words
    if source != "body" or body is None:
        return location
    at: Any = body
    place: list[str | int] = []
    for word in location:
        match at, word:
            case (dict(), str()) if word in at:
                at = at[word]
            case (list(), int()) if word < len(at):
                at = at[word]
            case _:
                continue
        place.append(word)
    return [*place, location[-1]] if problem["type"] == "missing" and location else place


def _pointer(place: Sequence[str | int]) -> str:
    """Return the JSON pointer of a place."""
    words = [str(word).replace("~", "~0").replace("/", "~1") for word in place]
    return "".join(f"/{word}" for word in words)


def _sentence(problem: Any) -> str:
    """Return what is wrong, without pydantic's prefix of our own sentences."""
    if problem["type"] == "missing" and isinstance(problem["loc"][-1], str) and len(problem["loc"]) > 1:
        return f"{problem['loc'][-1]} is required"
    message: str = problem["msg"]
    return message.removeprefix("Value error, ")
