"""Runs tools that live on MCP servers: finds the server, keeps the deadline, repeats what does no harm.

A call whose request may have arrived and whose answer did not come is repeated when the server says that its tool is
read-only or idempotent; else its outcome is unknown, and says so. Spec: abl-language 3.2. Decision: 0017.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Final

from domain.json_values import JsonObject, JsonValue
from domain.tool_calls import ToolResult
from providers.breaker import BreakerPolicy, Breakers
from providers.http import HttpClient
from providers.mcp import bounds
from providers.mcp.calls import Interrupted, NotConnected
from providers.mcp.connections import BACKOFF, Connections, Opened, Resting
from providers.mcp.servers import HTTP, McpServer, Target, secret_words
from providers.ports import ToolInvocation
from providers.retry import Seconds, Sleep, chance, delay_s
from providers.tools.catalogue import McpServerEntry, find_entry
from providers.tools.http_request import checked_headers, variables_of
from providers.tools.results import MILLISECONDS_PER_SECOND, ToolFault, elapsed_ms, failed, resting
from providers.tools.texts import PlainPlace, render

MISSING: Final = "Tools of the kind 'mcp' need the package mcp, which is not installed: pip install 'abl-runtime[mcp]'"
POLICY: Final = BreakerPolicy()


@dataclass(slots=True)
class _Run:
    """How far one run has come."""

    deadline_s: float
    timeout_s: float
    attempts: int = 0


class McpTool:
    """Runs the MCP tools of all sessions of a process over shared connections.

    Args:
        servers: Those that the operator names; a project's own stand in its catalogue.
    """

    def __init__(
        self,
        client: HttpClient,
        servers: Mapping[str, McpServer] | None = None,
        *,
        seconds: Seconds = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._client = client
        self._servers = dict(servers or {})
        self._seconds = seconds
        self._sleep = sleep
        self._breakers = Breakers()
        self._connections: Connections | None = None

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return what the tool gave."""
        began_s = self._seconds()
        timeout_s = min(invocation.timeout_ms / MILLISECONDS_PER_SECOND, bounds.CALL_MAX_S)
        run = _Run(began_s + timeout_s, timeout_s)
        key = f"{invocation.scope}\0{invocation.call.name}"
        rests_s = self._breakers.admit(key, POLICY, began_s)
        if rests_s is not None:
            return failed(resting(rests_s))
        try:
            value = await self._answered(invocation, run)
        except ToolFault as fault:
            self._breakers.report(key, POLICY, self._seconds(), ok=_is_answer(fault))
            return failed(fault, duration_ms=elapsed_ms(began_s, self._seconds()), attempts=max(run.attempts, 1))
        self._breakers.report(key, POLICY, self._seconds(), ok=True)
        duration_ms = elapsed_ms(began_s, self._seconds())
        return ToolResult(ok=True, value=value, duration_ms=duration_ms, attempts=run.attempts)

    async def close(self) -> None:
        """Close all connections; server programs are ended."""
        connections, self._connections = self._connections, None
        if connections is not None:
            await connections.close()
        await self._client.close()

    async def _answered(self, invocation: ToolInvocation, run: _Run) -> JsonValue:
        connections = await self._opened()
        target = await self._target(invocation)
        tool = str(invocation.binding.get("tool") or invocation.call.name)
        while True:
            run.attempts += 1
            left_s = run.deadline_s - self._seconds()
            connection: Opened | None = None
            try:
                async with asyncio.timeout(max(left_s, 0.0)):
                    connection = await connections.get(target)
                if connection.tools and tool not in connection.tools:
                    raise ToolFault("tool_error", "UNKNOWN_TOOL", f"The MCP server has no tool {tool!r}")
                left_s = max(run.deadline_s - self._seconds(), 0.001)
                return await connection.call(tool, invocation.call.arguments, invocation.idempotency_key, left_s)
            except TimeoutError as error:
                raise ToolFault("tool_timeout", "TIMEOUT", f"No connection to {target.name!r} in time") from error
            except NotConnected as error:
                await self._wait(run, error)
            except Interrupted as error:
                is_repeatable = connection is not None and _is_repeatable(connection, tool)
                await self._look_at(run, error, is_repeatable=is_repeatable)

    async def _wait(self, run: _Run, error: NotConnected) -> None:
        """Wait before another attempt. Raises ToolFault when there is none, or no time for it."""
        wait_s = error.wait_s if isinstance(error, Resting) else delay_s(BACKOFF, run.attempts, chance())
        if run.attempts >= bounds.ATTEMPTS or self._seconds() + wait_s >= run.deadline_s:
            wait_ms = round(wait_s * MILLISECONDS_PER_SECOND)
            raise ToolFault("tool_error", "NO_CONNECTION", str(error), retry_after_ms=wait_ms) from error
        await self._sleep(wait_s)

    async def _look_at(self, run: _Run, error: Interrupted, *, is_repeatable: bool) -> None:
        if not is_repeatable:
            raise ToolFault("tool_error", "OUTCOME_UNKNOWN", str(error), is_unknown=True) from error
        if error.timed_out:
            raise ToolFault("tool_timeout", "TIMEOUT", str(error)) from error
        if run.attempts >= bounds.ATTEMPTS:
            raise ToolFault("tool_error", "CONNECTION_CUT", str(error)) from error

    async def _opened(self) -> Connections:
        """Return the connections, with the package imported when the first tool needs it: that takes a second."""
        if self._connections is None:
            if find_spec("mcp") is None:
                raise ToolFault("tool_error", "NOT_INSTALLED", MISSING)
            module = await asyncio.to_thread(importlib.import_module, "providers.mcp.client")
            if self._connections is None:
                self._connections = Connections(partial(module.Connection, self._client), seconds=self._seconds)
        return self._connections

    async def _target(self, invocation: ToolInvocation) -> Target:
        """Return the server that a binding names: an address, the project's own, or one of the operator's."""
        name = str(invocation.binding.get("server") or "")
        headers: JsonObject = dict(invocation.binding.get("headers") or {})
        if name.startswith(HTTP):
            return await _addressed(invocation, name, name, headers)
        server = self._servers.get(name)
        if server is not None and await invocation.catalogue.entry("mcp_server", name) is None:
            return await self._operators(invocation, name, server, headers)
        entry = await find_entry(invocation, "mcp_server", name, McpServerEntry)
        return await _addressed(invocation, name, entry.url, {**entry.headers, **headers})

    async def _operators(self, invocation: ToolInvocation, name: str, server: McpServer, headers: JsonObject) -> Target:
        project_id = invocation.scope.split("/")[1] if "/" in invocation.scope else invocation.scope
        if server.projects and project_id not in server.projects:
            raise ToolFault("tool_error", "NOT_IN_CATALOGUE", f"The MCP server {name!r} is not open to this project")
        for word in secret_words(server):
            invocation.credentials.note(word)
        if server.command:
            return Target(invocation.scope, name, program=server)
        return await _addressed(invocation, name, server.url, {**server.headers, **headers})


async def _addressed(invocation: ToolInvocation, name: str, url: str, headers: JsonObject) -> Target:
    variables = await variables_of(invocation, [url, headers])
    shown = {key: render(str(text), variables, PlainPlace()) for key, text in headers.items()}
    return Target(invocation.scope, name, render(url, variables, PlainPlace()), checked_headers(shown))


def _is_repeatable(connection: Opened, tool: str) -> bool:
    listed = connection.tools.get(tool)
    return listed is not None and listed.is_repeatable


def _is_answer(fault: ToolFault) -> bool:
    """Whether a fault is what the other side, which works, has said."""
    return fault.code in ("MCP_TOOL_ERROR", "UNKNOWN_TOOL") or fault.kind in ("api_error", "invalid_input")
