"""Puts secrets into everything that takes them, over HTTP; tools, variables, providers, people, keys."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

from aiohttp import web

from tests.support.canaries import Haystack, a_canary
from tests.support.live_gateway import Answer, LiveGateway

TOOLS, OF_TOOL = 8, 10
ROTATED, VARIABLES, PROVIDERS, PASSWORDS, CHANGED, WRONG, REFUSED = 30, 20, 6, 6, 3, 8, 12
MAKES_SECRETS = frozenset({"/api/auth/login", "/api/auth/refresh", "/api/api-keys", "/api/v1/sdk/init"})
"""Where a secret is said once, to whom it is made for."""


def said_back(sent: list[str]) -> dict[str, Any]:
    """Return secrets as a talkative server says them back: in all ways at once."""
    return {
        "plain": sent,
        "base64": [base64.b64encode(one.encode()).decode() for one in sent],
        "basic": [base64.b64encode(f"user:{one}".encode()).decode() for one in sent],
        "url": [base64.urlsafe_b64encode(f"u:{one}".encode()).decode() for one in sent],
        "hex": [one.encode().hex() for one in sent],
        "quoted": [quote(one, safe="") for one in sent],
        "reversed": [one[::-1] for one in sent],
        "inside": json.dumps({"sent": sent}),
    }


@asynccontextmanager
async def an_echo() -> AsyncIterator[tuple[str, list[str]]]:
    """Yield the address of an endpoint that says back whatever secrets it was sent, in all ways, and what it was sent."""
    heard: list[str] = []

    async def echo(request: web.Request) -> web.Response:
        sent = [value for name, value in request.headers.items() if name.startswith("X-Secret")]
        sent += request.query.getall("token", [])
        heard.extend(sent)
        sent += [value.removeprefix("Bearer ") for name, value in request.headers.items() if name == "Authorization"]
        said = said_back(sent)
        status = 500 if request.path.startswith("/fail") else 200
        error = {"error": {**said, "message": json.dumps(said)}, "message": str(said)}
        return web.json_response(error if status == 500 else said, status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", echo)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}", heard
    finally:
        await runner.cleanup()


def an_agent(url: str) -> str:
    """Return an agent that calls every tool, half of which fail, and says what came back."""
    tools, steps = [], []
    for at in range(TOOLS):
        headers = "\n".join(f'      X-Secret-{n}: "{{{{secrets.KEY_{n}}}}}"' for n in range(OF_TOOL))
        headers += f'\n      X-Secret-Variable: "{{{{env.HIDDEN_{at}}}}}"'
        place = "fail" if at % 2 else "ok"
        tools.append(
            f"""\
  tool_{at}(order: string) -> {{plain: string}}
    description: "Tool {at}"
    type: http
    endpoint: "{url}/{place}/{at}?token={{{{secrets.SHARED_{at}}}}}"
    method: POST
    headers:
{headers}
"""
        )
        steps.append(
            f"""\
  call_{at}:
    REASONING: false
    CALL: tool_{at}("tea")
      AS: got_{at}
    ON_SUCCESS:
      RESPOND: "came {{{{got_{at}}}}}"
      THEN: {f"call_{at + 1}" if at + 1 < TOOLS else "COMPLETE"}
    ON_FAILURE:
      RESPOND: "failed {{{{got_{at}}}}} {{{{_error}}}}"
      THEN: {f"call_{at + 1}" if at + 1 < TOOLS else "COMPLETE"}
"""
        )
    return (
        'AGENT: Caller\nGOAL: "Call"\n\nTOOLS:\n'
        + "\n".join(tools)
        + "\nFLOW:\n  entry_point: listen\n  listen:\n    REASONING: false\n    ON_INPUT:\n      - ELSE:\n"
        + "        THEN: call_0\n"
        + "\n".join(steps)
    )


class Planter:
    """Puts secrets into everything that takes them, and keeps all that is answered."""

    def __init__(self, gateway: LiveGateway, haystack: Haystack) -> None:
        self.gateway = gateway
        self.secrets: list[str] = []
        self._haystack = haystack
        self._project = f"/api/projects/{gateway.project_id}"

    def secret(self, kind: str) -> str:
        """Return a new secret."""
        made = a_canary(kind)
        self.secrets.append(made)
        return made

    async def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        """Send a request; what is answered must not hold a secret, but where one is made."""
        answer = await self.gateway.call(method, path, body, headers)
        if path.partition("?")[0] not in MAKES_SECRETS and not path.endswith("/rotate"):
            self._haystack.add(f"answer {method} {path.partition('?')[0]}", answer.body)
        self._haystack.add("headers", str(answer.headers))
        return answer

    async def tool_secrets(self) -> None:
        """Plant secrets of tools, of all tools, rotated ones and refused ones."""
        for at in range(TOOLS):
            await self._tool_secret("*", f"SHARED_{at}", "shared")
        made = [
            await self._tool_secret(f"tool_{at}", f"KEY_{n}", "tool") for at in range(TOOLS) for n in range(OF_TOOL)
        ]
        for secret_id in made[:ROTATED]:
            answer = await self.call("PUT", f"/api/tool-secrets/{secret_id}", {"value": self.secret("rotated")})
            assert answer.status == 200
        for at in range(REFUSED):
            body = {"projectId": self.gateway.project_id, "toolName": "tool_0", "secretKey": "KEY_0"}
            wrong: dict[str, Any] = [
                {**body, "value": self.secret("duplicate")},
                {**body, "value": self.secret("long") + "x" * 16_384},
                {**body, "value": {"nested": self.secret("nested")}},
                {"value": self.secret("lonely")},
            ][at % 4]
            assert (await self.call("POST", "/api/tool-secrets", wrong)).status in (400, 409)
        for path in ("/api/tool-secrets/sec_none", "/api/tool-secrets/\0"):
            await self.call("PUT", path.replace("\0", "%00"), {"value": self.secret("missing")})
        await self.call("GET", f"/api/tool-secrets?projectId={self.gateway.project_id}&limit=200")

    async def _tool_secret(self, tool: str, key: str, kind: str) -> str:
        body = {
            "projectId": self.gateway.project_id,
            "toolName": tool,
            "secretKey": key,
            "value": self.secret(kind),
        }
        answer = await self.call("POST", "/api/tool-secrets", body, {"idempotency-key": f"{tool} {key}"})
        assert answer.status == 201, answer.body
        return str(answer.json()["secret"]["id"])

    async def variables(self) -> None:
        """Plant secret variables."""
        for at in range(VARIABLES):
            body = {"kind": "env", "key": f"HIDDEN_{at}", "value": self.secret("variable"), "secret": True}
            assert (await self.call("PUT", f"{self._project}/variables", body)).status == 200
        await self.call("GET", f"{self._project}/variables?kind=env")

    async def providers(self, url: str) -> None:
        """Plant keys of model providers, of which some are replaced and some tried out."""
        await asyncio.gather(*(self._provider(url, at) for at in range(PROVIDERS)))
        await self.call("GET", "/api/model-providers")

    async def _provider(self, url: str, at: int) -> None:
        body = {
            "name": f"provider{at}",
            "kind": "openai_compatible",
            "baseUrl": f"{url}/{('ok', 'fail')[at % 2]}/provider",
            "apiKey": self._quoted("provider"),
            "models": [{"id": "m"}],
            "isDefault": at == 0,
        }
        made = await self.call("POST", "/api/model-providers", body)
        assert made.status == 201, made.body
        place = f"/api/model-providers/{made.json()['provider']['id']}"
        await self.call("POST", f"{place}/test", {})
        assert (await self.call("PATCH", place, {"apiKey": self._quoted("provider")})).status == 200

    def _quoted(self, kind: str) -> str:
        """Return a new secret that can stand in a header."""
        made = quote(self.secret(kind))
        self.secrets[-1] = made
        return made

    async def people(self) -> None:
        """Plant passwords, right and wrong ones, and the tokens that they open."""
        await asyncio.gather(*(self._person(at) for at in range(PASSWORDS)))
        await asyncio.gather(*(self._wrong_word(at) for at in range(WRONG)))
        await self.call("GET", "/api/users")

    async def _person(self, at: int) -> None:
        email, password = f"canary{at}@example.com", self.secret("password")
        body = {"email": email, "role": "member", "password": password}
        assert (await self.call("POST", "/api/users", body)).status == 201
        login = (await self.call("POST", "/api/auth/login", {"email": email, "password": password})).json()
        bearer = {"x-api-key": "", "authorization": f"Bearer {login['accessToken']}"}
        self.secrets += [login["accessToken"], login["refreshToken"]]
        await self.call("GET", "/api/auth/me", headers=bearer)
        await self.call("GET", f"{self._project}/sessions", headers=bearer)
        if at < CHANGED:
            change = {"currentPassword": password, "newPassword": self.secret("password")}
            assert (await self.call("POST", "/api/auth/password", change, bearer)).status == 200
        else:
            answer = await self.call("POST", "/api/auth/refresh", {"refreshToken": login["refreshToken"]})
            self.secrets += [answer.json()["accessToken"], answer.json()["refreshToken"]]

    async def _wrong_word(self, at: int) -> None:
        body = {"email": f"canary{at}@example.com", "password": self.secret("wrong")}
        assert (await self.call("POST", "/api/auth/login", body)).status == 401

    async def keys(self) -> None:
        """Have keys and page tokens made, and use them."""
        for at in range(10):
            made = (
                await self.call("POST", "/api/api-keys", {"name": f"key {at}"}, {"idempotency-key": f"k{at}"})
            ).json()
            secret = max((value for value in _texts(made) if value.startswith("abl_")), key=len)
            self.secrets.append(secret)
            await self.call("GET", f"{self._project}/sessions", headers={"x-api-key": secret})
        for at in range(5):
            token = await self.gateway.page_token()
            self.secrets.append(token)
            body = {"projectId": self.gateway.project_id, "message": f"page {at}"}
            headers = {"x-api-key": "", "x-sdk-token": token, "origin": "https://shop.example.com"}
            await self.call("POST", "/api/v1/chat/agent", body, headers)
        for _ in range(WRONG):
            await self.call(
                "GET", "/api/contacts", headers={"x-api-key": f"abl_{self.secret('key')}".replace("\n", "")}
            )
            wrong = self._quoted("bearer")
            await self.call("GET", "/api/contacts", headers={"x-api-key": "", "authorization": f"Bearer {wrong}"})
        await self.call("GET", "/api/api-keys")

    async def broken_bodies(self) -> None:
        """Send secrets in bodies that cannot be read."""
        for path in ("/api/tool-secrets", "/api/auth/login", "/api/users"):
            async with self.gateway.request("POST", path, {"password": [self.secret("broken")]}) as answer:
                self._haystack.add("broken", b"".join([piece async for piece in answer.pieces()]))

    async def talk(self) -> str:
        """Have all tools called with their secrets, under a test context whose traces hold whole prompts."""
        body = {
            "projectId": self.gateway.project_id,
            "message": "go",
            "testContext": {"sessionVariables": {"a": 1}},
            "environment": "working-copy",
        }
        answer = await self.call("POST", "/api/v1/chat/agent", body)
        assert answer.status == 200, answer.body
        assert b"[secret]" in answer.body
        return str(answer.json()["sessionId"])

    async def look(self, session_id: str) -> None:
        """Read everything that tells of a session, of the project and of the tenant."""
        session = f"{self._project}/sessions/{session_id}"
        for path in (
            f"{session}/traces?limit=200&include=metrics",
            f"{session}?include=messages",
            f"{session}/metrics",
            f"{session}/analysis",
            f"{session}/transcript",
            f"{self._project}/sessions/export?format=csv",
            f"{self._project}/sessions/generations",
            f"{self._project}/project-io/export",
            f"{self._project}/project-io/export/preview",
            f"{self._project}/analytics/events?limit=10000",
            "/api/audit-logs?limit=200",
            "/api/audit-logs?format=csv",
            "/metrics",
            "/ready",
            "/openapi.json",
        ):
            await self.call("GET", path)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    return [value] if isinstance(value, str) else []
