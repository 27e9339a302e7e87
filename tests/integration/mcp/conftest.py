"""A runner of MCP tools, and servers made with the official package for it to call."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.mcp.servers import McpServer
from providers.mcp.tool import McpTool
from tests.support.mcp_servers import PROGRAM, HttpServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def http_server(ledger: Path) -> Iterator[HttpServer]:
    """A server that a test may end."""
    with a_server(ledger) as server:
        yield server


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server that no test ends: starting one takes seconds."""
    with a_server(tmp_path_factory.mktemp("mcp") / "ledger") as server:
        yield server


@contextmanager
def a_server(ledger: Path) -> Iterator[HttpServer]:
    server = HttpServer(ledger, free_port())
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
async def runner(ledger: Path) -> AsyncIterator[McpTool]:
    """A runner that may start the program `guide` and call loopback."""
    guide = McpServer(command=sys.executable, args=(PROGRAM, str(ledger)), projects=("p",))
    tool = McpTool(HttpClient(AddressPolicy(("127.0.0.0/8",))), {"guide": guide})
    yield tool
    async with asyncio.timeout(60):
        await tool.close()
