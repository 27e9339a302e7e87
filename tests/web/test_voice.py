"""A call from a page with a strict CSP and Trusted Types, in a real browser with a microphone that plays a file. The other
end is a scripted server, for the gateway has no voice yet, and once the gateway itself. Spec: platform-api 3.6, 12.5. Decision: 0100.
"""

from __future__ import annotations

import array
import asyncio
import base64
import gzip
import io
import json
import math
import sys
import wave
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web
from playwright.async_api import Browser, Page, expect
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.support.browser import BUILT, a_browser, until
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

CSP = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
<button>Call</button><script type="module" src="/page.js"></script>"""
SCRIPT = """\
import { AgentSDK } from "/sdk/web-sdk.js";

window.refused = [];
addEventListener("securitypolicyviolation", ({ violatedDirective }) => refused.push(violatedDirective));
const config = await (await fetch("/config.json")).json();
const sdk = new AgentSDK({ ...config, endpoint: location.origin });
const voice = sdk.voice({ vadConfig: { redemptionMs: 300 } });
window.heard = [];
for (const name of ["stateChange", "transcription", "transcriptionFinal", "responseStart", "responseChunk", "responseEnd",
  "speaking", "ready", "error", "micPermissionDenied", "bargeIn", "vadAvailable"]) {
  voice.on(name, (told) => heard.push([name, told?.state ?? told?.isSpeaking ?? told?.error?.reason ?? told?.text ?? told?.available ?? null]));
}
window.loudest = 0;
voice.on("volumeChange", ({ level }) => (window.loudest = Math.max(window.loudest, level)));
window.sdk = sdk;
document.querySelector("button").onclick = () => voice.start().catch(() => undefined);
"""
WIDGET = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
<agent-widget project-id="p" api-key="pk_1" mode="{mode}" open></agent-widget>
<script src="{home}/sdk/agent-widget.js"></script>"""
TYPES = {".js": "text/javascript", ".json": "application/json", "": "text/html"}
KEPT_STREAM = """void (() => {
  const devices = navigator.mediaDevices;
  const ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => (window.stream = await ask(wanted));
})()"""
RATE_HZ = 16_000
RECORDED_HZ = 48_000
FAKE_MICROPHONE = "--use-fake-device-for-media-stream"
ASKED = "--use-fake-ui-for-media-stream"
"""The visitor allows the microphone; with `=deny` behind it, not."""
MUTED_AFTERWARDS = (
    "void sdk.voice().on('stateChange', ({ state }) => state === 'processing' && sdk.voice().toggleMute())"
)
"""The file goes on, and would interrupt the answer."""
WITHIN_S = 60.0
SAMPLES_A_FRAME = 320
SIZE_MAX_BYTES = 8_000
SILENT, SPOKEN = 1.5, 1.0
"""Seconds of the file, which is played again and again."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def sound(rate_hz: int, seconds: float, loudness: float) -> array.array[int]:
    """Return something like a voice: harmonics of 150 Hz in four syllables a second."""
    made = array.array("h")
    for at in range(int(rate_hz * seconds)):
        loud = loudness * max(0.0, math.sin(2 * math.pi * 4 * at / rate_hz)) ** 0.5
        voice = sum(math.sin(2 * math.pi * 150 * n * at / rate_hz + n) / n for n in range(1, 15))
        made.append(int(10_000 * loud * voice / 2))
    return made


def recording(*parts: array.array[int], rate_hz: int) -> bytes:
    """Return a WAV of these parts."""
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        for part in parts:
            file.writeframes(part.tobytes())
    return held.getvalue()


class ScriptedServer:
    """Pages and the other end of their calls: it notes what they say, and says what the test has it say."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.audio: list[bytes] = []
        self.sockets: list[web.WebSocketResponse] = []
        self.has_ended = asyncio.Event()
        self.answer: list[Mapping[str, Any]] = []
        self.asked: list[str] = []
        self.pages: dict[str, str] = {}

    async def init(self, _request: web.Request) -> web.Response:
        return web.json_response({"token": "t", "expiresIn": 900})

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(protocols=("sdk-auth",))
        await socket.prepare(request)
        self.sockets.append(socket)
        await socket.send_json(
            {"type": "session_start", "sessionId": "s", "resumeToken": "r", "capabilities": {"voice": True}}
        )
        async for message in socket:
            if message.type is WSMsgType.BINARY:
                self.audio.append(message.data)
                continue
            frame = json.loads(message.data)
            self.frames.append(frame)
            if frame["type"] == "voice_start":
                capabilities = {
                    "bargeIn": True,
                    "binaryAudio": True,
                    "inputSampleRate": RATE_HZ,
                    "outputSampleRate": 24_000,
                }
                await socket.send_json({"type": "voice_started", "voiceMode": "pipeline", "capabilities": capabilities})
            if frame["type"] == "speech_end":
                for answer in self.answer:
                    await socket.send_json(answer)
                self.has_ended.set()
        return socket

    async def file(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        texts = {
            **self.pages,
            "/": PAGE,
            "/page.js": SCRIPT,
            "/config.json": '{"projectId": "p", "apiKey": "pk_1"}',
        }
        path = request.path
        text = texts[path] if path in texts else (BUILT / Path(path).name).read_text(encoding="utf-8")
        headers = {"Access-Control-Allow-Origin": "*"}
        if path not in self.pages:
            headers["Content-Security-Policy"] = CSP
        return web.Response(text=text, content_type=TYPES[Path(path).suffix], headers=headers)

    async def nothing(self, _request: web.Request) -> web.Response:
        return web.json_response({}, status=404)

    async def say(self, frame: Mapping[str, Any]) -> None:
        await self.sockets[-1].send_json(frame)

    def types(self) -> list[str]:
        return [frame["type"] for frame in self.frames]


@asynccontextmanager
async def a_server() -> AsyncIterator[tuple[ScriptedServer, str]]:
    """Yield a scripted server and its address."""
    server = ScriptedServer()
    app = web.Application()
    app.router.add_post("/api/v1/sdk/init", server.init)
    app.router.add_get("/ws/sdk", server.socket)
    app.router.add_get("/api/{path:.*}", server.nothing)
    app.router.add_get("/{path:.*}", server.file)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield server, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def a_page(browser: Browser, address: str) -> Page:
    context = await browser.new_context(locale="en-GB")
    page = await context.new_page()
    await page.goto(f"{address}/")
    await until(lambda: page.evaluate("window.sdk !== undefined"), "the page has no SDK")
    return page


async def has_told(page: Page, *wanted: Any) -> None:
    """Wait until something was told."""

    async def told() -> bool:
        return list(wanted) in await page.evaluate("heard")

    async def instead() -> str:
        return f"{wanted} was not told, but {await page.evaluate('heard')}"

    await until(told, instead)


@pytest.fixture
def microphone(tmp_path: Path) -> tuple[str, ...]:
    """Return the options of a browser whose microphone plays a second of speech after each pause."""
    path = tmp_path / "microphone.wav"
    quiet = array.array("h", bytes(2 * int(RECORDED_HZ * SILENT)))
    path.write_bytes(recording(quiet, sound(RECORDED_HZ, SPOKEN, 1.0), rate_hz=RECORDED_HZ))
    return ASKED, FAKE_MICROPHONE, f"--use-file-for-fake-audio-capture={path}"


def test_what_a_call_is_made_of_is_small_and_no_part_of_the_core() -> None:
    built = {
        name: (BUILT / name).read_bytes() for name in ("voice.js", "voice-worklet.js", "web-sdk.js", "agent-widget.js")
    }
    assert sum(len(gzip.compress(built[name], 9)) for name in ("voice.js", "voice-worklet.js")) <= SIZE_MAX_BYTES
    assert b"voice_start" in built["voice.js"]
    assert [name for name in ("web-sdk.js", "agent-widget.js") if b"voice_start" in built[name]] == []


async def test_a_page_under_a_strict_csp_speaks_and_hears_the_answer(microphone: tuple[str, ...]) -> None:
    async with a_server() as (server, address), a_browser(*microphone) as browser:
        page = await a_page(browser, address)
        assert not [path for path in server.asked if "voice" in path], "nothing of a call is loaded before there is one"
        assert await page.evaluate("sdk.voice().constructor.isSupported()")
        await page.evaluate(MUTED_AFTERWARDS)
        await page.get_by_role("button").click()
        await has_told(page, "ready", None)
        assert {"/sdk/voice.js", "/sdk/voice-worklet.js"} <= set(server.asked)
        assert server.frames[0] == {
            "type": "voice_start",
            "mode": "pipeline",
            "sampleRate": RATE_HZ,
            "encoding": "pcm16",
            "vad": "client",
            "binary": True,
            "outputFormat": "pcm16",
            "enableBargeIn": True,
        }
        await asyncio.wait_for(server.has_ended.wait(), WITHIN_S)
        assert {len(piece) for piece in server.audio} == {2 * SAMPLES_A_FRAME}
        samples = array.array("h", b"".join(server.audio))
        if sys.byteorder == "big":
            samples.byteswap()
        assert len(samples) / RATE_HZ > SPOKEN / 2
        assert max(samples) > 1_000
        assert await page.evaluate("loudest") > 0.4

        await server.say({"type": "transcription", "text": "hello", "isFinal": True, "confidence": 0.8})
        await server.say({"type": "voice_response_start", "messageId": "m"})
        spoken = sound(24_000, 0.4, 0.5)
        named = {"type": "voice_audio_chunk", "messageId": "m"}
        pcm16, wav = spoken.tobytes(), recording(spoken, rate_hz=24_000)
        for index, (form, data) in enumerate((("pcm16", pcm16), ("wav", wav), ("pcm16", pcm16))):
            await server.say({**named, "index": index, "format": form, "audio": base64.b64encode(data).decode()})
        await server.say({"type": "voice_response_end", "messageId": "m", "text": "Hello."})
        await server.say({"type": "voice_speaking_end", "messageId": "m"})
        await has_told(page, "speaking", False)
        assert [told for told in await page.evaluate("heard") if told[0] != "stateChange"] == [
            ["vadAvailable", True],
            ["ready", None],
            ["transcription", "hello"],
            ["transcriptionFinal", "hello"],
            ["responseStart", None],
            ["speaking", True],
            ["responseEnd", "Hello."],
            ["speaking", False],
        ]
        states = [state for name, state in await page.evaluate("heard") if name == "stateChange"]
        assert states == ["connecting", "ready", "listening", "processing", "speaking", "ready"]

        await server.sockets[-1].close(code=1011)
        await has_told(page, "error", "voice_lost")
        assert await page.evaluate("sdk.voice().getState()") == "error"
        assert await page.evaluate("refused") == []
        assert [path for path in server.asked if path not in {"/", "/page.js", "/config.json", "/favicon.ico"}] == [
            "/sdk/web-sdk.js",
            "/sdk/voice.js",
            "/sdk/voice-worklet.js",
        ]


async def test_who_speaks_into_an_answer_interrupts_it(microphone: tuple[str, ...]) -> None:
    long = base64.b64encode(sound(24_000, 10.0, 0.3).tobytes()).decode()
    async with a_server() as (server, address), a_browser(*microphone) as browser:
        server.answer = [
            {"type": "voice_response_start", "messageId": "m"},
            {"type": "voice_audio_chunk", "messageId": "m", "index": 0, "format": "pcm16", "audio": long},
        ]
        page = await a_page(browser, address)
        await page.get_by_role("button").click()
        await has_told(page, "bargeIn", None)
        assert "barge_in" in server.types()
        before = len(server.audio)
        await server.say({"type": "voice_barge_in_ack", "messageId": "m", "spokenText": "Hel"})
        await has_told(page, "responseEnd", "Hel")
        told = [one for one in await page.evaluate("heard") if one[0] in {"speaking", "bargeIn"}]
        assert told[:3] == [["speaking", True], ["speaking", False], ["bargeIn", None]]
        server.has_ended.clear()
        await asyncio.wait_for(server.has_ended.wait(), WITHIN_S)
        assert len(server.audio) > before, "what is said goes on to be heard"


async def test_a_microphone_that_is_refused_is_said() -> None:
    async with a_server() as (server, address), a_browser(FAKE_MICROPHONE, f"{ASKED}=deny") as browser:
        page = await a_page(browser, address)
        await page.get_by_role("button").click()
        await has_told(page, "error", "microphone_denied")
        names = [name for name, _ in await page.evaluate("heard") if name != "stateChange"]
        assert names == ["micPermissionDenied", "error"]
        assert await page.evaluate("sdk.voice().getInfo().hasMicPermission") is False
        assert server.types() == []


async def test_a_microphone_that_is_not_there_is_said_and_a_page_that_is_left_ends_its_call(
    microphone: tuple[str, ...],
) -> None:
    async with a_server() as (server, address), a_browser(*microphone) as browser:
        page = await a_page(browser, address)
        await page.evaluate("void sdk.voice({ deviceId: 'nowhere' })")
        await page.get_by_role("button").click()
        await has_told(page, "error", "microphone_missing")
        assert server.types() == []

        await page.evaluate(KEPT_STREAM)
        await page.evaluate("void sdk.voice({})")
        await page.get_by_role("button").click()
        await has_told(page, "ready", None)
        await page.evaluate("stream.getTracks()[0].dispatchEvent(new Event('ended'))")  # as one that is unplugged
        await has_told(page, "error", "microphone_lost")
        assert await page.evaluate("stream.getTracks().map((track) => track.readyState)") == ["ended"], "it is released"

        await page.get_by_role("button").click()

        async def is_ready() -> bool:
            return await page.evaluate("sdk.voice().getState()") == "ready"

        await until(is_ready, "a call that was lost is begun again")
        assert await page.evaluate("stream.getTracks().map((track) => track.readyState)") == ["live"]
        await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
        await has_told(page, "error", "page_hidden")

        async def has_stopped() -> bool:
            return server.types()[-1] == "voice_stop" and server.sockets[-1].closed

        await until(has_stopped, "the server was not told")
        assert await page.evaluate("stream.getTracks().map((track) => track.readyState)") == ["ended"]


async def test_a_gateway_without_voice_says_so_and_chat_goes_on(servers: Servers, microphone: tuple[str, ...]) -> None:
    agent = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
    async with (
        StubModel(StubBehaviour(text="An answer")) as model,
        a_live_gateway(servers, "voice-missing", {"t.abl": agent}, model_url=model.base_url) as gateway,
        a_browser(*microphone) as browser,
    ):
        config = json.dumps({"projectId": gateway.project_id, "apiKey": gateway.public_key})
        bodies = {"/": PAGE, "/page.js": SCRIPT, "/config.json": config}

        async def serve(request: Request) -> Response:
            path = request.url.path
            headers = {"Content-Security-Policy": CSP}
            return HTMLResponse(bodies[path], headers=headers, media_type=TYPES[Path(path).suffix])

        for path in bodies:
            gateway.app.router.routes.insert(0, Route(path, serve))
        page = await a_page(browser, f"http://127.0.0.1:{gateway.port}")
        await page.get_by_role("button").click()
        await has_told(page, "error", "voice_unavailable")
        assert [name for name, _ in await page.evaluate("heard")] == ["stateChange", "stateChange", "error"]
        said = await page.evaluate(
            "new Promise((resolve) => { sdk.chat().on('message', ({ role, content }) => role === 'assistant' && resolve(content));"
            " sdk.chat().send('hello'); })"
        )
        assert said == "An answer"
        assert await page.evaluate("refused") == []


async def test_a_visitor_calls_mutes_and_hangs_up_in_the_widget(microphone: tuple[str, ...]) -> None:
    async with a_server() as (server, address), a_browser(*microphone) as browser:
        server.pages["/widget"] = WIDGET.format(mode="voice", home="")
        page = await (await browser.new_context(locale="en-GB")).new_page()
        await page.goto(f"{address}/widget")
        box, bar, mute = (
            page.locator("textarea"),
            page.locator(".voice"),
            page.get_by_role("button", name="Mute the microphone"),
        )
        start, end = (page.get_by_role("button", name=name) for name in ("Start talking", "End the call"))
        await expect(box).to_be_visible()
        assert "/sdk/voice.js" not in server.asked, "nothing of a call is loaded before there is one"
        await start.click()
        await expect(end).to_be_focused()
        await expect(box).to_be_hidden()
        await asyncio.wait_for(server.has_ended.wait(), WITHIN_S)
        await mute.click()
        await expect(mute).to_have_attribute("aria-pressed", "true")
        await server.say({"type": "transcription", "text": "what I said", "isFinal": False})
        await expect(bar.locator(".said")).to_have_text("what I said")
        await server.say({"type": "voice_response_start", "messageId": "m"})
        await expect(bar.get_by_role("status")).to_have_text("The agent is speaking")
        await end.click()
        await expect(start).to_be_focused()
        await expect(box).to_be_visible()
        await expect(bar.locator(".said")).to_be_hidden()
        await until(lambda: has_said(server, "voice_stop"), "the server was not told of the end")
        assert "voice_mute" in server.types()
        await start.click()
        await expect(end).to_be_visible()
        await page.get_by_role("button", name="Close the chat").click()
        assert await page.evaluate(
            "document.querySelector('agent-widget').sdk.voice().then((one) => one.getState())"
        ) == ("idle"), "nobody is listened to by what they do not see"


async def has_said(server: ScriptedServer, kind: str) -> bool:
    return kind in server.types()


async def test_a_microphone_that_is_not_allowed_is_told_in_the_widget(microphone: tuple[str, ...]) -> None:
    async with a_server() as (server, address), a_browser(f"{ASKED}=deny", FAKE_MICROPHONE) as browser:
        server.pages["/widget"] = WIDGET.format(mode="unified", home="")
        page = await (await browser.new_context(locale="en-GB")).new_page()
        await page.goto(f"{address}/widget")
        start = page.get_by_role("button", name="Start talking")
        await start.click()
        told = page.locator(".voice").get_by_role("status")
        await expect(told).to_have_text("The microphone cannot be used. Is it allowed?")
        await expect(start).to_be_visible()
        await expect(page.locator("textarea")).to_be_visible()


async def test_a_widget_of_another_origin_finds_its_files(microphone: tuple[str, ...]) -> None:
    async with a_server() as (pages, address), a_server() as (files, home), a_browser(*microphone) as browser:
        pages.pages["/widget"] = WIDGET.format(mode="unified", home=home)
        page = await (await browser.new_context(locale="en-GB")).new_page()
        await page.goto(f"{address}/widget")
        await expect(page.get_by_role("button", name="Start talking")).to_be_visible()
        assert "/sdk/agent-widget-voice.js" in files.asked
        assert "/sdk/agent-widget-voice.js" not in pages.asked
