"""Kind of a tool -> who runs it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from domain.tool_calls import TOOL_KINDS
from providers.addresses import AddressPolicy
from providers.tools.kinds import ToolKinds, all_tools
from tests.suites.tool_runner import invocation

pytestmark = pytest.mark.anyio
RUN_HERE = {"http", "sandbox", "async_webhook", "mock", "mcp", "connector", "workflow"}


@pytest.fixture
async def tools() -> AsyncIterator[ToolKinds]:
    made = all_tools(AddressPolicy())
    yield made
    await made.close()


@pytest.mark.parametrize(("runtime", "text"), [("python", "1 + 1"), ("javascript", "1 + 1"), ("", "(() => 2)()")])
async def test_a_sandbox_is_chosen_by_its_runtime(tools: ToolKinds, runtime: str, text: str) -> None:
    assert (await tools.run(invocation("sandbox", {"runtime": runtime, "code_content": text}))).value == 2


async def test_mocks_answer(tools: ToolKinds) -> None:
    assert (await tools.run(invocation("mock", {"response": 3}))).value == 3


async def test_http_calls_only_what_the_policy_allows(tools: ToolKinds) -> None:
    assert (await tools.run(invocation("http", {"endpoint": "http://127.0.0.1:1/"}))).error_code == "ADDRESS_REFUSED"


@pytest.mark.parametrize("kind", ["mcp", "connector", "workflow"])
async def test_what_names_nothing_of_the_catalogue_says_so(tools: ToolKinds, kind: str) -> None:
    assert (await tools.run(invocation(kind, {}))).error_code == "NOT_IN_CATALOGUE"


@pytest.mark.parametrize("kind", sorted(set(TOOL_KINDS) - RUN_HERE))
async def test_what_nobody_runs_says_so(tools: ToolKinds, kind: str) -> None:
    result = await tools.run(invocation(kind, {}))
    assert result.error_code == ("TOOL_UNBOUND" if kind == "unbound" else "TOOL_KIND_UNAVAILABLE")
