"""A binding and its arguments -> one request: address, query, headers, body."""

from __future__ import annotations

import json
from typing import Any

import pytest

from providers.tools.http_tool import HttpTool
from tests.suites.tool_runner import invocation
from tests.support.http_tool_calls import call, query
from tests.support.stub_endpoint import StubEndpoint

pytestmark = pytest.mark.anyio


async def test_path_values_are_encoded(runner: HttpTool) -> None:
    _, asked = await call(runner, {"endpoint": "/v2/{code}/{{part}}"}, {"code": "a/b?c#d ä", "part": "x%y"})
    assert asked[0].target == "/v2/a%2Fb%3Fc%23d%20%C3%A4/x%25y"


@pytest.mark.parametrize(("value", "more"), [("..", ""), (".", ""), (".", "."), ("", "..")])
async def test_a_path_value_cannot_climb(runner: HttpTool, value: str, more: str) -> None:
    result, asked = await call(runner, {"endpoint": "/v2/{{code}}{{more}}/x"}, {"code": value, "more": more})
    assert (result.error_kind, asked) == ("invalid_input", [])


@pytest.mark.parametrize("arguments", [{}, {"code": None}, {"code": ""}])
async def test_a_path_without_its_value_is_not_called(runner: HttpTool, arguments: dict[str, Any]) -> None:
    result, asked = await call(runner, {"endpoint": "/v2/{code}"}, arguments)
    assert (result.error_kind, result.error_code, asked) == ("invalid_input", "MISSING_PARAMETER", [])


async def test_an_argument_cannot_choose_the_host(runner: HttpTool) -> None:
    for host in ("169.254.169.254", "127.0.0.1@169.254.169.254", "169.254.169.254/x?"):
        made = invocation("http", {"endpoint": "http://{host}/latest"}, {"host": host})
        result = await runner.run(made)
        assert result.error_code in {"ADDRESS_REFUSED", "INVALID_REQUEST", "NO_CONNECTION"}


async def test_the_beginning_of_an_address_can_come_from_the_environment(runner: HttpTool) -> None:
    async with StubEndpoint() as stub:
        made = invocation("http", {"endpoint": "{{env.BASE}}/x"}, environment={"BASE": f"{stub.url}/v1"})
        assert (await runner.run(made)).ok
        assert stub.asked[0].target == "/v1/x"


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD"])
async def test_unused_parameters_become_the_query(runner: HttpTool, method: str) -> None:
    arguments = {"code": "A1", "n": 2, "tags": ["a", "b"], "none": None, "on": True}
    _, asked = await call(runner, {"endpoint": "/{code}?x=1", "method": method}, arguments)
    assert query(asked[0]) == [("x", "1"), ("n", "2"), ("tags", "a"), ("tags", "b"), ("on", "true")]
    assert asked[0].body == b""


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
async def test_unused_parameters_become_the_json_body(runner: HttpTool, method: str) -> None:
    arguments = {"code": "A1", "n": 2, "deep": {"x": [1, None]}}
    _, asked = await call(runner, {"endpoint": "/{code}", "method": method}, arguments)
    assert (asked[0].method, json.loads(asked[0].body)) == (method, {"n": 2, "deep": {"x": [1, None]}})
    assert asked[0].headers["content-type"] == "application/json"


async def test_query_parameters_are_filled_in_and_left_out_when_empty(runner: HttpTool) -> None:
    binding = {"query_params": {"region": "{{region}}", "fixed": "a b", "gone": "{{nothing}}", "both": "{{a}}-{{b}}"}}
    _, asked = await call(runner, binding, {"region": "EU", "a": 1, "b": "&"})
    assert query(asked[0]) == [("region", "EU"), ("fixed", "a b"), ("both", "1-&")]


async def test_a_json_template_escapes_what_it_inserts(runner: HttpTool) -> None:
    template = '{"a": {{a}}, "b": "{{b}}", "c": {{c}}, "d": "x-{{d}}", "e": {{c | json}}, "f": {{gone}}}'
    arguments = {"a": 1.5, "b": 'say "hi"\n', "c": {"x": ['"']}, "d": "\\"}
    _, asked = await call(runner, {"method": "POST", "body_template": template}, arguments)
    assert json.loads(asked[0].body) == {
        "a": 1.5, "b": 'say "hi"\n', "c": {"x": ['"']}, "d": "x-\\", "e": {"x": ['"']}, "f": None,
    }  # fmt: skip


async def test_an_argument_cannot_add_fields_to_a_json_template(runner: HttpTool) -> None:
    _, asked = await call(
        runner, {"method": "POST", "body_template": '{"a": "{{a}}"}'}, {"a": '", "admin": true, "b": "'}
    )
    assert json.loads(asked[0].body) == {"a": '", "admin": true, "b": "'}


async def test_inserted_values_are_not_read_as_templates(runner: HttpTool) -> None:
    binding = {"method": "POST", "body_template": '{"a": "{{a}}"}', "headers": {"X": "{{a}}"}}
    _, asked = await call(runner, binding, {"a": "{{secrets.KEY}}{a}"})
    assert "s3cret" not in asked[0].headers["x"] + asked[0].body.decode()


async def test_a_map_as_body_keeps_types(runner: HttpTool) -> None:
    _, asked = await call(runner, {"method": "POST", "body_template": {"n": "{{n}}", "t": "n={{n}}"}}, {"n": 2})
    assert json.loads(asked[0].body) == {"n": 2, "t": "n=2"}


async def test_a_template_that_gives_no_json_is_told(runner: HttpTool) -> None:
    result, asked = await call(runner, {"method": "POST", "body_template": '{"a": }'})
    assert (result.error_code, asked) == ("INVALID_BODY", [])


@pytest.mark.parametrize(
    ("kind", "template", "body", "content_type"),
    [
        ("form", "", "a=x+%26+y", "application/x-www-form-urlencoded"),
        ("form", "q={{a}}&z=1", "q=x%20%26%20y&z=1", "application/x-www-form-urlencoded"),
        ("form", {"q": "{{a}}"}, "q=x+%26+y", "application/x-www-form-urlencoded"),
        ("xml", "<a b='{{a}}'>{{a}}</a>", "<a b='x &amp; y'>x &amp; y</a>", "application/xml"),
        ("text", "said: {{a}}", "said: x & y", "text/plain; charset=utf-8"),
    ],
)
async def test_each_body_type_escapes_in_its_way(
    runner: HttpTool, kind: str, template: Any, body: str, content_type: str
) -> None:
    _, asked = await call(runner, {"method": "POST", "body_type": kind, "body_template": template}, {"a": "x & y"})
    assert (asked[0].body.decode(), asked[0].headers["content-type"]) == (body, content_type)


async def test_blocks_of_templates_work_in_bodies(runner: HttpTool) -> None:
    template = '[{{#each items}}{{#if @index}},{{/if}}{"n": "{{this.n}}", "w": {{who}}}{{/each}}]'
    arguments = {"items": [{"n": 'a"'}, {"n": "b"}], "who": "me"}
    _, asked = await call(runner, {"method": "POST", "body_template": template}, arguments)
    assert json.loads(asked[0].body) == [{"n": 'a"', "w": "me"}, {"n": "b", "w": "me"}]


async def test_headers_see_arguments_session_and_secrets(runner: HttpTool) -> None:
    binding = {"headers": {"X-A": "{{a}}", "X-S": "{{plan}}", "X-K": "k={{secrets.KEY}}"}}
    _, asked = await call(runner, binding, {"a": "1"}, variables={"plan": "gold"})
    assert [asked[0].headers[name] for name in ("x-a", "x-s", "x-k")] == ["1", "gold", "k=s3cret"]


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0"])
async def test_a_header_cannot_be_broken_open(runner: HttpTool, value: str) -> None:
    result, asked = await call(runner, {"headers": {"X-A": "{{a}}"}}, {"a": value})
    assert (result.error_code, asked) == ("INVALID_PARAMETER", [])


@pytest.mark.parametrize(("name", "code"), [("NOPE", "SECRET_NOT_FOUND"), ("OLD", "SECRET_EXPIRED")])
async def test_a_secret_that_cannot_be_used_is_told_by_name(runner: HttpTool, name: str, code: str) -> None:
    result, asked = await call(runner, {"headers": {"X": "{{secrets." + name + "}}"}})
    assert (result.error_code, asked) == (code, [])
    assert name in result.error_message
