"""What the fake runtime says of its sessions, in the forms of the contract. Spec: platform-api 5.2, 5.6, 5.9."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

AT: Final = "2026-03-02T09:00:00.000Z"
TRACE: Final[Mapping[str, Any]] = {
    "id": "evt_scripted",
    "sessionId": "",
    "type": "llm_call",
    "timestamp": AT,
    "agentName": "Desk",
    "turn": 1,
    "seq": 1,
    "spanId": "1.1",
    "parentSpanId": "turn-1",
    "data": {"model": "scripted"},
}


def message_of(message_id: str, role: str, text: str, turn: int) -> dict[str, Any]:
    """Return a message of a transcript."""
    return {"id": message_id, "role": role, "content": text, "timestamp": AT, "turn": turn}


def detail_of(agent: str, last_seq: int) -> dict[str, Any]:
    """Return what a session shows of itself beside the figures of lists."""
    return {
        "agentId": f"ag_{agent}",
        "agentVersion": None,
        "agentStack": [{"agentName": agent, "since": AT, "returnExpected": False}],
        "currentStep": "greet",
        "variables": {},
        "gather": {},
        "memoryStores": [],
        "contactId": "",
        "userId": "",
        "suspension": None,
        "delegateCount": 0,
        "tokenUsage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0},
        "lastError": "",
        "lastSeq": last_seq,
    }
