"""A long conversation in `<agent-widget>`: the page holds what is seen and a little around it. Decision: 0095."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.support.browser import a_browser
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel
from tests.support.widget_page import a_widget_page

pytestmark = pytest.mark.anyio

THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
MESSAGES = 10_000
ELEMENTS_MAX = 200
FORM = {
    "elements": [{"id": "note", "type": "input", "label": "Note"}, {"id": "no", "type": "button", "label": "No"}],
    "submit_id": "send",
}
WALK = """(direction) => {
  const root = document.querySelector("agent-widget").shadowRoot;
  const [log, earlier, jump] = [".log", ".log > button", ".jump"].map((one) => root.querySelector(one));
  const seen = new Set();
  let [most, moved, steps] = [0, 0, 0];
  for (; steps < 20_000 && !(direction < 0 ? earlier.hidden && !log.scrollTop : jump.hidden); steps += 1) {
    log.scrollTop += direction * log.clientHeight * 0.8;
    const lines = [...root.querySelectorAll(".line")];
    const anchor = lines.find((line) => line.offsetTop + line.offsetHeight > log.scrollTop);
    const top = anchor.getBoundingClientRect().top;
    log.dispatchEvent(new Event("scroll")); // the browser's own comes with the next frame
    if (Math.abs(anchor.getBoundingClientRect().top - top) > 1) moved += 1;
    for (const line of root.querySelectorAll(".line .bubble")) seen.add(line.textContent);
    most = Math.max(most, root.querySelectorAll("*").length);
  }
  return { seen: seen.size, most, moved, steps };
}"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def history() -> dict[str, Any]:
    """Return a history of so many messages, the last of which shows a form."""
    messages: list[dict[str, Any]] = [
        {
            "id": f"msg_{number}",
            "role": "assistant" if number % 2 else "user",
            "content": f"Line **{number}**" + "\n\nand more" * (number % 7 == 1),
            "timestamp": "2026-11-24T00:00:00.000Z",
        }
        for number in range(MESSAGES)
    ]
    messages[-1] |= {"actions": FORM, "actionState": "open"}
    return {"success": True, "messages": messages[::-1], "lastSeq": 1, "openActions": messages[-1]["id"]}


async def test_10_000_messages_are_at_most_200_elements_from_one_end_to_the_other(servers: Servers) -> None:
    told = json.dumps(history())

    async def tell(route: Route) -> None:
        await route.fulfill(body=told, content_type="application/json")

    async with (
        StubModel(StubBehaviour(text="An answer")) as model,
        a_live_gateway(servers, "widget-list", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_browser() as browser,
        a_widget_page(browser, gateway) as shown,
    ):
        page, jump = shown.page, shown.button("Go to the latest message")
        await shown.say("hello")
        await expect(shown.answers).to_have_attribute("data-status", "done")
        await page.route("**/sessions/*/messages?**", tell)
        await shown.reload()
        await expect(shown.answers.last.locator("strong")).to_have_text(str(MESSAGES - 1))
        await expect(shown.answers.last).to_be_in_viewport()
        await expect(jump).to_be_hidden()
        note = shown.answers.last.get_by_label("Note")
        await note.fill("half done")
        good = shown.answers.last.get_by_role("button", name="Good answer")
        await good.click()
        await expect(good).to_have_attribute("aria-pressed", "true")
        up = await page.evaluate(WALK, -1)
        await expect(shown.lines.first).to_have_text("Line **0**")
        await expect(shown.lines.first).to_be_in_viewport()
        down = await page.evaluate(WALK, 1)
        for walk in (up, down):
            assert walk["most"] <= ELEMENTS_MAX, walk
            assert walk["moved"] == 0, walk
            assert walk["seen"] > MESSAGES - 25, walk
        assert (up["seen"], down["seen"]) == (MESSAGES, MESSAGES)
        await expect(note).to_have_value("half done")
        await expect(good).to_have_attribute("aria-pressed", "true")
        # Keys, the button, and what comes while somebody reads above
        log = page.get_by_role("region", name="Chat")
        await log.press("Home")
        await expect(shown.lines.first).to_have_text("Line **0**")
        await expect(shown.lines.first).to_be_in_viewport()
        await expect(shown.button("Show earlier messages")).to_be_hidden()
        await page.evaluate("document.querySelector('agent-widget').chat.send('more')")
        await expect(page.locator(".heard")).to_have_text("Agent: An answer")
        await expect(shown.lines.first).to_have_text("Line **0**")
        await expect(shown.lines.first).to_be_in_viewport()
        await jump.click()
        await expect(shown.answers.last.locator(".bubble")).to_have_text("An answer")
        await expect(shown.answers.last).to_be_in_viewport()
        await shown.button("Show earlier messages").click()
        await expect(jump).to_be_visible()
        await log.press("End")
        await expect(shown.answers.last).to_be_in_viewport()
        await expect(jump).to_be_hidden()
        assert (
            await page.locator("agent-widget").evaluate("(one) => one.shadowRoot.querySelectorAll('*').length") <= 200
        )
        # A page that is as tall as can be shows enough to be scrolled
        await page.set_viewport_size({"width": 1280, "height": 2_400})
        await page.locator("agent-widget").evaluate("(one) => one.style.setProperty('--agent-height', '100vh')")
        await shown.reload()
        await expect(shown.answers.last).to_be_in_viewport()
        assert await log.evaluate("(log) => log.scrollHeight > 2 * log.clientHeight")
        await shown.is_clean()
