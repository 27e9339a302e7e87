"""Servers of other people that say back whatever they were shown: tools, MCP, agents, hooks, a collector of spans."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from providers.mcp.servers import McpServer
from tests.support.canaries import a_canary
from tests.support.canary_planter import said_back

PRESENTED = ("authorization", "x-api-key")
CALLBACK_SECRET = "x-abl-callback-secret"


@dataclass
class Talkative:
    """Servers of other people, all at one address."""

    token: str
    url: str = ""
    heard: list[str] = field(default_factory=list)
    callbacks: list[Mapping[str, str]] = field(default_factory=list)
    spans: list[bytes] = field(default_factory=list)
    refused_spans: int = 0
    sandbox_tokens: list[str] = field(default_factory=list)
    gateway_url: str = ""

    def operators(self, secret: str) -> dict[str, McpServer]:
        """Return the MCP servers that the operator names."""
        return {"cellar": McpServer(url=f"{self.url}/mcp", headers={"Authorization": f"Bearer {secret}"})}

    def said(self, request: web.Request) -> dict[str, Any]:
        """Return what a request has shown, in all ways."""
        shown = [request.headers[name] for name in (*PRESENTED, CALLBACK_SECRET) if name in request.headers]
        words = [one.removeprefix("Bearer ").removeprefix("Basic ") for one in shown]
        self.heard.extend(words)
        return said_back(words)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer as the path says."""
        match request.path:
            case "/token":
                return web.json_response({"access_token": self.token, "expires_in": 3_600})
            case "/mcp":
                return await self._mcp(request)
            case "/far":
                said = self.said(request)
                return web.json_response({"response": json.dumps(said), "state": said, "sessionId": "far"})
            case "/broken":
                return web.json_response(
                    {"error": {"code": "NO", "message": json.dumps(self.said(request))}}, status=403
                )
            case "/order":
                self.callbacks.append({name.lower(): value for name, value in request.headers.items()})
                return web.json_response(self.said(request))
            case "/code":
                self.sandbox_tokens.append(request.headers["authorization"].removeprefix("Bearer "))
                return web.json_response(self.said(request))
            case "/hook/fail":
                return web.json_response(said_back([request.headers["x-webhook-signature"]]), status=500)
            case "/otel/v1/traces":
                return await self._collect(request)
            case _:
                return web.json_response(self.said(request))

    async def _mcp(self, request: web.Request) -> web.Response:
        asked = await request.json()
        said, name = self.said(request), asked.get("params", {}).get("name")
        match asked["method"]:
            case "initialize":
                result: dict[str, Any] = {
                    "protocolVersion": asked["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "talkative", "version": "1"},
                }
            case "tools/list":
                tools = ("say", "fail")
                result = {"tools": [{"name": one, "inputSchema": {"type": "object"}} for one in tools]}
            case "tools/call":
                content = [{"type": "text", "text": json.dumps(said)}]
                result = {"content": content, "isError": name == "fail"}
                if name == "say":
                    result["structuredContent"] = said
            case _:
                return web.Response(status=202)
        return web.json_response({"jsonrpc": "2.0", "id": asked["id"], "result": result})

    async def _collect(self, request: web.Request) -> web.Response:
        """Take spans; the first ones are refused, with words about who has sent them."""
        said = said_back([request.headers["x-collector-key"]])
        self.spans.append(await request.read())
        if not self.refused_spans:
            self.refused_spans += 1
            return web.json_response(said, status=400)
        return web.json_response(said)


@asynccontextmanager
async def talkative() -> AsyncIterator[Talkative]:
    """Yield servers that say back all that they are told."""
    made = Talkative(a_canary("fetched").replace(" ", ""))
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield made
    finally:
        await runner.cleanup()
