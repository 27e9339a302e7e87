"""A call of a tool and what came of it."""

from __future__ import annotations

from msgspec import Struct, field

from domain.json_values import JsonObject, JsonValue


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """What a model or a step asks for; `signature` is what its provider wants back with the call, word for word."""

    id: str
    name: str
    arguments: JsonObject = field(default_factory=dict)
    signature: str = ""


class ToolResult(Struct, frozen=True, omit_defaults=True):
    """What came of a call: `value` when `ok`, else the kind and the sentence of the error.

    Attributes:
        error_kind: A word of ON_ERROR: `tool_error`, `tool_timeout`, `invalid_input`, `api_error`.
        error_code: What the other side said, e.g. `404`.
        accepted: An asynchronous tool took the call; its value arrives as a callback.
        stores: Memory stores the code has set, by name; None for those it deleted. They are set once this is durable.
        retry_after_ms: After which time another call may go better; 0 where nobody knows.
        is_unknown: The request may have arrived and no answer came: nobody knows whether it was carried out.
    """

    ok: bool
    value: JsonValue = None
    error_kind: str = ""
    error_code: str = ""
    error_message: str = ""
    duration_ms: int = 0
    attempts: int = 1
    accepted: bool = False
    stores: JsonObject = field(default_factory=dict)
    retry_after_ms: int = 0
    is_unknown: bool = False


RATE_LIMIT_EXCEEDED = "RATE_LIMIT_EXCEEDED"
"""Code of a call that was not made: the tenant has made too many. Spec: platform-api 2.5."""
TOOL_KINDS = (
    "http",
    "mcp",
    "lambda",
    "sandbox",
    "connector",
    "workflow",
    "searchai",
    "async_webhook",
    "mock",
    "unbound",
)
"""How a tool is reached; `mock` is a scripted answer of a test context, `unbound` a tool nobody bound."""
