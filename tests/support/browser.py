"""A browser with pages of the web SDK as it is built, and the server that they come from, which nobody kills.

The page stands at an origin of its own, as those of customers do. Its timers run faster than the clock (`SPEED`), so that
it waits less between two attempts.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from difflib import ndiff
from time import monotonic
from typing import Any

import pytest
from aiohttp import web
from playwright.async_api import Browser, BrowserContext, Error, Page, async_playwright

from tests.support.repository import ROOT
from tools.browser import find_browser

SPEED = 4
PATIENCE_MS = (10_000, 5_000)
"""What the client waits for a socket to open and for a `pong`; this is not shortened, for a machine may be busy."""
PATIENCE_S = 90.0
POLL_S = 0.05
BUILT = ROOT / "gateway" / "assets" / "sdk"
STANDING = (
    "JSON.stringify([sdk.getConnectionState(), sdk.chat().getMessages().slice(-4), heard.slice(-8), localStorage])"
)
QUIET = (
    "--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --no-sandbox"
).split()
WATCH = (
    "window.refused = []; addEventListener('securitypolicyviolation', (one) => refused.push(one.violatedDirective));"
)
"""Keeps what a page's own policy has refused."""
PAGE = """\
<!doctype html><meta charset="utf-8"><title>A page</title><ol id="log"></ol><script type="module" src="/page.js"></script>
"""
SCRIPT = """\
import { AgentSDK, browserPlatform } from "/web-sdk.js";

const given = JSON.parse(new URLSearchParams(location.search).get("config"));
const world = browserPlatform();
const sdk = new AgentSDK(given, { ...world, after: (ms, run) => world.after(PATIENCE.includes(ms) ? ms : ms / SPEED, run) });
const log = document.getElementById("log");
window.heard = [];
window.show = () => log.replaceChildren(...sdk.chat().getMessages().map((message) => {
  const line = document.createElement("li");
  line.dataset.status = message.status;
  line.textContent = `${message.role}: ${message.content}`;
  return line;
}));
sdk.chat().on("change", window.show);
for (const name of ["message", "messageChunk", "messageRestart", "messageFailed"]) {
  sdk.chat().on(name, (payload) => window.heard.push([name, payload.messageId ?? payload.id]));
}
const connect = () => sdk.connect().catch(() => undefined);
sdk.on("connectionChange", ({ state }) => state === "exhausted" && setTimeout(connect, 200));
window.sdk = sdk;
window.show();
connect();
""".replace("SPEED", str(SPEED)).replace("PATIENCE", str(list(PATIENCE_MS)))


class Pages:
    """The pages of one browser profile: they share what is kept, and who leads."""

    def __init__(self, context: BrowserContext, address: str, config: Mapping[str, Any]) -> None:
        self.context = context
        self._url = f"{address}/?config={json.dumps(config)}"

    async def open(self) -> Page:
        """Open a page; it connects by itself."""
        page = await self.context.new_page()
        await page.goto(self._url)
        await page.wait_for_function("window.sdk !== undefined")
        return page


async def screen(page: Page) -> list[str]:
    """Return the lines that a page shows."""
    return [
        str(line) for line in await page.evaluate("[...document.querySelectorAll('li')].map((li) => li.textContent)")
    ]


async def send(page: Page, text: str) -> str:
    """Have a page send a message, as its visitor would; returns its id."""
    return str(await page.evaluate("(text) => window.sdk.chat().send(text)", text))


async def until(condition: Callable[[], Awaitable[bool]], what: Callable[[], Awaitable[str]] | str) -> None:
    """Return when a condition holds; fail with what there is instead."""
    end = monotonic() + PATIENCE_S
    while not await condition():
        if monotonic() > end:
            pytest.fail(what if isinstance(what, str) else await what())
        await asyncio.sleep(POLL_S)


async def shows(page: Page, lines: list[str]) -> None:
    """Wait until a page shows exactly these lines."""

    async def same() -> bool:
        try:
            return await screen(page) == lines
        except Error:
            return False  # it is just being loaded

    async def instead() -> str:
        differing = [line for line in ndiff(lines, await screen(page)) if line[0] in "+-"]
        return "\n".join(["the page does not show what it should:", *differing, str(await page.evaluate(STANDING))])

    await until(same, instead)


@asynccontextmanager
async def a_browser(*more: str) -> AsyncIterator[Browser]:
    """Yield the browser of the tests, started with `more` options, or skip with the reason why there is none."""
    found = find_browser()
    if isinstance(found, str):
        pytest.skip(found)
    async with async_playwright() as driver:
        environment = {**os.environ, **found.environment}
        browser = await driver.chromium.launch(executable_path=found.program, env=environment, args=[*QUIET, *more])
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def a_site() -> AsyncIterator[str]:
    """Yield the address of the server that the pages come from."""
    texts = {
        "/": (PAGE, "text/html"),
        "/page.js": (SCRIPT, "text/javascript"),
        "/web-sdk.js": ((BUILT / "web-sdk.js").read_text(encoding="utf-8"), "text/javascript"),
    }

    async def serve(request: web.Request) -> web.Response:
        if request.path not in texts:
            raise web.HTTPNotFound
        text, content_type = texts[request.path]
        return web.Response(text=text, content_type=content_type, headers={"Cache-Control": "no-store"})

    app = web.Application()
    app.router.add_get("/{path:.*}", serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def pages(browser: Browser, address: str, **config: Any) -> AsyncIterator[Pages]:
    """Yield the pages of a new profile."""
    context = await browser.new_context(locale="en-GB")
    try:
        yield Pages(context, address, config)
    finally:
        await context.close()
