"""What is said on an open WebSocket: one task reads frames, one sends the output.

Spec: platform-api 12.4, 12.6.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import msgspec
from fastapi import WebSocket, WebSocketDisconnect
from starlette.types import Message
from starlette.websockets import WebSocketState

from actors.runtime import ChatTurn, NewSession, SessionRef, SessionView
from domain import limits
from domain.clock import iso_ms
from domain.errors import AppError, Forbidden, InvalidInput, Unauthenticated
from domain.json_values import JsonObject
from gateway import bounds, wire
from gateway.access import Admission
from gateway.activity import TURN_ENDS, Activity
from gateway.auth.origins import whence
from gateway.auth.public_keys import PublicKey, check_may_chat, check_origin
from gateway.bodies.texts import NUL, checked_metadata
from gateway.closing import CloseCode, Closing
from gateway.frames import Marks, error_frame, frame_of, restart_before
from gateway.ratings import feedback_of
from gateway.refused import SOCKET_KEY, RefusedMessages
from gateway.services import Services


class Conversation:
    """One open socket of one session."""

    def __init__(
        self,
        socket: WebSocket,
        services: Services,
        admission: Admission,
        session: SessionView,
        last_seq: int | None,
        opens: NewSession | None = None,
    ) -> None:
        """`opens` is what the session was opened as, where it is this page's own from the beginning."""
        self._socket = socket
        self._early: deque[Message] = deque()
        self._services = services
        self._admission = admission
        self._session = session
        self._opens = opens
        self._ref = SessionRef(admission.caller.tenant_id, session.project_id, session.id)
        known_seq = int(session.detail.get("lastSeq", 0))
        self._last_seq = known_seq
        self._resumed = last_seq is not None or session.message_count > 0
        is_anew = not known_seq and not session.message_count  # it may have been another session that was heard
        self._heard_seq = known_seq if last_seq is None or is_anew else last_seq
        self._outlet = services.feeds.attach(self._ref, self._heard_seq, opens)
        self._may_be_unspoken = session.message_count == 0
        self._activity = Activity(resumed=self._resumed)
        self._is_over = False
        self._page = whence(socket.headers)
        self._sending = asyncio.Lock()
        self._bad_frames: list[float] = []
        self._ending = asyncio.Lock()
        self._has_heard_all = asyncio.Event()
        self._refused = RefusedMessages(self._ref, services.desks.refusals, self._tell)
        self._outlet.hear_refusal = self._refused.report

    @property
    def ref(self) -> SessionRef:
        """Which session it is."""
        return self._ref

    @property
    def session(self) -> SessionView:
        """The session as it was when the socket was opened."""
        return self._session

    def heard_before(self, messages: Sequence[Message]) -> None:
        """Take what the client said before it was told that the session has started."""
        self._early.extend(messages)

    async def serve(self) -> None:
        """Carry the conversation until one side closes."""
        tasks: set[asyncio.Task[None]] = set()
        try:
            await self._send(self._start())
            for part in (self._read(), self._follow(), self._refused.tell_all_along()):
                tasks.add(asyncio.create_task(part))
            if self._admission.key is not None:
                tasks.add(asyncio.create_task(self._watch(self._admission.key)))
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
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._services.feeds.detach(self._outlet)
            if self._may_be_unspoken:
                await self._services.feeds.leave_nothing(self._outlet)

    async def _read(self) -> None:
        """Read frames until the client leaves or says something that ends the connection."""
        while True:
            message = self._early.popleft() if self._early else await self._receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", CloseCode.NORMAL))
            text = message.get("text")
            if text is None:
                raise Closing(CloseCode.UNEXPECTED_BINARY)
            if len(text.encode()) > limits.SOCKET_FRAME_MAX_BYTES:
                raise Closing(CloseCode.TOO_LARGE)
            await self._take(text)

    async def _receive(self) -> Message:
        """Return what the client sends next; while a turn runs there is no hurry."""
        while True:
            try:
                return await asyncio.wait_for(self._socket.receive(), limits.SOCKET_IDLE_S)
            except TimeoutError:
                if not self._services.feeds.waiting(self._session.id):
                    raise Closing(CloseCode.IDLE) from None

    async def _watch(self, key: PublicKey) -> None:
        """Look at the key when it changes, and every now and then: another gateway may have changed it."""
        with self._services.public_keys.watched(key) as changed:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), bounds.SOCKET_CHECK_S)
                changed.clear()
                await self._check_key()

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
                await self._say(frame, frame.text, frame.message_id, {}, interrupts=True)
            case wire.Cancel():
                await self._cancel(frame.message_id)
            case wire.ActionSubmit():
                await self._say(frame, frame.value or "", frame.message_id, {}, action=_action(frame))
            case wire.FeedbackSubmit():
                await self._send(await self._rated(frame))
            case wire.Ping():
                await self._send(wire.Pong(**self._named(), t=frame.t, reply_to=frame.id))
            case wire.EndSession():
                view = await self._services.runtime.end_session(self._ref, "user")
                with suppress(TimeoutError):  # what it has said before is told first
                    await asyncio.wait_for(self._has_heard_all.wait(), bounds.SOCKET_LAST_OUTPUT_S)
                await self._end(view.end_reason)
            case wire.VoiceStart():
                message = "Voice is not configured"
                await self._send(
                    wire.VoiceError(**self._named(), code="VOICE_NOT_CONFIGURED", message=message, fatal=True)
                )
            case wire.Typing():
                return

    async def _cancel(self, message_id: str | None) -> None:
        """Give up the turn that is named by its message or its answer, or the one that runs; else there is none."""
        runtime = self._services.runtime
        if not message_id:
            await runtime.cancel_turn(self._ref)
        elif await runtime.take_back(self._turn(message_id)):
            await self._refused.tell_stored()  # whoever sent the message may have left
        else:
            await runtime.cancel_turn(self._ref, message_id)

    def _turn(self, message_id: str) -> ChatTurn:
        """Return the turn of a message of this page, without what it says."""
        caller = self._admission.caller
        return ChatTurn(
            tenant_id=self._ref.tenant_id,
            project_id=self._ref.project_id,
            message="",
            session_id=self._session.id,
            idempotency_key=f"{SOCKET_KEY}{message_id}",
            transport="websocket",
            user_id=caller.subject,
            user_kind=caller.kind,
        )

    async def _say(
        self,
        frame: wire.ClientFrame,
        text: str,
        message_id: str | None,
        metadata: JsonObject,
        *,
        attachment_ids: tuple[str, ...] = (),
        action: JsonObject | None = None,
        interrupts: bool = False,
    ) -> None:
        """Take a turn, acknowledge it once it is durable, and have it begin; its output comes with the session's."""
        if NUL in text:
            raise InvalidInput("text must not contain U+0000")
        services, key = self._services, self._admission.key
        check_may_chat(key)
        client_message_id, message_id = message_id or "", message_id or services.ids.new("msg")
        await services.throttle.session_message(self._ref.tenant_id, self._session.id, self._ref.project_id)
        self._refused.said(message_id)
        queued = services.feeds.waiting(self._session.id)
        turn = msgspec.structs.replace(
            self._turn(message_id),
            message=text,
            opens=self._opens,
            deployment_id=key.deployment_id if key is not None else "",
            environment=key.environment if key is not None else "",
            metadata=metadata,
            attachment_ids=attachment_ids,
            action=action,
            client_message_id=client_message_id,
            unread=queued > 0,
            deadline_s=services.settings.turn_deadline_s,
        )
        begin = await services.feeds.take(
            turn, lambda error: self._report(error, turn, frame.id), interrupts=interrupts
        )
        queued = min(queued, services.feeds.waiting(self._session.id) - 1)  # what it has interrupted is gone
        try:
            await self._send(wire.MessageAck(**self._named(), message_id=message_id, queued=queued, reply_to=frame.id))
        finally:
            begin()

    async def _rated(self, frame: wire.FeedbackSubmit) -> wire.FeedbackAck:
        """Keep what the page thinks of an answer, as `POST /api/v1/feedback` does, and say whether it is kept."""
        told: JsonObject = {
            "message_id": frame.message_id,
            "action_render_id": frame.action_render_id,
            "reply_to": frame.id,
        }
        told |= self._named()
        try:
            await self._services.throttle.request(self._ref.tenant_id, self._ref.project_id)
            given = feedback_of(frame, self._admission.caller.subject)
            kept = await self._services.desks.feedback.give(self._ref, given)
        except AppError as error:
            refused = self._error_of(error)
            why = wire.FeedbackError(refused.code, refused.message)
            return wire.FeedbackAck(**told, success=False, error=why)
        return wire.FeedbackAck(**told, success=True, feedback_id=kept.id)

    def _report(self, error: AppError, turn: ChatTurn, reply_to: str | None) -> None:
        """Have a refusal told here, or where this socket has left on another one of the session."""
        hearer = self._services.feeds.hearer(self._outlet)
        if hearer.hear_refusal is not None:
            hearer.hear_refusal(error, turn, reply_to if hearer is self._outlet else None)

    async def _follow(self) -> None:
        """Send the session's output until this socket must close."""
        async for event in self._services.feeds.follow(self._outlet):
            key, marks = self._admission.key, self._marks(event.seq)
            self._may_be_unspoken &= event.kind != "complete"
            if key is not None and key.show_activity_updates:
                ahead = self._marks(event.seq - 1) if event.kind in TURN_ENDS else marks
                for shown in self._activity.frames(event, ahead):  # cut behind it, the end is still to be asked for
                    await self._send(shown)
            restart, frame = restart_before(event, marks), frame_of(event, marks)
            if restart is not None and restart.seq > self._heard_seq:
                await self._send(restart)
            if isinstance(frame, wire.SessionEnd):
                self._has_heard_all.set()
                await self._end(frame.reason)
            elif frame is not None:
                await self._send(frame)
        if self._outlet.ended is not None:
            self._has_heard_all.set()
            await self._end(self._outlet.ended)
        if self._outlet.gone:
            raise Closing(CloseCode.NO_SESSION)
        if self._outlet.draining:
            await self._send(wire.ServerDraining(**self._named(), reconnect_after_ms=bounds.SOCKET_DRAIN_RECONNECT_MS))
            raise Closing(CloseCode.GOING_AWAY)
        raise Closing(CloseCode.TOO_MANY_SOCKETS)

    async def _end(self, reason: str) -> None:
        """Say once that the session is over, whoever learns of it first, behind what that has refused; then close."""
        async with self._ending:
            if not self._is_over:
                await self._refused.tell_last()
                await self._send(wire.SessionEnd(**self._named(), reason=reason))
                self._is_over = True
        raise Closing(CloseCode.NORMAL)

    async def _check_key(self) -> None:
        """Close the socket when its key was revoked meanwhile, or its page may not use it any more."""
        key = self._admission.key
        if key is None:
            return
        try:
            key = await self._services.public_keys.by_id(key.tenant_id, key.id)
            check_origin(key, self._page)
        except Unauthenticated:
            raise Closing(CloseCode.DISABLED) from None
        except Forbidden:
            raise Closing(CloseCode.FORBIDDEN) from None
        self._admission = replace(self._admission, key=key)

    def _count_bad_frame(self) -> None:
        now = self._services.clock.now().timestamp()
        self._bad_frames = [at for at in self._bad_frames if now - at < limits.MINUTE_S] + [now]
        if len(self._bad_frames) > limits.SOCKET_BAD_FRAMES_PER_MINUTE:
            raise Closing(CloseCode.ABUSE)

    def _start(self) -> wire.SessionStart:
        admission, tokens = self._admission, self._services.sdk_tokens
        claims = admission.claims
        if claims is None:
            raise Unauthenticated("Invalid token")
        return wire.SessionStart(
            **self._named(),
            project_id=self._ref.project_id,
            channel_id=admission.key.channel_id or None if admission.key is not None else None,
            resumed=self._resumed,
            resume_token=tokens.make_resume(claims.of_session(self._session.id)),
            last_seq=self._last_seq,
            heartbeat_sec=limits.SOCKET_PING_S,
            agent_name=self._session.agent_name,
            capabilities={"voice": False, "realtimeVoice": False, "attachments": True, "binaryAudio": False},
        )

    def _marks(self, seq: int | None = None) -> Marks:
        now = iso_ms(self._services.clock.now())
        return Marks(self._session.id, self._outlet.cursor if seq is None else seq, now)

    def _named(self) -> JsonObject:
        return self._marks()._asdict()

    def _error(self, code: str, message: str, *, reply_to: str | None = None) -> wire.ErrorFrame:
        return wire.ErrorFrame(**self._named(), code=code, message=message, fatal=False, reply_to=reply_to)

    def _error_of(
        self, error: AppError, *, message_id: str | None = None, reply_to: str | None = None, fatal: bool = False
    ) -> wire.ErrorFrame:
        return error_frame(error, self._marks(), fatal=fatal, message_id=message_id, reply_to=reply_to)

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


def _metadata(frame: wire.ChatMessage) -> JsonObject:
    try:
        return checked_metadata(frame.metadata)
    except InvalidInput as error:
        raise InvalidInput(error.message, details={**error.details, "reason": wire.INVALID_METADATA}) from error


def _action(frame: wire.ActionSubmit) -> JsonObject:
    given = {"value": frame.value, "formData": frame.form_data or None, "renderId": frame.render_id}
    return {"actionId": frame.action_id, **{name: value for name, value in given.items() if value is not None}}
