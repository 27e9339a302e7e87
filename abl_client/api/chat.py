"""The part of the API about chat. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport

if TYPE_CHECKING:
    from abl_client.forms.chat import ChatAgentBody, ChatReply, ChatSendBody, ChatSendReply


class ChatApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def chat_with_agent(self, body: ChatAgentBody, *, idempotency_key: str = "") -> ChatReply:
        """Run one turn of an agent; with `Accept: text/event-stream` its events as they come."""
        return cast(
            "ChatReply",
            self._transport.json(
                "POST",
                "/api/v1/chat/agent",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )

    def send_message(self, body: ChatSendBody, *, idempotency_key: str = "") -> ChatSendReply:
        """Send a message with files to a session, or to a new one of a project, and return the answer."""
        return cast(
            "ChatSendReply",
            self._transport.json(
                "POST",
                "/api/v1/chat/send",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer", "sdkToken"),
            ),
        )
