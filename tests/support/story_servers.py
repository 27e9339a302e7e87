"""The outside of one story at a time: tools that answer what the story says, and a model that says its lines.

Both count. A tool library of an example is rewritten so that its bindings lead here.
"""

from __future__ import annotations

import json
import re
from typing import Any

from aiohttp import web

from tests.support.stub_model import StubBehaviour, StubModel, StubRequest

KEPT = ("description", "side_effects", "confirm", "retry", "retry_delay")
KEPT_FOR_ALL = ("  retry: ", "  retry_delay: ")
SIGNATURE = re.compile(r"^  (\w+)\(.*\) ->")
KEY = re.compile(r"^    (\w+):")


class StoryTools:
    """One address for all tools: `POST /NAME`."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Any] = {}
        self.callbacks: list[dict[str, str]] = []
        self.calls = 0
        self.port = 0
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> StoryTools:
        app = web.Application()
        app.router.add_post("/{tool}", self._call)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _call(self, request: web.Request) -> web.Response:
        self.calls += 1
        written = self.outcomes.get(request.match_info["tool"])
        if isinstance(written, dict) and "script" in written:
            script = written["script"]
            written = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(written, dict) and written.get("accepted"):
            names = {"url": "X-ABL-Callback-Url", "secret": "X-ABL-Callback-Secret"}
            self.callbacks.append({name: request.headers[header] for name, header in names.items()})
            return web.json_response({"accepted": True}, status=202)
        if isinstance(written, dict) and "fails" in written:
            return web.json_response({"error": "as the story says"}, status=written["fails"])
        return web.json_response(written, status=404 if written is None else 200)


class StoryModel(StubModel):
    """Says the story's next line; where it reads values, the next of `reads`; it objects to nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, Any]] = []
        self.reads: list[dict[str, Any]] = []

    def next_behaviour(self, request: StubRequest) -> StubBehaviour:
        super().next_behaviour(request)
        is_read = "response_format" in request.body
        is_judged = '"valid"' in str(request.body.get("response_format")).replace("'", '"')
        unread = '{"valid": true}' if is_judged else "{}"
        script, otherwise = (self.reads, unread) if is_read else (self.lines, "Understood.")
        line = script.pop(0) if script else {"says": otherwise}
        if "uses" in line:
            calls = tuple((name, arguments) for name, arguments in line["uses"])
            return StubBehaviour(tool_calls=calls, calls_again=True)
        return StubBehaviour(text=line["says"])


def bound_here(library: str, url: str) -> str:
    """Return a tool library whose bindings lead to `url`; tools that run in the sandbox stay as they are."""
    kept, tool, lines = ["TOOLS:"], "", library.splitlines()
    blocks: list[tuple[str, list[str]]] = []
    for line in lines:
        signature = SIGNATURE.match(line)
        if signature:
            tool = signature.group(1)
            blocks.append((tool, [line]))
        elif line.startswith("    ") and tool:
            blocks[-1][1].append(line)
        elif line.startswith(KEPT_FOR_ALL):
            kept.append(line)
    for name, block in blocks:
        kept += block if "    type: sandbox" in block else _bound(name, block, url)
    return "\n".join(kept) + "\n"


def _bound(name: str, block: list[str], url: str) -> list[str]:
    signature, *properties = block
    said = [line for line in properties if (key := KEY.match(line)) and key.group(1) in KEPT]
    kind = "async_webhook" if "    type: async_webhook" in block else "http"
    address = [f"    type: {kind}", f'    endpoint: "{url}/{name}"', "    method: POST"]
    return [signature, *said, *address, *(["    on_http_error: error"] if kind == "http" else [])]


def body_of(callback: Any) -> bytes:
    """Return the bytes that are signed and sent."""
    return json.dumps(callback).encode()
