"""Runs tools that name an operation of a connector: looked up in the project's catalogue, called like an http tool.

Decision: 0019.
"""

from __future__ import annotations

import msgspec

from domain.tool_calls import ToolResult
from providers.ports import ToolInvocation, ToolRunner
from providers.tools.catalogue import Connector, connector_binding, find_entry
from providers.tools.results import ToolFault, failed


class ConnectorTool:
    """Runs the connector tools of a process over the runner of http tools, whose breakers and tokens they share."""

    def __init__(self, http: ToolRunner) -> None:
        self._http = http

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return what the operation answered."""
        name, operation = (str(invocation.binding.get(key) or "") for key in ("connector", "action"))
        try:
            connector = await find_entry(invocation, "connector", name, Connector)
            action = connector.actions.get(operation)
            if action is None:
                sentence = f"The connector {name!r} has no action {operation!r}"
                raise ToolFault("tool_error", "NOT_IN_CATALOGUE", sentence)
        except ToolFault as fault:
            return failed(fault)
        bound = msgspec.structs.replace(invocation, kind="http", binding=connector_binding(connector, action))
        return await self._http.run(bound)

    async def close(self) -> None:
        """Close what is under it."""
        await self._http.close()
