"""A page whose socket is cut, or which is loaded again, at each frame of a conversation: it shows the same every time.

On a real gateway, in a real browser. Spec: platform-api 12.6. Decision: 0077.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Browser, Page, WebSocketRoute

from tests.support.browser import a_browser, a_site, pages, send, shows, until
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = [pytest.mark.anyio, pytest.mark.soak]

THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
WORDS = "one two three four"
ASKED = ("first", "second")
LINES = [line for text in ASKED for line in (f"user: {text}", f"assistant: {WORDS}")]
LOST_CODE = 4999
AT_ONCE = 4
FRAMES_AT_LEAST = 14

Harm = Callable[[Page, WebSocketRoute], Awaitable[None]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def cut(_page: Page, socket: WebSocketRoute) -> None:
    await socket.close(code=LOST_CODE)


async def is_so(condition: bool) -> bool:
    return condition


async def load_again(page: Page, _socket: WebSocketRoute) -> None:
    await page.reload()
    await page.wait_for_function("window.sdk !== undefined")


async def converse(browser: Browser, site: str, gateway: LiveGateway, at: int, harm: Harm) -> int:
    """Hold a conversation that is harmed at one of its frames; return how many there were."""
    endpoint = f"http://127.0.0.1:{gateway.port}"
    config = {"projectId": gateway.project_id, "apiKey": gateway.public_key, "endpoint": endpoint}
    frames = 0
    harmed: asyncio.Task[None] | None = None
    undisturbed = asyncio.Lock()  # nothing is asked of a page while it is loaded

    async def do_harm(page: Page, socket: WebSocketRoute) -> None:
        async with undisturbed:
            await harm(page, socket)

    async with pages(browser, site, **config) as profile:

        def carry(page_side: WebSocketRoute) -> None:
            server = page_side.connect_to_server()

            def tell(text: str | bytes) -> None:
                nonlocal frames, harmed
                frames += 1
                page_side.send(text)
                if frames == at:
                    harmed = asyncio.create_task(do_harm(profile.context.pages[0], page_side))

            server.on_message(tell)

        await profile.context.route_web_socket("**/ws/sdk**", carry)
        page = await profile.open()
        await until(lambda: is_so(frames > 0), "the page hears something")
        for number, text in enumerate(ASKED, start=1):
            if harmed is not None:
                await harmed
            async with undisturbed:
                await send(page, text)
            await shows(page, LINES[: 2 * number])
        if harmed is not None:
            await harmed
        await shows(page, LINES)
        async with undisturbed:
            heard = [name for name, _ in await page.evaluate("window.heard")]
        assert heard.count("messageFailed") == 0
    path = f"/api/projects/{gateway.project_id}/sessions"
    for session in (await gateway.call("GET", path)).json()["sessions"]:
        told = (await gateway.call("GET", f"/api/v1/sessions/{session['id']}/transcripts")).json()["messages"]
        lines = [f"{line['role']}: {line['content']}" for line in told]
        assert lines in (LINES, LINES[:2], LINES[:1], LINES[:3], []), "others are under way"
    return frames


@pytest.mark.parametrize("harm", [cut, load_again], ids=["cut", "loaded-again"])
async def test_at_each_frame_the_conversation_is_the_same(servers: Servers, harm: Harm) -> None:
    behaviour = StubBehaviour(text=WORDS, delta_delay_ms=5)
    async with (
        StubModel(behaviour) as model,
        a_live_gateway(servers, f"page-{harm.__name__}", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_browser() as browser,
        a_site() as site,
    ):
        frames = await converse(browser, site, gateway, 0, harm)
        assert frames >= FRAMES_AT_LEAST
        for first in range(1, frames + 1, AT_ONCE):
            some = range(first, min(first + AT_ONCE, frames + 1))
            await asyncio.gather(*(converse(browser, site, gateway, at, harm) for at in some))
        assert model.count == len(ASKED) * (frames + 1), "each message was thought about once"
