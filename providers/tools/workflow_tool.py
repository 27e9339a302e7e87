"""Runs tools that start a workflow: looked up in the project's catalogue, started by one request.

A synchronous one answers that request with its result; an asynchronous one takes the request, the session suspends, and
the result comes as a callback. Decision: 0019.
"""

from __future__ import annotations

from typing import Final

import msgspec

from domain.json_values import JsonObject
from domain.tool_calls import ToolResult
from providers.ports import ToolInvocation, ToolRunner
from providers.tools.catalogue import Workflow, find_entry, mapped, workflow_binding
from providers.tools.results import ToolFault, failed

ASYNC: Final = "async"
_CALLBACK_HEADERS: Final = {
    "X-ABL-Callback-Id": "{{callback.id}}",
    "X-ABL-Callback-Url": "{{callback.url}}",
    "X-ABL-Callback-Secret": "{{callback.secret}}",
    "X-ABL-Callback-Expires": "{{callback.expiresAt}}",
}


class WorkflowTool:
    """Runs the workflow tools of a process over the runner of http tools, whose breakers and tokens they share."""

    def __init__(self, http: ToolRunner) -> None:
        self._http = http

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return what the workflow answered; `accepted` when it has only been started."""
        wanted = invocation.binding
        try:
            workflow = await find_entry(invocation, "workflow", str(wanted.get("workflowId") or ""), Workflow)
            given = mapped(wanted.get("paramMapping") or {}, invocation.call.arguments)
            binding = workflow_binding(workflow, wanted)
            is_async = wanted.get("mode") == ASYNC
            if is_async:
                given = {**given, workflow.callback_url_field: _callback_url(invocation)}
                binding = {**binding, "headers": {**binding["headers"], **_CALLBACK_HEADERS}, "on_http_error": "error"}
        except ToolFault as fault:
            return failed(fault)
        call = msgspec.structs.replace(invocation.call, arguments=_without_none(given))
        result = await self._http.run(msgspec.structs.replace(invocation, kind="http", binding=binding, call=call))
        return msgspec.structs.replace(result, accepted=result.ok and is_async)

    async def close(self) -> None:
        """Close what is under it."""
        await self._http.close()


def _callback_url(invocation: ToolInvocation) -> str:
    if invocation.callback is None:
        raise ToolFault("tool_error", "NO_CALLBACK", "An asynchronous workflow needs a callback address")
    return invocation.callback.url


def _without_none(given: JsonObject) -> JsonObject:
    return {name: value for name, value in given.items() if value is not None}
