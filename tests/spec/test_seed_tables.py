"""The tables of the seed against the description of every answer, body and query. Spec: platform-api 4 to 10, 12.

Answers are compared with that description as they leave (tests/fuzz, tests/flows_gateway), so that a field which stands
here is a field of the answer.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from gateway.app import document
from tests.support.cells import over

type_of = {
    "text": {"string"},
    "number": {"integer", "number"},
    "flag": {"boolean"},
    "map": {"object"},
    "list": {"array"},
}
"""The words of the tables below and the types of JSON Schema that they stand for; `?` after one allows null."""

IO, TASKS = "PP/project-io", "PP/human-tasks"
ANSWERS = {
    "GET /api/agents": "total:number agents.*.id:text agents.*.name:text",
    "GET /api/agents/:": "agent.id:text agent.name:text agent.dslContent:text",
    "GET PP/agents": (
        "agents.*.id:text agents.*.name:text agents.*.agentPath:text agents.*.description:text? "
        "agents.*.versionCount:number agents.*.activeVersions:map agents.*.createdAt:text agents.*.updatedAt:text"
    ),
    "GET PP/agents/:": (
        "agent.id:text agent.name:text agent.agentPath:text agent.description:text? agent.versionCount:number "
        "agent.activeVersions:map agent.createdAt:text agent.updatedAt:text agent.dslContent:text"
    ),
    "PUT PP/agents/:/dsl": "updatedAt:text",
    "GET PP/sessions": (
        "total:number offset:number limit:number sessions.*.id:text sessions.*.runtimeSessionId:text "
        "sessions.*.agentName:text sessions.*.status:text sessions.*.channel:text sessions.*.messageCount:number "
        "sessions.*.traceEventCount:number sessions.*.tokenCount:number sessions.*.estimatedCost:number "
        "sessions.*.errorCount:number sessions.*.durationMs:number sessions.*.createdAt:text "
        "sessions.*.lastActivityAt:text sessions.*.handoffCount:number"
    ),
    "POST PP/sessions": "session.id:text session.agentId:text session.agentName:text session.createdAt:text",
    "GET PP/sessions/:": "session.id:text session.handoffCount:number",
    "GET PP/deployments": (
        "deployments.*.id:text deployments.*.projectId:text deployments.*.environment:text deployments.*.status:text "
        "deployments.*.label:text deployments.*.endpointSlug:text deployments.*.createdAt:text"
    ),
    "GET PP/deployments/:": (
        "deployment.id:text deployment.projectId:text deployment.environment:text deployment.status:text "
        "deployment.label:text deployment.description:text? deployment.endpointSlug:text deployment.entryAgentName:text "
        "deployment.agentVersionManifest:map deployment.workflowVersionManifest:map deployment.modelOverrides:map "
        "deployment.settingsVersionId:text deployment.channelCount:number deployment.createdAt:text "
        "deployment.createdBy:text deployment.retiredAt:text"
    ),
    "POST PP/deployments/:/retire": "deployment.id:text deployment.status:text deployment.retiredAt:text",
    "POST /api/tool-secrets": (
        "secret.id:text secret.toolName:text secret.secretKey:text secret.environment:text secret.version:number "
        "secret.expiresAt:text? secret.createdAt:text"
    ),
    "GET /api/tool-secrets": (
        "total:number page:number limit:number secrets.*.id:text secrets.*.toolName:text secrets.*.secretKey:text "
        "secrets.*.environment:text secrets.*.version:number secrets.*.expiresAt:text? secrets.*.createdAt:text "
        "secrets.*.updatedAt:text"
    ),
    "PUT /api/tool-secrets/:": (
        "secret.id:text secret.toolName:text secret.secretKey:text secret.environment:text secret.version:number "
        "secret.updatedAt:text"
    ),
    "GET /api/contacts": "data:list total:number",
    "GET /api/contacts/:": (
        "data.id:text data.tenantId:text data.type:text data.identity:text data.identityType:text data.displayName:text "
        "data.department:text data.employeeId:text data.company:text data.accountRef:text data.channel:text "
        "data.metadata:map data.tags.*:text data.firstSeenAt:text data.lastSeenAt:text data.deletedAt:text"
    ),
    "GET PP/analytics/metrics": "data.buckets.*.category:text data.buckets.*.count:number data.buckets.*.error_rate:number",
    "GET PP/analytics/events": (
        "data.total:number data.hasMore:flag data.events.*.id:text data.events.*.category:text "
        "data.events.*.event_type:text data.events.*.agent_name:text data.events.*.session_id:text "
        "data.events.*.timestamp:text data.events.*.duration_ms:number data.events.*.error:text "
        "data.events.*.metadata:map"
    ),
    "GET PP/voice-analytics/hourly": (
        "data.*.hour:text data.*.session_count:number data.*.error_count:number data.*.avg_call_duration_ms:number "
        "data.*.avg_inbound_mos:number data.*.avg_outbound_mos:number data.*.avg_inbound_jitter_ms:number "
        "data.*.avg_outbound_jitter_ms:number data.*.avg_e2e_latency_ms:number data.*.avg_barge_in_rate:number "
        "data.*.avg_dtmf_fallback_rate:number data.*.avg_asr_score:number data.*.avg_tts_proxy_mos:number "
        "data.*.avg_silence_percent:number data.*.total_turns:number data.*.total_barge_in_count:number "
        "data.*.total_dtmf_turn_count:number"
    ),
    "GET PP/voice-analytics/summary": (
        "data.total_calls:number data.total_errors:number data.avg_call_duration_ms:number "
        "data.overall_avg_inbound_mos:number data.overall_avg_outbound_mos:number data.overall_avg_latency_ms:number "
        "data.overall_barge_in_rate:number data.overall_dtmf_fallback_rate:number data.overall_asr_score:number "
        "data.total_turns:number data.total_barge_in_count:number data.total_dtmf_turn_count:number"
    ),
    "POST PP/sessions/:/attachments": "attachmentId:text filename:text mimeType:text sizeBytes:number",
    "GET /api/v1/sessions/:/transcripts": "messages:list",
    f"GET {TASKS}/:": "task.type:text task.status:text task.priority:text task.title:text task.context:map task.fields:list",
    f"GET {IO}/export": (
        "manifest.name:text manifest.version:text manifest.entryAgent:text manifest.exportedAt:text "
        "manifest.exportedBy:text manifest.agents.*.sourceHash:text manifest.agents.*.path:text "
        "lockfile.agents.*.version:text lockfile.agents.*.hash:text files.*:text warnings:list"
    ),
    f"GET {IO}/export/preview": (
        "project.name:text project.slug:text agents.*.name:text agents.*.hasDslContent:flag tools.*.name:text "
        "tools.*.toolType:text dependencies.edges.*.from:text dependencies.edges.*.to:text dependencies.edges.*.type:text "
        "dependencies.validation.valid:flag dependencies.validation.errors:list"
    ),
    f"POST {IO}/import/preview": (
        "preview.operations.*.type:text preview.operations.*.entity:text preview.operations.*.name:text "
        "preview.operations.*.reason:text preview.summary.create:number preview.summary.update:number "
        "preview.summary.delete:number"
    ),
    f"POST {IO}/import": "applied.created:number applied.updated:number applied.deleted:number",
    "POST /api/v1/chat/agent": (
        "sessionId:text response:text action:map state:map traceEvents:list voiceConfig:map richContent:map actions:map"
    ),
    "POST /api/v1/chat/complete": (
        "content:text toolCalls:list model:text finishReason:text usage.inputTokens:number usage.outputTokens:number "
        "usage.totalTokens:number usage.estimatedCost:number? latencyMs:number"
    ),
    "GET /api/v1/chat/usage": (
        "summary.totalTokens:number summary.totalCost:number summary.requestCount:number summary.avgLatency:number "
        "byModel.*.modelId:text byModel.*.provider:text byModel.*.totalTokens:number byModel.*.totalCost:number "
        "byModel.*.requestCount:number"
    ),
    "POST /api/v1/callbacks/:": "ok:flag status:text",
}
ABSENT = {
    "GET PP/agents": "agents.*.dslContent",
    "GET /api/agents": "agents.*.dslContent",
    "GET PP/deployments": "deployments.*.channelCount",
    "POST PP/deployments": "deployment.channelCount",
    "POST PP/deployments/:/rollback": "deployment.channelCount",
    "POST PP/deployments/:/promote": "deployment.channelCount",
    "GET /api/tool-secrets": "secrets.*.value",
    "POST /api/tool-secrets": "secret.value",
    "PUT /api/tool-secrets/:": "secret.value",
    "POST /api/v1/callbacks/:": "success",
}
CHOICES = {
    ("GET PP/sessions", "sessions.*.status"): "active ended",
    ("GET PP/deployments/:", "deployment.status"): "active retired",
    ("GET /api/contacts/:", "data.type"): "employee customer anonymous",
    ("GET /api/contacts/:", "data.identityType"): "email phone external",
    (f"GET {TASKS}/:", "task.type"): "approval data_entry review decision escalation",
    (f"GET {TASKS}/:", "task.status"): "pending assigned in_progress completed expired cancelled",
    (f"GET {TASKS}/:", "task.priority"): "low medium high critical",
}
REQUIRED = {
    "POST /api/v1/chat/agent": "projectId message",
    "POST /api/v1/chat/stream": "projectId messages",
    "POST /api/v1/chat/complete": "projectId messages",
    "POST PP/sessions": "agentId",
    "PUT PP/agents/:/dsl": "dslContent",
    "POST PP/deployments": "environment agentVersionManifest entryAgentName",
    "POST /api/contacts/:/link-session": "sessionId",
    "POST PP/analytics/query": "timeRange",
    "POST PP/analytics/aggregate": "timeRange groupBy metrics",
}
TAKEN = {
    "POST /api/v1/chat/agent": (
        "projectId:text message:text sessionId:text deploymentId:text environment:text agentId:text metadata:map "
        "testContext.gatherValues:map testContext.sessionVariables:map testContext.callerContext.userId:text "
        "testContext.callerContext.channel:text testContext.callerContext.customAttributes:map "
        "testContext.toolMocks:list testContext.skipOnStart:flag testContext.startAtStep:text"
    ),
    "POST /api/v1/chat/stream": (
        "projectId:text messages:list sessionId:text tools.*.name:text tools.*.description:text tools.*.parameters:map "
        "modelId:text tier:text temperature:number maxTokens:number messages.*.role:text messages.*.content:text "
        "messages.*.name:text messages.*.tool_call_id:text messages.*.tool_calls:list"
    ),
    "POST /api/v1/chat/send": "sessionId:text message:text attachmentIds.*:text",
    "POST /api/v1/feedback": "sessionId:text messageId:text rating:text comment:text",
    "POST /api/v1/sdk/init": "projectId:text",
    "POST PP/deployments": (
        "environment:text agentVersionManifest:map entryAgentName:text label:text description:text modelOverrides:map "
        "settingsVersionId:text workflowVersionManifest:map"
    ),
    "POST /api/tool-secrets": (
        "projectId:text toolName:text secretKey:text value:text environment:text expiresAt:text"
    ),
    "PUT /api/tool-secrets/:": "value:text",
    "POST /api/v1/memory": "action:text memoryStoreName:text payload:map",
    "POST /api/contacts": (
        "type:text identity:text identityType:text displayName:text department:text employeeId:text company:text "
        "accountRef:text channel:text metadata:map tags.*:text"
    ),
    "PUT /api/contacts/:": (
        "type:text identity:text identityType:text displayName:text department:text employeeId:text company:text "
        "accountRef:text channel:text metadata:map tags.*:text"
    ),
    "POST PP/analytics/query": (
        "timeRange.from:text timeRange.to:text category:text eventTypes:list sessionId:text agentName:text hasError:flag "
        "limit:number offset:number"
    ),
    "POST PP/analytics/aggregate": (
        "timeRange.from:text timeRange.to:text groupBy:list metrics:list filters.category:text filters.eventTypes:list"
    ),
}
BOUNDS: dict[tuple[str, str], dict[str, Any]] = {
    ("POST /api/v1/chat/agent", "message"): {"minLength": 1},
    ("POST /api/v1/chat/agent", "testContext.toolMocks"): {"maxItems": 50},
    ("POST /api/v1/chat/stream", "messages"): {"minItems": 1},
    ("POST /api/v1/chat/stream", "temperature"): {"minimum": 0, "maximum": 2},
    ("POST /api/v1/chat/stream", "maxTokens"): {"minimum": 1, "maximum": 200_000},
    ("POST /api/tool-secrets", "environment"): {"default": "dev"},
    ("POST /api/contacts", "displayName"): {"maxLength": 200},
    ("POST /api/contacts", "company"): {"maxLength": 200},
    ("POST /api/contacts", "employeeId"): {"maxLength": 100},
    ("POST /api/contacts", "tags"): {"maxItems": 50},
    ("POST /api/contacts", "tags.*"): {"maxLength": 50},
    ("POST PP/analytics/query", "limit"): {"default": 100, "maximum": 10_000},
    ("POST PP/analytics/query", "offset"): {"default": 0},
}
QUERIES: dict[tuple[str, str], dict[str, Any]] = {
    ("GET PP/sessions", "limit"): {"default": 50, "maximum": 200},
    ("GET PP/sessions", "offset"): {"default": 0, "minimum": 0},
    ("GET PP/sessions/:/traces", "limit"): {"default": 50, "maximum": 200},
    ("GET PP/sessions/:/traces", "offset"): {"default": 0, "minimum": 0},
    ("GET /api/v1/sessions/:/transcripts", "limit"): {"default": 50, "maximum": 200},
    ("GET /api/v1/sessions/:/transcripts", "offset"): {"default": 0, "minimum": 0},
    ("GET PP/sessions", "status"): {"enum": ["active", "ended"]},
    ("GET PP/sessions", "channel"): {"enum": ["api", "web_debug", "voice"]},
    ("GET PP/sessions/:/traces", "eventType"): {},
    ("GET PP/sessions/:/traces", "decisionKind"): {},
    ("GET PP/sessions/:/traces", "spanId"): {},
    ("GET PP/sessions/:/traces", "include"): {"const": "metrics"},
    ("GET PP/sessions/export", "format"): {"const": "csv"},
    ("GET /api/v1/chat/usage", "projectId"): {},
    ("GET /api/v1/chat/usage", "startDate"): {},
    ("GET /api/v1/chat/usage", "endDate"): {},
    ("GET /api/v1/chat/usage", "groupBy"): {"const": "model"},
    ("GET /api/tool-secrets", "projectId"): {},
    ("GET /api/tool-secrets", "toolName"): {},
    ("GET /api/tool-secrets", "environment"): {},
    ("GET /api/tool-secrets", "page"): {"default": 1},
    ("GET /api/tool-secrets", "limit"): {"default": 50, "maximum": 200},
    ("GET /api/contacts", "type"): {"enum": ["employee", "customer", "anonymous"]},
    ("GET /api/contacts", "channel"): {},
    ("GET /api/contacts", "limit"): {"default": 50, "maximum": 200},
    ("GET /api/contacts", "offset"): {"default": 0},
    ("GET /api/contacts/lookup", "identity"): {},
    ("GET /api/contacts/lookup", "identityType"): {"enum": ["email", "phone", "external"]},
    ("GET PP/analytics/metrics", "from"): {},
    ("GET PP/analytics/metrics", "to"): {},
    ("GET PP/analytics/metrics", "groupBy"): {"default": "category"},
    ("GET PP/analytics/metrics", "metrics"): {"default": "count,error_rate"},
    ("GET PP/analytics/metrics", "category"): {},
    ("GET PP/analytics/events", "from"): {},
    ("GET PP/analytics/events", "to"): {},
    ("GET PP/analytics/events", "category"): {},
    ("GET PP/analytics/events", "eventTypes"): {},
    ("GET PP/analytics/events", "sessionId"): {},
    ("GET PP/analytics/events", "agentName"): {},
    ("GET PP/analytics/events", "hasError"): {"enum": ["true", "false"]},
    ("GET PP/analytics/events", "limit"): {"default": 100, "maximum": 10_000},
    ("GET PP/analytics/events", "offset"): {"default": 0},
    ("GET PP/analytics/agents/:", "from"): {},
    ("GET PP/analytics/agents/:", "to"): {},
    ("GET PP/analytics/cost-breakdown", "from"): {},
    ("GET PP/analytics/cost-breakdown", "to"): {},
    ("GET PP/voice-analytics/hourly", "hours"): {"default": 168},
    ("GET PP/voice-analytics/summary", "hours"): {"default": 168},
    (f"GET {IO}/export", "format"): {"enum": ["folder", "zip"], "default": "folder"},
    (f"GET {IO}/export", "include_deployments"): {"enum": ["true", "false"], "default": "false"},
    (f"GET {TASKS}", "status"): {},
}


@cache
def described() -> dict[str, Any]:
    """Return the description with its operations under `METHOD path`, parameters of paths written `:`."""
    whole = document("1")
    operations = {
        f"{method.upper()} {re.sub('{[a-z_]+}', ':', path).replace('/api/projects/:', 'PP')}": operation
        for path, methods in whole["paths"].items()
        for method, operation in methods.items()
    }
    return {**whole, "operations": operations}


def kinds(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the alternatives of a schema, references followed."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return kinds({**described()["components"]["schemas"][name], **{k: v for k, v in schema.items() if k != "$ref"}})
    if "anyOf" in schema or "oneOf" in schema:
        outside = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        return [{**outside, **kind} for one in schema.get("anyOf", schema.get("oneOf", [])) for kind in kinds(one)]
    return [schema]


def at(schema: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """Return the alternatives of what stands at a place: names with dots, `*` for each of a list or map."""
    found = kinds(schema)
    for name in place.split("."):
        inner: list[dict[str, Any]] = []
        for one in found:
            if name == "*":
                inner += [kind for key in ("items", "additionalProperties") if isinstance(one.get(key), dict)
                          for kind in kinds(one[key])]  # fmt: skip
            elif name in one.get("properties", {}):
                inner += kinds(one["properties"][name])
        found = inner
    return found


def answer(operation: str) -> dict[str, Any]:
    replies = described()["operations"][operation]["responses"]
    status = next(code for code in replies if code.startswith("2"))
    schema: dict[str, Any] = replies[status]["content"]["application/json"]["schema"]
    return schema


def body(operation: str) -> dict[str, Any]:
    schema: dict[str, Any] = described()["operations"][operation]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    return schema


def fields(table: dict[str, str]) -> Any:
    rows = [(operation, *field.split(":")) for operation, texts in table.items() for field in texts.split()]
    return over(("operation", "place", "type_"), rows)


def types(found: list[dict[str, Any]]) -> set[str]:
    """Return the types that values may have; a list of choices or one constant has those of its values."""
    named = {one["type"] for one in found if "type" in one}
    return named | {"string" for one in found if isinstance(one.get("const"), str)}


def check_type(found: list[dict[str, Any]], type_: str) -> None:
    assert types(found) & type_of[type_.rstrip("?")]
    if type_.endswith("?"):
        assert "null" in types(found)


@fields(ANSWERS)
def test_an_answer_has_the_field(operation: str, place: str, type_: str) -> None:
    check_type(at(answer(operation), place), type_)


@over(("operation", "place"), ABSENT.items())
def test_an_answer_has_no_such_field(operation: str, place: str) -> None:
    assert at(answer(operation), place.rpartition(".")[0]) if "." in place else True
    assert not at(answer(operation), place)


@over(("where", "values"), CHOICES.items())
def test_a_field_has_these_values_and_no_others(where: tuple[str, str], values: str) -> None:
    found = at(answer(where[0]), where[1])
    assert {value for one in found for value in one.get("enum", [])} == set(values.split())


@fields(TAKEN)
def test_a_body_may_have_the_field(operation: str, place: str, type_: str) -> None:
    check_type(at(body(operation), place), type_)


@over(("operation", "names"), REQUIRED.items())
def test_a_body_must_have_these_fields_and_no_others(operation: str, names: str) -> None:
    assert {name for one in kinds(body(operation)) for name in one.get("required", [])} == set(names.split())


@over(("where", "bounds"), BOUNDS.items())
def test_a_field_has_its_bounds_and_default(where: tuple[str, str], bounds: dict[str, Any]) -> None:
    operation, place = where
    assert any(bounds.items() <= one.items() for one in at(body(operation), place))


@over(("where", "says"), QUERIES.items())
def test_a_query_has_its_default_bound_and_values(where: tuple[str, str], says: dict[str, Any]) -> None:
    operation, name = where
    found = [
        one for one in described()["operations"][operation]["parameters"] if (one["name"], one["in"]) == (name, "query")
    ]
    assert len(found) == 1
    assert any(says.items() <= kind.items() for kind in kinds(found[0]["schema"]))
