"""Bodies that are broken, too large or in disguise, at every route that reads one. Spec: platform-api 1.1, 1.3."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import pytest

from gateway.access import BODY_METHODS
from gateway.guarded import GuardedRoute
from tests.support.hostile import JSON, SHOWN, Attack, routes_of, sent, struck, target_of
from tests.support.hostile_bodies import NO_JSON, OTHER_TYPES, OTHER_VALUES, TWICE
from tests.support.hostile_store import Place

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]
ENCODINGS = ("gzip", "deflate", "br", "zstd", "identity, gzip", "x" * 4_000)


def reading(place: Place) -> list[tuple[GuardedRoute, str]]:
    """Return the routes that read JSON and that a person may call."""
    return [
        (route, method)
        for route, method in routes_of(place)
        if method in BODY_METHODS
        and route.body_field is not None
        and (not route.access.kinds or "user" in route.access.kinds)
    ]


def requiring(place: Place) -> list[tuple[GuardedRoute, str]]:
    return [(route, method) for route, method in reading(place) if route.body_field.field_info.is_required()]


def a_body(place: Place, route: GuardedRoute, method: str, name: str, *pieces: bytes, **headers: str) -> Attack:
    return Attack(name, method, target_of(place, route), {**JSON, **headers}, pieces)


async def test_what_is_no_json_is_refused(place: Place) -> None:
    count, complaints = await struck(
        place,
        (
            a_body(place, route, method, name, raw)
            for route, method in reading(place)
            for name, raw in {**NO_JSON, **TWICE}.items()
        ),
    )
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 2_000


async def test_what_is_no_object_is_refused(place: Place) -> None:
    count, complaints = await struck(
        place,
        (
            a_body(place, route, method, name, raw)
            for route, method in requiring(place)
            for name, raw in OTHER_VALUES.items()
        ),
    )
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 300


async def test_other_types_and_encodings_are_refused(place: Place) -> None:
    packed = NO_JSON["a packed bomb"]

    def attacks() -> Iterator[Attack]:
        for route, method in requiring(place):
            for name, media_type in OTHER_TYPES.items():
                yield Attack(name, method, target_of(place, route), {"content-type": media_type}, [b'{"a":1}'])
            for encoding in ENCODINGS:
                yield a_body(place, route, method, encoding[:20], packed, **{"content-encoding": encoding})

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 600


async def test_a_body_without_end_is_read_no_further_than_its_limit(place: Place) -> None:
    piece = b" " * 2**18
    for route, method in reading(place):
        attack = Attack("without end", method, target_of(place, route), JSON, repeat(piece))
        answered = await sent(place, attack, place.headers["owner"])
        assert answered.status == 413, (route.path, answered)
        assert answered.read_bytes <= route.access.body_max_bytes + len(piece)


async def test_what_lengths_say_is_not_believed(place: Place) -> None:
    lengths = ("-1", "1e9", "0x10", "9" * 400, "9" * 5_000, "\xb2", "1, 2", "²", "\t", "", " ", "+5", "5;5")

    def attacks() -> Iterator[Attack]:
        for route, method in requiring(place)[::4]:
            for length in lengths:
                yield a_body(place, route, method, length, b'{"a":', **{"content-length": length})

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 150
