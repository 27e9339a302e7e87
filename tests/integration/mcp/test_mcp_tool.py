"""MCP tools against real servers: a program on its standard streams, and one over HTTP; with faults."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from domain.tool_calls import ToolResult
from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.mcp import bounds, tool
from providers.mcp.servers import McpServer
from providers.mcp.tool import McpTool
from providers.ports import ToolInvocation, ToolRunner
from tests.suites.tool_runner import ToolRunnerSuite
from tests.support.http_tool_calls import Secrets
from tests.support.mcp_servers import HttpServer, invocation

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("mcp")]


class TestOverHttp(ToolRunnerSuite):
    """What every runner does, on one server."""

    @pytest.fixture
    async def runner(self, runner: McpTool) -> ToolRunner:
        return runner

    @pytest.fixture
    def gives_a_value(self, shared_server: HttpServer) -> ToolInvocation:
        return invocation("echo", {"code": "A1", "count": 2}, shared_server.url)

    @pytest.fixture
    def fails(self, shared_server: HttpServer) -> ToolInvocation:
        return invocation("fail", {}, shared_server.url)

    @pytest.fixture
    def never_ends(self, shared_server: HttpServer) -> ToolInvocation:
        return invocation("doze", {}, shared_server.url, timeout_ms=2_000)


class Catalogue:
    """A catalogue that knows one server."""

    def __init__(self, url: str, **entry: Any) -> None:
        self._entry = {"url": url, **entry}

    async def entry(self, kind: str, name: str) -> dict[str, Any] | None:
        return self._entry if (kind, name) == ("mcp_server", "city-guide") else None


def arrived(ledger: Path, line: str) -> int:
    """Return how often a call has arrived."""
    return ledger.read_text("utf-8").splitlines().count(line) if ledger.exists() else 0


async def test_a_server_of_the_catalogue_is_called_with_its_headers_and_the_effects_key(
    runner: McpTool, shared_server: HttpServer
) -> None:
    catalogue = Catalogue(shared_server.url, headers={"Authorization": "Bearer {{secrets.KEY}}", "X-House": "no"})
    made = invocation("who", server="city-guide", catalogue=catalogue, credentials=Secrets(), headers={"X-House": "7"})
    result = await runner.run(made)
    assert result.ok, result
    headers = result.value["headers"]
    assert (headers["authorization"], headers["x-house"], headers["host"]) == (
        "Bearer s3cret", "7", f"127.0.0.1:{shared_server.port}",
    )  # fmt: skip
    assert result.value["meta"]["abl.runtime/idempotency-key"] == "e1"


@pytest.mark.parametrize("over_http", [False, True])
async def test_answers_of_all_kinds_become_values(runner: McpTool, shared_server: HttpServer, over_http: bool) -> None:
    server = shared_server.url if over_http else "guide"

    async def run(name: str, arguments: dict[str, Any]) -> ToolResult:
        return await runner.run(invocation(name, arguments, server))

    assert (await run("echo", {"code": "A", "count": 1})).value == {"code": "A", "count": 1}
    assert (await run("tables.search", {"kitchen": "Thai"})).value == [{"place_id": "p1", "name": "Casa Thai"}]
    assert (await run("big", {"size": 3})).value == "xxx"
    failed = await run("fail", {})
    assert (failed.error_kind, failed.error_code) == ("tool_error", "MCP_TOOL_ERROR")
    assert (await run("echo", {"code": 1})).error_code == "MCP_TOOL_ERROR"
    assert (await run("nobody", {})).error_code == "UNKNOWN_TOOL"
    large = await run("big", {"size": bounds.RESULT_MAX_BYTES + 1})
    assert (large.error_code, large.is_unknown) == ("ANSWER_TOO_LARGE", False)
    assert (await run("echo", {"code": "B", "count": 2})).ok, "a large answer ends no connection"


async def test_calls_of_a_program_that_dies(runner: McpTool, ledger: Path) -> None:
    """What may have been carried out is unknown and not made again; what only reads is made again."""
    booked = await runner.run(invocation("book", {"place": "x"}))
    assert (booked.ok, booked.is_unknown, booked.attempts, arrived(ledger, "book x")) == (False, True, 1, 1)
    ledger.unlink()
    looked = await runner.run(invocation("look_up", {"place": "y"}))
    assert (looked.ok, looked.value, looked.attempts) == (True, {"place": "y"}, 2)
    assert arrived(ledger, "look_up y") == 2
    late = await runner.run(invocation("sleep_long", timeout_ms=500))
    assert (late.is_unknown, late.error_kind, arrived(ledger, "sleep_long")) == (True, "tool_error", 1)
    only_read = await runner.run(invocation("doze", timeout_ms=500))
    assert (only_read.is_unknown, only_read.error_kind) == (False, "tool_timeout")
    await runner.close()
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text("ascii").split()
    programs = [Path(f"/proc/{child}/cmdline").read_text("utf-8") for child in children]
    assert not any(str(ledger) in program for program in programs), "closing ends the programs"


async def test_calls_over_http_that_are_cut(runner: McpTool, http_server: HttpServer, ledger: Path) -> None:
    booked = await runner.run(invocation("book", {"place": "x"}, http_server.url))
    assert (booked.is_unknown, booked.attempts, arrived(ledger, "book x")) == (True, 1, 1)
    await asyncio.to_thread(http_server.start)
    ledger.unlink()
    looking = asyncio.create_task(runner.run(invocation("look_up", {"place": "y"}, http_server.url)))
    while not arrived(ledger, "look_up y"):  # noqa: ASYNC110 - the other side is another process
        await asyncio.sleep(0.01)
    await asyncio.to_thread(http_server.start)
    looked = await looking
    assert (looked.ok or looked.error_code == "NO_CONNECTION", looked.is_unknown) == (True, False)


async def test_a_server_that_is_started_again_is_connected_again(runner: McpTool, http_server: HttpServer) -> None:
    echo = invocation("echo", {"code": "A", "count": 1}, http_server.url)
    assert (await runner.run(echo)).ok
    http_server.stop()
    away = await runner.run(invocation("echo", {"code": "A", "count": 1}, http_server.url, timeout_ms=900))
    assert (away.error_code, away.is_unknown) == ("NO_CONNECTION", False)
    assert away.retry_after_ms > 0
    await asyncio.to_thread(http_server.start)
    assert (await runner.run(echo)).ok


async def test_a_tool_that_keeps_failing_rests_and_says_until_when() -> None:
    now_s = [0.0]

    async def no_sleep(seconds: float) -> None:
        now_s[0] += seconds

    client = HttpClient(AddressPolicy(("127.0.0.0/8",)))
    runner = McpTool(client, seconds=lambda: now_s[0], sleep=no_sleep)
    made = invocation("echo", {}, "http://127.0.0.1:9/mcp", timeout_ms=600_000)
    results = [await runner.run(made) for _ in range(tool.POLICY.threshold + 1)]
    assert {one.error_code for one in results[:-1]} == {"NO_CONNECTION"}
    rests = results[-1]
    assert (rests.error_code, rests.duration_ms) == ("CIRCUIT_OPEN", 0)
    assert 0 < rests.retry_after_ms <= tool.POLICY.reset_s * 1_000 + 1  # rounded up
    assert "rests; try again in" in rests.error_message
    await runner.close()


async def test_private_addresses_are_refused() -> None:
    runner = McpTool(HttpClient(AddressPolicy()))
    result = await runner.run(invocation("echo", {}, "http://127.0.0.1:9/mcp"))
    assert (result.error_code, result.attempts) == ("ADDRESS_REFUSED", 1)
    await runner.close()


async def test_no_text_of_a_project_starts_a_program(runner: McpTool, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for server in (f"touch {mark}", "stdio://touch", "/usr/bin/touch"):
        assert (await runner.run(invocation("echo", {}, server))).error_code == "NOT_IN_CATALOGUE"
    entry = Catalogue("http://127.0.0.1:1/", command="touch", args=[str(mark)])
    result = await runner.run(invocation("echo", {}, "city-guide", catalogue=entry))
    assert result.error_code == "CATALOGUE_INVALID"
    assert not mark.exists()


async def test_a_program_that_is_open_to_other_projects_only_is_refused(runner: McpTool) -> None:
    result = await runner.run(invocation("echo", {}, scope="t/other/dev"))
    assert "not open to this project" in result.error_message


@pytest.mark.parametrize("command", ["/nowhere/at-all", "/bin/true", "/bin/cat"])
async def test_a_program_that_is_no_server_is_an_error_with_a_sentence(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "CONNECT_S", 1.0)
    runner = McpTool(HttpClient(AddressPolicy()), {"guide": McpServer(command=command)})
    result = await runner.run(invocation("echo", {}, timeout_ms=1_500))
    assert result.error_code in ("NO_CONNECTION", "TIMEOUT")
    assert "guide" in result.error_message
    await runner.close()


async def test_without_the_package_it_says_what_to_install(runner: McpTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "find_spec", lambda name: None)
    result = await runner.run(invocation("echo", {}))
    assert (result.error_code, result.error_message) == ("NOT_INSTALLED", tool.MISSING)
