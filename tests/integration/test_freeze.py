"""A host is frozen for longer than its lease in the middle of its turns: others go on, and what it still writes is refused.

Spec: issue 3, "Also with SIGSTOP longer than the lease".
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from storage.leases import LEASE_S
from tests.prove.audit import Findings, compare, look_into_the_store
from tests.prove.clients import transcript
from tests.prove.conversation import Conversation
from tests.prove.counting_server import CountingServer
from tests.prove.kill_test import LOST_LEASE, replay, unexpected
from tests.prove.product import Product
from tests.prove.project import LEDGER
from tests.prove.speakers import Refused, speaker_of
from tests.support.served import client, served, until

SESSIONS = 12
SLOW_S = 1.0
TURNS = 3

pytestmark = pytest.mark.xdist_group("product")


async def say(product: Product, one: Conversation, order: str, http: object) -> None:
    """Send an order until it is acknowledged, as a client does that gives a request up after a while."""
    one.sent.append(order)
    while order not in one.replies:
        try:
            one.replies[order] = await speaker_of(product, http, one).attempt(order)  # type: ignore[arg-type]
        except (Refused, TimeoutError, OSError):
            await asyncio.sleep(0.1)


def test_a_host_that_was_frozen_for_longer_than_its_lease_writes_nothing_any_more(tmp_path: Path) -> None:
    async def story() -> None:
        found = Findings()
        conversations = [Conversation(number, "Ledger", "json") for number in range(SESSIONS)]
        async with CountingServer() as server, client() as http:
            texts = {"ledger.agent.abl": LEDGER.replace("PORT", str(server.port))}
            async with served(tmp_path, texts, allowed=f"127.0.0.1:{server.port}") as product:

                async def everybody(turn: int) -> None:
                    kinds = ("keyed", "unkeyed")
                    await asyncio.gather(
                        *(
                            say(product, one, f"{kinds[place % 2]}-{one.number}-{turn}", http)
                            for place, one in enumerate(conversations)
                        )
                    )

                await everybody(0)
                server.work_s, calls = SLOW_S, server.calls
                slow = asyncio.create_task(everybody(1))
                await until(lambda: server.calls == calls + SESSIONS, "every turn has called its tool")
                frozen = product.freeze_host(0)
                assert frozen is not None
                try:
                    server.work_s = 0.0
                    async with asyncio.timeout(LEASE_S * 6):
                        await slow  # the other host has taken over, while this one stands still
                finally:
                    assert product.thaw_host(frozen)
                await until(lambda: any(LOST_LEASE in line for line in product.log), "it has noticed")
                assert frozen in product.host_pids()
                for turn in range(2, 2 + TURNS):
                    await everybody(turn)
                for one in conversations:
                    compare(one, await transcript(product, http, one.session_id), server, found)
            assert await replay(product) == f"{SESSIONS}/{SESSIONS}"
            await look_into_the_store(product, conversations, found)
        assert [*found.lost, *found.failed, *found.split, *found.twice, *server.done_twice()] == []
        assert found.unknown > 0
        assert server.repeats > 0
        assert unexpected(product.log) == []

    asyncio.run(story())
