"""Code that runs elsewhere, started by a tool of a turn, uses the session's memory stores while that turn waits for it.

Afterwards the journal is folded again: everything is as it was, and the stores were set once. Spec: platform-api 7.3.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import ClientSession, web

from actors.clocks import RandomIds, SystemClock
from actors.installation import sandbox_tokens
from actors.projects import TENANT_ID
from actors.replaying import Replayer
from actors.sandbox_tokens import MEMORY_PATH, SandboxClaims
from domain.limits import MEMORY_STORES_PER_SESSION
from storage.journal import Journal
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Talk"\n\nFLOW:\n  entry_point: a\n  a:\n    REASONING: false\n    RESPOND: "Hello"\n    THEN: a\n'
AGENT = """\
AGENT: Remote
GOAL: "Have code run elsewhere"

TOOLS:
  run(name: string) -> {{total: number, echo: string}}
    description: "Runs elsewhere"
    type: http
    endpoint: "{url}"
    method: POST
    headers:
      X-Token: "{{{{sandbox.token}}}}"
      X-Memory: "{{{{sandbox.memoryUrl}}}}"

  local(name: string) -> {{total: number}}
    description: "Runs here, on the same store"
    type: sandbox
    runtime: python
    code: |
      kept = memory("get", "counts", None)
      {{"total": kept.get(name, 0)}}

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: run
  run:
    REASONING: false
    CALL: run(input)
      AS: made
    THEN: look
  look:
    REASONING: false
    CALL: local(input)
      AS: seen
    RESPOND: "{{{{made.total}}}} {{{{seen.total}}}} {{{{made.echo}}}}"
    THEN: listen
"""


class RemoteCode:
    """Adds one to a count in the session's memory, as code in another sandbox would; keeps the tokens it got."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.memory_urls: list[str] = []
        self.gateway_url = ""

    async def run(self, request: web.Request) -> web.Response:
        name, token = (await request.json())["name"], request.headers["X-Token"]
        self.tokens.append(token)
        self.memory_urls.append(request.headers["X-Memory"])
        async with ClientSession(headers={"Authorization": f"Bearer {token}"}) as http:
            kept = (await self.use(http, {"action": "get"}))["data"]
            kept[name] = kept.get(name, 0) + 1
            assert await self.use(http, {"action": "set", "payload": {"content": kept}}) == {"success": True}
            assert (await self.use(http, {"action": "get"}))["data"] == kept
        return web.json_response({"total": kept[name], "echo": token})

    async def use(self, http: ClientSession, body: dict[str, Any]) -> Any:
        async with http.post(self.gateway_url + MEMORY_PATH, json={"memoryStoreName": "counts", **body}) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()


async def chat(gateway: LiveGateway, session: str = "") -> Any:
    body = {"projectId": gateway.project_id, "message": "tea", **({"sessionId": session} if session else {})}
    return (await gateway.call("POST", "/api/v1/chat/agent", body)).json()


async def test_code_elsewhere_uses_the_memory_of_the_turn_that_waits_for_it(servers: Servers) -> None:
    code, app = RemoteCode(), web.Application()
    app.router.add_post("/run", code.run)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        texts = {"a.abl": AGENT.format(url=f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/run")}
        open_to = {"allowed_networks": ("127.0.0.1/32",), "public_url": "https://abl.example"}
        async with a_live_gateway(servers, "remote", texts, **open_to) as gateway, asyncio.timeout(60):
            code.gateway_url = f"http://127.0.0.1:{gateway.port}"
            first = await chat(gateway)
            assert first["response"] == "1 1 [secret]"
            session = first["sessionId"]
            assert (await chat(gateway, session))["response"] == "2 2 [secret]"
            assert code.memory_urls[0] == "https://abl.example/api/v1/memory"
            late = await gateway.call(
                "POST", MEMORY_PATH, {"memoryStoreName": "counts", "action": "delete"},
                {"x-api-key": "", "authorization": f"Bearer {code.tokens[0]}"},
            )  # fmt: skip
            assert late.json() == {"success": True, "data": {"deleted": True}}
            assert (await chat(gateway, session))["response"] == "1 1 [secret]"
            database = gateway.running.database
            replayer = Replayer(database)
            tenant, session_id = await replayer.find(session)
            replayed = await replayer.replay(tenant, session_id)
            assert replayed.difference == ""
            journal = Journal(database)
            records = b"\n".join(raw for _, raw in await journal.read(tenant, session_id))
            await journal.close()
            assert records.count(b'"stores":{"counts":') == 4
            assert not any(token.encode() in records for token in code.tokens)
    finally:
        await runner.cleanup()


async def test_one_memory_store_too_many_is_a_conflict_that_says_why(servers: Servers) -> None:
    async with a_live_gateway(servers, "many-stores", {"a.abl": TALKER}) as gateway:
        body = {"projectId": gateway.project_id, "message": "hello"}
        session = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()["sessionId"]
        tokens = sandbox_tokens(gateway.running.settings, SystemClock(), RandomIds())
        assert tokens is not None
        bearer = {"authorization": f"Bearer {tokens.make(SandboxClaims(**of_session(gateway, session)))}"}

        async def keep(name: str) -> Answer:
            given = {"action": "set", "memoryStoreName": name, "payload": {"content": {"a": 1}}}
            return await gateway.call("POST", MEMORY_PATH, given, {"x-api-key": "", **bearer})

        for number in range(MEMORY_STORES_PER_SESSION):
            assert (await keep(f"s{number}")).status == 200
        refused = await keep("one-more")
        error = refused.json()["error"]
        assert (refused.status, error["code"], error["details"]) == (409, "CONFLICT", {"reason": "TOO_MANY_STORES"})
        assert (await keep("s0")).status == 200, "one that is there may be set again"


def of_session(gateway: LiveGateway, session_id: str) -> dict[str, str]:
    """Return what a token for the code of a session says."""
    return {"tenant_id": TENANT_ID, "project_id": gateway.project_id, "session_id": session_id, "agent": "Talker"}
