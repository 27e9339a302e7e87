"""First sight: who starts the product opens the link that it prints, chooses an agent, asks, and has the answer.
Decision: 0097.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.support.browser import WATCH, a_browser
from tests.support.repository import ROOT
from tests.support.served import started, until

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("product")]
EXAMPLE = ROOT / "examples" / "parcel-desk"
GREETING = "Parcel desk here."
RETURNS = """\
AGENT: Returns_Office
GOAL: "Take parcels back"
FLOW:
  entry_point: greet
  greet:
    REASONING: false
    RESPOND: "Returns office."
    THEN: COMPLETE
"""
START_S = 60.0

expect.set_options(timeout=60_000)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_newcomer_opens_the_link_chooses_an_agent_asks_and_has_the_answer(tmp_path: Path) -> None:
    project = tmp_path / "parcel-desk"
    shutil.copytree(EXAMPLE, project)
    (project / "agents" / "returns_office.agent.abl").write_text(RETURNS, encoding="utf-8")
    words = ("--runtime", "local", "--port", "0", "--project", str(project), "--mocks", str(project / "mocks.yaml"))
    log = tmp_path / "log"
    async with started(tmp_path, *words) as server, a_browser() as browser:
        await until(lambda: "Try:" in log.read_text(), "it serves", within_s=START_S)
        first = log.read_text().splitlines()[0]
        (link,) = re.findall(r"^Talk to it in a browser: (http://127\.0\.0\.1:\d+/)$", first)
        context = await browser.new_context(locale="en-GB")
        await context.add_init_script(WATCH)
        page = await context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(link)
        await expect(page.get_by_role("heading", name="parcel-desk")).to_be_visible()
        box = page.get_by_role("textbox", name="Write a message")
        answer = page.locator(".line[data-role=assistant][data-status=done] .bubble")
        await expect(box).to_be_focused()
        await box.fill("Hello")
        await box.press("Enter")
        await expect(answer).to_contain_text(GREETING)
        await page.get_by_role("link", name="Returns_Office").click()
        await expect(page.get_by_role("heading", name="Returns_Office")).to_be_visible()
        await expect(page.locator(".line")).to_have_count(0)
        await box.fill("Hello")
        await box.press("Enter")
        await expect(answer).to_contain_text("Returns office.")
        await page.get_by_role("link", name="Parcel_Desk").click()
        await expect(answer).to_contain_text(GREETING)
        await expect(page.locator(".line")).to_have_count(2)
        assert await page.evaluate("window.refused") == []
        assert [url for url in asked if not url.startswith(link)] == []
        server.terminate()
        assert await server.wait() == 0
