"""Every property of an http tool, from the text of an agent to the bytes on the wire. Spec: abl-language 3.2."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from actors.session.live import LiveSession
from actors.session.tool_calls import ToolCaller
from domain.json_values import JsonObject
from domain.tool_calls import ToolResult
from engine import CallTool
from providers.addresses import AddressPolicy
from providers.ports import NoCredentials
from providers.tools.kinds import all_tools
from tests.support.sessions import PIN, MemoryStore, a_program
from tests.support.stub_endpoint import Answer, Asked, StubEndpoint

AGENT = """\
AGENT: Caller
GOAL: "Call"

TOOLS:
  call(code: string, region: string = "EU", note?: string) -> {{status: string}}
    description: "Calls"
    type: http
    endpoint: "{url}{path}"
{properties}
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    RESPOND: "hello"
"""
OK = Answer(body=b'{"status": "ok"}')
BROKEN = Answer(status=500, body=b'{"why": "broken"}')
FAULT = Answer(
    status=500,
    headers={"Content-Type": "text/xml"},
    body=(
        b'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>'
        b"<faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault></s:Body></s:Envelope>"
    ),
)


class Secrets(NoCredentials):
    """One secret and one token of the user."""

    async def secret(self, tool: str, name: str) -> str | None:
        return "hush" if name == "KEY" else None

    async def user_token(self, provider: str) -> str | None:
        return f"token of {provider}"


@dataclass(frozen=True)
class Row:
    """A property, what it is written like, and what it must lead to."""

    name: str
    properties: str
    expect: Callable[[list[Asked], list[ToolResult]], bool]
    path: str = "/v1/{code}"
    arguments: JsonObject = field(default_factory=lambda: {"code": "a/b"})
    answers: tuple[Answer | Callable[[Asked], Answer], ...] = (OK,)
    calls: int = 1


def token_or_ok(asked: Asked) -> Answer:
    return Answer(body=b'{"access_token": "t1", "expires_in": 3600}') if asked.target == "/token" else OK


def header(name: str, value: str) -> Callable[[list[Asked], list[ToolResult]], bool]:
    return lambda asked, _results: asked[-1].headers.get(name) == value


def body(wanted: bytes) -> Callable[[list[Asked], list[ToolResult]], bool]:
    return lambda asked, _results: asked[-1].body == wanted


def target(wanted: str) -> Callable[[list[Asked], list[ToolResult]], bool]:
    return lambda asked, _results: asked[-1].target == wanted


BASIC = "Basic " + base64.b64encode(b"ann:hush").decode()
KEY = '"{{secrets.KEY}}"'
ROWS = [
    Row("endpoint", "", lambda asked, _: asked[0].target.startswith("/v1/a%2Fb")),
    Row("default method and query", "", target("/v1/a%2Fb?region=EU")),
    *(
        Row(f"method {name}", f"    method: {name}\n", lambda asked, _, name=name: asked[0].method == name)
        for name in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
    ),
    Row("default body", "    method: POST\n", body(b'{"region":"EU"}')),
    Row("query of a deletion", "    method: DELETE\n", target("/v1/a%2Fb?region=EU")),
    Row("auth api_key", f"    auth: api_key\n    auth_config:\n      api_key: {KEY}\n", header("x-api-key", "hush")),
    Row(
        "header_name",
        f'    auth: api_key\n    auth_config:\n      header_name: "X-Mine"\n      api_key: {KEY}\n',
        header("x-mine", "hush"),
    ),
    Row(
        "auth bearer",
        f"    auth: bearer\n    auth_config:\n      token: {KEY}\n",
        header("authorization", "Bearer hush"),
    ),
    Row(
        "auth basic",
        f'    auth: basic\n    auth_config:\n      username: "ann"\n      password: {KEY}\n',
        header("authorization", BASIC),
    ),
    Row(
        "auth oauth2_client",
        f'    auth: oauth2_client\n    auth_config:\n      token_url: "URL/token"\n      client_id: "me"\n'
        f'      client_secret: {KEY}\n      scopes: "a b"\n',
        lambda asked, _: (
            asked[0].target == "/token"
            and b"hush" in asked[0].body + base64.b64decode(asked[0].headers.get("authorization", "").partition(" ")[2])
            and b"scope=a+b" in asked[0].body
            and asked[1].headers["authorization"] == "Bearer t1"
        ),
        answers=(token_or_ok,),
    ),
    Row(
        "auth oauth2_user",
        '    auth: oauth2_user\n    auth_config:\n      provider: "calendar"\n',
        header("authorization", "Bearer token of calendar"),
    ),
    Row("headers", '    headers:\n      X-Region: "{{region}}"\n', header("x-region", "EU")),
    Row(
        "query_params", '    query_params:\n      where: "{{region}}"\n', lambda asked, _: "where=EU" in asked[0].target
    ),
    Row(
        "body",
        '    method: POST\n    body: |\n      {"r": "{{region}}"}\n',
        lambda a, _: json.loads(a[0].body) == {"r": "EU"},
    ),
    Row(
        "body_template",
        '    method: POST\n    body_template: |\n      {"r": "{{region}}"}\n',
        lambda asked, _: json.loads(asked[0].body) == {"r": "EU"},
    ),
    Row("body_type form", "    method: POST\n    body_type: form\n", body(b"region=EU")),
    Row("body_type xml", "    method: POST\n    body_type: xml\n", body(b"<request><region>EU</region></request>")),
    Row(
        "body_type text",
        '    method: POST\n    body_type: text\n    body: "in {{region}}"\n',
        lambda asked, _: asked[0].body == b"in EU" and asked[0].headers["content-type"].startswith("text/plain"),
    ),
    Row(
        "retry and retry_delay",
        "    retry: 2\n    retry_delay: 1\n",
        lambda asked, results: len(asked) == 3 and results[0].ok and results[0].attempts == 3,
        answers=(BROKEN, BROKEN, OK),
    ),
    Row(
        "timeout",
        "    timeout: 100\n",
        lambda _, results: results[0].error_kind == "tool_timeout",
        answers=(Answer(hang=True),),
    ),
    Row(
        "rate_limit",
        "    rate_limit: 1\n    timeout: 100\n",
        lambda asked, results: len(asked) == 1 and results[1].error_code == "RATE_LIMITED",
        calls=2,
    ),
    Row(
        "circuit_breaker",
        "    circuit_breaker: {threshold: 1, resetMs: 60000}\n",
        lambda asked, results: len(asked) == 1 and results[1].error_code == "CIRCUIT_OPEN",
        answers=(BROKEN,),
        calls=2,
    ),
    Row("on_http_error data", "", lambda _, r: r[0].ok and r[0].value == {"why": "broken"}, answers=(BROKEN,)),
    Row(
        "on_http_error error",
        "    on_http_error: error\n",
        lambda _, results: not results[0].ok and results[0].error_code == "500",
        answers=(BROKEN,),
    ),
    Row(
        "protocol soap and soap_action",
        '    protocol: soap\n    soap_action: "urn:Do"\n',
        lambda asked, _: asked[0].method == "POST" and "urn:Do" in asked[0].headers["soapaction"],
        path="/soap",
    ),
    Row(
        "soap_version",
        '    protocol: soap\n    soap_version: "1.2"\n    soap_action: "urn:Do"\n',
        lambda asked, _: asked[0].headers["content-type"].startswith("application/soap+xml"),
        path="/soap",
    ),
    Row(
        "on_soap_fault error",
        '    protocol: soap\n    soap_action: "urn:Do"\n',
        lambda _, results: not results[0].ok and results[0].error_kind == "api_error",
        path="/soap",
        answers=(FAULT,),
    ),
    Row(
        "on_soap_fault data",
        '    protocol: soap\n    soap_action: "urn:Do"\n    on_soap_fault: data\n',
        lambda _, results: results[0].ok,
        path="/soap",
        answers=(FAULT,),
    ),
    Row(
        "key of the effect",
        "    method: POST\n",
        lambda asked, _: asked[0].headers["idempotency-key"].endswith(":1.4"),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_property_reaches_the_wire(row: Row) -> None:
    async def story() -> None:
        async with StubEndpoint(*row.answers) as endpoint:
            asked, results = await called(row, endpoint, AddressPolicy(allowed=("127.0.0.1/32",)))
            assert row.expect(asked, results), (asked, results)

    asyncio.run(story())


def test_an_address_that_is_not_public_is_refused_unless_it_is_listed() -> None:
    async def story() -> None:
        async with StubEndpoint(OK) as endpoint:
            asked, results = await called(ROWS[0], endpoint, AddressPolicy())
            assert asked == []
            assert results[0].error_code == "ADDRESS_REFUSED"

    asyncio.run(story())


async def called(row: Row, endpoint: StubEndpoint, policy: AddressPolicy) -> tuple[list[Asked], list[ToolResult]]:
    """Compile the agent, call its tool as a session does, and return what the endpoint saw and what came of it."""
    properties = row.properties.replace("URL", endpoint.url)
    program = a_program(AGENT.format(url=endpoint.url, path=row.path, properties=properties))
    tool = program.agents["Caller"].tools["call"]
    effect = CallTool(
        id="1.4",
        agent="Caller",
        call_id="c1",
        tool="call",
        arguments=row.arguments,
        kind="http",
        binding=tool["http_binding"],
        timeout_ms=int(tool["http_binding"]["timeout_ms"]),
    )
    tools = all_tools(policy)
    try:
        caller = ToolCaller(tools, lambda _pin: Secrets())
        live = LiveSession(PIN, program, MemoryStore(), 1)
        results = [await caller.call(effect, live) for _ in range(row.calls)]
        return endpoint.asked, results
    finally:
        await tools.close()
