"""Secrets of what speaks with others: hooks, callbacks, MCP servers, agents elsewhere, tokens, tickets, collectors.

Every server here says back whatever it was sent that only it should know.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from actors.sandbox_tokens import MEMORY_PATH
from tests.support.canaries import Haystack
from tests.support.canary_planter import Planter
from tests.support.canary_servers import CALLBACK_SECRET, Talkative
from tests.support.stories import eventually

HOOKS, PAGES, WRONG = 4, 3, 4
AGENTS = {
    "waiter.abl": """\
AGENT: Waiter
GOAL: "Have something made"

TOOLS:
  order(what: string) -> {number: string}
    description: "Orders; the number comes later"
    type: async_webhook
    endpoint: "URL/order"
    method: POST
    timeout_seconds: 3600

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: order
  order:
    REASONING: false
    CALL: order("tea")
      AS: made
    ON_SUCCESS:
      RESPOND: "made {{made}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "failed {{made}} {{_error}}"
      THEN: listen
""",
    "reacher.abl": """\
AGENT: Reacher
GOAL: "Ask everybody"

TOOLS:
  of_project(what: string) -> object
    description: "On a server of the project"
    type: mcp
    server: "kitchen"
    server_tool: "say"
  of_project_wrong(what: string) -> object
    description: "On a server of the project"
    type: mcp
    server: "kitchen"
    server_tool: "fail"
  of_operator(what: string) -> object
    description: "On a server of the operator"
    type: mcp
    server: "cellar"
    server_tool: "say"
  of_operator_wrong(what: string) -> object
    description: "On a server of the operator"
    type: mcp
    server: "cellar"
    server_tool: "fail"
  by_token(what: string) -> object
    description: "Behind a token that is fetched"
    type: http
    endpoint: "URL/said"
    method: POST
    auth: oauth2_client
    auth_config:
      token_url: "URL/token"
      client_id: "me"
      client_secret: "{{secrets.CLIENT}}"
  by_word(what: string) -> object
    description: "Behind a password"
    type: http
    endpoint: "URL/said"
    method: POST
    auth: basic
    auth_config:
      username: "ann"
      password: "{{secrets.WORD}}"
  by_connector(what: string) -> object
    description: "Behind a connector"
    type: connector
    connector: "pantry"
    action: "look"
  by_code(what: string) -> object
    description: "Code elsewhere"
    type: http
    endpoint: "URL/code"
    method: POST
    headers:
      Authorization: "Bearer {{sandbox.token}}"

ON_ERROR:
  DEFAULT:
    RETRY: 0
    THEN: CONTINUE

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: call_0
STEPS""",
    "thinker.abl": """\
AGENT: Thinker
GOAL: "Think"
PERSONA: "Calm"

EXECUTION:
  model: provider1/m
""",
    "sender.abl": """\
AGENT: Sender
GOAL: "Send people on"

HANDOFF:
  - TO: Far
    WHEN: input CONTAINS "far"
    LOCATION: remote
    ENDPOINT: "URL/far"
    PROTOCOL: rest
    RETURN: true
  - TO: Broken
    WHEN: input CONTAINS "broken"
    LOCATION: remote
    ENDPOINT: "URL/broken"
    PROTOCOL: a2a
    RETURN: true

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "heard {{input}}"
        THEN: listen
""",
}
CATALOGUE = {
    "mcp_servers.yaml": """\
kitchen:
  url: "URL/mcp"
  headers:
    Authorization: "Bearer {{secrets.KITCHEN}}"
    X-Api-Key: "{{env.KITCHEN_KEY}}"
""",
    "connectors.yaml": """\
pantry:
  base_url: "URL"
  auth: api_key
  auth_config:
    api_key: "{{secrets.PANTRY}}"
  actions:
    look:
      path: said
      method: POST
""",
}
CALLS = "of_project of_project_wrong of_operator of_operator_wrong by_token by_word by_connector by_code".split()


def the_texts(url: str) -> dict[str, str]:
    """Return the texts of agents that speak with a `Talkative` at this address, and their catalogue."""
    steps = "".join(
        f"""\
  call_{at}:
    REASONING: false
    CALL: {name}("tea")
      AS: got_{at}
    ON_SUCCESS:
      RESPOND: "came {{{{got_{at}}}}}"
      THEN: {f"call_{at + 1}" if at + 1 < len(CALLS) else "COMPLETE"}
    ON_FAILURE:
      RESPOND: "failed {{{{got_{at}}}}} {{{{_error}}}}"
      THEN: {f"call_{at + 1}" if at + 1 < len(CALLS) else "COMPLETE"}
"""
        for at, name in enumerate(CALLS)
    )
    return {path: text.replace("STEPS", steps).replace("URL", url) for path, text in {**AGENTS, **CATALOGUE}.items()}


class Channels:
    """Plants in everything that speaks with somebody else."""

    def __init__(self, planter: Planter, haystack: Haystack, others: Talkative) -> None:
        self._planter = planter
        self._gateway = planter.gateway
        self._haystack = haystack
        self._others = others
        self._project = f"/api/projects/{planter.gateway.project_id}"
        planter.secrets.append(others.token)

    async def made(self, path: str, body: Any, name: str, key: str, headers: dict[str, str] | None = None) -> Any:
        """Have something made whose secret is said once, to who makes it; ask again under the same key."""
        given = {"idempotency-key": f"a canary of the channels: {key}", **(headers or {})}
        answers = [await self._gateway.call("POST", path, body, given) for _ in range(2)]
        assert [one.status // 100 for one in answers] == [2, 2], answers[0].body
        assert answers[0].body == answers[1].body
        self._planter.secrets.append(answers[0].json()[name])
        return answers[0].json()

    async def hooks(self) -> None:
        """Have hooks made; tried, changed, listed, and told of what happens."""
        for at in range(HOOKS):
            path = "/hook/fail" if at % 2 else "/hook"
            body = {"url": f"{self._others.url}{path}", "events": ["*"], "description": f"hook {at}"}
            hook = await self.made(f"{self._project}/webhooks", body, "secret", f"hook {at}")
            place = f"{self._project}/webhooks/{hook['webhook']['id']}"
            for method, more, change in (("PATCH", "", {"description": "x"}), ("POST", "/test", {}), ("GET", "", None)):
                assert (await self._planter.call(method, place + more, change)).status == 200
            await self._planter.call("GET", f"{place}/deliveries")
        await self._planter.call("GET", f"{self._project}/webhooks")

    async def words(self) -> None:
        """Plant what others know us by."""
        for tool, key in (
            ("*", "KITCHEN"), ("by_token", "CLIENT"), ("by_word", "WORD"), ("by_connector", "PANTRY"),
            ("Far", "agent_token"), ("Broken", "agent_api_key"),
        ):  # fmt: skip
            await self._tool_secret(tool, key)
        variable = {"kind": "env", "key": "KITCHEN_KEY", "value": self._word("variable"), "secret": True}
        assert (await self._planter.call("PUT", f"{self._project}/variables", variable)).status == 200

    async def calls(self) -> list[str]:
        """Have everybody called; return the sessions."""
        sessions = [
            await self._say("Reacher", "go"),
            await self._say("Sender", "far"),
            await self._say("Sender", "broken"),
            await self._say("Thinker", "think"),
        ]
        assert len(self._others.sandbox_tokens) == 1
        self._planter.secrets += self._others.sandbox_tokens
        for token in (self._others.sandbox_tokens[0], f"{self._word('sandbox')}"):
            bearer = {"x-api-key": "", "authorization": f"Bearer {token}"}
            await self._planter.call("POST", MEMORY_PATH, {"memoryStoreName": "s", "action": "get"}, bearer)
        return sessions

    async def callback(self) -> str:
        """Have something made elsewhere, and its result delivered: wrongly signed, rightly, and once more."""
        session_id = await self._say("Waiter", "go")
        head = self._others.callbacks[-1]
        secret, path = head[CALLBACK_SECRET], f"/api/v1/callbacks/{head['x-abl-callback-id']}"
        self._planter.secrets.append(secret)
        await self._planter.call("GET", f"{self._project}/callbacks")
        raw = json.dumps({"number": "P-1"}).encode()
        signature = hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
        for headers, status in (
            ({"x-callback-signature": secret}, 401),
            ({"authorization": f"Bearer {secret}"}, 401),
            ({"x-callback-signature": f"sha256={signature}"}, 200),
            ({"x-callback-signature": f"sha256={signature}"}, 200),
        ):
            answer = await self._planter.call("POST", path, {"number": "P-1"}, {"x-api-key": "", **headers})
            assert answer.status == status, answer.body

        async def goes_on() -> bool:
            answer = await self._planter.call("GET", f"{self._project}/sessions/{session_id}?include=messages")
            return b"P-1" in answer.body

        await eventually(goes_on)
        return session_id

    async def pages(self) -> None:
        """Have public keys, tokens, tickets and resume tokens made; use them, and wrong ones."""
        for at in range(PAGES):
            body = {"name": f"page {at}", "allowedOrigins": ["*"], "requireOrigin": False}
            key = (await self.made(f"{self._project}/public-keys", body, "secret", f"public {at}"))["secret"]
            shown = {"x-api-key": "", "x-public-key": key}
            project = {"projectId": self._gateway.project_id}
            token = (await self.made("/api/v1/sdk/init", project, "token", f"init {at}", shown))["token"]
            page = {"x-api-key": "", "x-sdk-token": token}
            ticket = (await self.made("/api/v1/sdk/ws-ticket", {}, "ticket", f"ticket {at}", page))["ticket"]
            async with self._gateway.socket(ticket, protocol="sdk-ticket") as socket:
                started = json.loads(await socket.recv())
                assert started["type"] == "session_start"
                self._planter.secrets.append(started["resumeToken"])
                await socket.send(json.dumps({"type": "chat_message", "text": "hello", "messageId": f"m{at}"}))
                while json.loads(await socket.recv())["type"] != "response_end":
                    pass
            async with self._gateway.socket(ticket, protocol="sdk-ticket") as socket:
                self._haystack.add("frame", str(await socket.recv()))  # a second time: refused
            again = {**project, "resumeToken": started["resumeToken"]}
            await self._gateway.call("POST", "/api/v1/sdk/init", again, shown)
        for _ in range(WRONG):
            for name, kind in (("x-sdk-token", "sdk"), ("x-public-key", "pk")):
                wrong = {"x-api-key": "", name: self._word(kind)}
                assert (await self._planter.call("POST", "/api/v1/sdk/init", {}, wrong)).status in (400, 401)
        await self._planter.call("GET", f"{self._project}/public-keys")

    async def rotated_keys(self) -> None:
        """Have keys made and rotated, the old one still good for a while."""
        for at in range(PAGES):
            made = await self.made("/api/api-keys", {"name": f"turned {at}"}, "secret", f"turned {at}")
            path = f"/api/api-keys/{made['key']['id']}/rotate"
            turned = await self.made(path, {"graceSec": 60}, "secret", f"rotate {at}")
            for secret in (made["secret"], turned["secret"]):
                await self._planter.call("GET", f"{self._project}/sessions", headers={"x-api-key": secret})

    async def spans(self, *sessions: str) -> None:
        """Wait until the collector has heard of sessions; keep what it was sent."""
        await eventually(lambda: self._has_heard_of(sessions))
        for one in self._others.spans:
            self._haystack.add("spans", one)

    async def _has_heard_of(self, sessions: tuple[str, ...]) -> bool:
        told = b"".join(self._others.spans)
        return all(one.encode() in told for one in sessions)

    def _word(self, kind: str) -> str:
        """Return a new secret that can stand in a header."""
        made = self._planter.secret(kind).replace(" ", "").replace('"', "").replace("'", "")
        self._planter.secrets[-1] = made
        return made

    async def _tool_secret(self, tool: str, key: str) -> None:
        body = {"projectId": self._gateway.project_id, "toolName": tool, "secretKey": key, "value": self._word(key)}
        answer = await self._planter.call("POST", "/api/tool-secrets", body)
        assert answer.status == 201, answer.body

    async def _say(self, agent: str, text: str) -> str:
        body = {
            "projectId": self._gateway.project_id,
            "agentId": agent,
            "message": text,
            "environment": "working-copy",
            "testContext": {"sessionVariables": {"a": 1}},
        }
        answer = await self._planter.call("POST", "/api/v1/chat/agent", body)
        assert answer.status == 200, answer.body
        return str(answer.json()["sessionId"])
