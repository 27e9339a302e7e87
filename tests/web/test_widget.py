"""`<agent-widget>` on a page with a strict CSP and Trusted Types, on a real gateway, in a real browser. Spec: platform-api
13.2, 17. Decision: 0095.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, expect
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from tests.support.browser import WATCH, a_browser
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
ANSWER = "A **bold** word\n\n- one\n- two\n\n<img src=x onerror=alert(1)> [no](javascript:alert(1))"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
<agent-widget project-id="{}" api-key="{}" prompts="What can you do?|Who are you?"></agent-widget>
<script src="/sdk/agent-widget.js"></script>"""

expect.set_options(timeout=60_000)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def a_page(gateway: LiveGateway, **context: str) -> AsyncIterator[tuple[Page, list[str]]]:
    """Yield a page of the gateway's own origin with the widget on it, and where its requests went."""
    origin = f"http://127.0.0.1:{gateway.port}"
    asked: list[str] = []

    async def serve(_request: Request) -> HTMLResponse:
        body = PAGE.format(gateway.project_id, gateway.public_key)
        return HTMLResponse(body, headers={"Content-Security-Policy": CSP})

    gateway.app.router.routes.append(Route("/page", serve))  # a page that no server has served may open no socket
    async with a_browser() as browser:
        profile = await browser.new_context(locale="en-GB", **context)  # type: ignore[arg-type]
        await profile.add_init_script(WATCH)
        page = await profile.new_page()
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(f"{origin}/page")
        yield page, asked


async def test_a_visitor_asks_and_reads_the_answer_under_a_strict_csp(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text=ANSWER, delta_delay_ms=1)) as model,
        a_live_gateway(servers, "widget-asks", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_page(gateway) as (page, asked),
    ):
        await page.get_by_role("button", name="Open the chat").click()
        box = page.get_by_role("textbox", name="Write a message")
        await expect(box).to_be_focused()
        await expect(page.get_by_role("button", name="Who are you?")).to_be_visible()
        await box.fill("Tell me")
        await box.press("Shift+Enter")
        await expect(box).to_have_value("Tell me\n")
        await box.press("Enter")
        answer = page.locator(".line[data-role=assistant][data-status=done] .bubble")
        await expect(answer.locator("strong")).to_have_text("bold")
        await expect(answer.locator("li")).to_have_count(2)
        await expect(answer.locator("img, a")).to_have_count(0)
        await expect(answer).to_contain_text("<img src=x")
        await expect(box).to_have_value("")
        await expect(page.locator(".heard")).to_contain_text("Agent: A **bold**")
        await page.reload()
        await page.get_by_role("button", name="Open the chat").click()
        await expect(answer.locator("strong")).to_have_text("bold")
        await expect(page.locator(".line")).to_have_count(2)
        assert await page.locator(".heard").text_content() == "", "history is not announced"
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Open the chat")).to_be_focused()
        assert await page.evaluate("window.refused") == []
        origin = f"http://127.0.0.1:{gateway.port}/"
        assert [url for url in asked if not url.startswith(origin)] == []
        assert model.count == 1
