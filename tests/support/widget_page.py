"""A page of the gateway's own origin with `<agent-widget>` on it, under a strict CSP and with Trusted Types."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from html import escape
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.support.browser import WATCH
from tests.support.live_gateway import LiveGateway

PATIENCE_MS = 60_000
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HTML = """<!doctype html><html {page}><meta charset="utf-8"><title>A page</title>
<agent-widget {widget}></agent-widget>
<script src="/sdk/agent-widget.js"></script>"""

expect.set_options(timeout=PATIENCE_MS)


class WidgetPage:
    """What a visitor sees and does."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.asked: list[str] = []
        self._origin = origin
        page.on("request", lambda request: self.asked.append(request.url))
        self.box = page.locator("textarea")
        self.lines = page.locator(".line")
        self.answers = page.locator(".line[data-role=assistant]")
        self.state = page.locator(".state")

    def button(self, name: str) -> Locator:
        """Return the button of this name, which assistive technology tells."""
        return self.page.get_by_role("button", name=name, exact=True)

    async def say(self, text: str) -> None:
        """Type a message and send it."""
        await self.box.fill(text)
        await self.box.press("Enter")
        await expect(self.box).to_have_value("")

    async def reload(self) -> None:
        """Load the page again, and open the widget."""
        await self.page.reload()
        await self.button("Open the chat").click()

    async def is_clean(self) -> None:
        """Fail where the policy has refused anything, or anything was asked of another host."""
        assert await self.page.evaluate("window.refused") == []
        assert [url for url in self.asked if not url.startswith(self._origin)] == []


@asynccontextmanager
async def a_widget_page(
    browser: Browser,
    gateway: LiveGateway,
    *,
    page: str = 'lang="en"',
    opens: str = "Open the chat",
    context: dict[str, Any] | None = None,
    prepare: Callable[[Page], Awaitable[None]] | None = None,
    **attributes: str,
) -> AsyncIterator[WidgetPage]:
    """Yield a page of a new profile, its widget open.

    Args:
        page: Attributes of the page itself.
        opens: What the launcher is called; "" leaves it closed.
        context: Of the browser's profile.
        prepare: Called with the page before it is loaded.
        attributes: Of the widget; `project_id` and `api_key` are the gateway's where none are given.
    """
    given = {"project_id": gateway.project_id, "api_key": gateway.public_key, **attributes}
    widget = " ".join(f'{name.replace("_", "-")}="{escape(value)}"' for name, value in given.items())
    html = HTML.format(page=page, widget=widget)

    async def serve(_request: Request) -> HTMLResponse:
        return HTMLResponse(html, headers={"Content-Security-Policy": CSP})

    route = Route("/page", serve)  # a page that no server has served may open no socket
    gateway.app.router.routes.insert(0, route)
    origin = f"http://127.0.0.1:{gateway.port}/"
    profile = await browser.new_context(**{"locale": "en-GB", **(context or {})})
    try:
        await profile.add_init_script(WATCH)
        shown = WidgetPage(await profile.new_page(), origin)
        if prepare is not None:
            await prepare(shown.page)
        await shown.page.goto(f"{origin}page")
        if opens:
            await shown.button(opens).click()
        yield shown
    finally:
        await profile.close()
        gateway.app.router.routes.remove(route)
