"""Starts asynchronous tools: the request tells the other side where to deliver the result, the session suspends.

Spec: abl-language 3.2; platform-api 7.1.
"""

from __future__ import annotations

import time
from typing import Final

from domain.json_values import JsonObject
from domain.tool_calls import ToolResult
from providers.failures import CallFailed
from providers.http import HttpCall, HttpClient
from providers.ports import ToolInvocation
from providers.retry import Seconds
from providers.tools.http_request import address_of, checked_headers, json_body, timeouts_of, variables_of
from providers.tools.http_tool import value_of
from providers.tools.results import ToolFault, elapsed_ms, failed, fault_of
from providers.tools.texts import PlainPlace, render

CALLBACK_FIELD: Final = "callbackUrl"
METHODS: Final = frozenset({"POST", "PUT", "PATCH"})


class WebhookTool:
    """Makes the start call; the value of the tool comes later, as a callback."""

    def __init__(self, client: HttpClient, *, seconds: Seconds = time.monotonic) -> None:
        self._client = client
        self._seconds = seconds

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return whether the other side took the call; `value` is what it said at once."""
        began_s = self._seconds()
        try:
            answer = await self._client.send(await start_call(invocation))
            if not 200 <= answer.status < 300:
                sentence = f"The tool's endpoint answered {answer.status} to the start call"
                raise ToolFault("api_error", str(answer.status), sentence)
            value = value_of(answer)
        except CallFailed as failure:
            return failed(fault_of(failure), duration_ms=elapsed_ms(began_s, self._seconds()))
        except ToolFault as fault:
            return failed(fault, duration_ms=elapsed_ms(began_s, self._seconds()))
        return ToolResult(ok=True, value=value, accepted=True, duration_ms=elapsed_ms(began_s, self._seconds()))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


async def start_call(invocation: ToolInvocation) -> HttpCall:
    """Return the request that starts the work and says where its result is awaited.

    Raises:
        ToolFault: There is no callback, or the binding cannot be filled in.
    """
    callback, binding = invocation.callback, invocation.binding
    if callback is None:
        raise ToolFault("tool_error", "NO_CALLBACK", "An asynchronous tool needs a callback address")
    method = str(binding.get("method") or "POST").upper()
    if method not in METHODS:
        raise ToolFault("invalid_input", "INVALID_REQUEST", f"An asynchronous tool cannot start with {method!r}")
    variables = await variables_of(invocation, binding)
    body: JsonObject = dict(invocation.call.arguments)
    body[str(binding.get("callbackUrlField") or CALLBACK_FIELD)] = callback.url
    written = {
        name: render(str(text), variables, PlainPlace()) for name, text in (binding.get("headers") or {}).items()
    }
    headers = checked_headers(
        {
            "Content-Type": "application/json",
            **written,
            "X-ABL-Callback-Id": callback.id,
            "X-ABL-Callback-Url": callback.url,
            "X-ABL-Callback-Secret": callback.secret,
            "X-ABL-Callback-Expires": callback.expires_at,
        }
    )
    if invocation.idempotency_key:
        headers.setdefault("Idempotency-Key", invocation.idempotency_key)
    return HttpCall(
        method,
        address_of(binding, variables),
        headers=headers,
        body=json_body(body),
        timeouts=timeouts_of(invocation.timeout_ms),
    )
