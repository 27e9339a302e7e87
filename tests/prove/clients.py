"""The clients of the kill test: each sends its orders one after the other, again and again until one is acknowledged."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Iterator
from itertools import count

import aiohttp

from tests.prove.acts import LOST_CONNECTION, Asker, Purse, Unanswered, approve, delete, end, give_task, reset
from tests.prove.conversation import Conversation
from tests.prove.patience import patient
from tests.prove.product import Product
from tests.prove.roles import chapters
from tests.prove.speakers import ATTEMPT_S, Cut, Refused, Speaker, speaker_of

RETRY_S = 0.1
RETRY_MAX_S = 2.0
BACKOFF = 1.5
TURN_PATIENCE_S = 120.0
UNKEYED_SHARE = 0.2
UNKEYED_AGENTS = ("Ledger", "Assistant")
PAGE = 200
REFUSAL_CHARS = 100
OUTCOME = re.compile(r"^(noted|refused) ")
LINES_OF_A_WAIT = 3
"""In a transcript: the order, what is said meanwhile, and the outcome once somebody has answered or decided."""
RESET_EVERY = 4
SPENT = "BUDGET_EXCEEDED"


class Spent(Exception):
    """The budget has not so much left."""


def orders_of(one: Conversation) -> Iterator[str]:
    """Yield orders for a conversation, as many as it takes."""
    chance = random.Random(f"{one.number}-{one.first}")
    kinds = {"cancel": "slowkeyed"}
    for turn in count(one.first):
        unkeyed = chance.random() < UNKEYED_SHARE and one.agent in UNKEYED_AGENTS and one.habit != "cancel"
        yield f"{'unkeyed' if unkeyed else kinds.get(one.habit, 'keyed')}-{one.number}-{turn}"


class Client:
    """One client, with all the sessions that it opens; its conversations are noted in `conversations`."""

    def __init__(
        self, product: Product, http: aiohttp.ClientSession, purse: Purse, conversations: list[Conversation]
    ) -> None:
        self._product = product
        self._http = http
        self._purse = purse
        self._conversations = conversations

    async def hold(self, number: int, turns: int) -> None:
        """Hold the conversations of a client, one after the other."""
        for one in chapters(number, turns):
            self._conversations.append(one)
            try:
                if not await self._converse(one):
                    return
                await self._close(one)
            except Unanswered as error:
                one.stuck = str(error)
                return

    async def _converse(self, one: Conversation) -> bool:
        """Send orders one after the other, each until it is acknowledged; return whether all were."""
        speaker, asker = speaker_of(self._product, self._http, one), Asker(self._product, self._http, one)
        orders = orders_of(one)
        try:
            while len(one.replies) < one.turns:
                order, may_use = next(orders), self._purse.max_tokens
                one.sent.append(order)
                try:
                    reply = await _until_acknowledged(speaker, one, order)
                except Spent:
                    one.unpaid.append(one.sent.pop())
                    await self._purse.raise_it(asker, one, may_use)
                    continue
                if reply is None:
                    return False
                one.replies[order] = reply
                if not await self._go_on(asker, one, order):
                    return False
                one.stuck = ""
        finally:
            await speaker.close()
        return True

    async def _go_on(self, asker: Asker, one: Conversation, order: str) -> bool:
        """Do what the client does beside speaking; return whether everything came that was to come."""
        match one.habit:
            case "reset":
                await _count_and_reset(asker, one, order)
            case "approve":
                await approve(asker, one, order)
                await give_task(asker, one, order)
                return await _until_said(self._product, self._http, one, order)
            case "spend":
                await self._purse.look(asker, one)
            case _ if one.agent == "Waiter":
                one.done["wait"] += 1
                return await _until_said(self._product, self._http, one, order)
        return True

    async def _close(self, one: Conversation) -> None:
        asker = Asker(self._product, self._http, one)
        if one.habit == "end":
            await end(asker, one)
        if one.habit == "delete":
            await delete(asker, one)
        one.stuck = ""


async def _until_acknowledged(speaker: Speaker, one: Conversation, order: str) -> str | None:
    give_up = time.monotonic() + patient(TURN_PATIENCE_S)
    pause_s = RETRY_S
    while time.monotonic() < give_up:
        try:
            return await speaker.attempt(order)
        except Cut:
            one.cuts += 1
            continue
        except (Refused, *LOST_CONNECTION) as error:
            if SPENT in str(error):
                raise Spent(order) from error
            one.stuck = f"{order}: {error!r}"
            one.refusals[repr(error)[:REFUSAL_CHARS]] += 1
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * BACKOFF, RETRY_MAX_S)
    return None


async def _count_and_reset(asker: Asker, one: Conversation, order: str) -> None:
    """Note which number the order must have had, and now and then begin anew; the same request again changes nothing."""
    one.counted += 1
    one.numbers[order] = one.counted
    if len(one.replies) % RESET_EVERY == 0:
        made = await reset(asker, one, f"reset-{order}")
        if made in one.resets.values():
            one.note(f"reset to {made} again")
        one.resets[f"reset-{order}"] = made
        one.counted = 0
        one.done["reset"] += 1
    elif one.resets and one.counted == 1:
        key, made = list(one.resets.items())[-1]
        if await reset(asker, one, key) != made:
            one.note(f"the reset {key} was done twice")


async def _until_said(product: Product, http: aiohttp.ClientSession, one: Conversation, order: str) -> bool:
    """Wait until the transcript says what came of an order."""
    give_up = time.monotonic() + patient(TURN_PATIENCE_S)
    seen = LINES_OF_A_WAIT * (len(one.sent) - 1)
    while time.monotonic() < give_up:
        try:
            lines = await transcript(product, http, one.session_id, after=seen)
        except (Refused, *LOST_CONNECTION) as error:
            one.stuck = f"{order}: {error!r}"
            lines = []
        texts = [line["content"] for line in lines if line["role"] == "assistant"]
        if any(OUTCOME.search(text) and text.split()[1] == order for text in texts):
            return True
        one.stuck = f"{order}: its outcome is not there: {lines}" if lines else one.stuck
        await asyncio.sleep(RETRY_S)
    return False


async def transcript(
    product: Product, http: aiohttp.ClientSession, session_id: str, *, after: int = 0
) -> list[dict[str, str]]:
    """Read a session's messages behind the first ones."""
    lines: list[dict[str, str]] = []
    path = f"{product.url}/api/v1/sessions/{session_id}/transcripts"
    timeout = aiohttp.ClientTimeout(total=patient(ATTEMPT_S))
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
