"""`/ws/sdk`: the handshake. What is said once it is open is in `gateway.conversation`. Spec: platform-api 12.3, 12.8.

A failed handshake is accepted, told and closed, because a browser cannot read the status of a refused upgrade.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from starlette.types import Message

from actors.runtime import NewSession, SessionRef, SessionView
from domain import limits
from domain.analytics import EventCategory, NewEvent
from domain.clock import MILLISECONDS_PER_SECOND, iso_ms
from domain.errors import AppError, Conflict, Forbidden, NotFound, Overloaded, Unauthenticated, Unavailable
from gateway import bounds
from gateway.access import Admission
from gateway.auth.origins import whence
from gateway.auth.sdk_tokens import SdkClaims
from gateway.closing import CloseCode, Closing
from gateway.conversation import Conversation
from gateway.frames import Marks, error_frame
from gateway.refused import RefusedMessages
from gateway.sdk_sessions import session_to_speak_in
from gateway.services import Services
from gateway.wire import SESSION_ENDED, write_frame

AUTH = "sdk-auth"
TICKET = "sdk-ticket"
FORBIDDEN_QUERY = ("token", "ticket")

router = APIRouter()
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a client offered: the word that is selected, and its secret."""

    protocol: str
    secret: str


@router.websocket("/ws/sdk")
async def converse(socket: WebSocket) -> None:
    """Carry a conversation over a WebSocket."""
    services: Services = socket.app.state.services
    offer = _offer(socket)
    await socket.accept(subprotocol=offer.protocol if offer is not None else None)
    services.metrics.socket_opened()
    try:
        conversation = await _with_early_frames(socket, _opened(socket, offer, services))
        if conversation is not None:
            await _served(conversation, services)
    except Closing as closing:
        await socket.close(closing.code)
    except WebSocketDisconnect:
        return
    finally:
        services.metrics.socket_closed()


async def _served(conversation: Conversation, services: Services) -> None:
    """Carry the conversation; analytics count when it began and when it ended. Spec: platform-api 8.1."""
    began = services.clock.now()
    await _note(conversation, services, "ws_connected")
    try:
        await conversation.serve()
    finally:
        took = services.clock.now() - began
        await _note(conversation, services, "ws_disconnected", round(took.total_seconds() * MILLISECONDS_PER_SECOND))


async def _note(
    conversation: Conversation, services: Services, event_type: str, duration_ms: int | None = None
) -> None:
    session = conversation.session
    event = NewEvent(
        category=EventCategory.CHANNEL,
        event_type=event_type,
        project_id=session.project_id,
        at=services.clock.now(),
        agent_name=session.agent_name,
        session_id=session.id,
        channel=session.channel,
        environment=session.environment,
        duration_ms=duration_ms,
    )
    try:
        await services.desks.analytics.note(conversation.ref.tenant_id, event)
    except AppError as error:  # the conversation goes on without being counted
        logger.warning("%s of %s is not counted: %s", event_type, session.id, error.message)


async def _with_early_frames(
    socket: WebSocket, opening: Coroutine[Any, Any, Conversation | None]
) -> Conversation | None:
    """Return the conversation with the frames that came before its first one was sent.

    Raises:
        Closing: There are too many of them.
        WebSocketDisconnect: The client has gone.
    """
    early: list[Message] = []
    size_bytes = 0
    opened = asyncio.create_task(opening)
    reading: asyncio.Task[Message] | None = None
    try:
        while True:
            reading = reading or asyncio.create_task(_next_message(socket))
            await asyncio.wait((opened, reading), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                message, reading = reading.result(), None
                size_bytes += len(message.get("text") or "") + len(message.get("bytes") or b"")
                early.append(message)
                if len(early) > limits.SOCKET_EARLY_FRAMES or size_bytes > limits.SOCKET_EARLY_BYTES:
                    raise Closing(CloseCode.ABUSE)
            elif opened.done():
                conversation = opened.result()
                if conversation is not None:
                    conversation.heard_before(early)
                return conversation
    finally:
        for task in (opened, reading):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait((task,))


async def _next_message(socket: WebSocket) -> Message:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", CloseCode.NORMAL))
    return message


def _offer(socket: WebSocket) -> Offer | None:
    match socket.scope.get("subprotocols", []):
        case [("sdk-auth" | "sdk-ticket") as protocol, str(secret)]:
            return Offer(protocol, secret)
        case _:
            return None


async def _opened(socket: WebSocket, offer: Offer | None, services: Services) -> Conversation | None:
    """Return the conversation, None when it was refused and the socket is closed."""
    try:
        if services.metrics.sockets > bounds.SOCKETS_HELD:
            raise Unavailable("Too many sockets", details={"retryAfterMs": bounds.SOCKET_DRAIN_RECONNECT_MS})
        claims = await _claims(socket, offer, services)
        admission = await services.gate.admit_sdk(claims, whence(socket.headers))
        await services.throttle.request(claims.tenant_id, claims.project_id)
        session, opens = await _session(services, admission, claims)
        if session.status == "ended":
            await _tell_refused(socket, services, SessionRef(claims.tenant_id, session.project_id, session.id), session)
            raise Conflict("Session has ended", details={"reason": SESSION_ENDED})
        return Conversation(socket, services, admission, session, _last_seq(socket), opens)
    except AppError as error:
        frame = error_frame(error, Marks("", 0, iso_ms(services.clock.now())), fatal=True)
        await socket.send_text(write_frame(frame))
        await socket.close(_close_code(error, offer))
        return None


async def _claims(socket: WebSocket, offer: Offer | None, services: Services) -> SdkClaims:
    if offer is None or any(word in socket.query_params for word in FORBIDDEN_QUERY):
        raise Unauthenticated("Offer the sub-protocol sdk-auth with a token, or sdk-ticket with a ticket")
    if offer.protocol == AUTH:
        return services.sdk_tokens.read(offer.secret)
    ticket_id, claims = services.sdk_tokens.read_ticket(offer.secret)
    if await services.throttle.used_before(ticket_id):
        raise Forbidden("The ticket has been used")
    return claims


async def _session(
    services: Services, admission: Admission, claims: SdkClaims
) -> tuple[SessionView, NewSession | None]:
    """Return the session of the token's family, which is opened the first time, and what it is opened as."""
    if admission.key is None:
        raise Unauthenticated("Invalid token")
    session_id, opens = await session_to_speak_in(services, claims, admission.key, "websocket")
    return await _looked_at(services, SessionRef(claims.tenant_id, claims.project_id, session_id), opens), opens


async def _tell_refused(socket: WebSocket, services: Services, session: SessionRef, view: SessionView) -> None:
    """Tell a page that comes back to a session that is over what was acknowledged to it and is not run."""

    async def tell(error: AppError, *, message_id: str | None, reply_to: str | None) -> None:
        marks = Marks(view.id, int(view.detail.get("lastSeq", 0)), iso_ms(services.clock.now()))
        refused = error_frame(error, marks, fatal=False, message_id=message_id, reply_to=reply_to)
        await socket.send_text(write_frame(refused))

    await RefusedMessages(session, services.desks.refusals, tell).tell_last()


async def _looked_at(services: Services, session: SessionRef, opens: NewSession | None) -> SessionView:
    """Return a session, opened where it is not there; again where another socket that leaves it has it removed.

    Raises:
        NotFound: It was deleted, or it is not this page's own and gone.
    """
    for tries_left in reversed(range(bounds.SOCKET_REOPENS)):
        if opens is not None:
            await services.runtime.create_session(opens)
        try:
            return await services.runtime.session(session, at_once=True)
        except NotFound:
            if opens is None or not tries_left:
                raise
    raise AssertionError("SOCKET_REOPENS is at least 1")


def _last_seq(socket: WebSocket) -> int | None:
    said = socket.query_params.get("lastSeq", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= bounds.SEQ_MAX_DIGITS else None


def _close_code(error: AppError, offer: Offer | None) -> int:
    match error:
        case Unauthenticated() if offer is not None and offer.protocol == TICKET:
            return CloseCode.FORBIDDEN
        case Unauthenticated():
            return CloseCode.UNAUTHENTICATED
        case Forbidden():
            return CloseCode.FORBIDDEN
        case NotFound() | Conflict():
            return CloseCode.NO_SESSION
        case Overloaded():
            return CloseCode.RATE_LIMITED
        case Unavailable():
            return CloseCode.OVERLOADED
        case _:
            return CloseCode.INTERNAL
