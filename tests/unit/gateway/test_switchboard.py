from __future__ import annotations

from typing import Any

import pytest
from fastapi import Response
from starlette.routing import Match

from gateway.access import anyone
from gateway.guarded import GuardedRoute, api_routes, guarded_router
from gateway.switchboard import Switchboard
from tests.support.gateway import a_gateway

APP = a_gateway().app
ROUTES = api_routes(APP)
WORD = "export"
"""A word of paths that may also stand where a parameter is."""


def scope_of(method: str, path: str, **more: Any) -> dict[str, Any]:
    return {"type": "http", "method": method, "path": path, "headers": [], **more}


def first(method: str, path: str) -> GuardedRoute | None:
    """Return the route that is found by asking one after the other."""
    scope = scope_of(method, path)
    return next((route for route in ROUTES if route.matches(scope)[0] is Match.FULL), None)


@pytest.mark.parametrize("word", [WORD, "generations", "lookup", "x", "{}", "a b", "é"])
def test_it_finds_what_is_found_one_after_the_other(word: str) -> None:
    board = Switchboard(APP.routes)
    for path in {route.path for route in ROUTES}:
        asked = "/".join(word if "{" in part else part for part in path.split("/"))
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"):
            wanted = first(method, asked)
            found, child = board.matches(scope_of(method, asked))
            assert (found is Match.FULL) is (wanted is not None), (method, asked)
            assert child.get("route") is wanted, (method, asked)


@pytest.mark.parametrize(
    "path", ["", "/", "/nowhere", "/api/", "/api//", "/api/projects/", "/api/agents/a/b", "//" * 9]
)
def test_it_leaves_alone_what_is_nowhere(path: str) -> None:
    assert first("GET", path) is None
    assert Switchboard(APP.routes).matches(scope_of("GET", path)) == (Match.NONE, {})


def test_it_leaves_alone_sockets_and_what_is_served_below_a_path() -> None:
    board = Switchboard(APP.routes)
    assert board.matches(scope_of("GET", "/health"))[0] is Match.FULL
    assert board.matches(scope_of("GET", "/health", root_path="/abl"))[0] is Match.NONE
    assert board.matches({**scope_of("GET", "/health"), "type": "websocket"})[0] is Match.NONE


def test_a_parameter_of_several_words_is_refused_when_the_app_is_made() -> None:
    router = guarded_router("/files", "files")

    @router.get("/{name:path}", dependencies=[anyone()], response_model=None)
    async def get_file(name: str) -> Response:
        return Response(name)

    with pytest.raises(ValueError, match="a parameter of several words"):
        Switchboard(router.routes)
