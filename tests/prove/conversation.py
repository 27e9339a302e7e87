"""What one client of the kill test sent, and what was acknowledged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

Transport = Literal["json", "events", "socket"]


@dataclass
class Conversation:
    """One client: what it sent and what was acknowledged.

    Attributes:
        habit: What its client does beside speaking; a word of `tests.prove.roles.Habit`.
        first, turns: The number of its first order, and how many it has to send.
        taken: Orders that were acknowledged on a socket, lost with it, and answered without being sent again.
        interrupted: Orders whose answer was said to be interrupted, because the client had cancelled them.
        unpaid: Orders that were refused because the budget was spent.
        counted: How many orders its session has counted since it was last reset.
        resets: The key of each reset, and what the session was called for its agents from then on.
        numbers: What orders were to be counted as.
        done: What the client has done beside speaking, and how often that was acknowledged.
        end: How its session was said to have ended.
        is_deleted: Whether the deletion of its session was acknowledged.
    """

    number: int
    agent: str
    transport: Transport
    habit: str = ""
    first: int = 0
    turns: int = 0
    session_id: str = ""
    sent: list[str] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    cuts: int = 0
    stuck: str = ""
    faults: list[str] = field(default_factory=list)
    taken: int = 0
    interrupted: set[str] = field(default_factory=set)
    unpaid: list[str] = field(default_factory=list)
    counted: int = 0
    resets: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    end: dict[str, str] = field(default_factory=dict)
    is_deleted: bool = False

    def note(self, fault: str) -> None:
        """Note something that does not hold."""
        self.faults.append(f"conversation {self.number} {self.agent} {self.habit}: {fault}")
