"""The OpenAPI document without a server, and the reference page that shows it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from gateway.app import document
from gateway.reference import ASSETS, POLICY, asset
from tests.support.gateway import a_gateway
from tests.support.repository import ROOT

pytestmark = pytest.mark.anyio
OPEN = re.compile(r"https?:|(?<!:)//[a-z0-9]|@import|url\(|eval\(|innerHTML|document\.write|import\(", re.IGNORECASE)
IMPORTS = """
import contextlib, io, sys
from cli.openapi import print_openapi
with contextlib.redirect_stdout(io.StringIO()) as told:
    assert print_openapi() == 0
print(sorted(name for name in ("ray", "xllamacpp", "torch", "numpy") if name in sys.modules), len(told.getvalue()))
"""


@cache
def described() -> dict[str, Any]:
    return document("1")


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        found = value.get("$ref")
        own = {found} if isinstance(found, str) and found.startswith("#/components/schemas/") else set()
        return own.union(*(references(one) for one in value.values()))
    return set().union(*(references(one) for one in value)) if isinstance(value, list) else set()


def reached(document: dict[str, Any], value: Any) -> set[str]:
    found: set[str] = set()
    waiting = references(value)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting |= references(document["components"]["schemas"][name.rpartition("/")[2]])
    return found


def test_the_document_is_that_of_the_app_that_serves() -> None:
    served = a_gateway().app.openapi()
    assert described()["openapi"].startswith("3.1")
    assert described()["paths"] == served["paths"]
    assert described()["components"] == served["components"]


def test_each_reference_of_the_document_leads_to_a_schema() -> None:
    document = described()
    names = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert references(document) <= names


def test_everything_that_is_answered_is_closed() -> None:
    document = described()
    operations = [one for path in document["paths"].values() for one in path.values()]
    asked = reached(document, [one.get("requestBody", {}) for one in operations])
    for place in reached(document, [one["responses"] for one in operations]) - asked:
        schema = document["components"]["schemas"][place.rpartition("/")[2]]
        if schema.get("type") == "object":
            assert "additionalProperties" in schema, place
            is_closed = schema["additionalProperties"] is False or "properties" not in schema
            assert is_closed, place


def test_every_operation_says_what_it_answers_and_how_it_fails() -> None:
    for path, item in described()["paths"].items():
        for method, operation in item.items():
            assert operation["summary"], (method, path)
            assert "500" in operation["responses"], (method, path)
            for status, answer in operation["responses"].items():
                assert answer.get("description"), (method, path, status)


def test_the_command_prints_it_without_starting_anything() -> None:
    run = subprocess.run([sys.executable, "-c", IMPORTS], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded, size = run.stdout.rsplit(" ", 1)
    assert loaded == "[]"
    assert int(size) > 100_000


async def test_the_page_is_three_files_of_this_gateway() -> None:
    client = a_gateway().client
    for path, (name, media_type) in ASSETS.items():
        reply = await client.request("GET", path)
        assert reply.status == 200
        assert reply.headers["content-type"].startswith(media_type)
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.body.decode() == asset(name)
    assert "/openapi.json" in asset("reference.js")


@pytest.mark.parametrize("name", sorted(name for name, _ in ASSETS.values()))
def test_no_outside_address_is_in_the_page(name: str) -> None:
    text = re.sub(r"^\s*//.*$", "", asset(name), flags=re.MULTILINE)
    assert not OPEN.search(text), OPEN.search(text)


def test_the_page_names_only_its_own_files() -> None:
    named = set(re.findall(r'(?:src|href)="([^"]+)"', asset("reference.html")))
    assert named == {"/docs/reference.css", "/docs/reference.js", "/openapi.json"}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_shows_every_operation_and_builds_a_request() -> None:
    """The script runs over a document model of a few lines, with the real OpenAPI document."""
    harness = (ROOT / "tests/support/page_model.js").read_text(encoding="utf-8")
    source = asset("reference.js").replace('"use strict";', "").removesuffix("begin();\n")
    run = subprocess.run(
        ["node", "-e", f"{harness}\n{source}\nexamine();"],
        input=json.dumps(described()),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    wanted = sum(len(item) for item in described()["paths"].values())
    assert told["operations"] == wanted
    assert told["opened"] == wanted
    assert told["request"]["target"] == "/api/projects/cone/webhooks/wh%2F1"
    assert told["request"]["headers"]["Authorization"] == "Bearer abl_key"
