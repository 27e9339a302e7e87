"""One session of the runtime in memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from actors.runtime import StreamEvent


@dataclass
class FakeSession:
    id: str
    tenant_id: str
    project_id: str
    agent: str
    transport: str = "http"
    environment: str = ""
    runtime_id: str = ""
    status: str = "active"
    end_reason: str = ""
    events: list[StreamEvent] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    traces: list[dict[str, Any]] = field(default_factory=list)
    turns: int = 0
    running: bool = False
    running_key: str = ""
    cancelled: bool = False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
