"""Runs mocked tools: the scripted answer of a test context stands in the binding. Spec: platform-api 4.1."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from domain.json_values import JsonObject, JsonValue
from domain.limits import TOOL_MOCK_DELAY_MAX_MS
from domain.tool_calls import ToolResult
from providers.ports import ToolInvocation
from providers.retry import Seconds, Sleep
from providers.tools.results import MILLISECONDS_PER_SECOND, elapsed_ms


class Mock(Protocol):
    """What is known of a mock when one is looked for."""

    @property
    def tool_name(self) -> str:
        """The tool it stands for."""

    @property
    def times(self) -> int | None:
        """How often it can be used; None for ever."""

    @property
    def match(self) -> JsonObject:
        """Parameters that have to be equal."""


Found = TypeVar("Found", bound=Mock)


def find_mock(mocks: Iterable[Found], used: Mapping[int, int], tool: str, arguments: JsonObject) -> int | None:
    """Return the place of the first mock that fits and is not used up, None when the tool runs for real."""
    for place, mock in enumerate(mocks):
        if mock.tool_name != tool or (mock.times is not None and used.get(place, 0) >= mock.times):
            continue
        if all(_equal(arguments.get(name), value) for name, value in mock.match.items()):
            return place
    return None


class MockedTool:
    """Answers with what the binding says: `{response?, error?: {code?, message}, delayMs?}`."""

    def __init__(self, *, seconds: Seconds = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        self._seconds = seconds
        self._sleep = sleep

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return the scripted answer."""
        began_s, answer = self._seconds(), invocation.binding
        delay_ms = min(float(answer.get("delayMs") or answer.get("delay_ms") or 0), TOOL_MOCK_DELAY_MAX_MS)
        if delay_ms > 0:
            await self._sleep(delay_ms / MILLISECONDS_PER_SECOND)
        duration_ms = elapsed_ms(began_s, self._seconds())
        error = answer.get("error")
        if error:
            return ToolResult(
                ok=False,
                error_kind=str(error.get("kind") or "tool_error"),
                error_code=str(error.get("code") or ""),
                error_message=str(error.get("message") or "The mocked tool fails"),
                duration_ms=duration_ms,
            )
        return ToolResult(ok=True, value=answer.get("response"), duration_ms=duration_ms)

    async def close(self) -> None:
        """Nothing is held."""


def _equal(given: JsonValue, wanted: JsonValue) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    return bool(given == wanted) and isinstance(given, bool) == isinstance(wanted, bool)
