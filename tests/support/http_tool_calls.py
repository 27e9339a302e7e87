"""Runs http tools against an endpoint on loopback, with secrets that are made up."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from domain.tool_calls import ToolCall, ToolResult
from providers.ports import SecretExpired, ToolInvocation
from providers.tools.http_tool import HttpTool
from tests.support.stub_endpoint import Asked, StubEndpoint


class Secrets:
    async def secret(self, tool: str, name: str) -> str | None:
        if name == "OLD":
            raise SecretExpired(name)
        return {"KEY": "s3cret", "ID": "client"}.get(name)

    async def profile(self, name: str) -> dict[str, Any] | None:
        return {"type": "bearer", "config": {"token": "from profile"}} if name == "crm" else None

    async def user_token(self, provider: str) -> str | None:
        return "user token" if provider == "crm" else None

    def note(self, text: str) -> None:
        """Nothing is hidden here."""


async def call(
    runner: HttpTool, binding: dict[str, Any], arguments: dict[str, Any] | None = None, *answers: Any, **more: Any
) -> tuple[ToolResult, list[Asked]]:
    async with StubEndpoint(*answers) as stub:
        filled = {**binding, "endpoint": stub.url + binding.get("endpoint", "/")}
        more = {"credentials": Secrets(), **more}
        result = await runner.run(
            ToolInvocation(ToolCall("c", "t", arguments or {}), "http", filled, scope="p", **more)
        )
        return result, stub.asked


def query(asked: Asked) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(asked.target).query)
