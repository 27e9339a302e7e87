"""A page of the web SDK on a real gateway, in a real browser: what it sends is in the transcript once and on the screen
once, in its order, whatever is killed, cut, lost, doubled or loaded again. Spec: platform-api 12.6, 13.1. Decision: 0077.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import aiohttp
import pytest
from playwright.async_api import Page, WebSocketRoute

from tests.prove.clients import transcript
from tests.prove.counting_server import CountingServer
from tests.prove.product import Product
from tests.prove.project import LEDGER
from tests.support.browser import Pages, a_browser, a_site, pages, screen, send, shows, until
from tests.support.served import client, served

MESSAGES = 60
GATEWAY_KILLED_AT = (15, 35)
LOST_CODE = 4999
"""A close code that the contract does not know: the connection is lost."""


class Wire:
    """Every socket of a browser, and what becomes of its frames."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.is_harmed = True
        self.opened = 0
        self.lost = self.doubled = self.swapped = 0
        self._open: set[WebSocketRoute] = set()
        self._held: str | None = None

    def carry(self, page_side: WebSocketRoute) -> None:
        self.opened += 1
        self._open.add(page_side)
        server = page_side.connect_to_server()
        page_side.on_message(lambda text: self._pass(server, str(text)))
        server.on_message(lambda text: self._pass(page_side, str(text)))

    def _pass(self, to: WebSocketRoute, text: str) -> None:
        kind = self.chance.randrange(30) if self.is_harmed else -1
        if kind == 0:
            self.lost += 1
            return
        if kind == 1 and self._held is None and '"response_' in text:
            self._held = text
            self.swapped += 1
            return
        to.send(text)
        if kind == 2:
            self.doubled += 1
            to.send(text)
        if self._held is not None and '"response_' in text:
            held, self._held = self._held, None
            to.send(held)

    async def cut(self) -> None:
        for one in list(self._open):
            self._open.discard(one)
            await one.close(code=LOST_CODE)


async def a_page_key(product: Product, http: aiohttp.ClientSession, origin: str) -> str:
    url = f"{product.url}/api/projects/{product.project_id}/public-keys"
    body = {"name": "page", "allowedOrigins": [origin], "permissions": {"chat": True, "voice": False}}
    async with http.post(url, json=body, headers={"X-API-Key": product.key}) as answer:
        told = await answer.json()
        assert answer.status == 201, told
        return str(told["secret"])


@pytest.mark.soak
@pytest.mark.xdist_group("product")
def test_each_message_is_there_once_whatever_is_killed_cut_lost_or_loaded_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with CountingServer() as server, client() as http, a_browser() as browser, a_site() as site:
            texts = {"ledger.agent.abl": LEDGER.replace("PORT", str(server.port))}
            async with served(tmp_path, texts, hosts=2, allowed=f"127.0.0.1:{server.port}") as product:
                key = await a_page_key(product, http, site)
                config = {"projectId": product.project_id, "apiKey": key, "endpoint": product.url}
                async with pages(browser, site, **config) as profile:
                    await hold(profile, product, http)
            assert server.done_twice() == []

    asyncio.run(story())


async def shows_all(page: Page, lines: list[str]) -> None:
    """Wait until a page shows each of these lines once, and no other."""

    async def same() -> bool:
        return sorted(await screen(page)) == sorted(lines)

    await until(same, "a line is missing, or there twice")


async def hold(profile: Pages, product: Product, http: aiohttp.ClientSession) -> None:
    """Send from two pages of one visitor while everything goes wrong, and look at what came of it."""
    wire = Wire(7)
    await profile.context.route_web_socket("**/ws/sdk**", wire.carry)
    tabs = [await profile.open(), await profile.open()]
    orders = [f"keyed-1-{number}" for number in range(MESSAGES)]
    lines = [line for order in orders for line in (f"user: {order}", f"assistant: noted {order}")]
    restarting: asyncio.Task[None] | None = None
    for number, order in enumerate(orders):
        await send(tabs[number % 2], order)
        await asyncio.sleep(wire.chance.random() / 5)
        match number % 20:
            case 3 | 13:
                await wire.cut()
            case 6:
                product.kill_host(number)
            case 9:
                await tabs[0].reload()
                await tabs[0].wait_for_function("window.sdk !== undefined")
            case 12:
                await tabs[1].close()
                tabs[1] = await profile.open()
            case 15 if number in GATEWAY_KILLED_AT:
                restarting = asyncio.create_task(product.kill_gateway())
            case 17:
                await profile.context.set_offline(True)
                await wire.cut()
            case 19:
                await profile.context.set_offline(False)
                if restarting is not None:
                    await restarting
                await shows_all(tabs[1], lines[: 2 * number + 2])
    wire.is_harmed = False
    for tab in tabs:
        await shows_all(tab, lines)
    said = await transcript(product, http, await tabs[0].evaluate("window.sdk.getSessionId()"))
    told = [f"{line['role']}: {line['content']}" for line in said]
    assert sorted(told) == sorted(lines)
    assert told[1::2] == [line.replace("user: ", "assistant: noted ") for line in told[::2]]
    for number in range(2):  # who types in two pages at once has no order between them
        own = [f"user: {order}" for order in orders[number::2]]
        assert [line for line in told if line in own] == own
    for tab in tabs:
        assert await screen(tab) == told
    later = await profile.open()
    await shows(later, told)
    assert await later.evaluate("window.heard") == [], "nothing that is finished is played again"
    assert min(wire.lost, wire.doubled, wire.swapped) > 0, "the wire has done some harm"
