"""What was acknowledged on a socket is answered once, whatever is killed: without anybody asking, also before the first
fact of its turn is durable. Spec: platform-api 3.1, 12.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import pytest

from tests.prove.clients import transcript
from tests.prove.counting_server import CountingServer
from tests.prove.kill_test import replay, unexpected
from tests.prove.product import Product
from tests.prove.project import LEDGER
from tests.support.served import client, served, until
from tests.support.served_pages import Page

PAGES = 10
WORK_S = 3.0

pytestmark = pytest.mark.xdist_group("product")


async def _lines(product: Product, http: aiohttp.ClientSession, page: Page) -> list[tuple[str, str]]:
    return [(line["role"], line["content"]) for line in await transcript(product, http, page.session_id)]


async def _all_answered(product: Product, http: aiohttp.ClientSession, pages: Sequence[Page]) -> bool:
    said = await asyncio.gather(*(_lines(product, http, page) for page in pages))
    return all(lines and lines[-1][0] == "assistant" for lines in said)


def test_ten_sockets_whose_gateway_is_killed_right_after_it_acknowledged_are_answered(tmp_path: Path) -> None:
    async def story() -> None:
        async with CountingServer() as server, client() as http:
            texts = {"ledger.agent.abl": LEDGER.replace("PORT", str(server.port))}
            async with served(tmp_path, texts, hosts=1, allowed=f"127.0.0.1:{server.port}") as product:
                pages = [Page(product, http) for _ in range(PAGES)]
                await asyncio.gather(*(page.open() for page in pages))
                server.work_s = WORK_S
                for number, page in enumerate(pages):
                    await page.say(f"keyed-{number}-0", f"m-{number}")
                await asyncio.gather(*(page.hear("response_start") for page in pages))
                for page in pages:
                    assert [frame["type"] for frame in page.heard[1:]] == ["message_ack", "response_start"]
                await product.kill_gateway()
                server.work_s = 0.0
                await until(lambda: _all_answered(product, http, pages), "every message is answered, unasked")
                for number, page in enumerate(pages):
                    order = f"keyed-{number}-0"
                    assert await _lines(product, http, page) == [("user", order), ("assistant", f"noted {order}")]
                    await page.open()
                    assert (await page.hear("response_end"))["fullText"] == f"noted {order}"
                    await page.say(order, f"m-{number}")  # a page that does not know whether it was heard
                    await page.hear("message_ack")
                    await page.say(f"keyed-{number}-1", f"m-{number}-1")
                    assert (await page.hear("response_end"))["fullText"] == f"noted keyed-{number}-1"
                    assert len(await _lines(product, http, page)) == 4
                    await page.close()
            assert server.done_twice() == []
            assert await replay(product) == f"{PAGES}/{PAGES}"
            assert unexpected(product.log) == []

    asyncio.run(story())
