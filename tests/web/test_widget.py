"""`<agent-widget>` on a page with a strict CSP and Trusted Types, on a real gateway, in a real browser. Spec: platform-api
13.2, 17. Decision: 0095.
"""

from __future__ import annotations

import gzip

import pytest
from playwright.async_api import expect

from tests.support.browser import BUILT, a_browser
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel
from tests.support.widget_page import a_widget_page

pytestmark = pytest.mark.anyio

SIZE_MAX_BYTES = 20_000
THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
ANSWER = "A **bold** word\n\n- one\n- two\n\n<img src=x onerror=alert(1)> [no](javascript:alert(1))"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_the_widget_is_small_the_core_included() -> None:
    assert len(gzip.compress((BUILT / "agent-widget.js").read_bytes(), 9)) <= SIZE_MAX_BYTES


async def test_a_visitor_asks_and_reads_the_answer_under_a_strict_csp(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text=ANSWER, delta_delay_ms=1)) as model,
        a_live_gateway(servers, "widget-asks", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_browser() as browser,
        a_widget_page(browser, gateway, prompts="What can you do?|Who are you?") as shown,
    ):
        page, box = shown.page, shown.page.get_by_role("textbox", name="Write a message")
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
        await shown.reload()
        await expect(answer.locator("strong")).to_have_text("bold")
        await expect(shown.lines).to_have_count(2)
        assert await page.locator(".heard").text_content() == "", "history is not announced"
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Open the chat")).to_be_focused()
        await shown.is_clean()
        assert model.count == 1
