"""Every WebSocket frame, both directions: one struct each, and the table of them. Spec: platform-api 12.4 to 12.7.

The TypeScript types of the clients are made from `CLIENT_FRAMES` and `SERVER_FRAMES`; a frame that is not in a table
does not exist. Audio frames join with the voice feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from domain import limits
from domain.json_values import JsonObject, JsonValue
from gateway.bodies.texts import ESCAPED_NUL, holds_nul

Name = Annotated[str, Meta(min_length=1, max_length=256)]


class ClientFrame(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    """What every frame of a client may carry; `id` comes back as `replyTo`."""

    id: str | None = None
    session_id: str | None = None


class ChatMessage(ClientFrame, frozen=True, tag="chat_message"):
    """One message; a repeated `message_id` is acknowledged but not run again."""

    text: str
    message_id: Name | None = None
    attachment_ids: Annotated[list[Name], Meta(max_length=limits.ATTACHMENTS_PER_MESSAGE)] = field(default_factory=list)
    metadata: JsonValue = None


class TypedInterrupt(ClientFrame, frozen=True, tag="typed_interrupt"):
    """Stops what is being said, then as a message."""

    text: Annotated[str, Meta(min_length=1)]
    message_id: Name


class ActionSubmit(ClientFrame, frozen=True, tag="action_submit"):
    """The answer to a button or a form; a repeated `message_id` is acknowledged but not run again.

    Attributes:
        render_id: Which set of actions it answers: the `render_id` of the set, or the id of the message that shows it.
    """

    action_id: Name
    message_id: Name | None = None
    value: str | None = None
    form_data: dict[str, str] = field(default_factory=dict)
    render_id: str | None = None


class Cancel(ClientFrame, frozen=True, tag="cancel"):
    """A turn is to be given up; what was said of it stays.

    Attributes:
        message_id: The message, or the answer, whose turn is meant, also one that waits; without it, the one that runs.
    """

    message_id: str | None = None


class FeedbackSubmit(ClientFrame, frozen=True, tag="feedback.submit"):
    """What somebody thinks of an answer: a thumb (0 or 1), 1 to 10 stars, or a text."""

    message_id: Name
    rating_type: Literal["thumbs", "star", "text"]
    rating_value: int | None = None
    feedback_text: Annotated[str, Meta(max_length=limits.FEEDBACK_COMMENT_MAX_CHARS)] = ""
    action_render_id: Name | None = None


class Typing(ClientFrame, frozen=True, tag="typing"):
    """Somebody is typing."""

    is_typing: bool


class EndSession(ClientFrame, frozen=True, tag="end_session"):
    """The session is over."""


class Ping(ClientFrame, frozen=True, tag="ping"):
    """Is anybody there."""

    t: float | int | str | None = None


class VoiceStart(ClientFrame, frozen=True, tag="voice_start"):
    """The caller wants to speak."""

    mode: str | None = None


AnyClientFrame = (
    ChatMessage | TypedInterrupt | ActionSubmit | Cancel | FeedbackSubmit | Typing | EndSession | Ping | VoiceStart
)


class ServerFrame(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", omit_defaults=True):
    """What every frame of the server carries.

    Attributes:
        seq: Number of the session's output that this frame is; on frames of the connection itself, the last one sent.
    """

    session_id: str
    seq: int
    timestamp: str


class SessionStart(ServerFrame, frozen=True, tag="session_start"):
    """The first frame of a connection."""

    project_id: str
    channel_id: str | None
    resumed: bool
    resume_token: str
    last_seq: int
    heartbeat_sec: int
    capabilities: dict[str, bool]
    agent_name: str = ""


class SessionEnd(ServerFrame, frozen=True, tag="session_end"):
    """The session is over; the server closes next."""

    reason: str


class MessageAck(ServerFrame, frozen=True, tag="message_ack"):
    """A message was taken; `queued` is its place, 0 runs."""

    message_id: str
    queued: int
    reply_to: str | None = None


class ResponseStart(ServerFrame, frozen=True, tag="response_start"):
    """A message begins; `attempt` is above 1 where an earlier one was broken off.

    Attributes:
        answers: Id of the message whose set of actions was answered by what the user has sent: it is open no more.
    """

    message_id: str
    agent_name: str = ""
    attempt: int = 1
    answers: str | None = None


class ResponseRestart(ServerFrame, frozen=True, tag="response_restart"):
    """A message begins again: what was shown of it so far is void."""

    message_id: str
    attempt: int


class ResponseChunk(ServerFrame, frozen=True, tag="response_chunk"):
    """More of a message."""

    message_id: str
    chunk: str


class ResponseEnd(ServerFrame, frozen=True, tag="response_end"):
    """A message is complete.

    Attributes:
        open_actions: Id of the message whose set of actions can be answered now, this one or an earlier one; no other
            set can. Decision: 0075.
    """

    message_id: str
    full_text: str
    rich_content: JsonObject | None
    actions: JsonObject | None
    open_actions: str | None
    action: JsonObject | None = None
    voice_config: JsonObject | None = None
    metadata: JsonObject | None = None
    interrupted: bool = False


class StatusUpdate(ServerFrame, frozen=True, tag="status_update"):
    """What the agent is busy with; only for keys that show activity."""

    text: str
    operation: str = ""


class StatusClear(ServerFrame, frozen=True, tag="status_clear"):
    """The agent is busy with nothing of that kind any more; `text` is what was shown last."""

    text: str
    operation: str = ""


class FeedbackError(Struct, frozen=True):
    """Why feedback was not kept."""

    code: str
    message: str


class FeedbackAck(ServerFrame, frozen=True, tag="feedback.ack"):
    """Whether feedback was kept, and under which id."""

    message_id: str
    success: bool
    feedback_id: str | None = None
    action_render_id: str | None = None
    error: FeedbackError | None = None
    reply_to: str | None = None


class Handoff(ServerFrame, frozen=True, tag="handoff"):
    """Another agent has taken over; only for keys that show activity."""

    metadata: dict[str, str]


class Pong(ServerFrame, frozen=True, tag="pong"):
    """Somebody is there."""

    t: float | int | str | None
    reply_to: str | None = None


class ErrorFrame(ServerFrame, frozen=True, tag="error"):
    """Something went wrong; when `fatal`, the server closes next.

    Attributes:
        reason: What exactly, where the code has several: `details.reason` of HTTP. Spec: platform-api 1.3.
        open_actions: Where a turn ends so: the message whose set of actions can be answered now. None is none.
    """

    code: str
    message: str
    fatal: bool
    reason: str | None = None
    message_id: str | None = None
    open_actions: str | None = None
    reply_to: str | None = None
    retry_after_ms: int | None = None


class ResumeGap(ServerFrame, frozen=True, tag="resume_gap"):
    """Frames that are gone; the history is read over HTTP."""

    from_seq: int
    to_seq: int


class ServerDraining(ServerFrame, frozen=True, tag="server_draining"):
    """The gateway goes away; another takes over."""

    reconnect_after_ms: int


class VoiceError(ServerFrame, frozen=True, tag="voice_error"):
    """Voice cannot go on."""

    code: str
    message: str
    fatal: bool


def _table(base: type[Struct]) -> Mapping[str, type[Struct]]:
    return MappingProxyType({str(frame.__struct_config__.tag): frame for frame in base.__subclasses__()})


CLIENT_FRAMES = _table(ClientFrame)
SERVER_FRAMES = _table(ServerFrame)

UNSUPPORTED_MESSAGE = "UNSUPPORTED_MESSAGE"
SESSION_MISMATCH = "SESSION_MISMATCH"
SESSION_ENDED = "SESSION_ENDED"
INVALID_METADATA = "INVALID_METADATA"
BAD_REQUEST = "BAD_REQUEST"
VALIDATION_ERROR = "VALIDATION_ERROR"
SOCKET_CODES = frozenset(
    {SESSION_MISMATCH, SESSION_ENDED, INVALID_METADATA, "ATTACHMENT_NOT_FOUND"}
    | {"TURN_TIMEOUT", "TURN_CANCELLED", "WORKER_LOST"}
)
"""Codes that only the WebSocket knows; an error whose `details.reason` is one of them is told by it."""


class BadFrame(Exception):
    """A frame that cannot be read; `reply_to` is its id, when that much could be read."""

    def __init__(self, code: str, message: str, reply_to: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.reply_to = reply_to


class _Envelope(Struct):
    type: str = ""
    id: str | None = None


_client_decoder: msgspec.json.Decoder[AnyClientFrame] = msgspec.json.Decoder(AnyClientFrame)
_envelope_decoder = msgspec.json.Decoder(_Envelope)
_encoder = msgspec.json.Encoder()


def read_frame(text: str) -> AnyClientFrame:
    """Return the frame in `text`. Raises BadFrame."""
    try:
        frame = _client_decoder.decode(text)
        if ESCAPED_NUL in text.encode() and holds_nul(msgspec.json.decode(text)):
            raise _bad_frame(text, "A text must not contain U+0000")
        return frame
    except msgspec.DecodeError as error:
        raise _bad_frame(text, str(error)) from error


def _bad_frame(text: str, reason: str) -> BadFrame:
    try:
        envelope = _envelope_decoder.decode(text)
    except msgspec.DecodeError:
        return BadFrame(BAD_REQUEST, "A frame must be a JSON object with a type")
    if envelope.type not in CLIENT_FRAMES:
        return BadFrame(UNSUPPORTED_MESSAGE, f"Unsupported message: {envelope.type[:64]}", envelope.id)
    return BadFrame(VALIDATION_ERROR, reason, envelope.id)


def write_frame(frame: ServerFrame) -> str:
    """Return a frame as it is sent."""
    return _encoder.encode(frame).decode()
