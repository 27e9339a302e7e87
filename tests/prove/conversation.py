"""What one client of the kill test sent, and what was acknowledged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.prove.project import AGENTS


@dataclass
class Conversation:
    """One client: what it sent and what was acknowledged."""

    number: int
    session_id: str = ""
    sent: list[str] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    cuts: int = 0
    stuck: str = ""
    faults: list[str] = field(default_factory=list)

    @property
    def agent(self) -> str:
        return AGENTS[self.number % len(AGENTS)]

    @property
    def transport(self) -> str:
        """The first assistant of each row speaks over a WebSocket, which always meets the project's first agent."""
        place, row = self.number % len(AGENTS), self.number // len(AGENTS)
        if place == AGENTS.index("Assistant"):
            return "socket"
        return ("json", "events")[(place + row) % 2]
