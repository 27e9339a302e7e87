"""What a visitor can do in `<agent-widget>`, function by function. Spec: platform-api 13.2, 17. Decision: 0095."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from storage.statements import Statement
from tests.support.browser import a_browser, until
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel
from tests.support.widget_page import WidgetPage, a_widget_page

pytestmark = pytest.mark.anyio

THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
LONG = "\n\n".join(f"Paragraph {number} of **a long answer**" for number in range(60))
SHORT = StubBehaviour(text="A *short* answer")
HELD = StubBehaviour(text="One Two Three", holds_after=1)
DESK = """\
AGENT: Desk
GOAL: "Book a room"

FLOW:
  entry_point: ask

  ask:
    REASONING: false
    RESPOND: "When, and where?"
      ACTIONS:
        SUBMIT_ID: stay
        SUBMIT_LABEL: "Look"
        - INPUT: "Day"
          ID: day
          INPUT_TYPE: date
          REQUIRED: true
        - SELECT: "House"
          ID: house
          REQUIRED: true
          OPTIONS:
            - "At the lake" -> lake
            - "In town" -> town
    ON_ACTION:
      stay:
        TRANSITION: pick

  pick:
    REASONING: false
    RESPOND: "Which room?"
      ACTIONS:
        - SELECT: "Room"
          ID: room
          OPTIONS:
            - "Room seven" -> r7
            - "Room eight" -> r8
        - BUTTON: "None of them" -> none
    ON_ACTION:
      room:
        TRANSITION: offer
      none:
        TRANSITION: ask

  offer:
    REASONING: false
    RESPOND: "Take it?"
      ACTIONS:
        - BUTTON: "Yes" -> yes
        - BUTTON: "No" -> no
    ON_ACTION:
      yes:
        RESPOND: "It is yours."
        TRANSITION: ask
      no:
        TRANSITION: ask
"""
NUL = "a\0b"
"""What no server takes."""
RATED = Statement("SELECT rating FROM feedback WHERE project_id = :project_id")
SESSION = "document.querySelector('agent-widget').sdk.getSessionId()"
INIT = "**/api/v1/sdk/init"
PAUSES = 5
PAUSE_MAX_MS = 40_000
"""Longer than any pause between two attempts."""
WORDS = """() => {
  const told = [];
  for (const one of document.querySelector("agent-widget").shadowRoot.querySelectorAll("*")) {
    told.push(one.getAttribute("aria-label"), one.getAttribute("placeholder"));
    for (const child of one.childNodes) if (child.nodeType === 3) told.push(child.data);
  }
  return told.filter(Boolean);
}"""
"""Every text of the widget, shown or not."""
ENGLISH = ("Send", "Stop", "Write a message", "Close the chat", "Copy", "The agent is writing", "Good answer")
OVERFLOWING = """() => [...document.querySelector("agent-widget").shadowRoot.querySelectorAll(".panel *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === "visible" && one.clientWidth)
  .map((one) => one.className || one.tagName)"""
EDGE = "(one) => getComputedStyle(one).borderTopStyle"
LOOK = "(one) => { const { borderTopColor, borderTopWidth, backgroundColor, color } = getComputedStyle(one); return [borderTopColor, borderTopWidth, backgroundColor, color].join(); }"


class Box(NamedTuple):
    """Where something is, in CSS pixels."""

    left: float
    width: float

    @property
    def right(self) -> float:
        return self.left + self.width


async def box_of(found: Locator) -> Box:
    """Return where an element is."""
    box = await found.first.bounding_box()
    assert box is not None
    return Box(box["x"], box["width"])


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def a_thinker(
    servers: Servers, name: str, *behaviours: StubBehaviour
) -> AsyncIterator[tuple[StubModel, LiveGateway, Browser]]:
    """Yield a model that answers so, a gateway with an agent on it, and a browser."""
    async with (
        StubModel(*behaviours) as model,
        a_live_gateway(servers, name, {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_browser() as browser,
    ):
        yield model, gateway, browser
        model.may_go_on.set()


async def test_an_answer_is_stopped_copied_rated_and_left_and_come_back_to(servers: Servers) -> None:
    story = (HELD, SHORT, HELD, StubBehaviour(text=LONG), SHORT)
    async with a_thinker(servers, "widget-answers", *story) as (_model, gateway, browser):
        granted = {"permissions": ["clipboard-read", "clipboard-write"]}
        async with a_widget_page(browser, gateway, context=granted) as shown:
            page, box, answers, heard = shown.page, shown.box, shown.answers, shown.page.locator(".heard")
            # Stop, by the keyboard: what was said stays, and the focus is where the visitor writes
            await shown.say("one")
            await expect(answers.last).to_have_text("One")
            await expect(page.get_by_text("The agent is writing")).to_be_visible()
            await shown.button("Stop").press("Enter")
            await expect(answers.last).to_have_attribute("data-status", "done")
            await expect(shown.button("Stop")).to_be_hidden()
            await expect(page.get_by_text("The agent is writing")).to_be_hidden()
            await expect(box).to_be_focused()
            await expect(answers.last.locator(".bubble")).to_have_text("One")
            # Copy what was written, not how it looks; rate it
            await shown.say("two")
            await expect(answers.last.locator("em")).to_have_text("short")
            await answers.last.get_by_role("button", name="Copy").click()
            await expect(heard).to_have_text("Copied")
            assert await page.evaluate("navigator.clipboard.readText()") == SHORT.text
            good, bad = (answers.last.get_by_role("button", name=name) for name in ("Good answer", "Bad answer"))
            await good.click()
            await expect(good).to_have_attribute("aria-pressed", "true")
            await expect(heard).to_have_text("Thank you")
            await bad.click()
            await expect(bad).to_have_attribute("aria-pressed", "true")
            await expect(good).to_have_attribute("aria-pressed", "false")
            await until(partial(is_rated, gateway, ["negative"]), "the last thumb is not kept")
            # Stop after a reload in mid-answer
            await shown.say("three")
            await expect(answers).to_have_count(3)
            await expect(answers.last.locator(".bubble")).to_have_text("One")
            await shown.reload()
            await expect(answers.last.locator(".bubble")).to_have_text("One")
            await shown.button("Stop").click()
            await expect(answers.last).to_have_attribute("data-status", "done")
            # A reader is left where they read; the way to the end is offered, and goes when it is reached
            await shown.say("four")
            await expect(answers.last.locator("p")).to_have_count(60)
            log = page.get_by_role("region", name="Chat")
            jump = shown.button("Go to the latest message")
            await expect(jump).to_be_hidden()
            await log.evaluate("(log) => { log.scrollTop = 0 }")
            await expect(jump).to_be_visible()
            await shown.box.fill("five")
            await page.evaluate("document.querySelector('agent-widget').chat.send('five')")
            await expect(answers).to_have_count(5)
            await expect(answers.last.locator("em")).to_have_text("short")
            assert await log.evaluate("(log) => log.scrollTop") == 0
            await jump.press("Enter")
            await expect(jump).to_be_hidden()
            await expect(answers.last).to_be_in_viewport()
            await expect(log).to_be_focused()
            # What comes while the widget is closed is counted until it is opened
            await shown.button("Close the chat").click()
            badge = page.locator(".badge")
            await expect(badge).to_be_hidden()
            for count in (1, 2):
                await page.evaluate("document.querySelector('agent-widget').send('six')")
                await expect(badge).to_have_text(str(count))
            await shown.button("Open the chat, 2 unread").click()
            await expect(answers.last).to_be_in_viewport()
            await shown.button("Close the chat").click()
            await expect(shown.button("Open the chat")).to_be_visible()
            await shown.is_clean()


async def rated(gateway: LiveGateway) -> list[str]:
    """Return what was thought of answers, as it is kept."""
    return [row["rating"] for row in await gateway.running.database.rows(RATED, project_id=gateway.project_id)]


async def is_rated(gateway: LiveGateway, ratings: list[str]) -> bool:
    return await rated(gateway) == ratings


async def test_buttons_and_forms_are_answered_once_and_stay_so(servers: Servers) -> None:
    async with (
        a_live_gateway(servers, "widget-actions", {"desk.abl": DESK}) as gateway,
        a_browser() as browser,
        a_widget_page(browser, gateway) as shown,
    ):
        page, answers, users = shown.page, shown.answers, page_users(shown)
        await shown.say("hello")
        form = answers.nth(0)
        await form.get_by_role("button", name="Look").click()
        await expect(form.get_by_label("Day")).to_be_focused()  # the browser says that it must be filled in
        await expect(users).to_have_count(1)
        await form.get_by_label("Day").fill("2026-12-01")
        await form.get_by_label("House").select_option(label="In town")
        await form.get_by_role("button", name="Look").press("Enter")
        await expect(answers).to_have_count(2)
        await expect(shown.box).to_be_focused()
        await expect(users.nth(1)).to_have_text("2026-12-01, In town")
        # A field without a button of the set is sent by itself
        pick = answers.nth(1)
        await pick.get_by_label("Room").select_option(label="Room eight")
        await pick.get_by_role("button", name="Submit").click()
        await expect(answers).to_have_count(3)
        await expect(users.nth(2)).to_have_text("Room eight")
        offer = answers.nth(2)
        await expect(offer.get_by_role("button", name="Yes")).to_be_enabled()
        await answered(form, pick)
        await shown.reload()
        await expect(answers).to_have_count(3)
        await answered(form, pick)
        await expect(users).to_have_text(["hello", "2026-12-01, In town", "Room eight"])
        await offer.get_by_role("button", name="Yes").click()
        await expect(answers).to_have_count(4)
        for _ in range(2):
            await expect(offer.get_by_role("button", name="Yes")).to_be_disabled()
            await expect(offer.get_by_role("button", name="Yes")).to_have_attribute("aria-pressed", "true")
            await expect(offer.get_by_role("button", name="No")).to_be_disabled()
            await expect(answers.nth(3).get_by_label("Day")).to_be_enabled()
            await expect(answers.nth(3).get_by_label("Day")).to_have_value("")
            await shown.reload()
        # Another tab shows the same, and who writes instead of answering closes the set
        await shown.say("never mind")
        await expect(answers.nth(3).get_by_label("Day")).to_be_disabled()
        await shown.is_clean()
        assert page.url.endswith("/page"), "a form sends itself nowhere"


def page_users(shown: WidgetPage) -> Locator:
    """Return what the visitor has said."""
    return shown.page.locator(".line[data-role=user] .bubble")


async def answered(form: Locator, pick: Locator) -> None:
    """Fail where an answered form can be answered again, or does not show how it was."""
    await expect(form.get_by_label("Day")).to_be_disabled()
    await expect(form.get_by_label("Day")).to_have_value("2026-12-01")
    await expect(form.get_by_label("House")).to_have_value("town")
    await expect(form.get_by_role("button", name="Look")).to_be_disabled()
    await expect(pick.get_by_label("Room")).to_be_disabled()
    await expect(pick.get_by_label("Room")).to_have_value("r8")


async def test_what_is_not_sent_can_be_sent_again_or_discarded_also_behind_an_end(servers: Servers) -> None:
    async with (
        a_thinker(servers, "widget-unsent", SHORT) as (model, gateway, browser),
        a_widget_page(browser, gateway) as shown,
    ):
        page, users = shown.page, page_users(shown)
        await shown.say("one")
        await expect(shown.answers.last).to_have_attribute("data-status", "done")
        # Refused for good: it is not sent, says so, and can be discarded
        await page.evaluate("(text) => document.querySelector('agent-widget').send(text)", NUL)
        unsent = page.locator(".line[data-role=user][data-status=failed]")
        await expect(unsent).to_contain_text("This message was not sent.")
        await shown.reload()
        await expect(unsent).to_contain_text("This message was not sent.")
        await unsent.get_by_role("button", name="Discard").press("Enter")
        await expect(unsent).to_have_count(0)
        await expect(shown.box).to_be_focused()
        await expect(users).to_have_text(["one"])
        # The session has ended while the page was away: what is written for it is not taken into another one by itself
        session_id = await page.evaluate(SESSION)
        await page.evaluate("document.querySelector('agent-widget').sdk.disconnect()")
        await end(gateway, session_id)
        await page.evaluate("document.querySelector('agent-widget').send('two')")
        await expect(unsent).to_contain_text("two")
        await unsent.get_by_role("button", name="Send again").click()
        await expect(users).to_have_text(["two"])
        await expect(shown.answers).to_have_attribute("data-status", "done")
        assert await page.evaluate(SESSION) != session_id
        # The end, seen as it happens; the next word begins anew
        session_id = await page.evaluate(SESSION)
        await end(gateway, session_id)
        await expect(shown.state).to_have_text("This conversation is over. What you write begins another.")
        await expect(users).to_have_text(["two"])
        await shown.say("three")
        await expect(users).to_have_text(["three"])
        await expect(shown.answers).to_have_attribute("data-status", "done")
        await expect(shown.state).to_be_hidden()
        # No answer comes
        settings = {"settings": {"turnTimeoutSec": 1}}
        assert (await gateway.call("PATCH", f"/api/projects/{gateway.project_id}", settings)).status == 200
        await end(gateway, await page.evaluate(SESSION))
        await expect(shown.state).to_have_text("This conversation is over. What you write begins another.")
        model.then([HELD])
        await shown.say("four")
        await expect(shown.answers.last).to_have_attribute("data-status", "failed")
        await expect(shown.answers.last).to_contain_text("No answer came.")
        await expect(shown.button("Stop")).to_be_hidden()
        await shown.is_clean()


async def test_it_says_why_there_is_no_conversation(servers: Servers) -> None:
    async with a_thinker(servers, "widget-failed", SHORT) as (_, gateway, browser):
        async with a_widget_page(browser, gateway, api_key="pk_nobodys") as shown:
            await expect(shown.state).to_have_text("This page may not use this agent.")
        async with a_widget_page(browser, gateway, api_key="abl_secret") as shown:
            await expect(shown.state).to_have_text("The chat is not set up: project-id or api-key is missing.")
            await expect(shown.box).to_be_disabled()
            await expect(shown.button("Send")).to_be_disabled()
            assert [url for url in shown.asked if "/api/" in url] == []
        async with a_widget_page(browser, gateway, prepare=nobody_answers) as shown:
            page = shown.page
            await expect(shown.state).to_have_text("The connection is lost. It is tried again.")
            before = inits(shown)
            for number in range(1, PAUSES + 1):
                await page.clock.run_for(PAUSE_MAX_MS)
                await until(partial(has_asked, shown, before + number), "it does not try again")
            await expect(shown.state).to_contain_text("The connection could not be made.")
            await page.unroute(INIT)
            await shown.button("Try again").click()
            await expect(shown.state).to_be_hidden()
            await expect(shown.box).to_be_focused()
            await shown.say("hello")
            await expect(shown.answers.last.locator("em")).to_have_text("short")
            await expect(page_users(shown)).to_have_text(["hello"])


async def end(gateway: LiveGateway, session_id: str) -> None:
    """End a session, as an operator would."""
    assert (await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {})).status == 200


async def without_german(page: Page) -> None:
    """Have the German texts not be there."""
    await page.route("**/agent-widget.de.json", lambda route: route.fulfill(status=404, body="{"))


async def slow_german(page: Page, may_come: asyncio.Event) -> None:
    """Have the German texts come when they may."""

    async def tell(route: Route) -> None:
        await may_come.wait()
        await route.continue_()

    await page.route("**/agent-widget.de.json", tell)


async def nobody_answers(page: Page) -> None:
    """Have no page be let in, and its timers be the test's."""
    await page.clock.install()
    await page.route(INIT, lambda route: route.abort())


def inits(shown: WidgetPage) -> int:
    """Return how often a page has asked to be let in."""
    return len([url for url in shown.asked if url.endswith("/sdk/init")])


async def has_asked(shown: WidgetPage, count: int) -> bool:
    return inits(shown) >= count


async def test_it_speaks_the_language_of_the_page_runs_from_right_to_left_and_is_seen_in_forced_colours(
    servers: Servers,
) -> None:
    async with a_thinker(servers, "widget-looks", SHORT) as (_, gateway, browser):
        async with a_widget_page(browser, gateway, page='lang="de-AT"', opens="Chat öffnen") as shown:
            await expect(shown.page.get_by_role("textbox", name="Nachricht schreiben")).to_be_focused()
            await shown.say("Hallo")
            await expect(shown.answers.last.get_by_role("button", name="Gute Antwort")).to_be_visible()
            await shown.page.evaluate("document.querySelector('agent-widget').failed(new Error('no clipboard'))")
            await expect(shown.page.locator(".heard")).to_have_text("Das hat nicht geklappt.")
            words = await shown.page.evaluate(WORDS)
            assert [word for word in ENGLISH if word in words] == []
            await shown.is_clean()
        # Where its texts cannot be had, it is English
        async with a_widget_page(browser, gateway, page='lang="de"', prepare=without_german) as shown:
            await expect(shown.page.get_by_role("textbox", name="Write a message")).to_be_focused()
            assert len([url for url in shown.asked if url.endswith("/sdk/agent-widget.de.json")]) == 1
        may_come = asyncio.Event()
        slow = partial(slow_german, may_come=may_come)
        async with a_widget_page(browser, gateway, page='lang="de"', opens="", prepare=slow) as shown:
            widget = "document.querySelector('agent-widget')"
            assert await shown.page.evaluate(f"{widget}.open(), {widget}.isOpen") is False
            await shown.page.evaluate(f"window.told = {widget}.sdk.chat().send('Hallo')")
            may_come.set()
            await expect(shown.page.get_by_role("textbox", name="Nachricht schreiben")).to_be_focused()
            await expect(shown.answers.last.locator("em")).to_have_text("short")
        async with a_widget_page(browser, gateway, page='lang="he" dir="rtl"') as shown:
            await shown.say("שלום")
            await expect(shown.answers.last).to_have_attribute("data-status", "done")
            panel, user, answer, send, title, close = [
                await box_of(shown.page.locator(one))
                for one in (
                    ".panel",
                    ".line[data-role=user]",
                    ".line[data-role=assistant]",
                    ".go",
                    "h2",
                    "header button",
                )
            ]
            assert user.left < answer.left
            assert user.right < answer.right
            assert send.right < panel.left + panel.width / 2
            assert close.right < title.left + 1
            assert await shown.page.evaluate(OVERFLOWING) == []
            await shown.is_clean()
        colours = {"forced_colors": "active"}
        async with a_widget_page(browser, gateway, context=colours, opens="") as shown:
            launcher = shown.button("Open the chat")
            assert await launcher.evaluate(EDGE) == "solid"
            await launcher.click()
            await shown.say("hello")
            await expect(shown.answers.last).to_have_attribute("data-status", "done")
            good = shown.answers.last.get_by_role("button", name="Good answer")
            before = await good.evaluate(LOOK)
            await good.click()
            await expect(good).to_have_attribute("aria-pressed", "true")
            assert await good.evaluate(LOOK) != before, "what is pressed looks so"
            for one in (
                ".panel",
                ".line[data-role=user] .bubble",
                ".line[data-role=assistant] .bubble",
                "textarea",
                ".go",
            ):
                assert await shown.page.locator(one).evaluate(EDGE) == "solid", one
            await shown.box.focus()
            assert await shown.box.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
            await shown.is_clean()


@pytest.mark.parametrize("mode", ["unified", "voice"])
async def test_without_a_voice_server_it_says_so_and_chat_goes_on(servers: Servers, mode: str) -> None:
    async with (
        a_thinker(servers, f"widget-{mode}", SHORT) as (_, gateway, browser),
        a_widget_page(browser, gateway, mode=mode) as shown,
    ):
        told = "Voice is not available here. You can write."
        await shown.button("Start talking").click()
        await expect(shown.state).to_have_text(told)
        await expect(shown.box).to_be_focused()
        await expect(shown.button("Start talking")).to_have_count(0)
        await shown.say("hello")
        await expect(shown.answers.last.locator("em")).to_have_text("short")
        await expect(shown.state).to_have_text(told)
        await shown.reload()
        await expect(shown.lines).to_have_count(2)
        await shown.button("Start talking").click()
        await expect(shown.state).to_have_text(told)
        await shown.is_clean()


async def test_a_widget_whose_voice_file_is_not_there_says_so_and_chat_goes_on(servers: Servers) -> None:
    async def without_voice(page: Page) -> None:
        await page.route("**/agent-widget-voice.js", lambda route: route.abort())

    async with (
        a_thinker(servers, "widget-no-voice-file", SHORT) as (_, gateway, browser),
        a_widget_page(browser, gateway, mode="unified", prepare=without_voice) as shown,
    ):
        await expect(shown.state).to_have_text("Voice is not available here. You can write.")
        await shown.say("hello")
        await expect(shown.answers.last.locator("em")).to_have_text("short")


async def test_forms_whose_file_could_not_be_had_come_with_a_later_try(servers: Servers) -> None:
    tries: list[str] = []

    async def once_not(page: Page) -> None:
        async def answer(route: Route) -> None:
            tries.append(route.request.url)
            await (route.abort() if len(tries) == 1 else route.continue_())

        await page.route("**/agent-widget-forms.js*", answer)

    async with (
        StubModel(SHORT) as model,
        a_live_gateway(servers, "widget-forms", {"d.abl": DESK}, model_url=model.base_url) as gateway,
        a_browser() as browser,
        a_widget_page(browser, gateway, prepare=once_not) as shown,
    ):
        await shown.say("hello")
        await expect(shown.answers.last).to_contain_text("When, and where?")
        await expect(shown.page.locator(".heard")).to_have_text("That did not work.")
        show = "(element) => element.chat.emit('change')"
        look = shown.page.locator("agent-widget")

        async def is_there() -> bool:
            await look.evaluate(show)
            return await shown.button("Look").count() == 1

        await until(is_there, "the form did not come")
        assert len(tries) == 2
        assert tries[0] != tries[1]


async def test_what_uploads_is_loaded_by_the_first_upload(servers: Servers) -> None:
    async with (
        a_thinker(servers, "widget-upload", SHORT) as (_, gateway, browser),
        a_widget_page(browser, gateway) as shown,
    ):
        await shown.say("hello")
        await expect(shown.answers.last.locator("em")).to_have_text("short")
        assert not [url for url in shown.asked if url.endswith("/attachments.js")]
        uploaded = await shown.page.evaluate(
            "document.querySelector('agent-widget').sdk.chat().uploadAttachment(new File(['hello'], 'a.txt'))"
        )
        assert isinstance(uploaded, str)
        assert uploaded
        assert [url for url in shown.asked if url.endswith("/attachments.js")]
        reason = (
            "document.querySelector('agent-widget').sdk.chat().uploadAttachment(new File(['x'], 'a.exe'))"
            ".catch(({ reason }) => reason)"
        )
        assert await shown.page.evaluate(reason) == "file_type"
        await shown.is_clean()
