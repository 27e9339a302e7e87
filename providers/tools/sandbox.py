"""What the code sandboxes share: limits, results, and the host function `memory`. Spec: abl-language 3.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from domain.errors import AppError
from domain.json_values import JsonObject, JsonValue, is_too_deep
from providers.ports import MemoryStores, ToolInvocation
from providers.tools.results import MILLISECONDS_PER_SECOND, ToolFault, too_deep

DEFAULT_MEMORY_MB: Final = 64
MAX_MEMORY_MB: Final = 256
MAX_TIMEOUT_S: Final = 60.0
MAX_RESULT_BYTES: Final = 1 << 20
MAX_CODE_CHARS: Final = 200_000
MAX_OUTPUT_BYTES: Final = 64 << 10
BYTES_PER_MB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Program:
    """Code with its limits."""

    code: str
    timeout_s: float
    memory_bytes: int


class MemoryRefused(Exception):
    """A call of `memory` cannot be carried out; the sentence is for the code that called."""


def too_slow() -> ToolFault:
    """Return the fault of code that did not end in time."""
    return ToolFault("tool_timeout", "TIMEOUT", "The tool's code did not end in time")


def too_hungry() -> ToolFault:
    """Return the fault of code that met its memory limit."""
    return ToolFault("tool_error", "MEMORY_LIMIT", "The tool's code needs more memory than it may have")


def crashed() -> ToolFault:
    """Return the fault of a sandbox that ended by itself."""
    return ToolFault("tool_error", "SANDBOX_CRASHED", "The sandbox broke down")


def program_of(invocation: ToolInvocation) -> Program:
    """Return what to run.

    Raises:
        ToolFault: There is no code, or too much of it.
    """
    binding = invocation.binding
    code = str(binding.get("code_content") or "")
    if not code.strip() or len(code) > MAX_CODE_CHARS:
        raise ToolFault("invalid_input", "INVALID_CODE", f"A code tool has 1 to {MAX_CODE_CHARS} characters of code")
    timeout_s = float(binding.get("timeout_ms") or invocation.timeout_ms) / MILLISECONDS_PER_SECOND
    memory_mb = float(binding.get("memory_mb") or DEFAULT_MEMORY_MB)
    return Program(code, min(timeout_s, MAX_TIMEOUT_S), int(min(memory_mb, MAX_MEMORY_MB) * BYTES_PER_MB))


def names_of(invocation: ToolInvocation) -> JsonObject:
    """Return what the code sees by name: what `context_access.read` declares, and the arguments, which come first."""
    seen = {name: value for name, value in invocation.variables.items() if name.isidentifier()}
    return {**seen, **invocation.call.arguments}


def plain_result(value: object) -> JsonValue:
    """Return what the code gave as plain JSON.

    Raises:
        ToolFault: It is too large or too deep, or nothing JSON can say.
    """
    if is_too_deep(value):
        raise too_deep()
    try:
        encoded = msgspec.json.encode(value)
    except RecursionError as error:
        raise too_deep() from error
    except (TypeError, ValueError, OverflowError) as error:
        raise ToolFault("tool_error", "INVALID_RESULT", "The tool's code gives a value that is not JSON") from error
    return decoded_result(encoded)


def decoded_result(encoded: bytes | str) -> JsonValue:
    """Return JSON text from a sandbox as a value.

    Raises:
        ToolFault: It is too large, too deep or no JSON.
    """
    if len(encoded) > MAX_RESULT_BYTES:
        raise ToolFault("tool_error", "RESULT_TOO_LARGE", f"A tool's result has at most {MAX_RESULT_BYTES} bytes")
    try:
        value = msgspec.json.decode(encoded)
    except RecursionError as error:
        raise too_deep() from error
    except msgspec.DecodeError as error:
        raise ToolFault("tool_error", "INVALID_RESULT", "The tool's code gives a value that is not JSON") from error
    if is_too_deep(value):
        raise too_deep()
    return value


async def use_memory(stores: MemoryStores | None, action: object, store: object, content: object) -> JsonValue:
    """Carry out a call of `memory(action, store, content)`.

    Raises:
        MemoryRefused: It cannot be.
    """
    if stores is None:
        raise MemoryRefused("This tool has no memory")
    if not isinstance(action, str) or not isinstance(store, str):
        raise MemoryRefused("memory(action, store, content) takes texts for action and store")
    if content is not None and not isinstance(content, dict):
        raise MemoryRefused("The content of a memory store is an object")
    try:
        return await stores.act(action, store, content)
    except AppError as error:
        raise MemoryRefused(error.message) from error
