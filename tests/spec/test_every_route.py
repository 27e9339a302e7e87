"""Every route against every general rule: a new endpoint gets these tests by existing. Spec: platform-api 1, 2."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI

from actors.runtime import NewSession
from domain.rates import RateSettings
from gateway import app as gateway_app
from gateway.access import BODY_METHODS
from gateway.guarded import GuardedRoute, UndeclaredRoute, api_routes, check_declared, guarded_router
from gateway.openapi import BOOTSTRAP, SCHEMES_OF_KIND, documented_errors
from tests.support.asgi import Client, Reply
from tests.support.cells import over
from tests.support.gateway import (
    FOREIGN_KEY,
    FOREIGN_PROJECT,
    PAGE,
    PROJECT,
    PUBLIC_KEY,
    READER_KEY,
    Gateway,
    a_gateway,
    sandbox_token,
)
from tests.support.route_examples import EXAMPLES, FILE_ROUTE, QUERIES

pytestmark = pytest.mark.anyio
ROUTES = [(route, method) for route in api_routes(a_gateway().app) for method in sorted(route.methods)]
PRIVATE = [(route, method) for route, method in ROUTES if not route.access.is_public]
PERMITTED = [
    (route, method)
    for route, method in PRIVATE
    if route.access.permission not in (None, "project:read") and "api_key" in route.access.kinds
]
TAKING_JSON = [
    (route, method)
    for route, method in ROUTES
    if method in BODY_METHODS and (route.body_field is not None or route.access.errors == "callback")
]
READING = [(route, method) for route, method in ROUTES if method in BODY_METHODS]
OF_PROJECT = [
    (route, method) for route, method in PRIVATE if "{project_id}" in route.path and "api_key" in route.access.kinds
]
OF_SESSION = [(route, method) for route, method in PRIVATE if "{session_id}" in route.path]

NOT_JSON = {
    "/metrics",
    "/api/v1/chat/stream",
    "/ag-ui/{project_id}",
    "/ag-ui/{project_id}/agents/{agent}",
    "/api/projects/{project_id}/sessions/export",
    FILE_ROUTE + "/{attachment_id}/content",
}
"""Paths of routes that answer in another form."""
FORM = {"content-type": "multipart/form-data; boundary=cut"}
FORM_START = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
FORM_BODY = FORM_START + b"hello\r\n--cut--\r\n"
OWN_FORM = (
    "/metrics", "/mcp", "/mcp/{project_id}", "/v1/chat/completions", "/v1/models", "/v1/models/{model}",
    "/v1/responses", "/v1/responses/{response_id}", "/v1/responses/{response_id}/input_items",
    "/.well-known/agent-card.json", "/a2a", "/a2a/{project_id}", "/a2a/{project_id}/.well-known/agent-card.json",
    "/a2a/{project_id}/agents/{agent}", "/a2a/{project_id}/agents/{agent}/.well-known/agent-card.json",
    "/ag-ui/{project_id}", "/ag-ui/{project_id}/agents/{agent}", *NOT_JSON
)  # fmt: skip
"""Routes whose answers are of another protocol."""


def name(case: tuple[GuardedRoute, str]) -> str:
    return f"{case[1]} {case[0].path}"


def every(cases: list[tuple[GuardedRoute, str]]) -> Any:
    """Try a test with every one of these routes; where it wants a gateway, with a new one for each."""
    return over("case", cases, ids=name, fresh={"gateway": a_gateway})


async def prepared(gateway: Gateway) -> str:
    """Return the id of a session of the first tenant."""
    wanted = NewSession(tenant_id="ten_one", project_id=PROJECT, agent="desk")
    return (await gateway.runtime.create_session(wanted)).id


async def credentials(gateway: Gateway, route: GuardedRoute) -> dict[str, str]:
    """Return headers of a caller whom the route serves."""
    kinds = route.access.kinds
    if not kinds:
        return {}
    if "api_key" in kinds:
        return dict(gateway.client.headers)
    if "user" in kinds:
        return dict((await gateway.user()).headers)
    if "sandbox" in kinds:
        return {"authorization": f"Bearer {sandbox_token(gateway, await prepared(gateway))}"}
    if "public_key" in kinds:
        header = "x-public-key" if route.access.public_key_header else "x-api-key"
        return {header: PUBLIC_KEY, "origin": PAGE}
    return {"x-sdk-token": await gateway.sdk_token(), "origin": PAGE}


async def call(
    gateway: Gateway,
    case: tuple[GuardedRoute, str],
    headers: dict[str, str],
    *,
    project: str = PROJECT,
    session: str = "sess_unknown",
    **options: Any,
) -> Reply:
    route, method = case
    path = path_of(route, project=project, session=session) + QUERIES.get(route.path, "")
    if (method, route.path) == ("POST", FILE_ROUTE) and not options:
        options, headers = {"raw": FORM_BODY}, {**headers, **FORM}
    if method in BODY_METHODS and not options:
        options = {"body": EXAMPLES.get(f"{method} {route.path}", EXAMPLES.get(route.path, {}))}
    return await Client(gateway.app, headers).request(method, path, **options)


def path_of(route: GuardedRoute, *, project: str = PROJECT, session: str = "sess_1") -> str:
    """Return a path of the route; what is not given names nothing that is there."""
    names = dict.fromkeys(route.param_convertors, "unknown")
    return route.path.format(**{**names, "project_id": project, "session_id": session})


def test_there_are_routes() -> None:
    assert len(ROUTES) >= 15
    assert len(OF_PROJECT) >= 6


@every(ROUTES)
async def test_refuses_callers_without_credentials(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    reply = await call(gateway, case, {})
    if case[0].access.is_public:
        assert reply.status != 401
    else:
        assert (reply.status, reply.json()["error"]["code"]) == (401, "UNAUTHORIZED")


@over(
    "headers",
    [
        {"authorization": "Bearer abl_unknown"},
        {"authorization": "Bearer eyJhbGciOiJub25lIn0.e30."},
        {"authorization": "Basic abc"},
        {"x-api-key": "nonsense"},
        {"x-sdk-token": "nonsense"},
        {"authorization": "Bearer abl_unknown", "x-api-key": "abl_full"},
    ],
    ids=["unknown key", "token of no algorithm", "basic", "no key", "no token", "no falling through"],
)
@every(PRIVATE)
async def test_refuses_credentials_it_does_not_know(
    gateway: Gateway, case: tuple[GuardedRoute, str], headers: dict[str, str]
) -> None:
    reply = await call(gateway, case, headers)
    assert (reply.status, reply.json()["error"]["code"]) == (401, "UNAUTHORIZED")


@every(PRIVATE)
async def test_refuses_credentials_of_a_kind_it_does_not_take(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    kinds = case[0].access.kinds
    wrong = {"x-api-key": PUBLIC_KEY} if "api_key" in kinds else {"x-api-key": "abl_full"}
    assert (await call(gateway, case, wrong)).status == 401


@every(PERMITTED)
async def test_refuses_callers_without_its_permission(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    headers = {"authorization": f"Bearer {READER_KEY}"}
    reply = await call(gateway, case, headers, session=await prepared(gateway))
    error = reply.json()["error"]
    assert (reply.status, error["code"]) == (403, "FORBIDDEN")
    assert error["message"].startswith("Insufficient permissions")
    assert str(case[0].access.permission) in str(error), "the permission that lacks is named"


@every(OF_PROJECT)
async def test_does_not_know_the_project_of_another_tenant(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    for key, project in ((FOREIGN_KEY, PROJECT), (READER_KEY, FOREIGN_PROJECT)):
        headers = {"authorization": f"Bearer {key}"}
        reply = await call(gateway, case, headers, project=project, session=await prepared(gateway))
        assert (reply.status, reply.json()["error"]["message"]) == (404, "Project not found")


@every(OF_SESSION)
async def test_does_not_know_the_session_of_another_tenant(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    session = await prepared(gateway)
    headers = {"authorization": f"Bearer {FOREIGN_KEY}"}
    reply = await call(gateway, case, headers, project=FOREIGN_PROJECT, session=session)
    assert (reply.status, reply.json()["error"]["message"]) == (404, "Session not found")


@every(OF_SESSION)
async def test_a_session_id_that_no_store_can_hold_is_not_found(
    gateway: Gateway, case: tuple[GuardedRoute, str]
) -> None:
    reply = await call(gateway, case, await credentials(gateway, case[0]), session="sess_\0")
    assert reply.status == 404


@every(READING)
async def test_refuses_a_body_by_its_announced_length_without_reading_it(
    gateway: Gateway, case: tuple[GuardedRoute, str]
) -> None:
    headers = {**await credentials(gateway, case[0]), "content-type": "application/json"}
    length = str(case[0].access.body_max_bytes + 1)
    reply = await call(gateway, case, {**headers, "content-length": length}, raw=[b"{"])
    assert reply.status == 413
    assert reply.headers["x-test-read-bytes"] == "0"


@every(READING)
async def test_refuses_a_body_while_reading_it(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    headers = {**await credentials(gateway, case[0]), "content-type": "application/json"}
    max_bytes = case[0].access.body_max_bytes
    piece = b" " * (max_bytes // 4)
    start = [FORM_START] if case[0].access.streams else []
    headers |= FORM if case[0].access.streams else {}
    reply = await call(gateway, case, headers, session=await prepared(gateway), raw=[*start, *[piece] * 100])
    assert reply.status == 413
    assert int(reply.headers["x-test-read-bytes"]) <= max_bytes + len(piece)
    assert_error_form(case[0], reply)


@every(TAKING_JSON)
async def test_refuses_a_body_that_is_not_json(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    route = case[0]
    headers = await credentials(gateway, route)
    reply = await call(gateway, case, {**headers, "content-type": "text/plain"}, raw=b"hello")
    assert reply.status == 415
    assert_error_form(route, reply)
    broken = await call(gateway, case, {**headers, "content-type": "application/json"}, raw=b'{"a":')
    assert broken.status == 400
    assert_error_form(route, broken)


def assert_error_form(route: GuardedRoute, reply: Reply) -> None:
    body = reply.json()
    if route.access.errors == "openai":
        assert body["error"].keys() == {"message", "type", "param", "code"}
    elif route.access.errors == "callback":
        assert body["ok"] is False
        assert isinstance(body["error"], str)
    else:
        assert body["success"] is False
        assert set(body["error"]) >= {"code", "message"}


@every(ROUTES)
async def test_every_answer_says_how_it_ended_and_who_asked(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    route = case[0]
    headers = {**await credentials(gateway, route), "x-request-id": "asked-42"}
    reply = await call(gateway, case, headers, session=await prepared(gateway))
    assert reply.headers["x-request-id"] == "asked-42"
    if route.path in OWN_FORM:
        return
    body = reply.json()
    if route.access.errors == "callback":
        assert set(body) == {"ok", "error"}
    else:
        assert body["success"] is (reply.status < 400)
    if route.response_model is not None and reply.status < 400:
        route.response_model.model_validate(body, by_alias=True, by_name=True)


@every(PRIVATE)
async def test_every_answer_to_a_known_caller_says_what_is_left(
    gateway: Gateway, case: tuple[GuardedRoute, str]
) -> None:
    reply = await call(gateway, case, await credentials(gateway, case[0]))
    assert int(reply.headers["x-ratelimit-limit"]) > int(reply.headers["x-ratelimit-remaining"]) >= 0
    assert int(reply.headers["x-ratelimit-reset"]) >= int(gateway.clock.now().timestamp())


@every(PRIVATE)
async def test_refuses_more_requests_than_its_tenant_has(case: tuple[GuardedRoute, str]) -> None:
    gateway = a_gateway(rates=RateSettings(requests_per_second=1, requests_burst=2))
    ends_itself = case[0].path == "/api/auth/logout"
    headers = [await credentials(gateway, case[0]) for _ in range(3 if ends_itself else 1)] * (1 if ends_itself else 3)
    gateway.clock.move(seconds=10)
    statuses = [(await call(gateway, case, one)).status for one in headers[:2]]
    assert 429 not in statuses
    reply = await call(gateway, case, headers[2])
    assert reply.status == 429
    said, code = "Request rate limit exceeded", "RATE_LIMIT_EXCEEDED"
    if case[0].access.errors == "openai":
        assert reply.json()["error"] == {"message": said, "type": "rate_limit_error", "param": None, "code": code}
    else:
        assert reply.json() == {"success": False, "error": said, "code": code, "retryAfterMs": 1000}
    assert reply.headers["retry-after"] == "1"
    assert reply.headers["x-ratelimit-remaining"] == "0"


@every(ROUTES)
async def test_other_methods_are_refused_with_those_it_has(gateway: Gateway, case: tuple[GuardedRoute, str]) -> None:
    route = case[0]
    path = path_of(route)
    known = {method for other, method in ROUTES if other.path == route.path}
    method = next(one for one in ("PATCH", "PUT", "DELETE", "POST") if one not in known)
    reply = await gateway.client.request(method, path)
    body = reply.json()
    if route.access.errors == "callback":
        assert body == {"ok": False, "error": "Method not allowed"}
    else:
        assert body["error"]["code"] == "METHOD_NOT_ALLOWED"
        assert ("success" in body) is (route.access.errors == "coded")
    assert reply.status == 405
    assert known <= set(reply.headers["allow"].split(", "))


async def test_unknown_paths_are_not_found(gateway: Gateway) -> None:
    for path in ("/nowhere", "/api/v1/chat/agent/", "/api/projects"):
        reply = await gateway.client.get(path)
        assert (reply.status, reply.json()) == (
            404,
            {"success": False, "error": {"code": "NOT_FOUND", "message": "Not found"}},
        )


@cache
def documents() -> tuple[Any, ...]:
    """Return the descriptions of three apps that were made one after the other."""
    return tuple(a_gateway().app.openapi() for _ in range(3))


@every(ROUTES)
def test_is_described_with_its_reply_its_errors_and_its_callers(case: tuple[GuardedRoute, str]) -> None:
    route, method = case
    operation = documents()[0]["paths"][route.path][method.lower()]
    assert operation["summary"]
    assert "Spec:" in (import_module_doc(route) or "")
    assert operation.get("description"), "a route's docstring says what it gives back"
    success = str(route.status_code or 200)
    assert operation["responses"][success]["content"]
    assert (route.response_model is not None) is (route.path not in NOT_JSON)
    for status in documented_errors(route, method):
        content = operation["responses"][str(status)]["content"]["application/json"]["schema"]
        assert resolved(content)
    assert "422" not in operation["responses"]
    named = {scheme for entry in operation["security"] for scheme in entry}
    schemes = {scheme for kind in route.access.kinds for scheme in SCHEMES_OF_KIND[kind]}
    assert named == (set(BOOTSTRAP) if route.access.public_key_header else schemes)


def import_module_doc(route: GuardedRoute) -> str | None:
    import sys

    return sys.modules[route.endpoint.__module__].__doc__


def resolved(schema: dict[str, Any]) -> Any:
    reference = schema["$ref"].removeprefix("#/components/schemas/")
    return documents()[0]["components"]["schemas"][reference]


def test_the_description_refers_only_to_what_it_contains() -> None:
    document = documents()[0]
    schemas = document["components"]["schemas"]
    text = json.dumps(document)
    used = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert used <= set(schemas)
    assert document["openapi"].startswith("3.1")


@every(ROUTES)
def test_a_parameter_is_described_once_however_many_apps_there_are(case: tuple[GuardedRoute, str]) -> None:
    route, method = case
    operation = documents()[-1]["paths"][route.path][method.lower()]
    parameters = [(one["in"], one["name"]) for one in operation.get("parameters", ())]
    assert len(parameters) == len(set(parameters))
    assert (("header", "Idempotency-Key") in parameters) is (route.access.replay != "none")


def test_a_route_that_declares_no_caller_fails_at_start_up(monkeypatch: pytest.MonkeyPatch) -> None:
    router = guarded_router("/open", "open")
    with pytest.raises(UndeclaredRoute, match="/open/door"):
        router.get("/door")(lambda: None)
    plain = APIRouter()
    plain.get("/plain")(lambda: None)
    with pytest.raises(UndeclaredRoute, match="/plain"):
        check_declared(plain.routes, ())
    monkeypatch.setattr(gateway_app, "ROUTERS", (*gateway_app.ROUTERS, plain))
    with pytest.raises(UndeclaredRoute, match="/plain"):
        a_gateway()


def test_the_documentation_is_served_only_when_wanted() -> None:
    app: FastAPI = a_gateway(show_docs=False).app
    assert {"/docs", "/openapi.json"}.isdisjoint(getattr(route, "path", "") for route in app.routes)
