"""Many posts at once to one session through the real server: one order, nothing between the facts of a turn.

Spec: platform-api 4.1, 12.6; issue 3, "Order".
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from actors.projects import TENANT_ID
from actors.session.records import Record, decode_record
from domain.limits import SESSION_QUEUE_TURNS
from engine import SessionBegun, ToolReturned, UserSpoke
from storage.journal import Journal
from tests.prove.clients import transcript
from tests.prove.counting_server import CountingServer
from tests.prove.kill_test import replay
from tests.prove.product import Product
from tests.prove.project import LEDGER
from tests.support.served import WITHIN_S, Answer, chat, client, served, stored, until

BEYOND = 8
"""As many as have room in the queue when they come again: the wait that is told is that of a whole turn."""
SLOW_S = 2.0

pytestmark = pytest.mark.xdist_group("product")


@asynccontextmanager
async def a_ledger(folder: Path) -> AsyncIterator[tuple[Product, CountingServer, aiohttp.ClientSession]]:
    """Serve an agent that writes every message down with a tool."""
    async with CountingServer() as server, client() as http:
        texts = {"ledger.agent.abl": LEDGER.replace("PORT", str(server.port))}
        async with served(folder, texts, allowed=f"127.0.0.1:{server.port}") as product:
            yield product, server, http


async def journal_of(product: Product, session_id: str) -> list[Record]:
    async with stored(product) as database:
        return [decode_record(raw) for _, raw in await Journal(database).read(TENANT_ID, session_id)]


async def patiently(product: Product, http: aiohttp.ClientSession, order: str, **more: str) -> Answer:
    """Send one message, again when the queue of its session has room: only so many wait in it."""
    give_up = time.monotonic() + WITHIN_S
    while True:
        answer = await chat(product, http, order, **more)
        if answer.status != 429 or time.monotonic() > give_up:
            return answer
        await asyncio.sleep(answer.body["retryAfterMs"] / 1_000)


def said_in(records: list[Record]) -> list[str]:
    """Return what was said, in the journal's order; what a tool gave belongs to the message it stands behind."""
    said: list[str] = []
    for record in records:
        match record.fact:
            case UserSpoke() as fact:
                assert record.opens is not None
                said.append(fact.text)
            case ToolReturned() as fact:
                assert record.opens is None
                assert fact.result.value == {"order": said[-1]}
            case fact:
                assert isinstance(fact, SessionBegun)
                assert not said
    return said


def test_as_many_posts_at_once_as_a_session_takes_are_answered_in_one_order(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_ledger(tmp_path) as (product, server, http):
            first = await chat(product, http, "keyed-0")
            assert first.response == "noted keyed-0"
            session_id = first.body["sessionId"]
            orders = [f"keyed-{number}" for number in range(1, SESSION_QUEUE_TURNS + 1)]
            answers = await asyncio.gather(
                *(patiently(product, http, one, sessionId=session_id, key=f"k-{one}") for one in orders)
            )
            assert [one.response for one in answers] == [f"noted {order}" for order in orders]
            lines = await transcript(product, http, session_id)
        said = [line["content"] for line in lines if line["role"] == "user"]
        assert sorted(said) == sorted(["keyed-0", *orders])
        assert [(line["role"], line["content"]) for line in lines] == [
            pair for order in said for pair in (("user", order), ("assistant", f"noted {order}"))
        ]
        assert said_in(await journal_of(product, session_id)) == said
        assert all(len(server.applied[order]) == 1 for order in said)
        assert await replay(product) == "1/1"

    asyncio.run(story())


def test_over_the_bound_of_the_queue_a_post_is_refused_with_the_time_to_come_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with a_ledger(tmp_path) as (product, server, http):
            first = await chat(product, http, "keyed-first")
            assert first.response == "noted keyed-first"
            session_id = first.body["sessionId"]
            server.work_s = SLOW_S
            slow = asyncio.create_task(chat(product, http, "keyed-slow", sessionId=session_id))
            await until(lambda: "keyed-slow" in server.applied, "the slow turn has begun")
            server.work_s = 0.0
            orders = [f"keyed-{number}" for number in range(SESSION_QUEUE_TURNS + BEYOND)]
            answers = await asyncio.gather(
                *(chat(product, http, one, sessionId=session_id, key=f"k-{one}") for one in orders)
            )
            assert (await slow).response == "noted keyed-slow"
            refused = {order: one for order, one in zip(orders, answers, strict=True) if one.status != 200}
            assert len(refused) == BEYOND
            for answer in refused.values():
                assert (answer.status, answer.body["code"]) == (429, "QUEUE_FULL")
                assert answer.body["retryAfterMs"] > 0
            assert not refused.keys() & server.applied.keys()
            again = await asyncio.gather(
                *(patiently(product, http, one, sessionId=session_id, key=f"k-{one}") for one in refused)
            )
            assert [one.response for one in again] == [f"noted {order}" for order in refused]

    asyncio.run(story())
