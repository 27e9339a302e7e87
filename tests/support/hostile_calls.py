"""Every way from an address that a tenant names to a socket, and a canary on the other side of it.

The canary listens on loopback, every name leads to it or to a metadata service, and whatever is dialled at its port is
noted and goes no further than this machine.
"""

from __future__ import annotations

import socket
from asyncio.base_events import BaseEventLoop
from asyncio.selector_events import BaseSelectorEventLoop
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

import httpx2
import pytest

from domain.errors import AppError
from domain.model_calls import Message, ModelRequest
from domain.tool_calls import ToolCall
from providers.addresses import AddressPolicy
from providers.chat.resilient import Resilience
from providers.failures import CallFailed
from providers.http import HttpCall, HttpClient
from providers.mcp.http_transport import GuardedTransport
from providers.mcp.tool import McpTool
from providers.ports import CallbackAddress, NoCredentials, ToolInvocation
from providers.registry import ModelRegistry
from providers.remote import RemoteAgents, RemoteCall
from providers.retry import RetryPolicy
from providers.specs import ProviderSpec
from providers.tools.kinds import all_tools
from tests.support.stub_endpoint import Answer, StubEndpoint

CALLBACK = CallbackAddress("cb", "http://platform.example/cb", "secret", "2030-01-01T00:00:00Z")
FOREIGN_KINDS = ("openai_compatible", "anthropic", "gemini")
WAYS = 14
ONCE = RetryPolicy(attempts=1)
REDIRECTS = (301, 302, 303, 307, 308)
BEHIND_NAMES = (("127.0.0.1",), ("169.254.169.254",), ("::1",), ("8.8.8.8", "10.0.0.1"), ("::ffff:169.254.169.254",))
"""What names lead to, one name after the other."""


@dataclass
class Canary:
    """Sings when somebody comes near."""

    port: int
    stub: StubEndpoint
    dialled: list[str] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)

    def check(self, address: str) -> None:
        """Raise AssertionError when somebody has dialled."""
        assert not self.dialled, f"{address!r} led to {self.dialled}"
        assert not self.stub.asked, f"{address!r} was called"

    def heard(self) -> bool:
        """Return whether somebody has dialled, or called over a connection that was there, since this was asked last."""
        has_heard = bool(self.dialled or self.stub.asked)
        self.dialled.clear()
        self.stub.asked.clear()
        return has_heard


@asynccontextmanager
async def a_canary(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Canary]:
    """Yield a canary that hears of every attempt to reach its port, at whatever address."""
    async with StubEndpoint() as stub:
        canary = Canary(stub.port, stub)
        with monkeypatch.context() as patch:
            _listen(patch, canary)
            yield canary


def _listen(patch: pytest.MonkeyPatch, canary: Canary) -> None:
    dial, look_up = BaseSelectorEventLoop.sock_connect, BaseEventLoop.getaddrinfo

    async def sock_connect(self: Any, sock: socket.socket, address: Any) -> Any:
        if isinstance(address, tuple) and address[1] == canary.port:
            canary.dialled.append(str(address[0]))
            if address[0] != "127.0.0.1":
                raise ConnectionRefusedError(f"{address[0]} is not this machine")
        return await dial(self, sock, address)

    async def getaddrinfo(self: Any, host: str, port: int, **more: Any) -> Any:
        if port != canary.port or _is_literal(host):
            return await look_up(self, host, port, **more)
        found = BEHIND_NAMES[len(canary.looked_up) % len(BEHIND_NAMES)]
        canary.looked_up.append(host)
        return [
            (socket.AF_INET6 if ":" in one else socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found
        ]

    patch.setattr(BaseSelectorEventLoop, "sock_connect", sock_connect)
    patch.setattr(BaseEventLoop, "getaddrinfo", getaddrinfo)


def _is_literal(host: str) -> bool:
    with suppress(ValueError):
        ip_address(host)
        return True
    return False


async def reaches(client: HttpClient, address: str, canary: Canary) -> bool:
    """Return whether a call of an address opens a socket."""
    with suppress(CallFailed):
        await client.send(HttpCall("GET", address, headers={"Connection": "close"}))
    return canary.heard()


Way = Callable[[str], Awaitable[bool]]
"""Calls an address; returns whether there was an answer."""


class _Entries:
    """A catalogue in which everything is at one address."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def entry(self, kind: str, name: str) -> dict[str, Any]:
        if kind == "connector":
            return {"base_url": self._address, "actions": {"act": {"path": "do", "method": "GET"}}}
        return {"url": self._address}


@asynccontextmanager
async def ways(policy: AddressPolicy) -> AsyncIterator[Mapping[str, Way]]:
    """Yield the ways to call an address under a policy, by name: tools, agents elsewhere, models, hooks."""
    client, tools = HttpClient(policy), all_tools(policy)
    remotes = RemoteAgents(client)
    calls = 0

    def tool(kind: str, binding: dict[str, Any], **more: Any) -> Way:
        async def call(address: str) -> bool:
            nonlocal calls
            calls += 1  # a scope of its own: no breaker rests for what failed before
            given = {
                name: value.replace("ADDRESS", address) if isinstance(value, str) else value
                for name, value in more.items()
            }
            invocation = ToolInvocation(
                ToolCall("c", "t", {"address": address}),
                kind,
                binding,
                scope=f"tenant/p{calls}",
                environment={"BASE": address},
                callback=CALLBACK,
                catalogue=_Entries(address),
                **given,
            )
            return (await tools.run(invocation)).ok

        return call

    def remote(protocol: str) -> Way:
        async def call(address: str) -> bool:
            asked = RemoteCall(endpoint=address, agent="Far", text="hello", key="k", timeout_s=1.0)
            with suppress(AppError):
                await remotes.ask(asked, protocol, NoCredentials())
                return True
            return False

        return call

    def model(kind: str) -> Way:
        async def call(address: str) -> bool:
            spec = ProviderSpec("own", kind, address, "key", ("m",), is_foreign=True)
            registry = ModelRegistry([spec], foreign_client=client, resilience=Resilience(retry=ONCE))
            with suppress(AppError):
                await registry.open("own/m").answer(ModelRequest(messages=(Message("user", "hello"),)))
                return True
            return False

        return call

    async def hook(address: str) -> bool:
        with suppress(CallFailed):
            (await client.open(HttpCall("POST", address, {}, b"{}"))).close()
            return True
        return False

    async def mcp(address: str) -> bool:
        with suppress(httpx2.InvalidURL, httpx2.UnsupportedProtocol):
            answer = await GuardedTransport(client).handle_async_request(httpx2.Request("POST", address, content=b"{}"))
            return answer.status_code < 400
        return False

    token = {"type": "oauth2_client", "config": {"token_url": "{{address}}", "client_id": "i", "client_secret": "s"}}
    try:
        yield {
            "http tool": tool("http", {"endpoint": "{{address}}", "method": "GET"}),
            "http tool of a variable": tool("http", {"endpoint": "{{env.BASE}}/orders", "method": "POST"}),
            "soap tool": tool("http", {"endpoint": "{{address}}", "protocol": "soap", "soap_action": "a"}),
            "token of an http tool": tool("http", {"endpoint": "https://example.com/", "method": "GET", "auth": token}),
            "connector": tool("connector", {"connector": "c", "action": "act"}),
            "workflow": tool("workflow", {"workflowId": "w", "mode": "async"}),
            "asynchronous tool": tool("async_webhook", {"endpoint": "{{address}}"}),
            "mcp server": mcp,
            **{f"agent elsewhere, {protocol}": remote(protocol) for protocol in ("rest", "a2a")},
            **{f"model, {kind}": model(kind) for kind in FOREIGN_KINDS},
            "hook": hook,
        }
    finally:
        await tools.close()
        await remotes.close()


@asynccontextmanager
async def a_redirecting_tool(targets: Mapping[str, str], *, allowed: tuple[str, ...]) -> AsyncIterator[Way]:
    """Yield a way over a server that the operator allows and that redirects `/<number>` to an address elsewhere.

    Args:
        targets: Number -> address.
        allowed: What the operator allows beside that server.
    """

    def answer(asked: Any) -> Answer:
        number = asked.target.strip("/")
        if number not in targets:  # a text that names a place on the same server
            return Answer(403)
        location = targets[number].encode().decode("latin-1")
        return Answer(REDIRECTS[int(number) % len(REDIRECTS)], b"", {"Location": location})

    async with StubEndpoint(answer) as stub:
        tools = all_tools(AddressPolicy((f"127.0.0.1:{stub.port}", *allowed)))

        async def call(number: str) -> bool:
            binding = {"endpoint": f"{stub.url}/{number}", "method": "GET", "on_http_error": "error"}
            result = await tools.run(ToolInvocation(ToolCall("c", "t", {}), "http", binding, scope=f"tenant/p{number}"))
            return result.ok

        try:
            yield call
        finally:
            await tools.close()


@asynccontextmanager
async def an_mcp_tool(policy: AddressPolicy) -> AsyncIterator[Way]:
    """Yield a way over a tool of an MCP server that a project's catalogue names; it does not wait between its tries."""
    tool, calls = McpTool(HttpClient(policy), sleep=_at_once), 0

    async def call(address: str) -> bool:
        nonlocal calls
        calls += 1
        binding = {"server": "kitchen", "tool": "say", "headers": {}}
        invocation = ToolInvocation(
            ToolCall("c", "t", {}), "mcp", binding, scope=f"tenant/p{calls}", catalogue=_Entries(address)
        )
        return (await tool.run(invocation)).ok

    try:
        yield call
    finally:
        await tool.close()


async def _at_once(_delay_s: float) -> None:
    """Wait for nothing."""
