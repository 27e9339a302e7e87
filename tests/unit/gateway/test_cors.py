from __future__ import annotations

import pytest

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
