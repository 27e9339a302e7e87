"""TOOLS: signatures, types and bindings. Spec: abl-language 3.2."""

from __future__ import annotations

from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.node import Kind, Node, node
from abl.syntax.steps import Assignment

BASE_TYPES = ("string", "number", "integer", "boolean", "date", "datetime", "array", "object", "any")
TOOL_TYPES = ("http", "mcp", "lambda", "sandbox", "connector", "workflow", "searchai", "async_webhook")
CANNOT_RUN = frozenset({"searchai", "lambda"})
"""Kinds of tools of the language that the platform has no runner for. Spec: abl-language 3.2."""
CAN_RUN = tuple(kind for kind in TOOL_TYPES if kind not in CANNOT_RUN)
HTTP_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
AUTH_TYPES = ("none", "api_key", "bearer", "basic", "oauth2_client", "oauth2_user", "custom")
CONFIRMATIONS = ("always", "never", "when_side_effects")
YES_AND_NO = (
    ("true", "always"),
    ("yes", "always"),
    ("on", "always"),
    ("required", "always"),
    ("false", "never"),
    ("no", "never"),
    ("off", "never"),
    ("none", "never"),
)
"""Other words that say whether the user is asked first."""
SYSTEM_TOOLS = (
    "__handoff__",
    "__delegate__",
    "__complete__",
    "__escalate__",
    "__fan_out__",
    "__set_context__",
    "__return_to_parent__",
)
MAX_TOOLS = 100


@node
class TypeExpr(Node):
    """A type: a base word, the fields of an object, the items of an array, or the values of an enum."""

    SHOWN: ClassVar[tuple[str, ...]] = ("base",)
    base: str = "string"
    fields: list[Parameter] | None = None
    items: TypeExpr | None = None
    values: list[str] | None = None


@node
class Parameter(Node):
    """A parameter of a tool or a field of an object type; signature and `parameters:` block are one thing."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    type: TypeExpr | None = p.special(Kind.TYPE, "type", "Type of the value.")
    optional: bool | None = None
    description: str = p.text("description", "What the value means; the model reads it.")
    required: bool | None = p.boolean("required", "Whether the value must be given.")
    enum: list[str] = p.names("enum", "Allowed values.")
    default: Any = p.literal("default", "Value when none is given.")
    validate: str = p.code("validate", "Pattern that the value must match.", aliases=("validation",))
    items: Parameter | None = p.special(Kind.NODE, "items", "Elements of an array.", node="Parameter")
    properties: list[Parameter] = p.listed(Kind.ENTRIES, "properties", "Fields of an object.", node="Parameter")


@node
class ToolResult(Node):
    """on_result / on_error of a tool."""

    set: list[Assignment] = p.listed(Kind.SET, "SET", "Assignments; `result` is the tool's result.", repeat="append")


@node
class CircuitBreaker(Node):
    """When a failing tool is no longer called for a while."""

    threshold: int | None = p.integer("threshold", "Failures in a row that open the breaker.", minimum=1)
    reset: float | None = p.duration("resetMs", "Milliseconds until it is tried again.", "ms", yaml="reset_ms")


@node
class Transport(Node):
    """Mixin of what a tool library can preset for all its tools."""

    base_url: str = p.code("base_url", "Address before every relative endpoint.")
    auth: str = p.choice("auth", "How the call is authorised.", *AUTH_TYPES, open=True)
    auth_config: dict[str, str] = p.mapping("auth_config", "Values for the authorisation, e.g. header_name, token.")
    timeout: float | None = p.duration("timeout", "Milliseconds until the call is given up.", "ms")
    retry: int | None = p.integer("retry", "How often a failed call is repeated.", minimum=0)
    retry_delay: float | None = p.duration("retry_delay", "Milliseconds between tries.", "ms")
    rate_limit: int | None = p.integer("rate_limit", "Calls per minute.", minimum=0)
    headers: dict[str, str] = p.mapping("headers", "HTTP headers.")


@node
class Tool(Transport):
    """One tool: signature, what the runtime should know of it, and its binding."""

    name: str = ""
    parameters: list[Parameter] = p.listed(
        Kind.PARAMETERS, "parameters", "Type, description and more per parameter.", aliases=("PARAMS", "ARGS", "INPUTS")
    )
    returns: TypeExpr | None = None
    description: str = p.text("description", "What the tool does; the model reads it.")
    type: str = p.choice("type", "Kind of binding.", *TOOL_TYPES, "code")
    store_result: bool | None = p.boolean("store_result", "Store the result as `last_<tool>_result`.")
    on_result: ToolResult | None = p.special(Kind.NODE, "on_result", "SET lines run on success.", node="ToolResult")
    on_error: ToolResult | None = p.special(Kind.NODE, "on_error", "SET lines run on failure.", node="ToolResult")
    context_access: None = p.special(Kind.FLAT, "context_access", "Which variables the tool reads and writes.")
    context_read: list[str] = p.names("READ", "Variables the tool may read.", group="context_access")
    context_write: list[str] = p.names("WRITE", "Variables the tool may write.", group="context_access")
    confirm: str = p.choice(
        "confirm",
        "When the user is asked first.",
        *CONFIRMATIONS,
        aliases=("require_confirmation", "requires_confirmation", "confirmation_required"),
        meanings=YES_AND_NO,
        guards=True,
    )
    immutable: list[str] = p.names(
        "immutable",
        "Parameters that may not change between confirmation and call.",
        aliases=("immutable_params",),
    )
    confirmation: None = p.special(Kind.FLAT, "confirmation", "Longer spelling of confirm and immutable.")
    confirmation_require: str = p.choice(
        "require",
        "When the user is asked first.",
        *CONFIRMATIONS,
        group="confirmation",
        aliases=("required",),
        meanings=YES_AND_NO,
        guards=True,
    )
    consent_required_in: str = p.choice(
        "consent_required_in", "Where consent is given.", "conversation", "explicit_prompt", guards=True
    )
    consent_scope: list[str] = p.names("consent_scope", "What the consent covers.")
    consent_action: str = p.text("consent_action", "What the user agrees to, in words.")
    consent_fallback: str = p.choice(
        "consent_fallback", "What happens without consent.", "explicit_prompt", "block", guards=True
    )
    confirm_message: str = p.text("confirm_message", "The question before a call; `{{parameter}}` is filled in.")
    pii_access: str = p.choice("pii_access", "Who sees personal data.", "user", "tools", "logs", "llm", "original")
    auth_profile: str = p.name("auth_profile", "Stored credential profile.", aliases=("auth_profile_ref",))
    auth_jit: bool | None = p.boolean(
        "auth_jit", "Ask the user to authorise at first use.", aliases=("jit_auth",), guards=True
    )
    consent: str = p.choice("consent", "When consent is asked.", "preflight", "inline", aliases=("consent_mode",))
    connection: str = p.choice(
        "connection", "Whose connection is used.", "per_user", "shared", aliases=("connection_mode",)
    )
    identity_tier_required: int | None = p.integer(
        "identity_tier_required", "Lowest identity tier of the caller.", guards=True
    )
    compaction: None = p.special(Kind.FLAT, "compaction", "How the result is shortened for the model.")
    essential_fields: list[str] = p.names("essential_fields", "Fields that survive shortening.", group="compaction")
    max_description_length: int | None = p.integer(
        "max_description_length", "Characters of a text that survive.", group="compaction"
    )
    hints: None = p.special(Kind.FLAT, "hints", "Wrapper for cacheable, latency and the other hints.")
    cacheable: bool | None = p.boolean("cacheable", "Same arguments give the same result.")
    latency: str = p.choice("latency", "How long a call usually takes.", "fast", "medium", "slow")
    parallelizable: bool | None = p.boolean("parallelizable", "May run beside other tools.")
    side_effects: bool | None = p.boolean("side_effects", "The call changes something.", guards=True)
    requires_auth: bool | None = p.boolean("requires_auth", "The call needs credentials.")
    # http
    http_binding: None = p.special(Kind.FLAT, "http_binding", "Wrapper for the HTTP properties.", legacy=True)
    endpoint: str = p.code("endpoint", "Address; `{param}` and `{{...}}` are filled in.", aliases=("url",))
    method: str = p.choice("method", "HTTP method.", *HTTP_METHODS)
    query_params: dict[str, str] = p.mapping("query_params", "Query parameters.")
    body: Any = p.free("body", "Request body.", aliases=("body_template",))
    body_type: str = p.choice("body_type", "Form of the body.", "json", "form", "xml", "text")
    circuit_breaker: CircuitBreaker | None = p.special(
        Kind.NODE, "circuit_breaker", "When a failing tool is no longer called.", node="CircuitBreaker"
    )
    protocol: str = p.choice("protocol", "Kind of service.", "rest", "soap")
    soap_version: str = p.text("soap_version", "SOAP version.")
    soap_action: str = p.text("soap_action", "SOAPAction header.")
    on_soap_fault: str = p.choice("on_soap_fault", "What a SOAP fault becomes.", "error", "data")
    on_http_error: str = p.choice("on_http_error", "What an HTTP error becomes.", "data", "error")
    # mcp
    mcp_binding: None = p.special(Kind.FLAT, "mcp_binding", "Wrapper for the MCP properties.", legacy=True)
    server: str = p.name("server", "MCP server of the project.")
    tool: str = p.name("tool", "Name of the tool on that server.", aliases=("server_tool",))
    # sandbox, lambda
    sandbox_binding: None = p.special(Kind.FLAT, "sandbox_binding", "Wrapper for the sandbox properties.", legacy=True)
    runtime: str = p.choice("runtime", "Language of the code.", "javascript", "python", open=True)
    code: str = p.code("code", "Program; the last expression or `return` is the result.", aliases=("code_content",))
    memory_mb: int | None = p.integer("memory_mb", "Memory of the sandbox.", minimum=1)
    function: str = p.code("function", "Name of a lambda function (deprecated).")
    # connector, workflow, search
    connector_binding: None = p.special(
        Kind.FLAT, "connector_binding", "Wrapper for connector and action.", legacy=True
    )
    connector: str = p.name("connector", "Connector of the project.")
    action: str = p.name("action", "Action of the connector.")
    workflow_binding: None = p.special(
        Kind.FLAT, "workflow_binding", "Wrapper for the workflow properties.", legacy=True
    )
    workflow_id: str = p.name("workflow_id", "Workflow to start.")
    workflow_version: str = p.text("workflow_version", "Version of the workflow.")
    trigger_id: str = p.name("trigger_id", "Trigger of the workflow.")
    mode: str = p.choice("mode", "Whether the call waits for the workflow.", "sync", "async")
    param_mapping: dict[str, str] = p.mapping("param_mapping", "Workflow inputs by name.")
    searchai_binding: None = p.special(Kind.FLAT, "searchai_binding", "Wrapper for the search properties.", legacy=True)
    index_id: str = p.name("index_id", "Search index.")
    kb_name: str = p.text("kb_name", "Name of the knowledge base.")
    search_instructions: str = p.text("search_instructions", "How the model should search.")
    # async webhook
    async_webhook_binding: None = p.special(
        Kind.FLAT, "async_webhook_binding", "Wrapper for the webhook properties.", legacy=True
    )
    callback_url_field: str = p.name("callback_url_field", "Body field that carries the callback address.")
    timeout_seconds: float | None = p.duration("timeout_seconds", "Seconds until the callback is given up.", "s")
    on_failure: str = p.text("on_failure", "Older spelling of retry: `retry(n)`.", legacy=True)


BINDING_FIELDS = (
    "type", "base_url", "endpoint", "method", "auth", "auth_config", "headers", "query_params", "body", "body_type",
    "retry", "retry_delay", "rate_limit", "circuit_breaker", "protocol", "soap_version", "soap_action",
    "on_soap_fault", "on_http_error", "server", "tool", "runtime", "code", "memory_mb", "function", "connector",
    "action", "workflow_id", "workflow_version", "trigger_id", "mode", "param_mapping", "index_id", "kb_name",
    "search_instructions", "callback_url_field", "timeout_seconds",
)  # fmt: skip
"""Fields that bind a tool to something outside; in strict mode they belong to the catalogue (E720)."""


@node
class ToolDefaults(Transport):
    """What a tool library presets before its first signature."""


@node
class ToolImport(Node):
    """`FROM "file" USE: a, b` or `USE TOOL: slug@version`."""

    path: str = ""
    names: list[str] | None = None
    slug: str = ""
    version: str = ""
