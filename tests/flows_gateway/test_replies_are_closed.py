"""What routes really answer has the fields that the OpenAPI document says, and no other. Spec: platform-api 1.2."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from gateway.app import document
from tests.flows_gateway.test_transfer import FILES, TEXTS
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


@cache
def described() -> Any:
    return document("1")


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = described()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def unknown(schema: dict[str, Any], value: Any, place: str = "") -> list[str]:
    """Return the places of fields that a schema does not have, of required ones that are missing, of wrong types."""
    schema = resolved(schema)
    if not fits(schema, value):
        return [f"{place} is not as {schema} says: {value!r:.80}"]
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if choices:
        return min((unknown(one, value, place) for one in choices if fits(resolved(one), value)), key=len, default=[])
    if isinstance(value, list) and "items" in schema:
        return [
            one for number, inner in enumerate(value) for one in unknown(schema["items"], inner, f"{place}/{number}")
        ]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    found = [f"{place}/{name} is not described" for name in value.keys() - known.keys()]
    found = found if schema.get("additionalProperties") is False else []
    found += [f"{place}/{name} is missing" for name in schema.get("required", ()) if name not in value]
    return found + [
        one for name in value.keys() & known.keys() for one in unknown(known[name], value[name], f"{place}/{name}")
    ]


def fits(schema: dict[str, Any], value: Any) -> bool:
    if "anyOf" in schema:
        return any(fits(resolved(one), value) for one in schema["anyOf"])
    if value not in schema.get("enum", (schema.get("const", value),)):
        return False
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else int | float) and not isinstance(value, bool)
    kinds = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}
    return kind not in kinds or isinstance(value, kinds[kind])


async def check(gateway: LiveGateway, method: str, route: str, body: Any = None, **names: str) -> Any:
    """Call a route, compare its answer with its description, and return it."""
    path = route.partition("?")[0]
    place = route.format(project_id=gateway.project_id, **names)
    answer: Answer = await gateway.call(method, place, body)
    told = answer.json()
    content = described()["paths"][path][method.lower()]["responses"][str(answer.status)]["content"]
    found = unknown(content["application/json"]["schema"], told)
    assert not found, (method, route, answer.status, found, json.dumps(told)[:500])
    return told


async def test_what_is_answered_is_what_is_described(servers: Servers) -> None:
    async with a_live_gateway(servers, "closed", TEXTS) as gateway:
        project = "/api/projects/{project_id}"
        chat = {"projectId": gateway.project_id, "message": "hello"}
        said = await check(gateway, "POST", "/api/v1/chat/agent", chat)
        session, message = said["sessionId"], said["messageId"]
        await check(gateway, "POST", "/api/v1/chat/send", {**chat, "sessionId": session})
        await check(gateway, "POST", "/api/v1/chat/agent", {**chat, "message": ""})
        await check(gateway, "POST", "/api/v1/chat/agent", {**chat, "sessionId": "sess_nobody"})
        await check(
            gateway, "POST", "/api/v1/feedback", {"sessionId": session, "messageId": message, "rating": "positive"}
        )
        for route in ("", "/traces", "/metrics", "/analysis"):
            await check(gateway, "GET", f"{project}/sessions/{{session_id}}{route}", session_id=session)
        for route in (
            "", "/sessions", "/agents", "/agents/Desk", "/agents/Desk/versions", "/deployments", "/variables", "/members",
            "/sdk-channels", "/webhooks", "/callbacks", "/human-tasks", "/budgets", "/public-keys", "/models",
            "/project-io/export", "/project-io/export/preview", "/sessions/generations",
        ):  # fmt: skip
            described = project + route.replace("/agents/Desk", "/agents/{agent_name}")
            await check(gateway, "GET", described, agent_name="Desk")
        for route in (
            "/api/projects",
            "/api/agents",
            "/api/users",
            "/api/api-keys",
            "/api/model-providers",
            "/health",
            "/ready",
        ):
            await check(gateway, "GET", route)
        wanted = {"environment": "dev", "agentVersionManifest": {"Billing": "auto"}, "entryAgentName": "Billing"}
        made = (await check(gateway, "POST", f"{project}/deployments", wanted))["deployment"]
        await check(gateway, "GET", f"{project}/deployments/{{deployment_id}}", deployment_id=made["id"])
        await check(gateway, "POST", f"{project}/project-io/import", {"files": FILES})
        await check(gateway, "POST", f"{project}/project-io/import/preview", {"files": FILES})
        await check(gateway, "POST", f"{project}/project-io/import/preview", {"files": {"../x": ""}})
        hook = await check(
            gateway, "POST", f"{project}/webhooks", {"url": "https://example.com/", "events": ["handoff"]}
        )
        named = {"webhook_id": hook["webhook"]["id"]}
        await check(gateway, "GET", f"{project}/webhooks/{{webhook_id}}", **named)
        await check(gateway, "GET", f"{project}/webhooks/{{webhook_id}}/deliveries", **named)
        await check(gateway, "DELETE", f"{project}/webhooks/{{webhook_id}}", **named)
        await check(gateway, "GET", f"{project}/webhooks/{{webhook_id}}", **named)
        await check(gateway, "POST", "/api/v1/sessions/{session_id}/end", {}, session_id=session)
