"""Mocked tools."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from providers.ports import ToolInvocation, ToolRunner
from providers.tools.mocked import MockedTool, find_mock
from tests.suites.tool_runner import ToolRunnerSuite, invocation

pytestmark = pytest.mark.anyio


class TestMockedAsAToolRunner(ToolRunnerSuite):
    @pytest.fixture
    def runner(self) -> ToolRunner:
        return MockedTool()

    @pytest.fixture
    def gives_a_value(self) -> ToolInvocation:
        return invocation("mock", {"response": {"code": "A1", "count": 2}})

    @pytest.fixture
    def fails(self) -> ToolInvocation:
        return invocation("mock", {"error": {"code": "X", "message": "no such parcel"}})

    @pytest.fixture
    def never_ends(self) -> None:
        return None


async def test_a_delay_is_waited_for_and_counted(time: Any) -> None:
    tool = MockedTool(seconds=time.seconds, sleep=time.sleep)
    result = await tool.run(invocation("mock", {"response": 1, "delayMs": 250}))
    assert (time.waits, result.duration_ms) == ([0.25], 250)


async def test_a_delay_has_an_end(time: Any) -> None:
    await MockedTool(sleep=time.sleep).run(invocation("mock", {"delayMs": 10**9}))
    assert time.waits == [30.0]


async def test_an_error_keeps_code_and_sentence() -> None:
    result = await MockedTool().run(invocation("mock", {"error": {"code": "X", "message": "no such parcel"}}))
    assert (result.error_kind, result.error_code, result.error_message) == ("tool_error", "X", "no such parcel")


def mock(tool: str, times: int | None = None, **match: Any) -> Any:
    return SimpleNamespace(tool_name=tool, times=times, match=match)


@pytest.mark.parametrize(
    ("mocks", "used", "place"),
    [
        ([], {}, None),
        ([mock("other")], {}, None),
        ([mock("t")], {0: 99}, 0),
        ([mock("t", 1), mock("t")], {}, 0),
        ([mock("t", 1), mock("t")], {0: 1}, 1),
        ([mock("t", 1)], {0: 1}, None),
        ([mock("t", code="B"), mock("t", code="A")], {}, 1),
        ([mock("t", n=True)], {}, None),
        ([mock("t", n=1, code="A")], {}, 0),
        ([mock("t", missing=1)], {}, None),
    ],
)
def test_the_first_mock_that_fits_and_is_not_used_up_wins(
    mocks: list[Any], used: dict[int, int], place: int | None
) -> None:
    assert find_mock(mocks, used, "t", {"code": "A", "n": 1}) == place
