"""A page loses its connection, its session goes on, its host is killed: the page comes back and has missed nothing.

Spec: platform-api 12.6.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.flows_gateway.test_contract import CLERK
from tests.prove.product import PAGE, Product, kill
from tests.support.served import WITHIN_S, chat, client, served, until

pytestmark = pytest.mark.xdist_group("product")


async def page_token(product: Product, http: aiohttp.ClientSession) -> str:
    headers = {"X-Public-Key": product.public_key, **PAGE}
    async with http.post(f"{product.url}/api/v1/sdk/init", json={}, headers=headers) as response:
        return str((await response.json())["token"])


async def frames_until(socket: aiohttp.ClientWebSocketResponse, kind: str, count: int = 1) -> list[dict[str, Any]]:
    """Return the frames up to so many of this kind."""
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(WITHIN_S):
        while [frame["type"] for frame in frames].count(kind) < count:
            frames.append(json.loads(await socket.receive_str()))
    return frames


async def events_after(product: Product, http: aiohttp.ClientSession, session_id: str, seq: int) -> list[str]:
    """Return the answers that a stream tells which goes on after this number."""
    headers = {"X-API-Key": product.key, "Accept": "text/event-stream", "Last-Event-ID": f"{session_id}:{seq}"}
    body = {"projectId": product.project_id, "sessionId": session_id, "message": "again"}
    async with http.post(f"{product.url}/api/v1/chat/agent", json=body, headers=headers) as response:
        lines = (await response.text()).splitlines()
    told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    return [event["response"] for event in told if event.get("success")]


def test_a_page_that_was_away_for_three_turns_and_the_death_of_its_host_hears_all_of_them(tmp_path: Path) -> None:
    async def story() -> None:
        async with served(tmp_path, {"c.agent.abl": CLERK}) as product, client() as http:
            token = await page_token(product, http)
            address = f"{product.url}/ws/sdk"
            async with http.ws_connect(address, protocols=("sdk-auth", token), headers=PAGE) as socket:
                session_id = (await frames_until(socket, "session_start"))[-1]["sessionId"]
                await socket.send_json({"type": "chat_message", "text": "zero", "messageId": "m0"})
                seen = (await frames_until(socket, "response_end"))[-1]["seq"]
            answers = [(await chat(product, http, word, sessionId=session_id)).response for word in ("one", "two")]
            before = product.host_pids()
            assert all(kill(pid) for pid in before)
            await until(lambda: bool(set(product.host_pids()) - set(before)), "another host is there")
            answers.append((await chat(product, http, "three", sessionId=session_id)).response)
            assert all(kill(pid) for pid in product.host_pids())
            async with http.ws_connect(
                f"{address}?lastSeq={seen}", protocols=("sdk-auth", token), headers=PAGE
            ) as socket:
                told = await frames_until(socket, "response_end", len(answers))
                await socket.send_json({"type": "chat_message", "text": "four", "messageId": "m4"})
                told += await frames_until(socket, "response_end")
            kinds = [frame["type"] for frame in told]
            assert "resume_gap" not in kinds
            assert [frame["fullText"] for frame in told if frame["type"] == "response_end"][:-1] == answers
            assert told[-1]["fullText"].endswith("four")
            numbers = [frame["seq"] for frame in told if frame["type"].startswith("response")]
            assert numbers == sorted(set(numbers))
            assert await events_after(product, http, session_id, seen + 1) == [*answers, told[-1]["fullText"]]

    asyncio.run(story())
