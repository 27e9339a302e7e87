"""Who speaks with whom, how, and what each client does beside speaking: one row for each conversation, in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from tests.prove.conversation import Conversation, Transport

Habit = Literal["", "reset", "end", "delete", "cancel", "approve", "spend", "remember"]
HABITS: tuple[Habit, ...] = ("reset", "end", "delete", "cancel", "approve", "spend", "remember")


class Role(NamedTuple):
    """Which agent, what beside speaking, and whether over a socket."""

    agent: str
    habit: Habit = ""
    is_on_socket: bool = False


ROLES = (
    Role("Ledger"),
    Role("Assistant", is_on_socket=True),
    Role("Manager"),
    Role("Tally", "reset"),
    Role("Ledger", "end", is_on_socket=True),
    Role("Planner", is_on_socket=True),
    Role("Waiter"),
    Role("Manager", "delete"),
    Role("Assistant", "cancel", is_on_socket=True),
    Role("Permit", "approve"),
    Role("Ledger", is_on_socket=True),
    Role("Assistant", is_on_socket=True),
    Role("Thrifty", "spend"),
    Role("Front"),
    Role("Librarian", "remember"),
    Role("Ledger", "delete", is_on_socket=True),
    Role("Counter"),
    Role("Ledger", "end"),
    Role("Tally", "reset"),
    Role("Ledger", is_on_socket=True),
)
CHAPTER_TURNS = 4
"""Of a client that ends or deletes its sessions: orders of each one."""


def chapters(number: int, turns: int) -> Iterator[Conversation]:
    """Yield the conversations that one client holds, one after the other, each with a session of its own."""
    role, row = ROLES[number % len(ROLES)], number // len(ROLES)
    plain: Transport = "json" if (number + row) % 2 else "events"
    transport: Transport = "socket" if role.is_on_socket else plain
    many = CHAPTER_TURNS if role.habit in ("end", "delete") else turns
    for first in range(0, turns, many or 1):
        yield Conversation(number, role.agent, transport, role.habit, first, min(many, turns - first))
