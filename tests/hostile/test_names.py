"""Names in paths, queries and headers that were made to be misread, at every route. Spec: platform-api 1, 17."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gateway.access import BODY_METHODS
from tests.spec.test_every_route import EXAMPLES
from tests.support.hostile import JSON, SHOWN, Attack, routes_of, struck, target_of
from tests.support.hostile_names import MOMENTS, NAMES, NUMBERS
from tests.support.hostile_store import Place

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]
COUNTS = {"limit", "offset", "page"}
MAY_BE_EMPTY = {"since", "until", "startDate", "endDate", "from", "to"}
ANY = range(200, 500)


async def test_names_in_paths_name_nothing(place: Place) -> None:
    routes = [(route, method) for route, method in routes_of(place) if set(route.param_convertors) - {"project_id"}]

    def attacks() -> Iterator[Attack]:
        for route, method in routes:
            reads = method in BODY_METHODS and route.body_field is not None
            example = EXAMPLES.get(f"{method} {route.path}", EXAMPLES.get(route.path, {}))
            pieces = [_json(place, example)] if reads else ()
            for name, text in NAMES.items():
                yield Attack(name, method, target_of(place, route, text), JSON, pieces)

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 2_000


async def test_names_of_projects_name_nothing(place: Place) -> None:
    routes = [(route, method) for route, method in routes_of(place) if set(route.param_convertors) == {"project_id"}]

    def attacks() -> Iterator[Attack]:
        for route, method in routes:
            for name, text in NAMES.items():
                yield Attack(name, method, route.path.replace("{project_id}", text), JSON)

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 1_000


async def test_what_is_no_count_and_no_moment_is_refused(place: Place) -> None:
    def attacks() -> Iterator[Attack]:
        for route, method in routes_of(place):
            target = target_of(place, route)
            for parameter in route.dependant.query_params:
                values = NUMBERS if parameter.alias in COUNTS else MOMENTS if parameter.alias in MAY_BE_EMPTY else ()
                for value in values:
                    yield Attack(parameter.alias, method, f"{target}?{parameter.alias}={value}")

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 500


async def test_any_query_is_answered(place: Place) -> None:
    """What is a word to look for may be any text: it finds nothing, and breaks nothing."""

    def attacks() -> Iterator[Attack]:
        for route, method in routes_of(place):
            if method != "GET" or "metrics" in route.path:
                continue
            for parameter in route.dependant.query_params:
                for name, text in NAMES.items():
                    target = f"{target_of(place, route)}?{parameter.alias}={text}&{parameter.alias}={text}"
                    yield Attack(name, method, target, allowed=ANY)

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 2_000


HEADERS = {
    "x-request-id": ("a\r\nSet-Cookie: b=c", "a\nb", "a\0b", "\xff\xfe", "a" * 10_000, "\x1b[31m", "\r", ""),
    "idempotency-key": ("a\r\nb: c", "a\0b", "\xff", "a" * 10_000, "\x7f"),
    "origin": ("null", "https://a\r\nb: c", "a" * 10_000, "https://[::1", "file://", "\0"),
    "host": ("", "a\r\nb: c", "127.0.0.1:99999", "[::1", "a" * 10_000, "a@b", "\0"),
    "accept": ("text/event-stream\r\na: b", "*/*" * 3_000, "\0", "\xff"),
    "last-event-id": ("a\r\nb", "\0", "sess:" + "9" * 5_000, "sess:-1", "\xff", ":"),
    "x-forwarded-for": ("127.0.0.1\r\na: b", "a" * 10_000, "\0"),
    "content-type": ("application/json; charset=\r\na: b", "application/json; charset=utf-16", "\0"),
}


async def test_headers_are_not_believed(place: Place) -> None:
    def attacks() -> Iterator[Attack]:
        target = f"/api/projects/{place.project_id}/human-tasks/unknown"
        for header, values in HEADERS.items():
            for value in values:
                for method, path in (
                    ("GET", target),
                    ("POST", f"{target}/claim"),
                    ("GET", "/nowhere"),
                    ("PATCH", target),
                ):
                    yield Attack(header, method, path, {**JSON, header: value})
                for path in ("/api/v1/chat/agent", "/api/v1/chat/stream", f"/mcp/{place.project_id}"):
                    yield Attack(header, "POST", path, {**JSON, header: value}, [b'{"message":1}'])

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 250


def _json(place: Place, example: object) -> bytes:
    return json.dumps(example).replace("c" + "a" * 24, place.project_id).encode()
