"""JavaScript code tools: what they can do, what they cannot, and where they are stopped."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from providers.ports import ToolInvocation, ToolRunner
from providers.tools.javascript_tool import JavaScriptTool
from tests.suites.tool_runner import ToolRunnerSuite, invocation
from tests.support.memory_stores import DictStores

pytestmark = pytest.mark.anyio
QUICK_MS, PATIENT_MS = 500, 10_000
"""For what runs into its timeout, and for what must not on a busy machine."""


def code(
    text: str, arguments: dict[str, Any] | None = None, *, timeout_ms: int = PATIENT_MS, **more: Any
) -> ToolInvocation:
    binding = {"runtime": "javascript", "code_content": text, "timeout_ms": timeout_ms, "memory_mb": 16}
    return invocation("sandbox", binding, arguments, **more)


@pytest.fixture
async def runner() -> AsyncIterator[JavaScriptTool]:
    tool = JavaScriptTool(max_workers=2)
    yield tool
    await tool.close()


class TestJavaScriptAsAToolRunner(ToolRunnerSuite):
    @pytest.fixture
    async def runner(self) -> AsyncIterator[ToolRunner]:
        tool = JavaScriptTool(max_workers=2)
        yield tool
        await tool.close()

    @pytest.fixture
    def gives_a_value(self) -> ToolInvocation:
        return code("({code, count})", {"code": "A1", "count": 2})

    @pytest.fixture
    def fails(self) -> ToolInvocation:
        return code('throw new Error("no such parcel")')

    @pytest.fixture
    def never_ends(self) -> ToolInvocation:
        return invocation("sandbox", {"code_content": "while (true) {}", "timeout_ms": 50})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("amount * 2", 6),
        ("const x = amount + 1; return x", 4),
        ("function f(n) { return n + 1 }\nf(amount)", 4),
        ("if (amount > 2) { 'big' } else { 'small' }", "big"),
        ("async function f() { return 1 }\nf()", 1),
        ("return await Promise.resolve(amount)", 3),
        ("await Promise.resolve(amount)", 3),
        ("undefined", None),
        ("const y = 1", None),
        ("deep.a[1].b", "é"),
        ("NaN", None),
        ("console.log('not a result'); 5", 5),
        ("// a comment at the end\namount // here", 3),
        ("new Date(0).toISOString()", "1970-01-01T00:00:00.000Z"),
    ],
)
async def test_the_last_value_is_the_result_as_plain_json(runner: JavaScriptTool, text: str, value: Any) -> None:
    result = await runner.run(code(text, {"amount": 3, "deep": {"a": [0, {"b": "é"}]}}))
    assert (result.ok, result.value) == (True, value), result


async def test_nothing_of_the_system_is_there(runner: JavaScriptTool) -> None:
    names = [
        "require",
        "process",
        "std",
        "os",
        "fetch",
        "XMLHttpRequest",
        "Deno",
        "WebAssembly",
        "Worker",
        "__host",
        "memory",
    ]
    text = "[" + ",".join(f"typeof {name}" for name in names) + "]"
    assert (await runner.run(code(text))).value == ["undefined"] * len(names)


@pytest.mark.parametrize(
    "text",
    [
        'import("fs")', "import fs from 'fs'", "require('child_process')", "process.exit(1)",
        "this.constructor.constructor('return process')().exit()", "(0, eval)('require')('fs')", "new Function('return process')()",
    ],
)  # fmt: skip
async def test_ways_out_lead_nowhere(runner: JavaScriptTool, text: str) -> None:
    result = await runner.run(code(text))
    assert not result.ok
    assert result.error_kind == "tool_error"


@pytest.mark.parametrize(
    ("text", "error_code"),
    [
        ("while (true) {}", "TIMEOUT"),
        ("(async () => { while (true) await null })()", "TIMEOUT"),
        ("/(a+)+$/.test('a'.repeat(40) + 'b')", "TIMEOUT"),
        ("'a'.repeat(1e9)", "MEMORY_LIMIT"),
        ("const x = []; while (true) x.push(new Array(1000).fill(1))", "MEMORY_LIMIT"),
        ("function f() { return f() + 1 } f()", "InternalError"),
        ("new Array(2e6).join('x')", "RESULT_TOO_LARGE"),
        ("new Promise(() => {})", "NEVER_SETTLED"),
        ("const x = {}; x.x = x; x", "INVALID_RESULT"),
        ("10n", "INVALID_RESULT"),
        ("let x = 1; for (let i = 0; i < 129; i++) x = [x]; x", "RESULT_TOO_DEEP"),
        ("let x = 1; for (let i = 0; i < 2000; i++) x = {in: x}; x", "RESULT_TOO_DEEP"),
        ("(", "SyntaxError"),
        ("nobody", "ReferenceError"),
        ("JSON.parse('{')", "SyntaxError"),
        ("throw {a: 1}", "Error"),
        ("Promise.reject(new TypeError('x'))", "TypeError"),
    ],
)
async def test_a_run_is_stopped_at_its_limits(runner: JavaScriptTool, text: str, error_code: str) -> None:
    result = await runner.run(code(text, timeout_ms=QUICK_MS if error_code == "TIMEOUT" else PATIENT_MS))
    assert (result.ok, result.error_code) == (False, error_code), result


@pytest.mark.parametrize(
    "text",
    [
        "JSON.stringify = () => { throw 1 }; JSON.parse = null; 42",
        "Promise.prototype.then = () => { throw 1 }; Promise.resolve = null; 42",
        "Object.prototype.toJSON = undefined; globalThis.eval = null; 42",
    ],
)
async def test_what_the_code_breaks_is_its_own(runner: JavaScriptTool, text: str) -> None:
    assert (await runner.run(code(text))).value == 42
    assert (await runner.run(code("JSON.stringify([1])"))).value == "[1]"


async def test_one_run_leaves_nothing_to_the_next(runner: JavaScriptTool) -> None:
    await runner.run(code("globalThis.left = 1; Array.prototype.left = 2"))
    assert (await runner.run(code("[typeof left, typeof [].left]"))).value == ["undefined", "undefined"]


async def test_memory_is_read_and_written(runner: JavaScriptTool) -> None:
    stores = DictStores()
    text = 'memory("set", "cart", {n: 1}); const x = await memory("get", "cart"); return x.n + memory("get", "cart").n'
    assert (await runner.run(code(text, memory=stores))).value == 2
    assert stores.stores == {"cart": {"n": 1}}


@pytest.mark.parametrize("call", ['memory("steal", "s")', 'memory("set", "s", 3)', "memory(1, 2)", "memory()"])
async def test_what_memory_refuses_can_be_caught_by_the_code(runner: JavaScriptTool, call: str) -> None:
    result = await runner.run(code(f"try {{ {call} }} catch (error) {{ error.message }}", memory=DictStores()))
    assert result.ok
    assert result.value


async def test_endless_host_calls_are_stopped(runner: JavaScriptTool) -> None:
    result = await runner.run(code('while (true) memory("get", "s")', timeout_ms=QUICK_MS, memory=DictStores()))
    assert result.error_code in {"TOO_MANY_CALLS", "TIMEOUT"}


async def test_a_worker_that_was_killed_is_replaced(runner: JavaScriptTool) -> None:
    await runner.run(code("1"))
    process = runner._idle[0]._process
    os.kill(process.pid, signal.SIGKILL)
    async with asyncio.timeout(60):
        await process.wait()
    assert (await runner.run(code("2"))).value == 2


async def test_a_worker_sees_nothing_of_our_environment(runner: JavaScriptTool) -> None:
    await runner.run(code("1"))
    environment = f"/proc/{runner._idle[0]._process.pid}/environ"
    if not os.path.exists(environment):  # noqa: PTH110 - a file of the kernel
        pytest.skip("this system has no /proc")
    with open(environment, "rb") as found:  # noqa: PTH123, ASYNC230 - a file of the kernel
        assert b"PATH" not in found.read()


async def test_code_sees_the_names_that_the_tool_declares(runner: JavaScriptTool) -> None:
    seen = {"tier": "gold", "message_metadata": {"page": "checkout"}, "unset": None, "amount": 1, "no-name": 2}
    result = await runner.run(
        code("[tier, message_metadata.page, unset === null, amount]", {"amount": 3}, variables=seen)
    )
    assert (result.ok, result.value) == (True, ["gold", "checkout", True, 3]), result
