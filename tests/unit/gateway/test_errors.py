from __future__ import annotations

import pytest

from domain import errors as domain_errors
from domain.errors import AppError, Conflict, InvalidInput, Overloaded, QueueFull, TooLarge, Unavailable
from gateway.errors import ANSWERS, MalformedRequest, answer, error_body, error_event, from_validation, retry_headers


def test_every_error_of_the_domain_has_its_row() -> None:
    kinds = {
        kind
        for kind in vars(domain_errors).values()
        if isinstance(kind, type) and issubclass(kind, AppError) and kind is not AppError
    }
    assert kinds == set(ANSWERS)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (MalformedRequest("x"), 400, "BAD_REQUEST"),
        (InvalidInput("x"), 400, "VALIDATION_ERROR"),
        (TooLarge("x"), 413, "PAYLOAD_TOO_LARGE"),
        (Overloaded("x", retry_after_ms=1), 429, "RATE_LIMIT_EXCEEDED"),
        (QueueFull("x", retry_after_ms=1), 429, "QUEUE_FULL"),
        (AppError("x"), 500, "INTERNAL_ERROR"),
    ],
)
def test_the_nearest_class_answers(error: AppError, status: int, code: str) -> None:
    assert (answer(error).status, answer(error).code) == (status, code)


def test_a_coded_body_carries_details_only_when_there_are_any() -> None:
    assert error_body(Conflict("Session has ended", details={"reason": "SESSION_ENDED"})) == {
        "success": False,
        "error": {"code": "CONFLICT", "message": "Session has ended", "details": {"reason": "SESSION_ENDED"}},
    }
    assert error_body(Conflict("x"))["error"] == {"code": "CONFLICT", "message": "x"}
    assert error_body(Conflict("x"), "callback") == {"ok": False, "error": "x"}


def test_the_wait_is_told_in_whole_seconds() -> None:
    assert retry_headers(Overloaded("x", retry_after_ms=1)) == {"Retry-After": "1"}
    assert retry_headers(Overloaded("x", retry_after_ms=2001)) == {"Retry-After": "3"}
    assert retry_headers(Unavailable("x")) == {}
    assert retry_headers(Unavailable("x", details={"retryAfterMs": 900})) == {"Retry-After": "1"}


def test_an_event_tells_the_wait_in_milliseconds() -> None:
    assert error_event(QueueFull("full", retry_after_ms=9)) == {
        "error": "full",
        "code": "QUEUE_FULL",
        "retryAfterMs": 9,
    }


def test_fields_are_named_by_json_pointers() -> None:
    problems = [
        {"type": "string_type", "loc": ("body", "a/b", 0, "c~d"), "msg": "Input should be a valid string"},
        {"type": "value_error", "loc": ("query", "q"), "msg": "Value error, must not contain U+0000"},
    ]
    error = from_validation(problems)
    assert error.details["fields"] == [
        {"path": "/a~1b/0/c~0d", "message": "Input should be a valid string"},
        {"path": "/q", "message": "must not contain U+0000"},
    ]
    assert type(error) is InvalidInput


@pytest.mark.parametrize(
    ("kind", "location", "path"),
    [
        ("literal_error", ("rating", "literal['positive','negative','neutral']"), "/rating"),
        ("string_type", ("parts", 0, "list[Part]", 0, "text", "text"), "/parts/0/0/text"),
        ("missing", ("parts", 0, "list[Part]", 0, "image", "url"), "/parts/0/0/url"),
        ("missing", ("message",), "/message"),
        ("too_long", ("parts",), "/parts"),
        ("model_type", (), ""),
    ],
)
def test_a_pointer_has_nothing_that_is_not_in_the_body(kind: str, location: tuple[str | int, ...], path: str) -> None:
    body = {"rating": 6, "parts": [[{"type": "text", "text": 5}]]}
    problem = {"type": kind, "loc": ("body", *location), "msg": "Wrong"}
    told = f"{location[-1]} is required" if kind == "missing" else "Wrong"
    assert from_validation([problem], body).details["fields"] == [{"path": path, "message": told}]


def test_broken_json_and_missing_parameters_are_bad_requests() -> None:
    missing = [{"type": "missing", "loc": ("body", "message"), "msg": "Field required"}]
    assert isinstance(from_validation(missing), MalformedRequest)
    assert isinstance(from_validation([{"type": "json_invalid", "loc": ("body", 1), "msg": ""}]), MalformedRequest)
