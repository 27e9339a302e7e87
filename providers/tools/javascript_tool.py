"""Runs JavaScript code tools on a pool of worker processes; a worker that is too slow or breaks is replaced.

Arguments are variables; the value of the last expression or of `return` is the result, promises are awaited. The code
may call `memory(action, store, content)`. Spec: abl-language 3.2.
"""

from __future__ import annotations

import asyncio
import os
import struct
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.errors import Unavailable
from domain.json_values import JsonObject, JsonValue
from domain.tool_calls import ToolResult
from providers.ports import ToolInvocation
from providers.retry import Seconds
from providers.tools import javascript_worker
from providers.tools.results import ToolFault, elapsed_ms, failed
from providers.tools.sandbox import (
    MAX_RESULT_BYTES,
    MemoryRefused,
    Program,
    crashed,
    decoded_result,
    names_of,
    program_of,
    too_hungry,
    too_slow,
    use_memory,
)

MAX_FRAME_BYTES: Final = MAX_RESULT_BYTES + (64 << 10)
MAX_HOST_CALLS: Final = 200
MAX_ERROR_CHARS: Final = 500
WAIT_FOR_WORKER_S: Final = 10.0
START_TIMEOUT_S: Final = 10.0
STOP_TIMEOUT_S: Final = 2.0
WORKER_RUNS: Final = 1_000

_LENGTH: Final = struct.Struct(">I")
_SCRIPT: Final = Path(javascript_worker.__file__).resolve()


class _Worker:
    """One process; used by one run at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.runs = 0

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.returncode is None

    async def write(self, message: JsonObject) -> None:
        """Send one message."""
        body = msgspec.json.encode(message)
        assert self._process.stdin is not None
        self._process.stdin.write(_LENGTH.pack(len(body)) + body)
        await self._process.stdin.drain()

    async def read(self) -> Any:
        """Return the next message.

        Raises:
            ToolFault: The process ended, or says too much.
        """
        assert self._process.stdout is not None
        try:
            size = _LENGTH.unpack(await self._process.stdout.readexactly(_LENGTH.size))[0]
            if size > MAX_FRAME_BYTES:
                raise ToolFault("tool_error", "RESULT_TOO_LARGE", f"A result has at most {MAX_RESULT_BYTES} bytes")
            return msgspec.json.decode(await self._process.stdout.readexactly(size))
        except (asyncio.IncompleteReadError, ConnectionError, msgspec.DecodeError) as error:
            raise crashed() from error

    async def end(self) -> None:
        """Kill the process and wait for its end."""
        if self.is_alive:
            self._process.kill()
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await self._process.wait()


class JavaScriptTool:
    """Runs the JavaScript tools of a process; workers are started when they are needed."""

    def __init__(self, *, max_workers: int | None = None, seconds: Seconds = time.monotonic) -> None:
        self._free = asyncio.Semaphore(max_workers or os.cpu_count() or 1)
        self._seconds = seconds
        self._idle: list[_Worker] = []

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
        workers, self._idle = self._idle, []
        for worker in workers:
            await worker.end()

    async def _value(self, invocation: ToolInvocation, program: Program) -> JsonValue:
        try:
            async with asyncio.timeout(WAIT_FOR_WORKER_S):
                await self._free.acquire()
        except TimeoutError as error:
            raise ToolFault("tool_timeout", "SANDBOX_BUSY", "No sandbox was free in time") from error
        try:
            worker = await self._worker()
            reusable = False
            try:
                async with asyncio.timeout(program.timeout_s):
                    answer = await _converse(worker, invocation, program)
                reusable = worker.runs < WORKER_RUNS
            except TimeoutError as error:
                raise too_slow() from error
            except ConnectionError as error:
                raise crashed() from error
            finally:
                if reusable:
                    self._idle.append(worker)
                else:
                    await worker.end()
        finally:
            self._free.release()
        return _read(answer)

    async def _worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
        return await _start()


async def _start() -> _Worker:
    """Return a new process: isolated, without environment, site-packages or working directory of ours."""
    engine = find_spec("_quickjs")
    if engine is None or engine.origin is None:
        raise Unavailable("JavaScript tools need the package quickjs, which is not installed")
    async with asyncio.timeout(START_TIMEOUT_S):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(_SCRIPT),
            engine.origin,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            cwd=Path("/"),
            start_new_session=True,
            limit=MAX_FRAME_BYTES,
        )
    return _Worker(process)


async def _converse(worker: _Worker, invocation: ToolInvocation, program: Program) -> Any:
    """Hand the program over and answer its calls of `memory` until it gives its outcome."""
    worker.runs += 1
    await worker.write(
        {
            "code": program.code,
            "arguments": names_of(invocation),
            "memory_bytes": program.memory_bytes,
            "timeout_s": program.timeout_s,
            "has_memory": invocation.memory is not None,
        }
    )
    for _ in range(MAX_HOST_CALLS + 1):
        answer = await worker.read()
        if "host" not in answer:
            return answer
        action, store, content = answer["host"]
        try:
            reply = {"value": await use_memory(invocation.memory, action, store, content)}
        except MemoryRefused as refused:
            reply = {"error": str(refused)}
        await worker.write(reply)
    raise ToolFault("tool_error", "TOO_MANY_CALLS", f"A run may call memory at most {MAX_HOST_CALLS} times")


def _read(answer: JsonObject) -> JsonValue:
    match answer.get("limit"):
        case "memory":
            raise too_hungry()
        case "unsettled":
            sentence = "The tool's code waits for a promise that nobody keeps"
            raise ToolFault("tool_error", "NEVER_SETTLED", sentence)
        case "engine":
            raise crashed()
    outcome = decoded_result(answer["json"])
    if outcome.get("unfit"):
        raise ToolFault("tool_error", "INVALID_RESULT", "The tool's code gives a value that is not JSON")
    error = outcome.get("error")
    if error is not None:
        if error["name"] == "InternalError" and "out of memory" in error["message"]:
            raise too_hungry()
        message = f"{error['name']}: {error['message']}"[:MAX_ERROR_CHARS]
        raise ToolFault("tool_error", error["name"], message)
    return outcome.get("value")
