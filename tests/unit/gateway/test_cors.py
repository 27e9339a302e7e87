from __future__ import annotations

import pytest

from gateway.cors import Cors
from gateway.guarded import GuardedRoute, api_routes
from tests.support.gateway import PAGE, PROJECT, a_gateway

pytestmark = pytest.mark.anyio
PREFLIGHT = {"origin": PAGE, "access-control-request-method": "POST"}


@pytest.mark.parametrize(
    ("path", "extra", "allowed"),
    [
        ("/api/v1/chat/agent", {}, True),
        ("/api/v1/sdk/init", {}, True),
        ("/api/v1/sessions/sess_1/transcripts", {"access-control-request-headers": "X-SDK-Token"}, True),
        ("/api/v1/sessions/sess_1/transcripts", {}, False),
        (f"/api/projects/{PROJECT}/sessions", {}, False),
        (f"/api/projects/{PROJECT}/sessions", {"access-control-request-headers": "X-SDK-Token"}, False),
    ],
)
async def test_pages_may_ask_before_they_call_sdk_routes(path: str, extra: dict[str, str], allowed: bool) -> None:
    reply = await a_gateway().nobody().request("OPTIONS", path, headers={**PREFLIGHT, **extra})
    assert (reply.status == 204) is allowed
    assert (reply.headers.get("access-control-allow-origin") == PAGE) is allowed
    if allowed:
        assert "X-Public-Key" in reply.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in reply.headers
        assert reply.headers["vary"] == "Origin"


async def test_other_routes_follow_the_configured_list() -> None:
    gateway = a_gateway(cors_origins=("https://studio.example.com",))
    path = f"/api/projects/{PROJECT}/sessions"
    known = await gateway.client.get(path, headers={"origin": "https://studio.example.com"})
    other = await gateway.client.get(path, headers={"origin": PAGE})
    assert known.headers["access-control-allow-origin"] == "https://studio.example.com"
    assert "Retry-After" in known.headers["access-control-expose-headers"]
    assert other.status == 200
    assert "access-control-allow-origin" not in other.headers


OF_SDK = {
    "/api/v1/chat/agent", "/api/v1/chat/complete", "/api/v1/chat/send", "/api/v1/chat/stream", "/api/v1/chat/usage",
    "/api/v1/feedback", "/api/v1/sdk/config/{project_id}", "/api/v1/sdk/init", "/api/v1/sdk/refresh",
    "/api/v1/sdk/ws-ticket",
}  # fmt: skip
"""The routes of 1.8 that reflect whatever is brought."""
OF_TOKEN = {
    "/api/v1/sessions/{session_id}/transcripts", "/api/projects/{project_id}/sessions/{session_id}/messages",
    "/api/projects/{project_id}/sessions/{session_id}/attachments",
    "/api/projects/{project_id}/sessions/{session_id}/attachments/{attachment_id}",
    "/api/projects/{project_id}/sessions/{session_id}/attachments/{attachment_id}/content",
}  # fmt: skip
"""Those that reflect for a caller with an SDK token."""
BRINGS = {"x-sdk-token": "junk"}
ANNOUNCES = {"access-control-request-method": "GET", "access-control-request-headers": "content-type, X-SDK-Token"}


def reflected(routes: list[GuardedRoute], **headers: str) -> set[str]:
    """Return the paths whose replies a page of an origin that nobody has listed may read."""
    asked = {"origin": "http://evil.example", **{name.replace("_", "-"): text for name, text in headers.items()}}
    return {route.path for route in routes if Cors(()).headers(route.path, asked)}


def test_only_the_routes_of_the_contract_reflect_an_origin() -> None:
    routes = api_routes(a_gateway().app)
    assert {route.path for route in routes} >= OF_SDK | OF_TOKEN
    assert reflected(routes) == OF_SDK
    for brought in (BRINGS, ANNOUNCES):
        assert reflected(routes, **brought) == OF_SDK | OF_TOKEN
        for route in routes:
            found = Cors(()).preflight("OPTIONS", route.path, {"origin": PAGE, **ANNOUNCES})
            assert (found is not None) == (route.path in OF_SDK | OF_TOKEN), route.path
    assert reflected(routes, **{**ANNOUNCES, "access-control-request-headers": "x-sdk-token-too"}) == OF_SDK


async def test_a_token_in_a_header_opens_no_other_route() -> None:
    gateway = a_gateway()
    for path in ("/api/projects", f"/api/projects/{PROJECT}/sessions", "/api/v1/sdkother", "/api/v1/feedback/all"):
        reply = await gateway.client.get(path, headers={"origin": "http://evil.example", **BRINGS})
        assert "access-control-allow-origin" not in reply.headers, path
        refused = {"origin": "http://evil.example", **ANNOUNCES}
        assert (await gateway.nobody().request("OPTIONS", path, headers=refused)).status != 204, path
