"""What every tool runner does, whatever it runs. A subclass says how to ask it for a value, a failure and a long run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.tool_calls import ToolCall, ToolResult
from providers.ports import ToolInvocation, ToolRunner


def invocation(
    kind: str, binding: dict[str, Any], arguments: dict[str, Any] | None = None, **more: Any
) -> ToolInvocation:
    return ToolInvocation(ToolCall("call_1", "find_parcel", arguments or {}), kind, binding, scope="p1", **more)


@pytest.mark.anyio
class ToolRunnerSuite:
    """Subclasses give the fixture `runner` and the three invocations."""

    @pytest.fixture
    async def runner(self) -> AsyncIterator[ToolRunner]:
        raise NotImplementedError
        return

    @pytest.fixture
    def gives_a_value(self) -> ToolInvocation:
        """An invocation with the arguments `{"code": "A1", "count": 2}` that gives `{"code": "A1", "count": 2}`."""
        raise NotImplementedError

    @pytest.fixture
    def fails(self) -> ToolInvocation:
        raise NotImplementedError

    @pytest.fixture
    def never_ends(self) -> ToolInvocation | None:
        """An invocation that is stopped by its own timeout; None where nothing can take long."""
        raise NotImplementedError

    async def test_gives_its_value_as_plain_json(self, runner: ToolRunner, gives_a_value: ToolInvocation) -> None:
        result = await runner.run(gives_a_value)
        assert (result.ok, result.value) == (True, {"code": "A1", "count": 2})
        assert result.duration_ms >= 0

    async def test_a_failure_is_a_result_with_a_kind_and_a_sentence(
        self, runner: ToolRunner, fails: ToolInvocation
    ) -> None:
        result = await runner.run(fails)
        assert not result.ok
        assert result.error_kind in {"tool_error", "api_error", "invalid_input"}
        assert result.error_message
        assert result.value is None

    async def test_stops_at_the_timeout(self, runner: ToolRunner, never_ends: ToolInvocation | None) -> None:
        if never_ends is None:
            pytest.skip("this runner cannot take long")
        async with asyncio.timeout(60):
            result = await runner.run(never_ends)
        assert (result.ok, result.error_kind) == (False, "tool_timeout")

    async def test_runs_go_on_after_failures_and_timeouts(
        self,
        runner: ToolRunner,
        gives_a_value: ToolInvocation,
        fails: ToolInvocation,
        never_ends: ToolInvocation | None,
    ) -> None:
        for one in (fails, never_ends, fails):
            if one is not None:
                assert not (await runner.run(one)).ok
        assert (await runner.run(gives_a_value)).ok

    async def test_many_runs_at_once_do_not_mix(self, runner: ToolRunner, gives_a_value: ToolInvocation) -> None:
        results: list[ToolResult] = await asyncio.gather(*(runner.run(gives_a_value) for _ in range(20)))
        assert all(result.ok and result.value == {"code": "A1", "count": 2} for result in results)

    async def test_closing_twice_is_harmless(self, runner: ToolRunner, gives_a_value: ToolInvocation) -> None:
        await runner.run(gives_a_value)
        await runner.close()
        await runner.close()

    async def test_a_cancelled_run_leaves_a_runner_that_works(
        self, runner: ToolRunner, gives_a_value: ToolInvocation, never_ends: ToolInvocation | None
    ) -> None:
        if never_ends is None:
            pytest.skip("this runner cannot take long")
        begun = asyncio.Event()

        async def run() -> None:
            begun.set()
            await runner.run(never_ends)

        task = asyncio.create_task(run())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await runner.run(gives_a_value)).ok
