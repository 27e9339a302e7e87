"""What is said on an open WebSocket: one task reads frames, one sends the output.

Spec: platform-api 12.4, 12.6.
"""

from __future__ import annotations

import asyncio
from enum import IntEnum

from fastapi import WebSocket, WebSocketDisconnect
from starlette.websockets import WebSocketState

from actors.runtime import ChatTurn, SessionRef, SessionView, StreamEvent
from domain.clock import iso_ms
from domain.errors import AppError, InvalidInput, Overloaded, Unauthenticated
from domain.json_values import JsonObject
from gateway import limits, wire
from gateway.access import Admission
from gateway.bodies.texts import NUL, checked_metadata
from gateway.errors import answer
from gateway.services import Services

MINUTE_S = 60.0


class CloseCode(IntEnum):
    """Why a socket is closed. Spec: platform-api 12.8."""

    NORMAL = 1000
    GOING_AWAY = 1001
    UNEXPECTED_BINARY = 1003
    ABUSE = 1008
    TOO_LARGE = 1009
    INTERNAL = 1011
    OVERLOADED = 1013
    UNAUTHENTICATED = 4001
    FORBIDDEN = 4003
    NO_SESSION = 4004
    IDLE = 4008
    TOO_MANY_SOCKETS = 4009
    DISABLED = 4010
    RATE_LIMITED = 4029


class Closing(Exception):
    """The server has nothing more to say."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code.name)
        self.code = code


class Conversation:
    """One open socket of one session."""

    def __init__(
        self,
        socket: WebSocket,
        services: Services,
        admission: Admission,
        session: SessionView,
        last_seq: int | None,
    ) -> None:
        self._socket = socket
        self._services = services
        self._admission = admission
        self._session = session
        self._ref = SessionRef(admission.caller.tenant_id, session.project_id, session.id)
        known_seq = int(session.detail.get("lastSeq", 0))
        self._last_seq = known_seq
        self._resumed = last_seq is not None or session.message_count > 0
        self._outlet = services.feeds.attach(self._ref, known_seq if last_seq is None else last_seq)
        self._replaying = last_seq is not None
        self._sending = asyncio.Lock()
        self._bad_frames: list[float] = []
        self._refusals: asyncio.Queue[wire.ServerFrame] = asyncio.Queue(limits.SOCKET_OUTBOX_FRAMES)

    async def serve(self) -> None:
        """Carry the conversation until one side closes."""
        tasks: set[asyncio.Task[None]] = set()
        try:
            await self._send(self._start())
            for part in (self._read(), self._follow(), self._refuse()):
                tasks.add(asyncio.create_task(part))
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except Closing as closing:
            await self._close(closing.code)
        except AppError as error:
            await self._tell(error, fatal=True)
            await self._close(CloseCode.INTERNAL)
        except WebSocketDisconnect:
            return
        finally:
            self._services.feeds.detach(self._outlet)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self) -> None:
        """Read frames until the client leaves or says something that ends the connection."""
        while True:
            try:
                message = await asyncio.wait_for(self._socket.receive(), limits.SOCKET_IDLE_S)
            except TimeoutError:
                if self._services.feeds.waiting(self._session.id):
                    continue
                raise Closing(CloseCode.IDLE) from None
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", CloseCode.NORMAL))
            text = message.get("text")
            if text is None:
                raise Closing(CloseCode.UNEXPECTED_BINARY)
            if len(text.encode()) > limits.SOCKET_FRAME_MAX_BYTES:
                raise Closing(CloseCode.TOO_LARGE)
            await self._take(text)

    async def _take(self, text: str) -> None:
        try:
            frame = wire.read_frame(text)
        except wire.BadFrame as bad:
            await self._send(self._error(bad.code, bad.message, reply_to=bad.reply_to))
            self._count_bad_frame()
            return
        await self._check_key()
        if frame.session_id not in (None, self._session.id):
            await self._send(self._error(wire.SESSION_MISMATCH, "Another session's frame", reply_to=frame.id))
            return
        try:
            await self._act(frame)
        except AppError as error:
            await self._tell(error, message_id=getattr(frame, "message_id", None), reply_to=frame.id)

    async def _act(self, frame: wire.AnyClientFrame) -> None:
        match frame:
            case wire.ChatMessage():
                if not frame.text and not frame.attachment_ids:
                    raise InvalidInput("text must not be empty")
                await self._say(
                    frame, frame.text, frame.message_id, _metadata(frame), attachment_ids=tuple(frame.attachment_ids)
                )
            case wire.TypedInterrupt():
                await self._say(frame, frame.text, frame.message_id, {})
            case wire.ActionSubmit():
                event = {"actionId": frame.action_id, "value": frame.value, "formData": frame.form_data}
                said = frame.value or frame.action_id
                await self._say(frame, said, None, {"actionEvent": {**event, "renderId": frame.render_id}})
            case wire.Ping():
                await self._send(wire.Pong(**self._marks(), t=frame.t, reply_to=frame.id))
            case wire.EndSession():
                view = await self._services.runtime.end_session(self._ref, "user")
                await self._send(wire.SessionEnd(**self._marks(), reason=view.end_reason))
                raise Closing(CloseCode.NORMAL)
            case wire.VoiceStart():
                message = "Voice is not configured"
                await self._send(
                    wire.VoiceError(**self._marks(), code="VOICE_NOT_CONFIGURED", message=message, fatal=True)
                )
            case wire.Typing():
                return

    async def _say(
        self,
        frame: wire.ClientFrame,
        text: str,
        message_id: str | None,
        metadata: JsonObject,
        *,
        attachment_ids: tuple[str, ...] = (),
    ) -> None:
        """Start a turn and acknowledge it; its output comes with the session's."""
        if NUL in text:
            raise InvalidInput("text must not contain U+0000")
        services, key = self._services, self._admission.key
        message_id = message_id or services.ids.new("msg")
        await services.throttle.session_message(self._session.id)
        queued = services.feeds.waiting(self._session.id)
        turn = ChatTurn(
            tenant_id=self._ref.tenant_id,
            project_id=self._ref.project_id,
            message=text,
            session_id=self._session.id,
            idempotency_key=f"socket:{message_id}",
            deployment_id=key.deployment_id if key is not None else "",
            environment=key.environment if key is not None else "",
            transport="websocket",
            user_id=self._admission.caller.subject,
            metadata=metadata,
            attachment_ids=attachment_ids,
            deadline_s=services.settings.turn_deadline_s,
        )
        services.feeds.start(turn, lambda error: self._refused(error, message_id, frame.id))
        await self._send(wire.MessageAck(**self._marks(), message_id=message_id, queued=queued, reply_to=frame.id))

    def _refused(self, error: AppError, message_id: str, reply_to: str | None) -> None:
        if not self._refusals.full():
            self._refusals.put_nowait(self._error_of(error, message_id=message_id, reply_to=reply_to))

    async def _refuse(self) -> None:
        while True:
            await self._send(await self._refusals.get())

    async def _follow(self) -> None:
        """Send the session's output until this socket must close."""
        async for event in self._services.feeds.follow(self._outlet):
            if self._replaying and event.seq > self._outlet.cursor + 1:
                missing = (self._outlet.cursor + 1, event.seq - 1)
                await self._send(wire.ResumeGap(**self._marks(), from_seq=missing[0], to_seq=missing[1]))
            self._replaying = False
            frame = self._frame(event)
            if frame is not None:
                await self._send(frame)
        if self._outlet.draining:
            await self._send(wire.ServerDraining(**self._marks(), reconnect_after_ms=limits.SOCKET_DRAIN_RECONNECT_MS))
            raise Closing(CloseCode.GOING_AWAY)
        raise Closing(CloseCode.TOO_MANY_SOCKETS)

    def _frame(self, event: StreamEvent) -> wire.ServerFrame | None:
        """Return the frame of an event, None for events that sockets are not told."""
        marks, data = {**self._marks(), "seq": event.seq}, event.data
        match event.kind:
            case "response_start" | "response_restart":
                agent, attempt = data.get("agentName", ""), data.get("attempt", 1)
                return wire.ResponseStart(**marks, message_id=data["messageId"], agent_name=agent, attempt=attempt)
            case "response_chunk":
                return wire.ResponseChunk(**marks, message_id=data["messageId"], chunk=data["chunk"])
            case "response_end":
                return wire.ResponseEnd(
                    **marks,
                    message_id=data["messageId"],
                    full_text=data["fullText"],
                    action=data.get("action"),
                    rich_content=data.get("richContent"),
                    actions=data.get("actions"),
                    voice_config=data.get("voiceConfig"),
                    metadata=data.get("metadata"),
                    interrupted=data.get("interrupted", False),
                )
            case "error":
                return wire.ErrorFrame(
                    **marks,
                    code=data.get("code", "INTERNAL_ERROR"),
                    message=data["error"],
                    fatal=False,
                    message_id=data.get("messageId"),
                    retry_after_ms=data.get("retryAfterMs"),
                )
            case "trace_event":
                return self._activity(marks, data.get("event", {}))
            case "session_start" | "complete":
                return None

    def _activity(self, marks: JsonObject, event: JsonObject) -> wire.ServerFrame | None:
        key = self._admission.key
        if key is None or not key.show_activity_updates or event.get("type") != "handoff":
            return None
        data = event.get("data", {})
        return wire.Handoff(**marks, metadata={"fromAgent": data["fromAgent"], "toAgent": data["toAgent"]})

    async def _check_key(self) -> None:
        """Close the socket when its key was revoked meanwhile."""
        if self._admission.key is None:
            return
        try:
            await self._services.public_keys.by_id(self._admission.key.id)
        except Unauthenticated:
            raise Closing(CloseCode.DISABLED) from None

    def _count_bad_frame(self) -> None:
        now = self._services.clock.now().timestamp()
        self._bad_frames = [at for at in self._bad_frames if now - at < MINUTE_S] + [now]
        if len(self._bad_frames) > limits.SOCKET_BAD_FRAMES_PER_MINUTE:
            raise Closing(CloseCode.ABUSE)

    def _start(self) -> wire.SessionStart:
        admission, tokens = self._admission, self._services.sdk_tokens
        claims = admission.claims
        if claims is None:
            raise Unauthenticated("Invalid token")
        return wire.SessionStart(
            **self._marks(),
            project_id=self._ref.project_id,
            channel_id=admission.key.channel_id or None if admission.key is not None else None,
            resumed=self._resumed,
            resume_token=tokens.make_resume(claims.of_session(self._session.id)),
            last_seq=self._last_seq,
            heartbeat_sec=limits.SOCKET_PING_S,
            agent_name=self._session.agent_name,
            capabilities={"voice": False, "realtimeVoice": False, "attachments": False, "binaryAudio": False},
        )

    def _marks(self) -> JsonObject:
        now = iso_ms(self._services.clock.now())
        return {"session_id": self._session.id, "seq": self._outlet.cursor, "timestamp": now}

    def _error(self, code: str, message: str, *, reply_to: str | None = None) -> wire.ErrorFrame:
        return wire.ErrorFrame(**self._marks(), code=code, message=message, fatal=False, reply_to=reply_to)

    def _error_of(
        self, error: AppError, *, message_id: str | None = None, reply_to: str | None = None, fatal: bool = False
    ) -> wire.ErrorFrame:
        return error_frame(error, **self._marks(), fatal=fatal, message_id=message_id, reply_to=reply_to)

    async def _tell(
        self, error: AppError, *, message_id: str | None = None, reply_to: str | None = None, fatal: bool = False
    ) -> None:
        await self._send(self._error_of(error, message_id=message_id, reply_to=reply_to, fatal=fatal))

    async def _send(self, frame: wire.ServerFrame) -> None:
        async with self._sending:
            if self._socket.application_state is WebSocketState.CONNECTED:
                await self._socket.send_text(wire.write_frame(frame))

    async def _close(self, code: CloseCode) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            await self._socket.close(code)


def error_frame(
    error: AppError,
    *,
    session_id: str,
    seq: int,
    timestamp: str,
    fatal: bool,
    message_id: str | None = None,
    reply_to: str | None = None,
) -> wire.ErrorFrame:
    """Return the frame that tells an error, with the WebSocket's own code where there is one."""
    reason = error.details.get("reason")
    return wire.ErrorFrame(
        session_id=session_id,
        seq=seq,
        timestamp=timestamp,
        code=reason if reason in wire.SOCKET_CODES else answer(error).code,
        message=error.message,
        fatal=fatal,
        message_id=message_id,
        reply_to=reply_to,
        retry_after_ms=error.retry_after_ms if isinstance(error, Overloaded) else None,
    )


def _metadata(frame: wire.ChatMessage) -> JsonObject:
    try:
        return checked_metadata(frame.metadata)
    except InvalidInput as error:
        raise InvalidInput(error.message, details={**error.details, "reason": wire.INVALID_METADATA}) from error
