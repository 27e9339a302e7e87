"""The success body, the four historical paging shapes, and JSON as bytes. Spec: platform-api 1.2, 1.5."""

from __future__ import annotations

from typing import Annotated, Literal

import orjson
from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from domain import limits
from domain.json_values import JsonValue, storable
from gateway import bounds


class Wire(BaseModel):
    """Base of every body: camelCase on the wire, snake_case in Python, unknown fields ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True, ser_json_inf_nan="null"
    )


class Success(Wire):
    """Base of every success body."""

    success: Literal[True] = True


class DeletedReply(Success):
    """It is gone."""

    deleted: Literal[True] = True


class Totals(Wire):
    """Where a list stands."""

    total: int
    limit: int
    offset: int


class TopLevelPage(Success):
    """Totals at top level: the session list and its traces; the rows stand under a word of their own."""

    total: int
    offset: int
    limit: int


class PaginatedPage(Success):
    """Totals under `pagination`: every list that says nothing else."""

    pagination: Totals


class TotalOnlyPage(Success):
    """`total` alone: contacts, and the agents of a tenant."""

    total: int


class NumberedPage(Success):
    """`total`, `page`, `limit`: tool secrets."""

    total: int
    page: int
    limit: int


class ErrorDetail(Wire):
    """What the coded envelope says."""

    code: str
    message: str
    details: dict[str, JsonValue] | None = Field(default=None, description="free JSON, by the code")


class ErrorBody(Wire):
    """The body of every error but 429 and those of the callback endpoint."""

    success: Literal[False] = False
    error: ErrorDetail


class OverloadedBody(Wire):
    """The body of every 429: `error` is a text."""

    success: Literal[False] = False
    error: str
    code: Literal["RATE_LIMIT_EXCEEDED", "QUEUE_FULL"]
    retry_after_ms: int
    details: dict[str, JsonValue] | None = Field(default=None, description="free JSON, by the limit")


class CallbackErrorBody(Wire):
    """The body of every error of the callback endpoint."""

    ok: Literal[False] = False
    error: str


PageLimit = Annotated[int, Query(ge=1, le=limits.PAGE_LIMIT_MAX)]
Offset = Annotated[int, Query(ge=0, le=bounds.OFFSET_MAX)]


def json_bytes(content: JsonValue) -> bytes:
    """Return `content` as JSON in UTF-8; not-a-number becomes null, keys that are no texts become texts."""
    try:
        return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError:
        return orjson.dumps(storable(content), option=orjson.OPT_NON_STR_KEYS)


def json_response(content: JsonValue, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response; the fast way for bodies that are values already."""
    return Response(json_bytes(content), status_code=status, headers=headers, media_type="application/json")
