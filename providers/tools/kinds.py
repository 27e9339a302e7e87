"""Kind of a tool -> who runs it. What nobody runs gives a result that says so. Spec: abl-language 12.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from domain.tool_calls import ToolResult
from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.mcp.servers import McpServer
from providers.mcp.tool import McpTool
from providers.ports import ToolInvocation, ToolRunner
from providers.tools.connector_tool import ConnectorTool
from providers.tools.http_tool import HttpTool
from providers.tools.javascript_tool import JavaScriptTool
from providers.tools.mocked import MockedTool
from providers.tools.python_tool import PythonTool
from providers.tools.results import ToolFault, failed
from providers.tools.webhook_tool import WebhookTool
from providers.tools.workflow_tool import WorkflowTool

PYTHON: Final = "sandbox.python"
JAVASCRIPT: Final = "sandbox.javascript"


class ToolKinds:
    """Runs tools of every kind it knows; a sandbox tool is told apart by its runtime."""

    def __init__(self, runners: Mapping[str, ToolRunner]) -> None:
        self._runners = dict(runners)

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return what came of it."""
        runner = self._runners.get(key_of(invocation))
        if runner is None:
            return failed(_unknown(invocation))
        return await runner.run(invocation)

    async def close(self) -> None:
        """Close all runners."""
        for runner in self._runners.values():
            await runner.close()


def all_tools(policy: AddressPolicy, mcp_servers: Mapping[str, McpServer] | None = None) -> ToolKinds:
    """Return the runners of all kinds there are, calling only addresses that `policy` allows.

    Args:
        mcp_servers: The MCP servers that the operator names; those of a project stand in its catalogue.
    """
    client = HttpClient(policy)
    http = HttpTool(client)
    return ToolKinds(
        {
            "http": http,
            "connector": ConnectorTool(http),
            "workflow": WorkflowTool(http),
            "async_webhook": WebhookTool(client),
            "mcp": McpTool(client, mcp_servers),
            PYTHON: PythonTool(),
            JAVASCRIPT: JavaScriptTool(),
            "mock": MockedTool(),
        }
    )


def key_of(invocation: ToolInvocation) -> str:
    """Return the key of the runner an invocation needs."""
    if invocation.kind == "sandbox":
        return f"sandbox.{str(invocation.binding.get('runtime') or 'javascript').lower()}"
    return invocation.kind


def _unknown(invocation: ToolInvocation) -> ToolFault:
    if invocation.kind == "unbound":
        return ToolFault("tool_error", "TOOL_UNBOUND", f"The tool {invocation.call.name!r} is declared and not bound")
    return ToolFault("tool_error", "TOOL_KIND_UNAVAILABLE", f"Tools of the kind {key_of(invocation)!r} cannot run here")
