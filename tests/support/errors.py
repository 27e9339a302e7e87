"""What every error of the gateway looks like. Spec: platform-api 1.3, 1.4."""

from __future__ import annotations

from typing import Any

from domain.errors import AppError
from tests.support.asgi import Reply
from tests.support.gateway import PROJECT, Gateway

CHAT = "/api/v1/chat/agent"
SESSIONS = f"/api/projects/{PROJECT}/sessions"
MESSAGE = {"projectId": PROJECT, "message": "hello"}


def check(reply: Reply, status: int, code: str, message: str, **details: Any) -> None:
    """Assert the coded envelope and the headers that every error has."""
    error = {"code": code, "message": message, **({"details": details} if details else {})}
    assert (reply.status, reply.json()) == (status, {"success": False, "error": error})
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-request-id"]
    assert (reply.headers.get("www-authenticate") == "Bearer") is (status == 401)


def check_lacking(reply: Reply, *lacking: str) -> None:
    """Assert the 403 of somebody who lacks permissions: they are named."""
    hint = f"Needs {' and '.join(lacking)}"
    assert lacking, "what is lacking has a name"
    check(reply, 403, "FORBIDDEN", "Insufficient permissions", permissions=list(lacking), hint=hint)


def check_limited(reply: Reply, code: str, message: str) -> None:
    """Assert the body of a 429, whose `error` is a text, and its headers."""
    body = reply.json()
    assert (reply.status, body["success"], body["error"], body["code"]) == (429, False, message, code)
    assert set(body) == {"success", "error", "code", "retryAfterMs"}
    assert int(reply.headers["retry-after"]) >= 1
    assert int(reply.headers["retry-after"]) == -(-body["retryAfterMs"] // 1000)
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(reply.headers)


async def refused_turn(gateway: Gateway, error: AppError) -> Reply:
    gateway.runtime.refuse = error
    return await gateway.client.post(CHAT, MESSAGE)
