"""Entries of a project's catalogue as bindings, and the tools that name them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.errors import InvalidInput
from domain.tool_calls import ToolResult
from providers.ports import CallbackAddress
from providers.tools.catalogue import ENTRY_KINDS, mapped, read_entry
from providers.tools.connector_tool import ConnectorTool
from providers.tools.http_tool import HttpTool
from providers.tools.workflow_tool import WorkflowTool
from tests.suites.tool_runner import invocation
from tests.support.http_tool_calls import Secrets
from tests.support.stub_endpoint import Answer, Asked, StubEndpoint

pytestmark = pytest.mark.anyio
CALLBACK = CallbackAddress("cb_1", "https://abl.example/api/v1/callbacks/cb_1", "s", "2026-03-02T10:00:00.000Z")


class Entries:
    def __init__(self, **entries: Any) -> None:
        self._entries = entries

    async def entry(self, kind: str, name: str) -> dict[str, Any] | None:
        return self._entries.get(f"{kind}_{name}")


@pytest.fixture
async def connectors(runner: HttpTool) -> AsyncIterator[ConnectorTool]:
    return ConnectorTool(runner)


async def operate(
    tool: ConnectorTool, entry: dict[str, Any], arguments: dict[str, Any], *answers: Any, action: str = "do"
) -> tuple[ToolResult, list[Asked]]:
    async with StubEndpoint(*answers) as stub:
        catalogue = Entries(connector_crm={"base_url": f"{stub.url}/v1/", **entry})
        binding = {"connector": "crm", "action": action}
        made = invocation(
            "connector", binding, arguments, catalogue=catalogue, credentials=Secrets(), idempotency_key="e1"
        )
        return await tool.run(made), stub.asked


async def test_an_operation_is_one_request_with_the_connectors_credentials(connectors: ConnectorTool) -> None:
    entry = {
        "auth": "bearer", "auth_config": {"token": "{{secrets.KEY}}"}, "headers": {"X-A": "1", "X-B": "1"},
        "actions": {"do": {"path": "/c/{no}", "headers": {"X-B": "2"}, "query_params": {"q": "{{q}}"}, "body": {"n": "{{n}}"}}},
    }  # fmt: skip
    result, asked = await operate(connectors, entry, {"no": "a/b", "q": "x y", "n": 3}, Answer(body=b'{"id": 7}'))
    assert (result.ok, result.value) == (True, {"id": 7})
    assert (asked[0].method, asked[0].target) == ("POST", "/v1/c/a%2Fb?q=x+y")
    assert json.loads(asked[0].body) == {"n": 3}
    headers = asked[0].headers
    assert (headers["authorization"], headers["x-a"], headers["x-b"]) == ("Bearer s3cret", "1", "2")
    assert headers["idempotency-key"] == "e1"


async def test_arguments_that_nothing_mentions_are_the_body_or_the_query(connectors: ConnectorTool) -> None:
    entry = {"actions": {"do": {}, "look": {"method": "GET", "path": "x"}}}
    _, asked = await operate(connectors, entry, {"a": 1})
    assert (asked[0].target, json.loads(asked[0].body)) == ("/v1/", {"a": 1})
    _, asked = await operate(connectors, entry, {"a": 1}, action="look")
    assert (asked[0].method, asked[0].target) == ("GET", "/v1/x?a=1")


async def test_an_operation_that_failed_is_an_error_unless_the_entry_wants_it_as_data(
    connectors: ConnectorTool,
) -> None:
    refused = Answer(409, b'{"why": "no"}')
    result, _ = await operate(connectors, {"actions": {"do": {}}}, {}, refused)
    assert (result.ok, result.error_kind, result.error_code) == (False, "api_error", "409")
    result, _ = await operate(connectors, {"actions": {"do": {"on_http_error": "data"}}}, {}, refused)
    assert (result.ok, result.value, result.error_code) == (True, {"why": "no"}, "409")


async def test_what_the_catalogue_does_not_know_says_where_it_belongs(connectors: ConnectorTool) -> None:
    result, _ = await operate(connectors, {"actions": {}}, {}, action="undo")
    assert (result.error_code, "no action 'undo'" in result.error_message) == ("NOT_IN_CATALOGUE", True)
    result = await connectors.run(invocation("connector", {"connector": "erp", "action": "do"}))
    assert "add it to connectors.yaml" in result.error_message
    result, _ = await operate(connectors, {"autth": "bearer"}, {})
    assert (result.error_code, "autth" in result.error_message) == ("CATALOGUE_INVALID", True)


async def start(
    runner: HttpTool, binding: dict[str, Any], *answers: Any, **more: Any
) -> tuple[ToolResult, list[Asked]]:
    async with StubEndpoint(*answers) as stub:
        entry = {"url": stub.url + "/{workflowId}/v{workflowVersion}/{triggerId}", **more.pop("entry", {})}
        made = invocation(
            "workflow", {"workflowId": "pay", "workflowVersion": "3", **binding}, {"no": "7", "euros": 2},
            catalogue=Entries(workflow_pay=entry), credentials=Secrets(), **more,
        )  # fmt: skip
        return await WorkflowTool(runner).run(made), stub.asked


async def test_a_workflow_is_started_with_its_mapped_arguments_and_answers_with_its_result(runner: HttpTool) -> None:
    mapping = {"contract": "no", "cents": "euros * 100", "word": '"fix"', "nothing": "unknown"}
    result, asked = await start(runner, {"paramMapping": mapping, "triggerId": "t1"}, Answer(body=b'{"paid": true}'))
    assert (result.ok, result.accepted, result.value) == (True, False, {"paid": True})
    assert (asked[0].method, asked[0].target) == ("POST", "/pay/v3/t1")
    assert json.loads(asked[0].body) == {"contract": "7", "cents": 200, "word": "fix"}


async def test_an_asynchronous_workflow_is_told_where_its_result_is_awaited(runner: HttpTool) -> None:
    result, asked = await start(
        runner, {"mode": "async"}, Answer(202), callback=CALLBACK, entry={"callback_url_field": "notify"}
    )
    assert (result.ok, result.accepted) == (True, True)
    assert json.loads(asked[0].body) == {"no": "7", "euros": 2, "notify": CALLBACK.url}
    assert (asked[0].headers["x-abl-callback-id"], asked[0].headers["x-abl-callback-secret"]) == ("cb_1", "s")
    refused, _ = await start(runner, {"mode": "async"}, Answer(500), callback=CALLBACK, entry={"on_http_error": "data"})
    assert (refused.ok, refused.accepted) == (False, False)
    assert (await start(runner, {"mode": "async"}))[0].error_code == "NO_CALLBACK"


def test_without_a_mapping_a_workflow_gets_the_arguments() -> None:
    assert mapped({}, {"a": 1}) == {"a": 1}
    assert mapped({"b": "{{a}}", "c": 3}, {"a": [1]}) == {"b": [1], "c": 3}


@pytest.mark.parametrize(
    ("kind", "entry"),
    [
        ("connector", {}),
        ("connector", {"base_url": "x", "auth": "digest"}),
        ("connector", {"base_url": "x", "actions": {"a": {"method": "FETCH"}}}),
        ("connector", {"base_url": "x", "circuit_breaker": {"reset_ms": 3}}),
        ("workflow", {"url": "x", "method": "GET"}),
        ("mcp_server", {"url": "x", "command": "rm"}),
        ("mcp_server", [1]),
    ],
)
def test_an_entry_with_anything_that_means_nothing_is_refused(kind: Any, entry: Any) -> None:
    assert kind in ENTRY_KINDS
    with pytest.raises(InvalidInput, match="of the catalogue cannot be read"):
        read_entry(kind, "crm", entry)
