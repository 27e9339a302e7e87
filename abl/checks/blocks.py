"""The IR as a list of blocks: every JSON object of an agent with its way back to the top.

One walk serves all rules, so a rule is a loop over blocks and not a traversal of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl.checks.reading import Subject

MAX_NESTING = 64
"""Objects nested deeper than this are not looked at."""

MAX_BLOCKS = 500_000
"""Objects beyond this number are not looked at: values shared in many places could multiply without end."""

OPAQUE = frozenset(
    {"rich_content", "voice_config", "actions", "carousel", "staticGraph", "default", "initial_value", "default_value"}
)
"""Keys whose content is data or presentation: no steps, tools or conditions are named in it."""

NAME_MAPS = frozenset({"definitions", "hooks", "return_handlers", "lookup_tables"})
"""Keys whose content is a map from names chosen by the author, so that none of them is opaque."""


@dataclass(slots=True, eq=False)
class Block:
    """One JSON object of the IR.

    Attributes:
        subject: The object itself.
        parent: The object it lies in; None for the agent.
        role: The key under which the object lies, e.g. `on_result`; empty for the agent.
        at: Where it stands in a list, -1 when it is in none.
        section: First key of the path, e.g. `flow`.
        step: Name of the flow step it belongs to, empty outside of steps.
        depth: Number of objects above it.
    """

    subject: Subject
    parent: Block | None = None
    role: str = ""
    at: int = -1
    section: str = ""
    step: str = ""
    depth: int = 0

    @property
    def path(self) -> str:
        """The dotted way from the agent, e.g. `flow.definitions.ask`."""
        parts: list[str] = []
        block: Block | None = self
        while block is not None:
            parts.extend(str(key) for key in reversed(block.keys))
            block = block.parent
        return ".".join(reversed(parts))

    @property
    def keys(self) -> tuple[str | int, ...]:
        """The way from the parent: a key, or a key and an index; none for the agent."""
        if self.parent is None:
            return ()
        return (self.role, self.at) if self.at >= 0 else (self.role,)

    def lies_in(self, *roles: str) -> bool:
        """Whether this object or one around it lies under one of the keys `roles`."""
        block: Block | None = self
        while block is not None:
            if block.parent is not None and block.role in roles:
                return True
            block = block.parent
        return False


def blocks_of(agent: Subject) -> list[Block]:
    """Return the blocks of an agent in the order of its text, the agent itself first."""
    found: list[Block] = []
    pending = [Block(agent)]
    while pending and len(found) < MAX_BLOCKS:
        block = pending.pop()
        found.append(block)
        if block.depth < MAX_NESTING:
            pending.extend(reversed(list(_children(block))))
    return found


def _children(block: Block) -> Iterator[Block]:
    for key, value in block.subject.items():
        name = str(key)
        if name in OPAQUE and block.role not in NAME_MAPS:
            continue
        if isinstance(value, dict):
            yield _child(block, value, name)
        elif isinstance(value, list):
            yield from (_child(block, one, name, at) for at, one in enumerate(value) if isinstance(one, dict))


def _child(block: Block, subject: Subject, role: str, at: int = -1) -> Block:
    step = block.step
    if not step and block.depth == 2 and block.section == "flow" and block.role == "definitions":
        step = role
    return Block(subject, block, role, at, block.section or role, step, block.depth + 1)
