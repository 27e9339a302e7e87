"""Python code tools: what they can do, what they cannot, and where they are stopped."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.tool_calls import ToolResult
from providers.ports import ToolInvocation, ToolRunner
from providers.tools.python_tool import PythonTool
from tests.suites.tool_runner import ToolRunnerSuite, invocation
from tests.support.memory_stores import DictStores

pytestmark = pytest.mark.anyio
QUICK_MS, PATIENT_MS = 500, 10_000
"""For what runs into its timeout, and for what must not on a busy machine."""


def code(
    text: str, arguments: dict[str, Any] | None = None, *, timeout_ms: int = PATIENT_MS, **more: Any
) -> ToolInvocation:
    binding = {"runtime": "python", "code_content": text, "timeout_ms": timeout_ms, "memory_mb": 20}
    return invocation("sandbox", binding, arguments, **more)


@pytest.fixture
async def runner() -> AsyncIterator[PythonTool]:
    tool = PythonTool(max_workers=2)
    yield tool
    await tool.close()


class TestPythonAsAToolRunner(ToolRunnerSuite):
    @pytest.fixture
    async def runner(self) -> AsyncIterator[ToolRunner]:
        tool = PythonTool(max_workers=2)
        yield tool
        await tool.close()

    @pytest.fixture
    def gives_a_value(self) -> ToolInvocation:
        return code('{"code": code, "count": count}', {"code": "A1", "count": 2})

    @pytest.fixture
    def fails(self) -> ToolInvocation:
        return code('raise ValueError("no such parcel")')

    @pytest.fixture
    def never_ends(self) -> ToolInvocation:
        return invocation("sandbox", {"code_content": "while True: pass", "timeout_ms": 50})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("amount * 2", 6),
        ("x = amount + 1\nreturn x", 4),
        ("def f(n):\n  return n + 1\nf(amount)", 4),
        ("amount = 1", None),
        ("import json\njson.dumps({'a': amount})", '{"a": 3}'),
        ("import re\nre.findall('[0-9]', 'a1b2')", ["1", "2"]),
        ("import datetime\ndatetime.date(2026, 1, 2)", "2026-01-02"),
        ("(1, {2})", [1, [2]]),
        ("float('nan')", None),
        ("deep['a'][1]['b']", "é"),
        ("print('not a result')", None),
    ],
)
async def test_the_last_value_is_the_result_as_plain_json(runner: PythonTool, text: str, value: Any) -> None:
    result = await runner.run(code(text, {"amount": 3, "deep": {"a": [0, {"b": "é"}]}}))
    assert (result.ok, result.value) == (True, value), result


@pytest.mark.parametrize(
    "text",
    [
        'open("/etc/passwd").read()', 'import os\nos.system("id")', 'import os\nos.listdir("/")', "import os\nos.environ['HOME']",
        "import os\nos.fork()", "import subprocess", "import socket", "import ctypes", "import sys\nsys.modules['os'].system('id')",
        "import importlib", "().__class__.__bases__[0].__subclasses__()", "(lambda: 0).__globals__", "eval('open(1)')", "exec('import socket')",
        "__import__('os').system('id')", "__builtins__", "globals()['__builtins__']", "import threading", "import pickle",
        'from pathlib import Path\nPath("/etc/passwd").read_text()', "type('x', (), {})().__class__.__mro__", "breakpoint()",
        "import urllib.request", "getattr((), '__class__')", "'{0.__class__}'.format(())", "import gc", "import builtins",
        "memory('get', 's')",
    ],
)  # fmt: skip
async def test_nothing_of_the_system_is_reachable(runner: PythonTool, text: str) -> None:
    result = await runner.run(code(text))
    assert not result.ok
    assert result.error_kind == "tool_error"


@pytest.mark.parametrize(
    ("text", "error_code"),
    [
        ("while True: pass", "TIMEOUT"),
        ("x = 'a' * 10**9", "MEMORY_LIMIT"),
        ("x = []\nwhile True: x.append('a' * 1000)", "MEMORY_LIMIT"),
        ("10 ** 10 ** 8", "MEMORY_LIMIT"),
        ("def f(): return f()\nf()", "RecursionError"),
        ("while True: print('a' * 10000)", "MEMORY_LIMIT"),
        ("['a' * 1000] * 2000", "RESULT_TOO_LARGE"),
        ("(", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("nobody", "NameError"),
    ],
)
async def test_a_run_is_stopped_at_its_limits(runner: PythonTool, text: str, error_code: str) -> None:
    lasts = error_code == "TIMEOUT" or "print(" in text  # too much output is told when the time is over
    result = await runner.run(code(text, timeout_ms=QUICK_MS if lasts else PATIENT_MS))
    assert (result.ok, result.error_code) == (False, error_code), result


async def test_one_run_leaves_nothing_to_the_next(runner: PythonTool) -> None:
    await runner.run(code("left = 1"))
    assert (await runner.run(code("left"))).error_code == "NameError"


async def test_sleeping_takes_no_time(runner: PythonTool) -> None:
    result = await runner.run(code("import time\ntime.sleep(3600)\n1"))
    assert result.value == 1


@pytest.mark.parametrize("awaited", ["", "await "])
async def test_memory_is_read_and_written(runner: PythonTool, awaited: str) -> None:
    stores = DictStores()
    text = f'{awaited}memory("set", "cart", {{"n": 1}})\nx = {awaited}memory("get", "cart")\nreturn x["n"]'
    assert (await runner.run(code(text, memory=stores))).value == 1
    assert stores.stores == {"cart": {"n": 1}}


@pytest.mark.parametrize("call", ['memory("steal", "s")', 'memory("set", "s", 3)', "memory(1, 2)", "memory()"])
async def test_what_memory_refuses_can_be_caught_by_the_code(runner: PythonTool, call: str) -> None:
    text = f"try:\n  {call}\nexcept ValueError as e:\n  return str(e)"
    result = await runner.run(code(text, memory=DictStores()))
    assert result.ok
    assert result.value


async def test_endless_host_calls_are_stopped(runner: PythonTool) -> None:
    result = await runner.run(code('while True: memory("get", "s")', timeout_ms=QUICK_MS, memory=DictStores()))
    assert not result.ok


@pytest.mark.parametrize("text", ["", "   ", "x" * 300_000])
async def test_code_of_no_use_is_refused(runner: PythonTool, text: str) -> None:
    result: ToolResult = await runner.run(code(text))
    assert result.error_code == "INVALID_CODE"


async def test_code_sees_the_names_that_the_tool_declares(runner: PythonTool) -> None:
    seen = {"tier": "gold", "message_metadata": {"page": "checkout"}, "unset": None, "amount": 1, "no-name": 2}
    result = await runner.run(
        code('[tier, message_metadata["page"], unset is None, amount]', {"amount": 3}, variables=seen)
    )
    assert (result.ok, result.value) == (True, ["gold", "checkout", True, 3]), result


@pytest.mark.parametrize("levels", [129, 200, 250, 20_000])
async def test_a_result_that_is_nested_too_deep_is_an_error_and_nothing_else(runner: PythonTool, levels: int) -> None:
    """The interpreter itself would put a text in the place of what is nested deeper than 200."""
    result = await runner.run(code(f"x = 1\nfor i in range({levels}):\n  x = [x]\nx"))
    assert (result.ok, result.error_code, result.value) == (False, "RESULT_TOO_DEEP", None)
    assert "128" in result.error_message
