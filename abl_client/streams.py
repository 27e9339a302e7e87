"""Answers while they come: events of a turn that outlive a lost connection, and those of a model call, which do not.

Spec: platform-api 4.1, 4.3.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from abl_client.transport import ApiError, ServerAway, Transport

if TYPE_CHECKING:
    from abl_client.forms.chat import ChatAgentBody
    from abl_client.forms.completions import CompletionBody

TRIES: Final = 6
"""How often a stream that broke off is asked for in a row without an event of it coming."""
FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 30.0
PASSING: Final = frozenset({429, 500, 502, 503, 504})
"""Statuses of a server that comes back."""
EVENTS: Final = {"Accept": "text/event-stream"}

__all__ = ["AgentStream", "CompletionStream", "StreamEvent", "Streams"]


@dataclass(frozen=True)
class StreamEvent:
    """One event of a stream.

    Attributes:
        name: As in platform-api 4.1 or 4.3, e.g. `response_chunk`.
        data: What it says.
        id: Where it stands; empty where it cannot be come back to.
    """

    name: str
    data: dict[str, Any]
    id: str = ""


class Streams:
    """Asks for answers that are told while they come."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def chat(self, body: ChatAgentBody, *, idempotency_key: str = "") -> AgentStream:
        """Return the stream of a turn, which is asked for when it is read.

        Args:
            body: As of `chat.chat_with_agent`.
            idempotency_key: The turn runs once, however often its stream is asked for; one is made where none is given.
        """
        return AgentStream(self._transport, body, idempotency_key or uuid4().hex)

    def completion(self, body: CompletionBody) -> CompletionStream:
        """Return the stream of a model call, which is asked for when it is read."""
        return CompletionStream(self._transport, body)


class AgentStream:
    """The events of one turn; a connection that is lost is made again, and the stream goes on where it broke off.

    Read it once: `for event in stream`. Raises what `Transport.open` raises, `ApiError` with the status 0 for an error
    that is told within the stream, and `ServerAway` when it broke off again and again.

    Attributes:
        text: What was said so far; of an answer that begins again only what was said since.
        reply: The whole reply, as `chat.chat_with_agent` returns it; empty until it is there.
        session_id: The session; empty until it is told.
        idempotency_key: Under which the turn can be asked for again, also by another process.
        last_event_id: Of the last event with one.
    """

    def __init__(self, transport: Transport, body: ChatAgentBody, idempotency_key: str) -> None:
        self.text = ""
        self.reply: dict[str, Any] = {}
        self.session_id = ""
        self.idempotency_key = idempotency_key
        self.last_event_id = ""
        self._transport = transport
        self._raw = json.dumps(body).encode()
        self._said = _Said()

    def __iter__(self) -> Iterator[StreamEvent]:
        """Yield the events, each once, to the one that ends the turn."""
        tries = 0
        while not self.reply:
            before = self.last_event_id
            try:
                with self._open() as answer:
                    for event in events_of(answer):
                        yield self._taken(event)
                        if self.reply:
                            return
                lost: ServerAway | ApiError = ServerAway(f"{self._transport.url}: the stream broke off")
            except ServerAway as error:
                lost = error
            except ApiError as error:
                if error.status not in PASSING or (not self.last_event_id and not tries):
                    raise
                lost = error
            tries = 1 if self.last_event_id != before else tries + 1
            if tries >= TRIES:
                raise lost
            told_s = lost.retry_after_s if isinstance(lost, ApiError) else None
            wait_s = min(told_s if told_s is not None else FIRST_WAIT_S * 2**tries, LONGEST_WAIT_S)
            time.sleep(wait_s)  # noqa: TID251 - as the server asks: a client without a loop has nothing else to wait for

    def _open(self) -> HTTPResponse:
        headers = {**EVENTS, "Idempotency-Key": self.idempotency_key}
        if self.last_event_id:
            headers["Last-Event-ID"] = self.last_event_id
        schemes = ("apiKey", "bearer", "sdkToken")
        return self._transport.open("POST", "/api/v1/chat/agent", raw=self._raw, headers=headers, schemes=schemes)

    def _taken(self, event: StreamEvent) -> StreamEvent:
        self.last_event_id = event.id or self.last_event_id
        self._said.take(event)
        self.text = self._said.text
        match event.name:
            case "session_start":
                self.session_id = event.data["sessionId"]
            case "complete":
                self.reply = event.data
                self.text = event.data["response"]
            case "error":
                raise told_error(event)
        return event


@dataclass
class _Said:
    """The text of a turn from its events: what was shown before a restart is void."""

    parts: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n\n".join(part for part in self.parts.values() if part)

    def take(self, event: StreamEvent) -> None:
        match event.name:
            case "response_start" | "response_restart":
                self.parts[event.data["messageId"]] = ""
            case "response_chunk":
                of = event.data["messageId"]
                self.parts[of] = self.parts.get(of, "") + event.data["chunk"]
            case "response_end":
                self.parts[event.data["messageId"]] = event.data["fullText"]


class CompletionStream:
    """The events of one model call. It cannot be resumed: `ServerAway` says that it broke off.

    Attributes:
        text: What was said so far.
        complete: What the last event says; empty until it is there.
    """

    def __init__(self, transport: Transport, body: CompletionBody) -> None:
        self.text = ""
        self.complete: dict[str, Any] = {}
        self._transport = transport
        self._raw = json.dumps(body).encode()

    def __iter__(self) -> Iterator[StreamEvent]:
        """Yield the events to the last one. Raises as `AgentStream`."""
        schemes = ("apiKey", "bearer")
        with self._transport.open(
            "POST", "/api/v1/chat/stream", raw=self._raw, headers=EVENTS, schemes=schemes
        ) as answer:
            for event in events_of(answer):
                if event.name == "error":
                    raise told_error(event)
                if event.name == "text_delta":
                    self.text += event.data["delta"]
                if event.name == "complete":
                    self.complete = event.data
                yield event
                if self.complete:
                    return
        raise ServerAway(f"{self._transport.url}: the stream broke off")


def events_of(answer: HTTPResponse) -> Iterator[StreamEvent]:
    """Yield the events of an open stream; one that was cut in its middle is none. Raises ServerAway."""
    name, mark, data = "", "", list[str]()
    while True:
        try:
            line = answer.readline().decode()
        except (OSError, HTTPException) as error:
            raise ServerAway(f"the stream broke off: {error}") from error
        if not line.endswith("\n"):
            return  # the end, or a line of which a part is missing
        text = line.rstrip("\r\n")
        if text:
            word, _, value = text.partition(":")
            value = value.removeprefix(" ")
            match word:
                case "event":
                    name = value
                case "id":
                    mark = value
                case "data":
                    data.append(value)
        elif data:
            yield StreamEvent(name, json.loads("\n".join(data)), mark)
            name, mark, data = "", "", []


def told_error(event: StreamEvent) -> ApiError:
    """Return the error that an event tells of."""
    said = event.data
    wait_ms = said.get("retryAfterMs")
    wait_s = wait_ms / 1_000 if isinstance(wait_ms, int | float) else None
    return ApiError(0, str(said.get("code", "")), str(said.get("error", "")), said.get("details") or {}, wait_s)
