"""What one client of the kill test sent, and what was acknowledged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.prove.project import AGENTS, ON_SOCKETS


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
    taken: int = 0
    """Orders that were acknowledged on a socket, lost with it, and answered without being sent again."""

    @property
    def agent(self) -> str:
        return AGENTS[self.number % len(AGENTS)]

    @property
    def transport(self) -> str:
        """Half of each row speaks over WebSockets: each agent that is the entry of a page, in one place of its own."""
        place, row = self.number % len(AGENTS), self.number // len(AGENTS)
        return "socket" if place in ON_SOCKETS else ("json", "events")[(place + row) % 2]
