"""The operations of the web SDK's HTTP client, as the OpenAPI document is written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools import generate_web_http
from tools.generate_web_http import NoForm

STREAM = {"schema": {"oneOf": [{"title": "complete", "properties": {}}, {"title": "error", "properties": {}}]}}
JSON = {"schema": {"$ref": "#/components/schemas/Reply"}}


def an_operation(**more: Any) -> dict[str, Any]:
    answer = {"content": {"application/json": JSON}}
    return {"summary": "Do It", "security": [], "responses": {"200": answer}, **more}


def test_a_row_says_what_an_operation_takes() -> None:
    asked = an_operation(
        security=[{"bearer": []}, {"apiKey": []}, {"sdkToken": []}],
        parameters=[{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}],
        requestBody={"content": {"multipart/form-data": {"schema": {}}}},
        responses={"200": {"content": {"*/*": {}}}},
    )
    assert generate_web_http._row("POST", "/a/{project_id}/b", asked, "") == "POST /a/{projectId}/b kup kfb"
    assert generate_web_http._row("GET", "/a", an_operation(), "") == "GET /a - -"
    with pytest.raises(NoForm):
        generate_web_http._row("GET", "/a", an_operation(security=[{"cookie": []}]), "")


def test_an_operation_that_answers_both_ways_is_two_methods() -> None:
    both = an_operation(responses={"200": {"content": {"application/json": JSON, "text/event-stream": STREAM}}})
    text = generate_web_http._part("big part", [("POST", "/a", both)])
    assert '    doIt: "POST /a - -",\n    doItStream: "POST /a - se",\n' in text
    assert "doIt(asked?: Nothing, options?: CallOptions): Promise<Reply>;" in text
    assert "doItStream(asked?: Nothing, options?: CallOptions): EventStream<DoItEvent>;" in text
    assert "export function bigPartApi(http: Http): BigPartApi {" in text


def test_what_it_cannot_write_is_an_error_and_nothing_loose() -> None:
    for odd in ({"type": "tuple"}, {"not": {}}, {"allOf": []}, {"type": ["string", "null"]}):
        with pytest.raises(NoForm):
            generate_web_http._kind(odd)
    twice = [
        {"name": name, "in": place, "schema": {"type": "string"}}
        for name, place in (("an_id", "path"), ("anId", "query"))
    ]
    with pytest.raises(NoForm):
        generate_web_http._asked(an_operation(parameters=twice), {})
    with pytest.raises(NoForm):
        generate_web_http._asked(an_operation(parameters=[{**twice[1], "name": "body"}]), {})
    with pytest.raises(NoForm, match="the same"):
        generate_web_http._part("part", [("GET", "/a", an_operation()), ("GET", "/b", an_operation())])


def test_a_schema_is_the_type_that_it_says() -> None:
    forms: dict[str, dict[str, Any]] = {
        "JsonValue": {"title": "Anything"},
        "JsonObject": {"type": "object", "additionalProperties": True},
        "Record<string, number>": {"type": "object", "additionalProperties": {"type": "integer"}},
        'Array<"a" | 1 | null>': {"type": "array", "items": {"anyOf": [{"enum": ["a", 1]}, {"type": "null"}]}},
        '{ a: Other; "b-c"?: Blob }': {
            "type": "object",
            "properties": {
                "a": {"$ref": "#/components/schemas/Other"},
                "b-c": {"type": "string", "format": "binary"},
            },
            "required": ["a"],
        },
    }
    assert {generate_web_http._kind(schema): schema for schema in forms.values()} == forms


def test_the_check_fails_on_what_is_not_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {tmp_path / "operations.ts": "made"}
    monkeypatch.setattr(generate_web_http, "texts", lambda: made)
    with pytest.raises(SystemExit, match="operations.ts"):
        generate_web_http.main(["--check"])
    generate_web_http.main([])
    generate_web_http.main(["--check"])
    (tmp_path / "operations.ts").write_text("other", encoding="utf-8")
    with pytest.raises(SystemExit, match="operations.ts"):
        generate_web_http.main(["--check"])
