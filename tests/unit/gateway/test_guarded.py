from __future__ import annotations

from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from domain.errors import TooLarge
from gateway.errors import WrongMediaType
from gateway.guarded import api_routes, check_media_type, read_body
from tests.support.gateway import PROJECT, Gateway, a_gateway

pytestmark = pytest.mark.anyio


def a_scope(**headers: str) -> dict[str, Any]:
    return {"headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]}


def receiving(*messages: dict[str, Any]) -> Any:
    waiting = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(waiting)

    return receive


def piece(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


async def test_a_body_is_put_together_from_its_pieces() -> None:
    receive = receiving(piece(b"ab", more=True), {"type": "http.request", "more_body": True}, piece(b"c"))
    assert await read_body(a_scope(), receive, 3) == b"abc"
    assert await read_body(a_scope(content_length="0"), receiving({"type": "http.request"}), 3) == b""


@pytest.mark.parametrize("length", ["4", "99999999999999999999"])
async def test_a_body_that_says_it_is_too_long_is_not_read(length: str) -> None:
    with pytest.raises(TooLarge):
        await read_body(a_scope(content_length=length), receiving(), 3)


async def test_a_body_is_refused_where_it_becomes_too_long() -> None:
    receive = receiving(piece(b"ab", more=True), piece(b"cd", more=True))
    with pytest.raises(TooLarge):
        await read_body(a_scope(content_length="nonsense"), receive, 3)


async def test_a_client_that_goes_while_its_body_is_read_is_no_request() -> None:
    with pytest.raises(ClientDisconnect):
        await read_body(a_scope(), receiving(piece(b"ab", more=True), {"type": "http.disconnect"}), 9)


@pytest.mark.parametrize(
    ("media_type", "refused"),
    [
        ("application/json", False),
        ("Application/JSON; charset=utf-8", False),
        ("application/merge-patch+json", False),
        ("text/json", True),
        ("application/jsonp", True),
        ("text/plain", True),
        ("", True),
    ],
)
def test_only_json_is_read(media_type: str, refused: bool) -> None:
    scope = a_scope(content_type=media_type)
    if refused:
        with pytest.raises(WrongMediaType):
            check_media_type(scope, b"{}", always=False)
        check_media_type(scope, b"", always=False)
    else:
        check_media_type(scope, b"{}", always=True)


def test_the_busiest_route_is_called_directly_and_the_others_by_fastapi() -> None:
    direct = {route.path for route in api_routes(a_gateway().app) if "direct" in route.app.__qualname__}
    assert direct == {
        "/api/v1/chat/agent",
        "/api/v1/chat/send",
        "/api/v1/chat/stream",
        "/v1/chat/completions",
        "/v1/responses",
    }


@pytest.mark.parametrize(
    ("raw", "code", "fields"),
    [
        (
            b"",
            "BAD_REQUEST",
            [
                {"path": "/projectId", "message": "projectId is required"},
                {"path": "/message", "message": "message is required"},
            ],
        ),
        (b"{", "BAD_REQUEST", None),
        (b"[]", "VALIDATION_ERROR", [{"path": "", "message": "Input should be an object"}]),
        (b'{"projectId": "p"}', "BAD_REQUEST", [{"path": "/message", "message": "message is required"}]),
        (b'{"projectId": "p", "message": NaN}', "BAD_REQUEST", None),
        (b'{"projectId": "p", "message": "\\ud800"}', "BAD_REQUEST", None),
    ],
    ids=["empty", "broken", "no object", "missing", "not a number", "half a character"],
)
async def test_a_direct_route_tells_bad_bodies_as_the_others_do(
    gateway: Gateway, raw: bytes, code: str, fields: list[dict[str, str]] | None
) -> None:
    headers = {"content-type": "application/json"}
    reply = await gateway.client.post("/api/v1/chat/agent", raw=raw, headers=headers)
    other = await gateway.client.post(f"/api/projects/{PROJECT}/sessions", raw=raw, headers=headers)
    assert (reply.status, reply.json()["error"]["code"]) == (400, code)
    assert other.status == 400
    assert set(reply.json()["error"]) == set(other.json()["error"])
    if fields is not None:
        assert [one["path"] for one in reply.json()["error"]["details"]["fields"]] == [one["path"] for one in fields]
