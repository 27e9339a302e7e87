"""`examples/web-page` and `examples/web-react`, as their READMEs say, each on a site of its own, in a real browser."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.browser import WATCH, a_browser
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.repository import ROOT
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel
from tools.node import WEB, modules_of

pytestmark = pytest.mark.anyio

EXAMPLES = ROOT / "examples"
PLAIN, REACT = EXAMPLES / "web-page", EXAMPLES / "web-react"
PARCELS = EXAMPLES / "parcel-desk"
SDK = "@agent-platform/web-sdk"
GATEWAY = "127.0.0.1:8400"
"""Where the gateway of the pages is, as they are written."""
WITHIN_S = 120.0
DESK = """\
AGENT: Desk
GOAL: "Book a room"

FLOW:
  entry_point: ask

  ask:
    REASONING: false
    RESPOND: "When?"
      ACTIONS:
        SUBMIT_ID: stay
        SUBMIT_LABEL: "Look"
        - INPUT: "Day"
          ID: day
          REQUIRED: true
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
        - BUTTON: "Back" -> back
        - BUTTON: "Help me choose" -> help
    ON_ACTION:
      room:
        TRANSITION: ask
      back:
        TRANSITION: ask
      help:
        TRANSITION: talk

  talk:
    REASONING: true
    GOAL: "Help to choose"
    MAX_TURNS: 4
    THEN: COMPLETE
"""
HELD = StubBehaviour(text="One Two Three", holds_after=1)
WRITES_HTML = "try { document.createElement('p').innerHTML = '<b>x</b>'; true } catch { false }"
"""What the policy of both pages refuses."""
KEEP_CHUNKS = """() => {
  window.chunks = [];
  document.querySelector("agent-widget").sdk.chat().on("messageChunk", ({ chunk }) => chunks.push(chunk));
}"""

expect.set_options(timeout=60_000)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Quiet(SimpleHTTPRequestHandler):
    """What `python3 -m http.server` does, without a line for each request."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def a_site(folder: Path) -> Iterator[str]:
    """Yield the address at which the files of a folder are served, as the READMEs serve them."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def put(page: Path, values: Mapping[str, str]) -> None:
    """Write values where a page has their names, as its reader does."""
    text = page.read_text(encoding="utf-8")
    for name, value in values.items():
        assert name in text, name
        text = text.replace(name, value)
    page.write_text(text, encoding="utf-8")


@asynccontextmanager
async def opened(browser: Browser, address: str, gateway: str) -> AsyncIterator[Page]:
    """Yield the page; at the end its policy has refused nothing, nobody else was asked, and the policy does refuse."""
    context = await browser.new_context(locale="en-GB")
    await context.add_init_script(WATCH)
    page, asked = await context.new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(f"{address}/")
    yield page
    assert await page.evaluate("window.refused") == []
    assert [url for url in asked if not url.startswith((address, gateway))] == []
    assert not await page.evaluate(WRITES_HTML)
    assert await page.evaluate("window.refused") == ["require-trusted-types-for"]
    await context.close()


async def pinned(gateway: LiveGateway) -> dict[str, str]:
    """Return what a page has to be told of the script."""
    told = (await gateway.call("GET", "/sdk/manifest.json")).json()
    return {"VERSION": told["version"], "INTEGRITY": told["files"]["agent-widget.js"]["integrity"]}


async def key_for(gateway: LiveGateway, origin: str) -> str:
    """Return a key for pages of an origin."""
    wanted = {"name": "shop", "allowedOrigins": [origin]}
    made = await gateway.call("POST", f"/api/projects/{gateway.project_id}/public-keys", wanted)
    assert made.status == 201, made.body
    return str(made.json()["secret"])


async def test_the_widget_on_a_page_of_another_origin(servers: Servers, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    shutil.copytree(PLAIN, folder)
    texts = {path.name: path.read_text(encoding="utf-8") for path in PARCELS.rglob("*.abl")}
    async with a_live_gateway(servers, "page-example", texts) as gateway, a_browser() as browser:
        url = f"127.0.0.1:{gateway.port}"
        with a_site(folder) as address:
            given = {"PROJECT": gateway.project_id, "PAGE_KEY": await key_for(gateway, address), GATEWAY: url}
            put(folder / "index.html", {**given, **await pinned(gateway)})
            async with opened(browser, address, f"http://{url}") as page:
                await expect(page.locator("#connection")).to_have_text("ready")
                await page.evaluate(KEEP_CHUNKS)
                await page.get_by_role("button", name="Where is my parcel?").click()
                answer = page.locator(".line[data-role=assistant][data-status=done] .bubble")
                await expect(answer.last).to_contain_text("tracking code")
                await expect(page.locator("#said")).to_contain_text("tracking code")
                chunks = await page.evaluate("window.chunks")
                assert "".join(chunks) == await page.locator("#said").text_content()
                await page.get_by_role("textbox", name="Write a message").fill("12345")
                await page.get_by_role("button", name="Send").click()
                await expect(page.locator("#said")).to_contain_text("two capital letters")
                green = "rgb(0, 105, 92)"
                await expect(page.get_by_role("button", name="Send")).to_have_css("background-color", green)
        with a_site(folder) as elsewhere:
            page = await browser.new_page()
            await page.goto(f"{elsewhere}/")
            await expect(page.locator("#connection")).to_have_text("forbidden")


def run(folder: Path, *words: str | Path) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=WITHIN_S)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def built(node: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the React example, built as its `package.json` says on the package that npm would get."""
    place = tmp_path_factory.mktemp("react")
    sources, folder = place / WEB, place / "chat"
    shutil.copytree(ROOT / WEB, sources, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (sources / "node_modules").symlink_to(modules_of(WEB), target_is_directory=True)
    package = sources / "packages" / "web-sdk"
    run(package, node, "build.mjs")
    ours = shutil.ignore_patterns("node_modules", "app.js", "*.tgz")
    shutil.copytree(REACT, folder, ignore=ours)
    modules = folder / "node_modules"
    (modules / SDK).mkdir(parents=True)
    shutil.copytree(package / "dist", modules / SDK / "dist")
    shutil.copy(package / "package.json", modules / SDK)
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    others = {**described["dependencies"], **described["devDependencies"]}
    assert others.pop(SDK).endswith(f"-{json.loads((package / 'package.json').read_text())['version']}.tgz")
    for name, version in others.items():
        found = modules_of(WEB) / name
        assert json.loads((found / "package.json").read_text(encoding="utf-8"))["version"] == version, name
    for name in ("react", "react-dom", "scheduler", "csstype", "@types"):
        (modules / name).symlink_to(modules_of(WEB) / name, target_is_directory=True)
    run_script(folder, node, "build")
    return folder


def run_script(folder: Path, node: Path, name: str) -> None:
    """Run a script of the example's `package.json`, as `npm run` does."""
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    program, *words = shlex.split(described["scripts"][name])
    run(folder, node, modules_of(WEB) / ".bin" / program, *words)


def test_the_types_of_the_example_and_of_the_document_hold(built: Path, node: Path) -> None:
    blocks = re.findall(r"^```tsx\n(.*?)^```$", (ROOT / "docs" / "web.md").read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    for number, block in enumerate(blocks):
        (built / "src" / f"document-{number}.tsx").write_text(block, encoding="utf-8")
    run_script(built, node, "types")


async def test_a_chat_of_ones_own_in_react(servers: Servers, built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "chat"
    shutil.copytree(built, folder, symlinks=True)
    async with (
        StubModel(HELD) as model,
        a_live_gateway(servers, "react-example", {"desk.abl": DESK}, model_url=model.base_url) as gateway,
        a_browser() as browser,
    ):
        url = f"127.0.0.1:{gateway.port}"
        put(folder / "index.html", {"PROJECT": gateway.project_id, "PAGE_KEY": gateway.public_key, GATEWAY: url})
        with a_site(folder) as address:
            async with opened(browser, address, f"http://{url}") as page:
                box, send = page.get_by_label("Message"), page.get_by_role("button", name="Send", exact=True)
                last = page.locator("li[data-role=assistant]").last
                await expect(page.get_by_role("status")).to_have_text("Connected")
                await box.fill("Hello")
                await send.click()
                await expect(box).to_have_value("")
                await expect(last).to_contain_text("When?")
                await last.get_by_label("Day").fill("Monday")
                await last.get_by_role("button", name="Look").click()
                await expect(last).to_contain_text("Which room?")
                await last.get_by_label("Room").select_option("Room eight")
                await last.get_by_role("button", name="OK").click()
                await expect(last).to_contain_text("When?")
                await last.get_by_label("Day").fill("Tuesday")
                await last.get_by_role("button", name="Look").click()
                await expect(last).to_contain_text("Which room?")
                said = [await line.text_content() for line in await page.locator("li[data-role=user]").all()]
                assert said == ["Hello", "Monday", "Room eight", "Tuesday"]
                await page.reload()
                await last.get_by_role("button", name="Help me choose").click()
                await expect(last).to_have_text("One")
                await expect(last).to_have_attribute("data-status", "streaming")
                await page.get_by_role("button", name="Stop").click()
                await expect(last).to_have_attribute("data-status", "done")
                await expect(last).to_have_text("One")
                await expect(page.get_by_role("button", name="Stop")).to_be_hidden()
                enabled = page.locator("li button:enabled")
                await expect(enabled).to_have_count(0)
