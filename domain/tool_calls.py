"""A call of a tool and what came of it."""

from __future__ import annotations

from msgspec import Struct, field

from domain.json_values import MAX_JSON_DEPTH, JsonObject, JsonValue


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


RESULT_TOO_DEEP = "RESULT_TOO_DEEP"
"""Code of a result whose lists and maps stand in each other deeper than values are kept."""
TOO_DEEP_SENTENCE = (
    f"The tool's result is nested deeper than {MAX_JSON_DEPTH} levels; have the tool return a flatter one, or a text"
)
FINAL_KINDS = frozenset({"invalid_input", "constraint_violation", "credential_not_found"})
FINAL_CODES = frozenset(
    {
        *("SECRET_NOT_FOUND", "SECRET_EXPIRED", "AUTH_PROFILE_NOT_FOUND"),
        *("ADDRESS_REFUSED", "NOT_IN_CATALOGUE", "NOT_INSTALLED"),
        *("INVALID_CODE", "INVALID_PARAMETER", "SyntaxError", "IndentationError"),
        *("MEMORY_LIMIT", "RecursionError", "InternalError", "TOO_MANY_CALLS", "NEVER_SETTLED"),
        *("INVALID_RESULT", "RESULT_TOO_LARGE", RESULT_TOO_DEEP),
    }
)


def is_final(kind: str, code: str) -> bool:
    """Return whether a failure meets every further try of the same call: it is refused, not broken.

    An address that may not be called, code that is none, a limit of the sandbox, a secret that is not there. What a
    status of HTTP means the author knows better, and what was slow may be quicker: those are tried again by ON_ERROR.

    >>> is_final("tool_error", "ADDRESS_REFUSED"), is_final("api_error", "503")
    (True, False)
    """
    return kind in FINAL_KINDS or code in FINAL_CODES


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
