from __future__ import annotations

import pytest

from abl.compiler.bindings import full_endpoint, lower_binding, tool_type
from abl.syntax.tools import CircuitBreaker, Tool


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"endpoint": "/x"}, "http"),
        ({"server": "s"}, "mcp"),
        ({"code": "1"}, "sandbox"),
        ({"function": "f"}, "lambda"),
        ({"connector": "c"}, "connector"),
        ({"workflow_id": "w"}, "workflow"),
        ({"type": "code"}, "sandbox"),
        ({"type": "searchai"}, "searchai"),
        ({}, ""),
    ],
)
def test_the_kind_is_inferred_from_what_is_written(fields: dict[str, str], kind: str) -> None:
    assert tool_type(Tool(name="t", **fields)) == kind


def test_an_http_binding_has_its_defaults() -> None:
    assert lower_binding(Tool(name="t", endpoint="https://a.example/x"), "http", 30_000) == (
        "http_binding",
        {
            "endpoint": "https://a.example/x",
            "method": "GET",
            "auth": {"type": "none"},
            "timeout_ms": 30_000,
            "retry": {"count": 0, "delay_ms": 1000},
            "body_type": "json",
            "protocol": "rest",
            "on_http_error": "data",
        },
    )


def test_an_http_binding_keeps_everything_written() -> None:
    tool = Tool(
        name="t", endpoint="/x", base_url="https://a.example/v2/", method="post", auth="api_key",
        auth_config={"header_name": "X-Key"}, retry=2, retry_delay=50, rate_limit=9, headers={"A": "b"},
        query_params={"q": "1"}, body={"a": [1]}, circuit_breaker=CircuitBreaker(threshold=3, reset=500),
        protocol="soap", soap_action="do", on_soap_fault="data", on_http_error="error",
    )  # fmt: skip
    binding = lower_binding(tool, "http", 5)[1]
    assert binding["endpoint"] == "https://a.example/v2/x"
    assert binding["method"] == "POST"
    assert binding["auth"] == {"type": "api_key", "config": {"header_name": "X-Key"}}
    assert binding["retry"] == {"count": 2, "delay_ms": 50}
    assert binding["rate_limit_per_minute"] == 9
    assert binding["circuit_breaker"] == {"threshold": 3, "reset_ms": 500}
    assert binding["body_template"] == {"a": [1]}
    assert (binding["soap_action"], binding["on_soap_fault"]) == ("do", "data")


@pytest.mark.parametrize(
    ("fields", "kind", "key", "binding"),
    [
        ({"server": "s"}, "mcp", "mcp_binding", {"server": "s", "tool": "t"}),
        ({"server": "s", "tool": "u"}, "mcp", "mcp_binding", {"server": "s", "tool": "u"}),
        ({"code": "1"}, "sandbox", "sandbox_binding", {"runtime": "javascript", "code_content": "1", "timeout_ms": 7}),
        ({"connector": "c", "action": "a"}, "connector", "connector_binding", {"connector": "c", "action": "a"}),
        (
            {"workflow_id": "w", "trigger_id": "x", "param_mapping": {"a": "b"}},
            "workflow",
            "workflow_binding",
            {"workflowId": "w", "triggerId": "x", "mode": "sync", "paramMapping": {"a": "b"}, "timeoutMs": 7},
        ),
        ({"index_id": "i", "kb_name": "k"}, "searchai", "searchai_binding", {"indexId": "i", "kbName": "k"}),
        (
            {"endpoint": "https://a.example"},
            "async_webhook",
            "async_webhook_binding",
            {
                "endpoint": "https://a.example",
                "method": "POST",
                "callbackUrlField": "callbackUrl",
                "timeoutSeconds": 3600,
            },
        ),
    ],
)
def test_each_other_kind_has_its_binding(fields: dict, kind: str, key: str, binding: dict) -> None:
    assert lower_binding(Tool(name="t", **fields), kind, 7) == (key, binding)


def test_stubs_and_lambdas_stay_unbound() -> None:
    assert lower_binding(Tool(name="t"), "", 7) is None
    assert lower_binding(Tool(name="t", function="f"), "lambda", 7) is None


@pytest.mark.parametrize(
    ("base", "endpoint", "full"),
    [
        ("https://a.example", "/x", "https://a.example/x"),
        ("https://a.example/", "x", "https://a.example/x"),
        ("https://a.example", "{id}/x", "https://a.example/{id}/x"),
        ("https://a.example", "https://b.example/x", "https://b.example/x"),
        ("https://a.example", "{{env.BASE}}/x", "{{env.BASE}}/x"),
        ("", "/x", "/x"),
        ("https://a.example", "", "https://a.example"),
    ],
)
def test_a_relative_endpoint_is_appended_to_the_base(base: str, endpoint: str, full: str) -> None:
    assert full_endpoint(base, endpoint) == full


def test_older_files_write_the_retries_as_on_failure() -> None:
    tool = Tool(name="t", endpoint="https://a.example", on_failure="retry(2)")
    assert lower_binding(tool, "http", 5)[1]["retry"]["count"] == 2
    tool.retry = 0
    assert lower_binding(tool, "http", 5)[1]["retry"]["count"] == 0
