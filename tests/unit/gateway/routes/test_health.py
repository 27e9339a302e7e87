from __future__ import annotations

import pytest

from actors.health import Health
from tests.support.gateway import PROJECT, Gateway

pytestmark = pytest.mark.anyio


async def test_the_process_lives(gateway: Gateway) -> None:
    body = (await gateway.nobody().get("/health")).json()
    assert (body["success"], body["status"], body["version"]) == (True, "ok", "1.2.3")
    assert body["uptimeSec"] >= 0


@pytest.mark.parametrize(
    ("health", "status", "word"),
    [
        (Health(ready=True, parts={"store": "ok"}), 200, "ready"),
        (Health(ready=False, parts={"store": "no answer"}), 503, "not_ready"),
        (Health(ready=True, draining=True, parts={"store": "ok"}), 503, "draining"),
    ],
)
async def test_readiness_follows_the_runtime(gateway: Gateway, health: Health, status: int, word: str) -> None:
    gateway.runtime.health_now = health
    reply = await gateway.nobody().get("/ready")
    assert (reply.status, reply.json()["status"], reply.json()["success"]) == (status, word, status == 200)
    failed = [check for check in reply.json()["checks"] if check["status"] != "ok"]
    assert failed == ([{"name": "store", "status": "failed", "message": "no answer"}] if word == "not_ready" else [])


async def test_what_an_installation_may_do_without_is_told_and_turns_away_no_balancer(gateway: Gateway) -> None:
    lesser = {"model": "No model is set."}
    gateway.runtime.health_now = Health(ready=True, parts={"store": "ok"}, lesser=lesser)
    reply = await gateway.nobody().get("/ready")
    assert reply.status == 200
    assert reply.json()["checks"] == [
        {"name": "store", "status": "ok"},
        {"name": "model", "status": "degraded", "message": "No model is set."},
    ]


async def test_the_numbers_name_routes_not_paths(gateway: Gateway) -> None:
    await gateway.client.get(f"/api/projects/{PROJECT}/sessions/sess_9")
    await gateway.client.get("/nowhere/at/all")
    text = (await gateway.nobody().get("/metrics")).body.decode()
    route = "/api/projects/{project_id}/sessions/{session_id}"
    assert f'abl_http_requests_total{{method="GET",route="{route}",status="404"}} 1.0' in text
    assert 'route="unrouted"' in text
    assert "sess_9" not in text
    assert 'abl_live_sessions{host="one"} 0.0' in text
