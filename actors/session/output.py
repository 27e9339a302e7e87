"""What one turn shows while it runs: texts as chunks of one message, traces, and the lines for the transcript.

Texts a model streams are shown while they come; the engine's `Say` for the same text shows nothing twice, and one that
says something else (a guardrail stepped in) begins the message again.
"""

from __future__ import annotations

from typing import Any

import msgspec

from actors.session.kept import A_RESTART, A_TRACE, starting_data
from actors.session.live import LiveSession
from actors.session.store import Waiting
from actors.session.stream import Listener
from domain.ids import event_id
from domain.json_values import storable_text
from domain.traces import TraceEvent
from engine import Say

BETWEEN_TEXTS = "\n\n"


class TurnOutput:
    """The output of one turn of a session.

    Attributes:
        first_attempt, shape, void: How it came, for telling it again; see `KeptTurn`.
        waits: What the turn waits for outside, by the id of the suspension.
        answers: Id of the message whose set of actions the turn answers.
    """

    __slots__ = (
        "_listener",
        "_live",
        "_said",
        "_shown",
        "answers",
        "attempt",
        "first_attempt",
        "first_seq",
        "message_id",
        "number",
        "shape",
        "traces",
        "void",
        "waits",
    )

    def __init__(
        self,
        live: LiveSession,
        message_id: str,
        number: int,
        attempt: int = 1,
        listener: Listener | None = None,
        *,
        answers: str = "",
    ) -> None:
        """`number` is that of the turn."""
        self._live = live
        self._listener = listener
        self.number = number
        self.first_seq = 0
        self._said: list[str] = []
        self._shown = ""
        self.attempt = self.first_attempt = attempt
        self.message_id = message_id
        self.traces: list[dict[str, Any]] = []
        self.shape: list[int] = []
        self.void: list[str] = []
        self.waits: dict[str, Waiting] = {}
        self.answers = answers

    @property
    def shown(self) -> str:
        """What has been shown of the message."""
        return self._shown

    def open(self) -> None:
        """Open the message of the turn; done once, when its first fact is folded."""
        if self.first_seq:
            return
        stream = self._live.stream
        stream.begin()
        self.first_seq = stream.last_seq + 1
        if self._listener is not None:
            stream.listen(self._listener)
        stream.emit(self.number, "session_start", {"sessionId": self._live.pin.session_id})
        stream.emit(self.number, "response_start", starting_data(self.message_id, self.attempt, self.answers))

    def show_delta(self, text: str) -> None:
        """Show a piece of what a model writes."""
        if text:
            text = storable_text(text)
            if self._shown and self._shown == BETWEEN_TEXTS.join(self._said):
                self._chunk(BETWEEN_TEXTS)
            self._chunk(text)

    def model_begins_again(self) -> None:
        """What a model has written so far is void."""
        self._restart(BETWEEN_TEXTS.join(self._said))

    def say(self, effect: Say) -> None:
        """Show a text, unless it has been streamed already."""
        self._said.append(effect.text)
        wanted = BETWEEN_TEXTS.join(self._said)
        if wanted == self._shown:
            return
        if wanted.startswith(self._shown):
            self._chunk(wanted[len(self._shown) :])
        else:
            self._restart(wanted)

    def trace(self, event: TraceEvent) -> None:
        """Keep a trace event as it goes over the wire, and show it."""
        row = wire_event(self._live.pin.session_id, self._live.traces + len(self.traces) + 1, event)
        self.traces.append(row)
        self.shape.append(A_TRACE)
        self._live.stream.emit(self.number, "trace_event", {"event": row})

    def settle(self, reply: str) -> None:
        """Show what is missing of the reply."""
        if reply != self._shown:
            if reply.startswith(self._shown):
                self._chunk(reply[len(self._shown) :])
            else:
                self._restart(reply)

    def close(self, closing: dict[str, Any], complete: dict[str, Any]) -> None:
        """Close the message of a committed turn; nothing of the turn follows."""
        self._live.stream.emit(self.number, "response_end", closing)
        self._live.stream.emit(self.number, "complete", complete)

    def fail(self, data: dict[str, Any]) -> None:
        """Close the turn with an error."""
        self._live.stream.emit(self.number, "error", data)

    def _chunk(self, text: str) -> None:
        self._shown += text
        self.shape.append(len(text))
        self._live.stream.emit(self.number, "response_chunk", {"messageId": self.message_id, "chunk": text})

    def _restart(self, text: str) -> None:
        self.attempt += 1
        self.void.append(self._shown)
        self.shape.append(A_RESTART)
        self._shown = ""
        restart = {"messageId": self.message_id, "attempt": self.attempt}
        self._live.stream.emit(self.number, "response_restart", restart)
        if text:
            self._chunk(text)


def wire_event(session_id: str, seq: int, event: TraceEvent) -> dict[str, Any]:
    """Return a trace event as it goes over the wire. Spec: platform-api 5.7."""
    row = {
        "id": event_id(session_id, seq),
        "sessionId": session_id,
        "type": str(event.type),
        "timestamp": event.at,
        "agentName": event.agent,
        "turn": event.turn,
        "seq": seq,
        "spanId": event.span,
        "data": msgspec.to_builtins(event.data),
    }
    if event.parent_span:
        row["parentSpanId"] = event.parent_span
    if event.duration_ms is not None:
        row["durationMs"] = event.duration_ms
    return row
