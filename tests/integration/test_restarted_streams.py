"""An answer that is broken off by a crash is shown from its beginning again, and that is said: what a client puts
together of the pieces, dropping all of them at `response_restart` and at nothing else, is the whole text.

Spec: platform-api 4.1, 12.4, 12.6.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.prove.product import Product
from tests.support.served import client, served, until
from tests.support.served_pages import Page
from tests.support.stub_model import StubBehaviour, StubModel

TALKER = 'AGENT: Talker\nGOAL: "Tell a long story"\nPERSONA: "A patient narrator"\n'
PIECES = 40
TOLD_FIRST = 10
"""The model says no more until the harm is done: however slow the machine is, no answer ends before it."""
STORY = StubBehaviour(
    text="".join(f"{number:03d}." for number in range(PIECES)), deltas=PIECES, delta_delay_ms=5, holds_after=TOLD_FIRST
)
SEEN_FIRST_CHARS = 20
CUTS = 3

pytestmark = pytest.mark.xdist_group("product")


class Joined:
    """The pieces of one answer, as a client joins them that knows nothing but the names of the events."""

    def __init__(self) -> None:
        self.text = ""
        self.restarts = 0
        self.full_text: str | None = None

    def take(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "response_restart":
            self.text, self.restarts = "", self.restarts + 1
        elif kind == "response_chunk":
            self.text += data["chunk"]
        elif kind == "response_end":
            self.full_text = data["fullText"]


async def _events(
    product: Product, http: aiohttp.ClientSession, key: str, last_id: str = ""
) -> AsyncIterator[tuple[str, str, dict[str, Any]]]:
    """Yield (id, name, data) of the events of one stream."""
    headers = {"X-API-Key": product.key, "Accept": "text/event-stream", "Idempotency-Key": key}
    headers |= {"Last-Event-ID": last_id} if last_id else {}
    body = {"projectId": product.project_id, "message": "Tell me"}
    async with http.post(f"{product.url}/api/v1/chat/agent", json=body, headers=headers) as response:
        assert response.status == 200, await response.text()
        fields: dict[str, str] = {}
        async for raw in response.content:
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "event" in fields:
                yield fields.get("id", ""), fields["event"], json.loads(fields["data"])
                fields = {}


async def _listen(product: Product, http: aiohttp.ClientSession, key: str, joined: Joined) -> None:
    """Read an answer to its end, coming back with the last id when the gateway has gone."""
    last_id = ""
    while True:
        try:
            async for event_id, name, data in _events(product, http, key, last_id):
                last_id = event_id or last_id
                joined.take(name, data)
                if name == "complete":
                    return
        except (aiohttp.ClientError, OSError):
            await asyncio.sleep(0.05)


async def _hear(page: Page, joined: Joined) -> None:
    """The same over a socket that comes back with the number of its last frame."""
    while joined.full_text is None:
        try:
            if not page.is_open:
                await page.open()
            try:
                frame = await page.next()
            except TimeoutError:  # which is an OSError too: a page would not come back, its socket is open
                raise AssertionError("the socket stayed open and silent while its answer was finished") from None
            joined.take(frame["type"], frame)
        except (ConnectionError, aiohttp.ClientError, OSError):
            await page.close()
            await asyncio.sleep(0.05)


def _have_begun(everybody: Sequence[Joined]) -> bool:
    return all(len(one.text) >= SEEN_FIRST_CHARS for one in everybody)


def test_pieces_of_an_answer_that_was_broken_off_join_to_the_whole_text(tmp_path: Path) -> None:
    async def story() -> None:
        async with StubModel(STORY) as model, client() as http:
            host = model.base_url.split("/")[2]
            async with served(
                tmp_path, {"t.agent.abl": TALKER}, hosts=1, allowed=host, model_url=model.base_url
            ) as product:
                for harm in ("host", "gateway"):
                    model.may_go_on.clear()
                    streams, sockets = [Joined() for _ in range(CUTS)], [Joined() for _ in range(CUTS)]
                    pages = [Page(product, http) for _ in range(CUTS)]
                    for number, page in enumerate(pages):
                        await page.open()
                        await page.say("Tell me", f"{harm}-{number}")
                    async with asyncio.TaskGroup() as listening:
                        for number, joined in enumerate(streams):
                            listening.create_task(_listen(product, http, f"{harm}-{number}", joined))
                        for page, joined in zip(pages, sockets, strict=True):
                            listening.create_task(_hear(page, joined))
                        everybody = [*streams, *sockets]
                        await until(lambda: _have_begun(everybody), "all have begun")  # noqa: B023 - it is awaited
                        if harm == "host":
                            assert product.kill_host(0)
                        else:
                            await product.kill_gateway()
                        model.may_go_on.set()
                    told = [(harm, one.restarts >= 1, one.text == one.full_text == STORY.text) for one in everybody]
                    assert told == [(harm, True, True)] * 2 * CUTS
                    for page in pages:
                        await page.close()

    asyncio.run(story())
