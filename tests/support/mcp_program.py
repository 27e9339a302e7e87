"""An MCP server as a program, made with the official package. Started by tests as `python mcp_program.py LEDGER [http PORT]`.

It writes a line to the ledger for every call that arrives, so that a test sees what was carried out how often.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations

LEDGER = Path(sys.argv[1])
server = MCPServer("city-guide")
READ_ONLY = ToolAnnotations(read_only_hint=True)


def note(line: str) -> int:
    """Write a line; return how many there are."""
    with LEDGER.open("a", encoding="utf-8") as ledger:
        ledger.write(line + "\n")
    return len(LEDGER.read_text(encoding="utf-8").splitlines())


@server.tool()
def echo(code: str, count: int) -> dict[str, Any]:
    """Give the arguments back."""
    return {"code": code, "count": count}


@server.tool()
def fail(why: str = "the guide is closed") -> str:
    """Fail."""
    raise ValueError(why)


@server.tool()
async def sleep_long(seconds: float = 60.0) -> str:
    """Take too long."""
    note("sleep_long")
    await asyncio.sleep(seconds)
    return "awake"


@server.tool(annotations=READ_ONLY)
async def doze(seconds: float = 60.0) -> str:
    """Take too long, reading only."""
    note("doze")
    await asyncio.sleep(seconds)
    return "awake"


@server.tool()
def book(place: str) -> dict[str, Any]:
    """Book a place, and die before the answer."""
    note(f"book {place}")
    os._exit(1)


@server.tool(annotations=READ_ONLY)
def look_up(place: str) -> dict[str, Any]:
    """Look a place up; the first time, die before the answer."""
    if note(f"look_up {place}") == 1:
        os._exit(1)
    return {"place": place}


@server.tool(name="tables.search")
def tables(kitchen: str) -> list[dict[str, Any]]:
    """List restaurants."""
    return [{"place_id": "p1", "name": f"Casa {kitchen}"}]


@server.tool()
def big(size: int) -> str:
    """Give a text of that many characters."""
    return "x" * size


@server.tool()
async def who(ctx: Context) -> dict[str, Any]:
    """Say what the request brought."""
    headers = dict(ctx.headers or {})
    meta = ctx.request_context.meta
    return {"headers": headers, "meta": dict(meta) if meta else {}}


if __name__ == "__main__":
    if sys.argv[2:3] == ["http"]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[3]))
    else:
        server.run("stdio")
