"""The clients of the kill test: each sends its orders one after the other, again and again until one is acknowledged."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator

import aiohttp

from tests.prove.conversation import Conversation
from tests.prove.product import Product
from tests.prove.speakers import ATTEMPT_S, Cut, Refused, Speaker, speaker_of

RETRY_S = 0.1
RETRY_MAX_S = 2.0
BACKOFF = 1.5
TURN_PATIENCE_S = 120.0
UNKEYED_SHARE = 0.2
UNKEYED_AGENTS = ("Ledger", "Assistant")
PAGE = 200
REFUSAL_CHARS = 100
LINES_OF_A_WAIT = 3
"""In the transcript of a waiter: the order, `asked`, and `noted` once the callback has come."""
LOST_CONNECTION = (aiohttp.ClientError, TimeoutError, OSError)


def orders_of(one: Conversation, turns: int) -> Iterator[str]:
    """Yield the orders of a conversation."""
    chance = random.Random(one.number)
    for turn in range(turns):
        unkeyed = chance.random() < UNKEYED_SHARE and one.agent in UNKEYED_AGENTS
        yield f"{'unkeyed' if unkeyed else 'keyed'}-{one.number}-{turn}"


async def converse(product: Product, http: aiohttp.ClientSession, one: Conversation, turns: int) -> None:
    """Send orders one after the other, each until it is acknowledged."""
    speaker = speaker_of(product, http, one)
    try:
        for order in orders_of(one, turns):
            one.sent.append(order)
            reply = await _until_acknowledged(speaker, one, order)
            if reply is None:
                return
            one.replies[order] = reply
            if one.agent == "Waiter" and not await _until_called_back(product, http, one, order):
                return
            one.stuck = ""
    finally:
        await speaker.close()


async def _until_acknowledged(speaker: Speaker, one: Conversation, order: str) -> str | None:
    give_up = time.monotonic() + TURN_PATIENCE_S
    pause_s = RETRY_S
    while time.monotonic() < give_up:
        try:
            return await speaker.attempt(order)
        except Cut:
            one.cuts += 1
            continue
        except (Refused, *LOST_CONNECTION) as error:
            one.stuck = f"{order}: {error!r}"
            one.refusals[repr(error)[:REFUSAL_CHARS]] += 1
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * BACKOFF, RETRY_MAX_S)
    return None


async def _until_called_back(product: Product, http: aiohttp.ClientSession, one: Conversation, order: str) -> bool:
    """Wait until the transcript says what came of the job."""
    give_up = time.monotonic() + TURN_PATIENCE_S
    seen = LINES_OF_A_WAIT * (len(one.sent) - 1)
    while time.monotonic() < give_up:
        try:
            lines = await transcript(product, http, one.session_id, after=seen)
        except (Refused, *LOST_CONNECTION) as error:
            one.stuck = f"{order}: {error!r}"
            lines = []
        if any(line["role"] == "assistant" and f"noted {order} " in line["content"] for line in lines):
            return True
        one.stuck = f"{order}: the callback is not there: {lines}" if lines else one.stuck
        await asyncio.sleep(RETRY_S)
    return False


async def transcript(
    product: Product, http: aiohttp.ClientSession, session_id: str, *, after: int = 0
) -> list[dict[str, str]]:
    """Read a session's messages behind the first ones."""
    lines: list[dict[str, str]] = []
    path = f"{product.url}/api/v1/sessions/{session_id}/transcripts"
    timeout = aiohttp.ClientTimeout(total=ATTEMPT_S)
    while True:
        params = {"projectId": product.project_id, "limit": str(PAGE), "offset": str(after + len(lines))}
        headers = {"X-API-Key": product.key}
        async with http.get(path, params=params, headers=headers, timeout=timeout) as response:
            if response.status != 200:
                raise Refused(f"{path}: {response.status} {await response.text()}")
            body = await response.json()
        found = body.get("messages") or body.get("transcript") or []
        lines += found
        if len(found) < PAGE:
            return lines
