"""Bodies of `POST /api/v1/chat/send`. Spec: platform-api 4.2."""

from __future__ import annotations

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from gateway.bodies.chat_agent import ChatReply
from gateway.bodies.texts import Id, MaybeText, Metadata, TolerantBody


class ChatSendBody(TolerantBody):
    """One message with files; one of `sessionId` and `projectId` has to be there."""

    session_id: Id | None = None
    project_id: Id | None = None
    message: MaybeText = ""
    attachment_ids: list[Id] | None = None
    metadata: Metadata = None

    @model_validator(mode="after")
    def _says_something_to_somebody(self) -> ChatSendBody:
        if self.session_id is None and self.project_id is None:
            raise PydanticCustomError("missing", "sessionId or projectId is required")
        if not self.message and not self.attachment_ids:
            raise ValueError("message must not be empty without attachments")
        return self


class ChatSendReply(ChatReply):
    """What the turn answered, and the id of the message that it answered."""

    user_message_id: str
