"""The platform as an MCP server, asked by the official client over real sockets, and by its own MCP tools."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from domain.tool_calls import ToolCall
from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.mcp.tool import McpTool
from providers.ports import ToolInvocation
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
TEXTS = {
    "counter.agent.abl": """\
AGENT: Counter
GOAL: "Count what is said"

MEMORY:
  session:
    - NAME: said
      TYPE: number
      INITIAL: 0

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET: said = said + 1
        RESPOND: "{{said}}: {{input}}"
        THEN: listen
"""
}


@asynccontextmanager
async def transport(gateway: LiveGateway, key: str) -> AsyncIterator[Any]:
    url = f"http://127.0.0.1:{gateway.port}/mcp/{gateway.project_id}"
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


async def test_the_official_client_talks_to_an_agent(servers: Servers) -> None:
    async with a_live_gateway(servers, "counter", TEXTS) as gateway, asyncio.timeout(60):
        async with Client(transport(gateway, gateway.key)) as client:
            tools = (await client.list_tools()).tools
            assert [(tool.name, tool.description) for tool in tools] == [("Counter", "Count what is said")]
            first = await client.call_tool("Counter", {"message": "tea", "requestId": "r1"})
            assert first.structured_content["reply"] == "1: tea"
            session = {"sessionId": first.structured_content["sessionId"]}
            assert [one.text for one in first.content] == ["1: tea", f"sessionId: {session['sessionId']}"]
            second = await client.call_tool("Counter", {"message": "milk", **session})
            assert second.structured_content["reply"] == "2: milk"
            asked = [client.call_tool("Counter", {"message": "tea", "requestId": "r1"}) for _ in range(5)]
            assert {one.structured_content["reply"] for one in await asyncio.gather(*asked)} == {"1: tea"}
            third = await client.call_tool("Counter", {"message": "cake", "requestId": "r2", **session})
            assert third.structured_content["reply"] == "3: cake"
            refused = await client.call_tool("Counter", {"message": "tea", "sessionId": "sess_nowhere"})
            assert refused.is_error
            with pytest.raises(MCPError):
                await client.call_tool("Nobody", {"message": "tea"})
        with pytest.raises((MCPError, ExceptionGroup)):
            async with Client(transport(gateway, "abl_wrong")):
                pass


async def test_batches_are_taken_in_the_version_that_has_them(servers: Servers) -> None:
    async with a_live_gateway(servers, "mcp-batch", TEXTS) as gateway:
        path = f"/mcp/{gateway.project_id}"
        calls = [
            {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "Counter", "arguments": said}}
            for number, said in enumerate(({"message": "tea"}, {"message": "milk"}))
        ]
        told = (await gateway.call("POST", path, [*calls, {"jsonrpc": "2.0", "method": "notifications/x"}])).json()
        assert [one["id"] for one in told] == [0, 1]
        assert [one["result"]["structuredContent"]["reply"] for one in told] == ["1: tea", "1: milk"]
        for version, body in (("2025-06-18", calls), ("2025-03-26", [])):
            refused = await gateway.call("POST", path, body, {"mcp-protocol-version": version})
            assert (refused.status, refused.json()["error"]["code"]) == (400, -32_600)


async def test_a_client_that_starts_programs_talks_over_abl_mcp(servers: Servers, tmp_path: Path) -> None:
    async with a_live_gateway(servers, "counter", TEXTS) as gateway, asyncio.timeout(60):
        key_file = tmp_path / "key"
        key_file.write_text(gateway.key + "\n")
        abl = str(Path(sys.executable).with_name("abl"))
        url = f"http://127.0.0.1:{gateway.port}"
        args = ["mcp", "--url", url, "--project", gateway.project_id, "--key-file", str(key_file)]
        with (tmp_path / "log").open("w") as log:
            async with Client(stdio_client(StdioServerParameters(command=abl, args=args), log)) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == ["Counter"]
                told = await client.call_tool("Counter", {"message": "tea"})
                assert told.structured_content["reply"] == "1: tea"
                with pytest.raises(MCPError):
                    await client.call_tool("Nobody", {"message": "tea"})


async def test_one_installation_is_a_tool_of_another(servers: Servers) -> None:
    async with a_live_gateway(servers, "counter", TEXTS) as gateway, asyncio.timeout(60):
        tool = McpTool(HttpClient(AddressPolicy(("127.0.0.0/8",))))
        binding = {
            "server": f"http://127.0.0.1:{gateway.port}/mcp/{gateway.project_id}",
            "tool": "Counter",
            "headers": {"X-API-Key": gateway.key},
        }
        call = ToolCall("c", "ask_counter", {"message": "tea"})
        made = ToolInvocation(call, "mcp", binding, scope="t/p/dev", idempotency_key="effect-1")
        results = [await tool.run(made) for _ in range(2)]
        assert [one.value["reply"] for one in results] == ["1: tea", "1: tea"], "the effect's key makes it once"
        assert len({one.value["sessionId"] for one in results}) == 1
        await tool.close()
