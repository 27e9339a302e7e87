"""Pages of a product that is really served: a token of their own, a socket that can be cut and opened again."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp

from tests.prove.product import PAGE, Product

WITHIN_S = 60.0


class Page:
    """One page with its session; what it has heard is kept."""

    def __init__(self, product: Product, http: aiohttp.ClientSession) -> None:
        self._product = product
        self._http = http
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._token = ""
        self.session_id = ""
        self.last_seq: int | None = None
        self.heard: list[dict[str, Any]] = []

    async def open(self) -> None:
        """Open the socket, the first time with a new token, later with the number of the last frame."""
        if not self._token:
            headers = {"X-Public-Key": self._product.public_key, **PAGE}
            async with self._http.post(f"{self._product.url}/api/v1/sdk/init", json={}, headers=headers) as response:
                assert response.status == 200, await response.text()
                self._token = (await response.json())["token"]
        query = "" if self.last_seq is None else f"?lastSeq={self.last_seq}"
        url = f"{self._product.url}/ws/sdk{query}"
        self._socket = await self._http.ws_connect(url, protocols=("sdk-auth", self._token), headers=PAGE)
        start = await self.hear("session_start")
        self.session_id = start["sessionId"]
        if self.last_seq is None:
            self.last_seq = start["lastSeq"]

    async def say(self, text: str, message_id: str, **more: Any) -> None:
        """Send a message."""
        await self.send(type="chat_message", text=text, messageId=message_id, **more)

    async def send(self, **frame: Any) -> None:
        """Send a frame."""
        assert self._socket is not None
        await self._socket.send_json(frame)

    @property
    def is_open(self) -> bool:
        """Whether there is a socket that has not said otherwise."""
        return self._socket is not None and not self._socket.closed

    async def next(self) -> dict[str, Any]:
        """Return the next frame.

        Raises:
            ConnectionError: The socket was closed before.
        """
        assert self._socket is not None
        async with asyncio.timeout(WITHIN_S):
            message = await self._socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise ConnectionError(f"closed with {self._socket.close_code}")
        frame: dict[str, Any] = json.loads(message.data)
        self.heard.append(frame)
        if frame["type"].startswith("response_"):
            self.last_seq = frame["seq"]
        return frame

    async def hear(self, kind: str) -> dict[str, Any]:
        """Read to the first frame of a kind and return it. Raises as `next`."""
        while True:
            frame = await self.next()
            if frame["type"] == kind:
                return frame

    async def close(self) -> None:
        """Leave."""
        if self._socket is not None:
            await self._socket.close()
            self._socket = None
