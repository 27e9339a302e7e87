"""Three ways to bring an order to the product: plain JSON, server-sent events and a WebSocket.

The last two also cut their connection on purpose and go on where they were; what a turn shows is put together across
all cuts and must be the answer it ended with.
"""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any, Protocol

import aiohttp

from tests.prove.conversation import Conversation
from tests.prove.patience import patient
from tests.prove.product import PAGE, Product

ATTEMPT_S = 6.5
"""After this a client gives a request up and sends it again, while the first may still be under way."""
LOOK_S = 0.1
CUT_SHARE = 0.25
CUT_WITHIN = 12
"""Own cuts come after at most so many events."""
CANCEL_SHARE = 0.8
"""Of the orders of a client that cancels: as soon as it is shown a first piece of the answer."""
EXPIRED = "UNAUTHORIZED"


class Refused(Exception):
    """The request was answered with something else than a reply."""


class Cut(Exception):
    """The client has cut its own connection."""


class Speaker(Protocol):
    """One way to bring an order to the product."""

    async def attempt(self, order: str) -> str:
        """Return the reply; raises Refused, Cut or what a lost connection raises."""
        ...

    async def close(self) -> None: ...


class Shown:
    """What a client has seen of the turn that runs, across all its connections."""

    def __init__(self, one: Conversation) -> None:
        self._one = one
        self._text = ""
        self._is_whole = False
        self._message_id = ""
        self.last_seq = 0

    def begin(self) -> None:
        self._text, self._is_whole, self._message_id = "", False, ""

    def start(self, message_id: str) -> None:
        """A message begins; one that begins again is joined to what was shown of it, unless that was said to be void."""
        if message_id != self._message_id:
            self._text, self._is_whole, self._message_id = "", True, message_id

    def restart(self, message_id: str) -> None:
        """What was shown of a message is void."""
        self._text, self._is_whole, self._message_id = "", True, message_id

    def gap(self) -> None:
        self._is_whole = False

    def add(self, chunk: str) -> None:
        self._text += chunk

    def end(self, full_text: str) -> None:
        """The pieces must give the whole, unless the client was told that some are gone."""
        if self._is_whole and self._text not in ("", full_text):
            self._one.faults.append(f"stream of {self._one.number}: {self._text!r} is not {full_text!r}")

    def number(self, seq: int) -> None:
        """Numbers rise; nothing comes twice."""
        if seq <= self.last_seq:
            self._one.faults.append(f"stream of {self._one.number}: {seq} after {self.last_seq}")
        self.last_seq = seq


class JsonSpeaker:
    """One request, one body."""

    def __init__(self, product: Product, http: aiohttp.ClientSession, one: Conversation) -> None:
        self._product = product
        self._http = http
        self._one = one

    async def attempt(self, order: str) -> str:
        body = _body(self._product, self._one, order)
        headers = {"X-API-Key": self._product.key, "Idempotency-Key": f"key-{order}"}
        url = f"{self._product.url}/api/v1/chat/agent"
        timeout = aiohttp.ClientTimeout(total=patient(ATTEMPT_S))
        async with self._http.post(url, json=body, headers=headers, timeout=timeout) as response:
            if response.status != 200:
                raise Refused(f"{response.status} {await response.text()}")
            reply = await response.json()
        self._one.session_id = reply["sessionId"]
        return str(reply["response"])

    async def close(self) -> None:
        return


class EventSpeaker:
    """Server-sent events, cut now and then and resumed with Last-Event-ID."""

    def __init__(self, product: Product, http: aiohttp.ClientSession, one: Conversation) -> None:
        self._product = product
        self._http = http
        self._one = one
        self._chance = random.Random(one.number)
        self._shown = Shown(one)
        self._order = ""
        self._last_id = ""

    async def attempt(self, order: str) -> str:
        if order != self._order:
            self._order, self._last_id = order, ""
            self._shown.begin()
        headers = {
            "X-API-Key": self._product.key,
            "Idempotency-Key": f"key-{order}",
            "Accept": "text/event-stream",
            **({"Last-Event-ID": self._last_id} if self._last_id else {}),
        }
        body = _body(self._product, self._one, order)
        url = f"{self._product.url}/api/v1/chat/agent"
        timeout = aiohttp.ClientTimeout(total=None, sock_read=patient(ATTEMPT_S), sock_connect=patient(ATTEMPT_S))
        cut_after = _cut_after(self._chance)
        async with self._http.post(url, json=body, headers=headers, timeout=timeout) as response:
            if response.status != 200:
                raise Refused(f"{response.status} {await response.text()}")
            async for event in _events(response):
                if event["event"] == "complete":
                    self._take(event)
                    self._one.session_id = event["data"]["sessionId"]
                    return str(event["data"]["response"])
                self._take(event)
                cut_after -= 1
                if not cut_after:
                    response.close()
                    raise Cut
        raise Refused("the stream ended without an end")

    def _take(self, event: dict[str, Any]) -> None:
        data = event["data"]
        if event["event"] == "error":
            raise Refused(str(data))
        if event["event"] == "response_restart" and "id" not in event:
            self._shown.restart(data["messageId"])
            return
        self._last_id = event["id"]
        self._shown.number(int(event["id"].rpartition(":")[2]))
        match event["event"]:
            case "response_start":
                self._shown.start(data["messageId"])
            case "response_restart":
                self._shown.restart(data["messageId"])
            case "response_chunk":
                self._shown.add(data["chunk"])
            case "response_end":
                self._shown.end(data["fullText"])

    async def close(self) -> None:
        return


class SocketSpeaker:
    """A WebSocket of a page that showed its public key; cut now and then and resumed with its last number.

    What was acknowledged it does not send again: the answer must come by itself.
    """

    def __init__(self, product: Product, http: aiohttp.ClientSession, one: Conversation) -> None:
        self._product = product
        self._http = http
        self._one = one
        self._chance = random.Random(one.number)
        self._shown = Shown(one)
        self._order = ""
        self._is_taken = False
        self._may_cancel = False
        self._token = ""
        self._first_token = ""
        self._has_expired = False
        self._was_open = False
        self._socket: aiohttp.ClientWebSocketResponse | None = None

    async def attempt(self, order: str) -> str:
        if order != self._order:
            self._order, self._is_taken = order, False
            self._may_cancel = self._one.habit == "cancel" and self._chance.random() < CANCEL_SHARE
            self._shown.begin()
        try:
            return await self._said(order)
        except BaseException:
            await self.close()
            raise

    async def _said(self, order: str) -> str:
        if self._socket is None or self._socket.closed:
            self._socket = await self._connected()
        if self._is_taken:
            self._one.taken += 1
        else:
            await self._socket.send_json({"type": "chat_message", "text": order, "messageId": f"m-{order}"})
        cut_after = _cut_after(self._chance)
        while True:
            frame = await self._frame(self._socket)
            if self._may_cancel and frame["type"] == "response_chunk":
                self._may_cancel = False
                await self._socket.send_json({"type": "cancel"})
                self._one.done["cancel"] += 1
            reply = self._take(frame, order)
            if reply is not None:
                return reply
            cut_after -= 1
            if not cut_after:
                raise Cut

    async def _new_token(self) -> str:
        """Return a first token, or one of the same family in the place of one that is not taken any more.

        Of a family the first token is kept: one that a leapt clock has made is from the future when the clock is right.
        """
        clocks = self._product.clocks
        while not self._token and clocks is not None and clocks.are_wrong:  # noqa: ASYNC110 - for some seconds
            await asyncio.sleep(LOOK_S)  # a first token of a wrong clock is worth nothing when it is right
        page_key = self._product.page_keys.get(self._one.agent, self._product.public_key)
        path, headers = "init", {"X-Public-Key": page_key, **PAGE}
        if self._token:
            path, headers = "refresh", {"X-SDK-Token": self._first_token, **PAGE}
        async with self._http.post(f"{self._product.url}/api/v1/sdk/{path}", json={}, headers=headers) as response:
            if response.status != 200:
                raise Refused(f"{response.status} {await response.text()}")
            token = str((await response.json())["token"])
        self._first_token = self._first_token or token
        return token

    async def _connected(self) -> aiohttp.ClientWebSocketResponse:
        if not self._token or self._has_expired:
            self._token, self._has_expired = await self._new_token(), False
        url = f"{self._product.url}/ws/sdk"
        if self._was_open:
            url += f"?lastSeq={self._shown.last_seq}"
        async with asyncio.timeout(patient(ATTEMPT_S)):
            socket = await self._http.ws_connect(url, protocols=("sdk-auth", self._token), headers=PAGE)
        frame = await self._frame(socket)
        if frame["type"] != "session_start":
            await socket.close()
            self._has_expired = frame.get("code") == EXPIRED
            raise Refused(str(frame))
        if not self._was_open:
            self._was_open, self._shown.last_seq = True, frame["lastSeq"]
        self._one.session_id = frame["sessionId"]
        return socket

    async def _frame(self, socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
        message = await socket.receive(timeout=patient(ATTEMPT_S))
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise Refused(f"the socket was closed: {socket.close_code}")
        frame: dict[str, Any] = json.loads(message.data)
        return frame

    def _take(self, frame: dict[str, Any], order: str) -> str | None:
        kind = frame["type"]
        if kind == "error":
            self._is_taken = False
            raise Refused(str(frame))
        if kind == "message_ack" and frame["messageId"] == f"m-{order}":
            self._is_taken = True
        if kind == "resume_gap":
            self._shown.gap()
        if kind not in ("response_start", "response_restart", "response_chunk", "response_end"):
            return None
        self._shown.number(frame["seq"])
        match kind:
            case "response_start":
                self._shown.start(frame["messageId"])
            case "response_restart":
                self._shown.restart(frame["messageId"])
            case "response_chunk":
                self._shown.add(frame["chunk"])
            case "response_end":
                self._shown.end(frame["fullText"])
                if frame.get("interrupted"):
                    self._one.interrupted.add(order)
                    return str(frame["fullText"])
                return str(frame["fullText"]) if order in frame["fullText"] else None
        return None

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()
            self._socket = None


def _body(product: Product, one: Conversation, order: str) -> dict[str, str]:
    body = {"projectId": product.project_id, "message": order, "agentId": one.agent}
    return {**body, "sessionId": one.session_id} if one.session_id else body


def _cut_after(chance: random.Random) -> int:
    """Return after how many events the client cuts its connection; 0 never."""
    return chance.randint(1, CUT_WITHIN) if chance.random() < CUT_SHARE else 0


async def _events(response: aiohttp.ClientResponse) -> Any:
    """Yield the events of a stream."""
    fields: dict[str, Any] = {}
    async for raw in response.content:
        line = raw.decode().rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "event" in fields:
            yield {**fields, "data": json.loads(fields["data"])}
            fields = {}
        else:
            fields = {}


def speaker_of(product: Product, http: aiohttp.ClientSession, one: Conversation) -> Speaker:
    kinds = {"json": JsonSpeaker, "events": EventSpeaker, "socket": SocketSpeaker}
    return kinds[one.transport](product, http, one)
