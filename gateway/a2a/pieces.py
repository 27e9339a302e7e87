"""The pieces of a task's reply, told alike to its sender and to those who follow the task."""

from __future__ import annotations

from collections.abc import Iterator

from actors.a2a_desk import StandingTask
from actors.runtime import StreamEvent
from domain.json_values import JsonObject
from gateway.a2a.words import Dialect, artifact_event


class Pieces:
    """The pieces of a task's reply as events of the protocol; `text` is what they have told together."""

    def __init__(self, standing: StandingTask, dialect: Dialect) -> None:
        self._standing = standing
        self._dialect = dialect
        self._appends = False
        self.text = ""

    def of(self, event: StreamEvent) -> Iterator[JsonObject]:
        """Yield what a piece of the session's output tells of the reply."""
        if event.kind in ("response_start", "response_restart"):
            self._appends = False
        elif event.kind == "response_chunk":
            chunk = event.data["chunk"]
            appends, self._appends = self._appends, True
            self.text = self.text + chunk if appends else chunk
            answer_id = self._standing.task.answer_id
            yield artifact_event(self._standing, answer_id, chunk, self._dialect, appends=appends, is_last=False)
