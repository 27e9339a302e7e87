"""One of three hosts is told to end while all of them work: no turn fails, and its sessions go on with the others.

Spec: issue 3, "Drain". Notes on Ray, section 8.
"""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path

import aiohttp
import pytest

from tests.prove.clients import transcript
from tests.prove.counting_server import CountingServer
from tests.prove.kill_test import replay, unexpected
from tests.prove.model_server import model_server
from tests.prove.product import Product, send
from tests.prove.project import ASSISTANT, CLERK, LEDGER, MANAGER
from tests.support.served import chat, client, served, until

HOSTS = 3
CLIENTS = 12
AGENTS = ("Ledger", "Assistant", "Assistant", "Manager")
MODEL_MS = 300.0
TURNS_BEFORE = 3
TURNS_AFTER = 4
ENDED = re.compile(r"(host-\d+) ended with (-?\d+)")

pytestmark = pytest.mark.xdist_group("product")


class Client:
    """Sends orders one after the other until it is told to stop; every one must be answered the first time."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.agent = AGENTS[number % len(AGENTS)]
        self.session_id = ""
        self.orders: list[str] = []
        self.answered = 0

    async def speak(self, product: Product, http: aiohttp.ClientSession, over: asyncio.Event) -> None:
        while not over.is_set():
            order = f"keyed-{self.number}-{len(self.orders)}"
            self.orders.append(order)
            more = {"sessionId": self.session_id} if self.session_id else {}
            answer = await chat(product, http, order, agentId=self.agent, **more)
            assert answer.response.startswith(f"noted {order}"), (self.agent, answer)
            self.session_id = answer.body["sessionId"]
            self.answered += 1


def test_a_host_that_is_told_to_end_fails_no_turn_and_its_sessions_go_on_elsewhere(tmp_path: Path) -> None:
    async def story() -> None:
        async with CountingServer() as server, model_server(MODEL_MS) as model_url, client() as http:
            agents = {"ledger": LEDGER, "assistant": ASSISTANT, "manager": MANAGER, "clerk": CLERK}
            texts = {f"{name}.agent.abl": text.replace("PORT", str(server.port)) for name, text in agents.items()}
            allowed = f"127.0.0.1:{server.port}"
            async with served(tmp_path, texts, hosts=HOSTS, allowed=allowed, model_url=model_url) as product:
                clients = [Client(number) for number in range(CLIENTS)]
                over = asyncio.Event()
                async with asyncio.TaskGroup() as group:
                    for one in clients:
                        group.create_task(one.speak(product, http, over))
                    try:
                        await _each_goes_on(clients, TURNS_BEFORE)
                        before = set(product.host_pids())
                        assert len(before) == HOSTS
                        assert send(min(before), signal.SIGTERM)
                        await until(lambda: min(before) not in product.host_pids(), "the host has ended")
                        await _each_goes_on(clients, TURNS_AFTER)
                    finally:
                        over.set()
                for one in clients:
                    lines = await transcript(product, http, one.session_id)
                    assert [line["content"] for line in lines if line["role"] == "user"] == one.orders
            assert [status for _, status in ENDED.findall("\n".join(product.log))] == ["0"], product.log
            assert unexpected(product.log) == []
            assert server.done_twice() == []
            assert server.repeats == 0
            same, _, total = (await replay(product)).partition("/")
            assert same == total != "0"

    asyncio.run(story())


async def _each_goes_on(clients: list[Client], turns: int) -> None:
    """Wait until every client has been answered so many times more."""
    wanted = {one.number: one.answered + turns for one in clients}
    await until(lambda: all(one.answered >= wanted[one.number] for one in clients), f"{turns} turns of each client")
