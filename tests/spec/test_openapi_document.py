"""The OpenAPI document to the letter: what each property is, an example and the permission of each operation, streams.

Spec: platform-api 14.8; issue 13, C.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jsonschema
import pytest

from domain.permissions import Permission
from gateway import wire
from gateway.access import CallerKind
from gateway.app import document
from gateway.closing import CloseCode
from gateway.openapi import EVERYBODY, RATE_HEADERS, WHO_MAY
from gateway.openapi_streams import OF_TURN, STREAMS
from gateway.openapi_words import properties_of, spelt_out
from tests.support.asgi import Client, sse_events
from tests.support.cells import Failures
from tests.support.gateway import BOUND_KEY, PAGE, PROJECT, PUBLIC_KEY, Gateway, sandbox_token

AT_LEAST = 150
SHORT_CHARS = 30
BY_EXAMPLE = ("application/json", "multipart/form-data")


@cache
def whole() -> Any:
    """Return the document. It takes seconds to make: not when this module is only collected."""
    return json.loads(json.dumps(document("test")))


@cache
def operations() -> list[tuple[str, Any]]:
    """Return name and description of each operation."""
    return [
        (f"{method.upper()} {path}", one) for path, ways in whole()["paths"].items() for method, one in ways.items()
    ]


def checked(example: Any, schema: Any) -> None:
    """Raise where an example breaks its schema. The schemas of the document are those of JSON Schema 2020-12."""
    all_of_it = {**schema, "components": whole()["components"]}
    jsonschema.Draft202012Validator(all_of_it).validate(example)


def answers(operation: Any) -> Iterator[tuple[str, Any]]:
    """Yield media type and content of every good answer."""
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            yield from answer.get("content", {}).items()


def events_in(text: str) -> list[tuple[str, Any]]:
    """Return name and data of each event of a stream."""
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in blocks]


def test_no_description_only_says_the_name_again() -> None:
    told = [(name, one["description"]) for inner in properties_of(whole()) for name, one in inner.items()]
    told += [(p["name"], p["description"]) for _, one in operations() for p in one.get("parameters", ())]
    assert [name for name, text in told if text.strip(" .").lower() == spelt_out(name).lower()] == []


def test_no_property_and_no_parameter_is_without_a_description() -> None:
    silent = [name for inner in properties_of(whole()) for name, one in inner.items() if not one.get("description")]
    silent += [p["name"] for _, one in operations() for p in one.get("parameters", ()) if not p.get("description")]
    assert silent == []
    told = {name for schema in whole()["components"]["schemas"].values() for name in schema.get("properties", ())}
    assert len(told) > 500
    assert not [name for name, one in whole()["components"]["schemas"].items() if not one.get("description")]


def test_no_operation_is_without_its_examples() -> None:
    assert len(operations()) >= AT_LEAST
    lacking = [
        (name, media_type)
        for name, one in operations()
        for media_type, content in [*one.get("requestBody", {}).get("content", {}).items(), *answers(one)]
        if "example" not in content and "examples" not in content
    ]
    assert lacking == []


def check_examples(operation: Any) -> None:
    asked = operation.get("requestBody", {}).get("content", {})
    shown = [one for one in [*asked.items(), *answers(operation)] if one[0] in BY_EXAMPLE and "example" in one[1]]
    for _, content in shown:
        checked(content["example"], content["schema"])
    for media_type, content in answers(operation):
        ways = {way["title"]: way["properties"]["data"] for way in content.get("schema", {}).get("oneOf", ())}
        if media_type == "text/event-stream" and ways:
            told = events_in(content["example"])
            assert [name for name, _ in told] == list(ways)
            for name, data in told:
                checked(data, ways[name]["contentSchema"])


def test_the_examples_of_an_operation_keep_to_its_schemas(record_property: Callable[[str, object], None]) -> None:
    record_property("cases", len(operations()))
    failures = Failures()
    for name, operation in operations():
        try:
            check_examples(operation)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is told
            failures.add(name, error)
    failures.check(len(operations()))


FALSE_FORM = (400, 401, 413, 415, 422)
"""Statuses of a request whose form is refused, or whose credential."""

OF_THIS_PLACE = {("/api/auth/login", 401), ("/api/auth/refresh", 401), ("/api/tenant/erase", 400)}
"""A password, a token and the id of a tenant, which no document can know."""


@pytest.mark.anyio
async def test_the_example_of_a_request_is_taken_as_it_is_written(gateway: Gateway) -> None:
    """What its made-up ids name may not be there; its form is not refused."""
    page = Client(gateway.app, {"x-public-key": PUBLIC_KEY, "origin": PAGE})
    sandbox = gateway.as_(sandbox_token(gateway, "one"))
    clients = {
        "": gateway.nobody(), "bearer": await gateway.user(), "apiKey": gateway.as_(BOUND_KEY), "publicKey": page,
        "publicApiKey": page, "sandboxToken": sandbox, "sdkToken": gateway.page(await gateway.sdk_token()),
    }  # fmt: skip
    refused, sent = [], 0
    for name, operation in operations():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            continue
        method, path = name.split(" ")
        for one in operation.get("parameters", ()):
            path = path.replace(f"{{{one['name']}}}", PROJECT if one["name"] == "project_id" else "one")
        schemes = [scheme for way in operation["security"] for scheme in way]
        shown = "apiKey" if "apiKey" in schemes and not path.startswith("/api/") else next(iter(schemes), "")
        reply = await clients[shown].request(method, path, body=content["example"])
        sent += 1
        if (reply.status in FALSE_FORM or reply.status >= 500) and (path, reply.status) not in OF_THIS_PLACE:
            refused.append((name, reply.status, reply.body[:200]))
    assert sent > 50
    assert not refused, "\n".join(map(str, refused))


def test_no_operation_is_without_its_permission() -> None:
    known = {*map(str, Permission), *WHO_MAY.values(), EVERYBODY}
    assert [name for name, one in operations() if not one.get("x-permission")] == []
    wrong = [name for name, one in operations() if not set(one["x-permission"].split(" or ")) <= known]
    assert wrong == []
    assert all((one["x-permission"] == EVERYBODY) is (not one["security"]) for _, one in operations())


def test_operation_ids_are_short_and_stand_once() -> None:
    ids = [one["operationId"] for _, one in operations()]
    assert len(set(ids)) == len(ids)
    assert max(map(len, ids)) <= SHORT_CHARS
    assert {"chat_with_agent", "create_session", "widget_config"} <= set(ids)


def test_each_route_names_the_header_of_its_credential() -> None:
    schemes, of = whole()["components"]["securitySchemes"], dict(operations())

    def headers(name: str) -> set[str]:
        return {schemes[scheme].get("name", "Authorization") for one in of[name]["security"] for scheme in one}

    assert headers("GET /api/v1/sdk/config/{project_id}") == {"X-API-Key"}
    assert headers("POST /api/v1/sdk/init") == {"X-Public-Key"}
    assert headers("POST /api/v1/sdk/refresh") == {"X-SDK-Token"}
    assert headers("POST /api/v1/chat/agent") == {"Authorization", "X-API-Key", "X-SDK-Token"}
    kinds: tuple[CallerKind, ...] = ("api_key", "user", "sdk", "public_key", "sandbox")
    assert set(WHO_MAY) == set(kinds)


def test_answers_tell_of_their_headers() -> None:
    for name, one in operations():
        for status, answer in one["responses"].items():
            headers = set(answer["headers"])
            assert "X-Request-Id" in headers, name
            if status == "429":
                assert headers >= {"Retry-After", *(RATE_HEADERS if one["security"] else ())}, name
    replayed = dict(operations())["POST /api/v1/chat/agent"]["responses"]["200"]["headers"]
    assert "Idempotent-Replay" in replayed
    assert {ref["$ref"].rpartition("/")[2] for ref in replayed.values()} <= set(whole()["components"]["headers"])
    assert whole()["servers"][0]["url"] == "/"


def test_the_socket_is_told_with_every_frame_and_close_code() -> None:
    told = whole()["x-websockets"]["/ws/sdk"]
    assert (set(told["send"]), set(told["receive"])) == (set(wire.CLIENT_FRAMES), set(wire.SERVER_FRAMES))
    assert set(told["closeCodes"]) == {str(code.value) for code in CloseCode}
    schemas = whole()["components"]["schemas"]
    for ref in [*told["send"].values(), *told["receive"].values()]:
        assert schemas[ref["$ref"].rpartition("/")[2]]["properties"]["type"]["enum"]


@pytest.mark.anyio
async def test_a_stream_has_no_event_that_is_not_told(gateway: Gateway) -> None:
    body, headers = {"projectId": PROJECT, "message": "hello"}, {"accept": "text/event-stream"}
    async with gateway.client.stream("POST", "/api/v1/chat/agent", body=body, headers=headers) as (_, pieces):
        seen = [(event.name, event.data) async for event in sse_events(pieces) if event.name != ":"]
    assert {name for name, _ in seen} >= {"session_start", "response_end", "complete"}
    for name, data in seen:
        checked(data, OF_TURN[name])
    assert set(STREAMS) == {"/api/v1/chat/agent", "/api/v1/chat/stream"}
