"""The operator's file of MCP servers."""

from __future__ import annotations

import json

import pytest

from domain.errors import InvalidInput
from providers.mcp.servers import McpServer, Target, read_servers


def test_programs_and_addresses_are_read_in_the_usual_form_too() -> None:
    servers = {"files": {"command": "uvx", "args": ["mcp-files"], "env": {"A": "1"}}, "web": {"url": "https://a/mcp"}}
    expected = {
        "files": McpServer(command="uvx", args=("mcp-files",), env={"A": "1"}),
        "web": McpServer(url="https://a/mcp"),
    }
    assert read_servers(json.dumps(servers).encode()) == expected
    assert read_servers(json.dumps({"mcpServers": servers}).encode()) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"a": {}}',
        '{"a": {"command": "x", "url": "https://y"}}',
        '{"a": {"url": "ftp://y"}}',
        '{"a": {"comand": "x"}}',
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="MCP server"):
        read_servers(text.encode())


def test_connections_are_told_apart_by_their_headers_without_showing_them() -> None:
    one, two = (Target("t/p/dev", "guide", "https://a", {"Authorization": word}) for word in ("secret-1", "secret-2"))
    assert one.key != two.key
    assert "secret" not in one.key
    assert "secret" not in repr(one)
