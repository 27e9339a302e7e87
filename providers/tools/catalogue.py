"""What stands in a project's catalogue, and how a tool that names an entry becomes an ordinary binding.

An entry is read strictly: a key that is not known is refused with a sentence, because a mistyped `auth` must not become
a call without one. Texts may mention arguments, `{{env.X}}` and `{{secrets.X}}`. Spec: abl-language 3.2 (names ours).
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct, field

from abl.expressions.closures import compile_expression
from domain.errors import InvalidInput
from domain.json_values import JsonObject, JsonValue
from providers.breaker import FAILURE_THRESHOLD, RESET_S
from providers.ports import ToolInvocation
from providers.tools.results import MILLISECONDS_PER_SECOND, ToolFault
from providers.tools.texts import render_value

Kind = Literal["connector", "workflow", "mcp_server"]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
Auth = Literal["none", "api_key", "bearer", "basic", "oauth2_client", "oauth2_user", "custom"]


class CircuitBreaker(Struct, frozen=True, forbid_unknown_fields=True, rename={"reset_ms": "resetMs"}):
    """After `threshold` failures in a row the tool rests for `reset_ms`."""

    threshold: int = FAILURE_THRESHOLD
    reset_ms: float = RESET_S * MILLISECONDS_PER_SECOND


class Reach(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the other side is reached; times are milliseconds, `timeout` None takes the tool's own."""

    auth: Auth = "none"
    auth_config: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    timeout: float | None = None
    retry: int = 0
    retry_delay: float = 1_000
    rate_limit: float | None = None
    circuit_breaker: CircuitBreaker = CircuitBreaker()


class Action(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation of a connector, relative to its address."""

    path: str = ""
    method: Method = "POST"
    headers: dict[str, str] = field(default_factory=dict)
    query_params: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    body_type: Literal["json", "form", "xml", "text"] = "json"
    timeout: float | None = None
    on_http_error: Literal["error", "data"] = "error"


class Connector(Reach, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A system with an address, a way to show who calls, and named operations."""

    base_url: str
    description: str = ""
    actions: dict[str, Action] = field(default_factory=dict)


class Workflow(Reach, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A process somewhere else that is started by one request.

    Attributes:
        url: May hold `{workflowId}`, `{workflowVersion}` and `{triggerId}` of the tool.
        callback_url_field: Where an asynchronous run finds the address for its result.
    """

    url: str
    description: str = ""
    method: Literal["POST", "PUT", "PATCH"] = "POST"
    callback_url_field: str = "callbackUrl"
    on_http_error: Literal["error", "data"] = "error"


class McpServerEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An MCP server that is reached by HTTP; servers that are programs are the operator's to name, in the settings."""

    url: str
    description: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    timeout: float | None = None


Entry = Connector | Workflow | McpServerEntry
ENTRY_KINDS: Final[dict[Kind, type[Entry]]] = {
    "connector": Connector,
    "workflow": Workflow,
    "mcp_server": McpServerEntry,
}
Wanted = TypeVar("Wanted", Connector, Workflow, McpServerEntry)


def read_entry(kind: Kind, name: str, entry: JsonValue) -> Entry:
    """Return an entry as it may be used.

    Raises:
        InvalidInput: It lacks something, or has a key or a value that means nothing here.
    """
    try:
        return msgspec.convert(entry, ENTRY_KINDS[kind])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The {kind.replace('_', ' ')} {name!r} of the catalogue cannot be read: {error}") from error


async def find_entry(invocation: ToolInvocation, kind: Kind, name: str, wanted: type[Wanted]) -> Wanted:
    """Return the entry that a tool names.

    Raises:
        ToolFault: The project's catalogue has none of this name, or it cannot be read.
    """
    known = await invocation.catalogue.entry(kind, name)
    if known is None:
        what = kind.replace("_", " ")
        sentence = f"The catalogue of the project has no {what} {name!r}: add it to {CATALOGUE_FILES[kind]}"
        raise ToolFault("tool_error", "NOT_IN_CATALOGUE", sentence)
    try:
        entry = read_entry(kind, name, known)
    except InvalidInput as error:
        raise ToolFault("tool_error", "CATALOGUE_INVALID", error.message) from error
    if not isinstance(entry, wanted):
        raise TypeError(f"{kind} entries are {type(entry).__name__}, not {wanted.__name__}")
    return entry


CATALOGUE_FILES: Final[dict[Kind, str]] = {
    "connector": "connectors.yaml",
    "workflow": "workflows.yaml",
    "mcp_server": "mcp_servers.yaml",
}
"""Kind -> the file beside a project's texts in which its entries stand, by name."""


def connector_binding(connector: Connector, action: Action) -> JsonObject:
    """Return an operation as the binding of an http tool."""
    binding = _reach(connector, action.headers, action.timeout)
    binding |= {
        "endpoint": f"{connector.base_url.rstrip('/')}/{action.path.lstrip('/')}"
        if action.path
        else connector.base_url,
        "method": action.method,
        "query_params": action.query_params,
        "body_type": action.body_type,
        "on_http_error": action.on_http_error,
    }
    if action.body is not None:
        binding["body_template"] = action.body
    return binding


def workflow_binding(workflow: Workflow, binding: JsonObject) -> JsonObject:
    """Return the start of a workflow as the binding of an http tool; the arguments are its body."""
    endpoint = workflow.url
    for name in ("workflowId", "workflowVersion", "triggerId"):
        endpoint = endpoint.replace(f"{{{name}}}", str(binding.get(name) or ""))
    given = _reach(workflow, {}, None)
    return given | {"endpoint": endpoint, "method": workflow.method, "on_http_error": workflow.on_http_error}


def mapped(mapping: JsonObject, arguments: JsonObject) -> JsonObject:
    """Return what a workflow is given: the values `mapping` names, each an expression over the arguments.

    >>> mapped({"contract": "contract_no", "euros": "amount * 2"}, {"contract_no": "1", "amount": 4})
    {'contract': '1', 'euros': 8}
    """
    if not mapping:
        return arguments
    return {name: _value(source, arguments) for name, source in mapping.items()}


def _value(source: JsonValue, arguments: JsonObject) -> JsonValue:
    if not isinstance(source, str):
        return source
    return render_value(source, arguments) if "{{" in source else compile_expression(source)(arguments)


def _reach(reach: Reach, headers: dict[str, str], timeout_ms: float | None) -> JsonObject:
    breaker = reach.circuit_breaker
    binding: JsonObject = {
        "auth": {"type": reach.auth, "config": dict(reach.auth_config)},
        "headers": {**reach.headers, **headers},
        "retry": {"count": reach.retry, "delay_ms": reach.retry_delay},
        "circuit_breaker": {"threshold": breaker.threshold, "reset_ms": breaker.reset_ms},
    }
    timeout_ms = timeout_ms or reach.timeout
    if timeout_ms is not None:
        binding["timeout_ms"] = timeout_ms
    if reach.rate_limit is not None:
        binding["rate_limit_per_minute"] = reach.rate_limit
    return binding
