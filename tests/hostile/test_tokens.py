"""Forged and borrowed tokens, at every kind of credential and where they are traded. Spec: platform-api 2.1; RFC 8725."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.support.hostile import JSON, SHOWN, Attack, routes_of, struck, target_of
from tests.support.hostile_store import Place
from tests.support.hostile_tokens import forged
from tests.support.live_gateway import SECRET

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]
UNAUTHORIZED = (401,)


def tokens(place: Place) -> dict[str, str]:
    return forged(place.headers["owner"]["Authorization"].partition(" ")[2], SECRET)


async def test_no_forged_token_opens_anything(place: Place) -> None:
    made = tokens(place)
    routes = [(route, method) for route, method in routes_of(place) if route.access.kinds]
    bearers = [(route, method) for route, method in routes if "user" in route.access.kinds][::8]

    def attacks() -> Iterator[Attack]:
        for name, token in made.items():
            for route, method in bearers:
                yield Attack(
                    name, method, target_of(place, route), {"authorization": f"Bearer {token}"}, (), UNAUTHORIZED
                )
            for route, method in routes:
                if "sdk" in route.access.kinds:
                    headers = {"x-sdk-token": token, "authorization": None}
                    yield Attack(name, method, target_of(place, route), headers, (), UNAUTHORIZED)
                if {"sandbox", "public_key"} & set(route.access.kinds):
                    headers = {"authorization": f"Bearer {token}", "x-public-key": token}
                    yield Attack(name, method, target_of(place, route), headers, (), UNAUTHORIZED)

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 2_000


async def test_no_forged_token_is_traded_for_another(place: Place) -> None:
    def attacks() -> Iterator[Attack]:
        for name, token in tokens(place).items():
            body = json.dumps({"refreshToken": token}).encode()
            yield Attack(name, "POST", "/api/auth/refresh", JSON, [body], (400, 401))

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 80


SCHEMES = (
    "", "Bearer", "Bearer ", "bearer\t", "Basic {}", "Digest {}", "Token {}", "{}", "Bearer,{}", "Bearer{}", "BearerBearer {}",
    "Bearer Bearer {}", "Bearer {},{}", "Bearer {} {}", "Bearer {}\r\nx: y", "Bearer \0{}", "Bearer {}\0", "\ufeffBearer {}"[1:] + "x",
    "Negotiate {}", "Bearer abl_", "Bearer abl_' OR '1'='1", "Bearer abl_%", "Bearer abl_\xff", "Bearer pk_x", "Bearer abl_" + "a" * 50_000,
)  # fmt: skip


async def test_no_other_way_to_write_a_credential_is_read(place: Place) -> None:
    good = place.headers["owner"]["Authorization"].partition(" ")[2]
    routes = [(route, method) for route, method in routes_of(place) if "user" in route.access.kinds][::4]

    def attacks() -> Iterator[Attack]:
        for route, method in routes:
            for scheme in SCHEMES:
                headers = {"authorization": scheme.replace("{}", good)}
                yield Attack(scheme[:30], method, target_of(place, route), headers, (), UNAUTHORIZED)

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 500
