"""Callbacks as a fake runtime keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

A_CALLBACK: dict[str, Any] = {
    "sessionId": "sess_1", "agentName": "desk", "toolName": "ask",
    "createdAt": "2026-03-02T09:00:00.000Z", "expiresAt": "2026-03-03T09:00:00.000Z",
}  # fmt: skip


@dataclass
class FakeCallback:
    tenant_id: str
    project_id: str
    secret: str = ""
    status: str = "pending"
    body: dict[str, Any] | None = None
    enqueue_fails: bool = False
