"""The forms of the API about transcripts. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals
    from abl_client.forms.chat import ActionSet, RichContent
    from abl_client.forms.sessions import MessageAction, MessageFile


class EndSessionBody(TypedDict):
    """Why a session ends."""

    reason: NotRequired[Literal["user", "api", "human_completed", "eval_finished", "error"]]


class EndedSession(TypedDict):
    """A session after its end."""

    id: str
    status: Literal["ended"]
    endedAt: str
    endReason: str


class EndedSessionReply(TypedDict):
    """The answer to an end."""

    success: NotRequired[Literal[True]]
    session: EndedSession


class TranscriptMessage(TypedDict):
    """One line of a transcript, and the channel of the session it was said in."""

    id: str
    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: str
    turn: int
    agentName: NotRequired[str | None]
    attachments: NotRequired[list[MessageFile] | None]
    richContent: NotRequired[RichContent | None]
    actions: NotRequired[ActionSet | None]
    action: NotRequired[MessageAction | None]
    clientMessageId: NotRequired[str | None]
    interrupted: NotRequired[bool | None]
    channel: str


class TranscriptReply(TypedDict):
    """Some messages of a session."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    messages: list[TranscriptMessage]
