"""Lowers the binding of a tool: how it is reached. Spec: abl-language 3.2, 12.3."""

from __future__ import annotations

import re
from typing import Any

from abl.compiler.plain import Json, is_absent, mapping, number, one, plain, text, written
from abl.syntax.tools import CircuitBreaker, Tool

RETRY_DELAY_MS = 1_000
CALLBACK_TIMEOUT_S = 3_600
CALLBACK_FIELD = "callbackUrl"
CHANGING_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_INFERRED = (
    ("endpoint", "http"),
    ("server", "mcp"),
    ("code", "sandbox"),
    ("function", "lambda"),
    ("connector", "connector"),
    ("workflow_id", "workflow"),
    ("index_id", "searchai"),
)
_RETRY = re.compile(r"retry\s*+\(\s*+(\d{1,3})\s*+\)", re.IGNORECASE)
_SYNONYMS = {"code": "sandbox"}
_ABSOLUTE = ("http://", "https://", "{{")


def tool_type(tool: Tool) -> str:
    """Return the kind of binding, inferred when not written; empty for a stub."""
    kind = text(tool.type).lower()
    if kind:
        return _SYNONYMS.get(kind, kind)
    return next((found for name, found in _INFERRED if not is_absent(getattr(tool, name))), "")


def http_method(tool: Tool, kind: str) -> str:
    """Return the HTTP method of an http or webhook tool, empty for other kinds."""
    if kind == "http":
        return text(tool.method).upper() or "GET"
    return text(tool.method).upper() or "POST" if kind == "async_webhook" else ""


def lower_binding(tool: Tool, kind: str, timeout_ms: int | float) -> tuple[str, Json] | None:
    """Return the key and the value of the tool's binding, None for stubs and lambda tools."""
    if kind == "http":
        return "http_binding", _http(tool, timeout_ms)
    if kind == "mcp":
        server_tool = text(tool.tool) or text(tool.name)
        return "mcp_binding", written(
            [("server", text(tool.server)), ("tool", server_tool), ("headers", mapping(tool.headers))]
        )
    if kind == "sandbox":
        return "sandbox_binding", written(
            [
                ("runtime", text(tool.runtime) or "javascript"),
                ("code_content", text(tool.code)),
                ("timeout_ms", timeout_ms),
                ("memory_mb", number(tool.memory_mb)),
            ]
        )
    if kind == "connector":
        return "connector_binding", written([("connector", text(tool.connector)), ("action", text(tool.action))])
    if kind == "workflow":
        return "workflow_binding", _workflow(tool, timeout_ms)
    if kind == "searchai":
        return "searchai_binding", written(
            [
                ("indexId", text(tool.index_id)),
                ("kbName", text(tool.kb_name)),
                ("searchInstructions", text(tool.search_instructions)),
            ]
        )
    return ("async_webhook_binding", _webhook(tool)) if kind == "async_webhook" else None


def _http(tool: Tool, timeout_ms: int | float) -> Json:
    ir: Json = {
        "endpoint": full_endpoint(text(tool.base_url), text(tool.endpoint)),
        "method": http_method(tool, "http"),
        "auth": _auth(tool),
        "timeout_ms": timeout_ms,
        "retry": {"count": _retries(tool), "delay_ms": _number_or(tool.retry_delay, RETRY_DELAY_MS)},
        "body_type": text(tool.body_type) or "json",
        "protocol": text(tool.protocol) or "rest",
        "on_http_error": text(tool.on_http_error) or "data",
    }
    breaker = one(CircuitBreaker, tool.circuit_breaker)
    more: list[tuple[str, Any]] = [
        ("rate_limit_per_minute", number(tool.rate_limit)),
        ("headers", mapping(tool.headers)),
        ("query_params", mapping(tool.query_params)),
        ("body_template", plain(tool.body)),
        ("soap_version", text(tool.soap_version)),
        ("soap_action", text(tool.soap_action)),
        ("on_soap_fault", text(tool.on_soap_fault)),
    ]
    if breaker is not None:
        states = [("threshold", number(breaker.threshold)), ("reset_ms", number(breaker.reset))]
        more.append(("circuit_breaker", written(states)))
    ir.update(written(more))
    return ir


def _retries(tool: Tool) -> int | float:
    """Return how often a failed call is repeated; older files write `on_failure: retry(n)`."""
    written_count = number(tool.retry)
    if written_count is not None:
        return written_count
    older = _RETRY.search(text(tool.on_failure))
    return int(older[1]) if older is not None else 0


def _auth(tool: Tool) -> Json:
    config = mapping(tool.auth_config)
    kind = text(tool.auth) or "none"
    return {"type": kind, "config": config} if config else {"type": kind}


def _workflow(tool: Tool, timeout_ms: int | float) -> Json:
    return written(
        [
            ("workflowId", text(tool.workflow_id)),
            ("workflowVersion", text(tool.workflow_version)),
            ("triggerId", text(tool.trigger_id)),
            ("mode", text(tool.mode) or "sync"),
            ("paramMapping", mapping(tool.param_mapping)),
            ("timeoutMs", timeout_ms),
        ]
    )


def _webhook(tool: Tool) -> Json:
    return written(
        [
            ("endpoint", full_endpoint(text(tool.base_url), text(tool.endpoint))),
            ("method", http_method(tool, "async_webhook")),
            ("headers", mapping(tool.headers)),
            ("callbackUrlField", text(tool.callback_url_field) or CALLBACK_FIELD),
            ("timeoutSeconds", _number_or(tool.timeout_seconds, CALLBACK_TIMEOUT_S)),
        ]
    )


def full_endpoint(base_url: str, endpoint: str) -> str:
    """Return a relative endpoint appended to the library's base address."""
    if not base_url or endpoint.startswith(_ABSOLUTE):
        return endpoint or base_url
    return f"{base_url.rstrip('/')}/{endpoint.lstrip('/')}" if endpoint else base_url


def _number_or(value: object, default: int) -> int | float:
    found = number(value)
    return default if found is None else found
