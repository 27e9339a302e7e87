"""Runs Python code tools in Monty: an interpreter of its own in worker processes, without any system call.

Arguments are variables; the value of the last expression or of `return` is the result. The code may call
`memory(action, store, content)`, awaited or not. Spec: abl-language 3.2.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic_monty import (
    AsyncFunctionSnapshot,
    AsyncMonty,
    AsyncMontySession,
    AsyncSnapshot,
    CollectString,
    ExternalResult,
    MontyComplete,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySyntaxError,
    OSPolicy,
    ResourceLimits,
)
from pydantic_monty._binary import find_monty_binary

from domain.json_values import JsonValue
from domain.tool_calls import ToolResult
from providers.ports import ToolInvocation
from providers.retry import Seconds
from providers.tools.confining import ConfinedProgram, most_confined
from providers.tools.results import ToolFault, elapsed_ms, failed
from providers.tools.sandbox import (
    MAX_OUTPUT_BYTES,
    MemoryRefused,
    Program,
    crashed,
    names_of,
    plain_result,
    program_of,
    too_hungry,
    too_slow,
    use_memory,
)

if TYPE_CHECKING:
    from typing_extensions import TypeIs

log = logging.getLogger(__name__)

MAX_RECURSION: Final = 200
MAX_HOST_CALLS: Final = 200
MAX_ERROR_CHARS: Final = 500
CHECKOUT_TIMEOUT_S: Final = 10.0
GRACE_S: Final = 2.0
WORKER_RUNS: Final = 1_000
MEMORY: Final = "memory"


class PythonTool:
    """Runs the Python tools of a process on a pool of workers, opened with the first run."""

    def __init__(self, *, max_workers: int | None = None, seconds: Seconds = time.monotonic) -> None:
        self._max_workers = max_workers or os.cpu_count() or 1
        self._seconds = seconds
        self._pool: AsyncMonty | None = None
        self._program: ConfinedProgram | None = None
        self._opening = asyncio.Lock()

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return what the code gives."""
        began_s = self._seconds()
        try:
            value = await self._value(invocation, program_of(invocation))
        except ToolFault as fault:
            return failed(fault, duration_ms=elapsed_ms(began_s, self._seconds()))
        return ToolResult(ok=True, value=value, duration_ms=elapsed_ms(began_s, self._seconds()))

    async def close(self) -> None:
        """Stop the workers."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.__aexit__(None, None, None)
        if self._program is not None:
            self._program.remove()
            self._program = None

    async def _value(self, invocation: ToolInvocation, program: Program) -> JsonValue:
        pool = await self._opened()
        limits = ResourceLimits(
            max_feed_duration_secs=program.timeout_s,
            max_memory=program.memory_bytes,
            max_recursion_depth=MAX_RECURSION,
            max_suspensions=MAX_HOST_CALLS,
            max_total_sleep_secs=program.timeout_s,
        )
        try:
            # The interpreter keeps its own time; this one also counts what the host does for it.
            async with (
                asyncio.timeout(program.timeout_s + GRACE_S),
                pool.checkout(limits=limits, os_policy=OSPolicy(sleep="zero")) as session,
            ):
                return plain_result(await _drive(session, invocation, program.code))
        except MontyError as error:
            raise _fault(error) from error
        except TimeoutError as error:
            raise too_slow() from error
        except (TypeError, ValueError) as error:
            raise ToolFault("invalid_input", "INVALID_PARAMETER", "An argument cannot be handed to the code") from error

    async def _opened(self) -> AsyncMonty:
        async with self._opening:
            if self._pool is None:
                pool = AsyncMonty(
                    binary_path=await self._confined(),
                    max_processes=self._max_workers,
                    checkout_timeout=CHECKOUT_TIMEOUT_S,
                    max_checkouts_per_worker=WORKER_RUNS,
                )
                await pool.__aenter__()
                self._pool = pool
        return self._pool

    async def _confined(self) -> Path | None:
        """Return what starts a worker as confined as it runs, None for not at all; the log says what is lost."""
        self._program, lost = await workers()
        if lost:
            log.warning("the workers of Python tools are not confined as they should be: %s", lost)
        return self._program.path if self._program is not None else None


async def workers() -> tuple[ConfinedProgram | None, str]:
    """Return what starts the workers of Python tools, and what of their confinement is lost; see `most_confined`."""
    return await most_confined(find_monty_binary(), "--version")


async def _drive(session: AsyncMontySession, invocation: ToolInvocation, code: str) -> object:
    """Run the code to its end, answering its host calls: in place when they are not awaited."""
    memory = _memory_of(invocation)
    snapshot = await session.feed_start(
        code,
        inputs=names_of(invocation),
        external_lookup={MEMORY: memory} if invocation.memory is not None else {},
        print_callback=CollectString(MAX_OUTPUT_BYTES),
    )
    while not isinstance(snapshot, MontyComplete):
        if invocation.memory is not None and _is_plain_call(snapshot):
            result: ExternalResult
            try:
                result = {"return_value": await memory(*snapshot.args, **snapshot.kwargs)}
            except (ValueError, TypeError) as error:
                result = {"exception": error}
            snapshot = await snapshot.resume(result)
        else:
            snapshot = await snapshot.resume_auto()
    return snapshot.output


def _is_plain_call(snapshot: AsyncSnapshot) -> TypeIs[AsyncFunctionSnapshot]:
    """Whether the code called `memory` without awaiting it at once."""
    return (
        isinstance(snapshot, AsyncFunctionSnapshot)
        and not snapshot.is_os_function
        and not snapshot.allow_eager_await
        and snapshot.function_name == MEMORY
    )


def _memory_of(invocation: ToolInvocation) -> Callable[..., Awaitable[JsonValue]]:
    async def memory(action: Any = None, store: Any = None, content: Any = None) -> JsonValue:
        try:
            return await use_memory(invocation.memory, action, store, content)
        except MemoryRefused as refused:
            raise ValueError(str(refused)) from refused

    return memory


def _fault(error: MontyError) -> ToolFault:
    """Return what the interpreter reports as a fault of the tool."""
    if isinstance(error, MontyCrashedError):
        return too_slow() if error.timed_out else crashed()
    cause = error.exception() if isinstance(error, MontyRuntimeError | MontySyntaxError) else error
    name = type(cause).__name__
    if isinstance(cause, TimeoutError):
        return too_slow()
    if isinstance(cause, MemoryError):
        return too_hungry()
    return ToolFault("tool_error", name, f"{name}: {cause}"[:MAX_ERROR_CHARS])
