"""What a conversation in the terminal needs of the other side, wherever that runs: in this process or behind a URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

JsonObject = dict[str, Any]
TURN_ENDS = frozenset({"complete", "error"})


class Told(NamedTuple):
    """One piece of a turn, by the names of platform-api 4.1: `response_chunk`, `trace_event`, `complete`, ..."""

    kind: str
    data: JsonObject


class AgentLine(NamedTuple):
    """One agent of the project."""

    name: str
    goal: str = ""
    is_entry: bool = False


class Link(Protocol):
    """The other side. Its methods raise the errors of `domain.errors`, and KeyboardInterrupt when Ctrl-C is pressed."""

    @property
    def title(self) -> str:
        """What is talked to."""
        ...

    @property
    def session_id(self) -> str:
        """The session; "" before the first message."""
        ...

    def say(self, text: str, action: JsonObject | None = None) -> Iterator[Told]:
        """Run one turn and return its output; it can be read on after a KeyboardInterrupt."""
        ...

    def missed(self) -> Iterator[Told]:
        """Return what the session has said since, without being asked."""
        ...

    def wait(self, within_s: float) -> Iterator[Told]:
        """Return what the session says next without being asked, up to the end of that turn; nothing if none comes."""
        ...

    def cancel(self) -> bool:
        """Have the running turn given up; return whether that can be done."""
        ...

    def reset(self) -> None:
        """Put the session back to its start."""
        ...

    def view(self) -> JsonObject:
        """Return what is known of the session, as platform-api 5.3 shows it; {} before the first message."""
        ...

    def waits(self) -> JsonObject | None:
        """Return what the session waits for outside: `{reason, callbackId?, taskId?, expiresAt}`; None for nothing."""
        ...

    def agents(self) -> list[AgentLine]:
        """Return the agents of the project."""
        ...

    def close(self) -> None:
        """Leave."""
        ...
