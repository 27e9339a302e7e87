"""The typed HTTP client of the web SDK: all of the document is in it, and it does on a real gateway what it promises.

Spec: platform-api 1, 4.1. Decision: 0099.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gateway.app import document
from tests.support.browser import a_browser, a_site
from tests.support.live_gateway import a_live_gateway, another_gateway
from tests.support.repository import ROOT
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel
from tools import generate_web_http
from tools.node import WEB, modules_of

PACKAGE = ROOT / WEB / "packages" / "web-sdk"
HTTP = PACKAGE / "src" / "http"
WITHIN_S = 120
TALKER = 'AGENT: Talker\nGOAL: "Tell a story"\nPERSONA: "A narrator"\n'
CREDENTIALS = ("apiKey", "userToken", "pageToken", "publicKey", "sandboxToken")
SHOWN = {
    "apiKey": ("x-api-key", "apiKey"),
    "bearer": ("authorization", "Bearer userToken"),
    "sdkToken": ("x-sdk-token", "pageToken"),
    "publicKey": ("x-public-key", "publicKey"),
    "publicApiKey": ("x-api-key", "publicKey"),
    "sandboxToken": ("authorization", "Bearer sandboxToken"),
}
IN_A_PAGE = """
async ([text, url, publicKey, projectId]) => {
  const http = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const { token } = await http.createClient({ url, publicKey }).sdk.init({ body: { projectId } });
  const api = http.createClient({ url, pageToken: http.pageLogin(token) });
  const stream = api.chat.chatWithAgentStream({ body: { projectId, message: "Tell me" } });
  const said = { chunks: "", whole: "", left: "", refused: null };
  for await (const { event, data } of stream) {
    if (event === "response_chunk") said.chunks += data.chunk;
    if (event === "complete") said.whole = data.response;
  }
  const leaving = new AbortController();
  try {
    const body = { projectId, message: "Tell me more" };
    for await (const _ of api.chat.chatWithAgentStream({ body }, { signal: leaving.signal })) leaving.abort("bored");
  } catch (reason) {
    said.left = reason;
  }
  const stranger = http.createClient({ url, pageToken: http.pageLogin("a.b.c") });
  await stranger.chat.chatWithAgent({ body: { projectId, message: "x" } }).catch((error) => {
    said.refused = [error instanceof http.ApiError, error.status, error.code, error.requestId !== null];
  });
  return said;
}
"""
CALLS = """
const { createClient } = await import(process.argv[1]);
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
const names = Object.fromEntries(asked.credentials.map((name) => [name, name]));
let seen;
const fetch = async (url, request) => {
  const body = typeof request.body === "string" ? JSON.parse(request.body) : request.body && [...request.body.keys()];
  seen = { method: request.method, url, headers: request.headers, body };
  const isStream = request.headers.Accept === "text/event-stream";
  const text = isStream ? "event: complete\\ndata: {}\\n\\n" : "{}";
  return new Response(text, { headers: { "content-type": isStream ? "text/event-stream" : "application/json" } });
};
const client = createClient({ url: "http://abl.test", fetch, ...names });
const methods = Object.entries(client).flatMap(([part, api]) =>
  part === "http" ? [] : Object.keys(api).map((name) => `${part}.${name}`));
const sent = {};
for (const { name, args } of asked.calls) {
  const [part, method] = name.split(".");
  const answer = client[part][method](args);
  if (answer instanceof Promise) await answer;
  else for await (const _ of answer);
  sent[name] = seen;
}
console.log(JSON.stringify({ methods, sent }));
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def run(node: Path, *arguments: str | Path, told: str = "") -> str:
    command = [node, *arguments]
    done = subprocess.run(
        command, cwd=PACKAGE, input=told, capture_output=True, text=True, check=False, timeout=WITHIN_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def camel(words: str) -> str:
    first, *others = re.split(r"\W+|_", words)
    return first.lower() + "".join(word.capitalize() for word in others)


def examples() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return the name of each method -> how it is called, and the request that must come of it."""
    expected: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for path, methods in document("0")["paths"].items():
        for verb, operation in methods.items():
            args: dict[str, Any] = {}
            headers = {"accept": "application/json, */*"}
            url, query = path, []
            for one in operation.get("parameters", ()):
                name, place = one["name"], one["in"]
                if place == "path":
                    args[camel(name)] = f"{name}/1"
                    url = url.replace(f"{{{name}}}", f"{name}%2F1")
                elif place == "query":
                    args[name] = f"{name} &"
                    query.append(f"{name}={name}+%26")
                elif name not in ("Idempotency-Key", "Last-Event-ID"):
                    args.setdefault("headers", {})[name] = headers[name.lower()] = "x"
            keyed = any(one["name"] == "Idempotency-Key" for one in operation.get("parameters", ()))
            content = operation.get("requestBody", {}).get("content", {})
            body: Any = None
            if "application/json" in content:
                args["body"] = body = {"a": 1}
                headers["content-type"] = "application/json"
            elif content:
                args["body"], body = {"file": "x"}, ["file"]
            schemes = [name for one in operation["security"] for name in one]
            shown = next((SHOWN[name] for name in SHOWN if name in schemes), None)
            headers |= dict([shown]) if shown else {}
            request = {
                "method": verb.upper(), "url": "http://abl.test" + url + ("?" + "&".join(query) if query else ""),
                "headers": headers, "body": body, "keyed": keyed,
            }  # fmt: skip
            part = camel(operation["tags"][0])
            kinds = {kind for status, one in operation["responses"].items() if status[0] == "2"
                     for kind in one.get("content", {"": None})}  # fmt: skip
            called = f"{part}.{camel(operation['summary'])}"
            if kinds != {"text/event-stream"}:
                expected[called] = (args, request)
            if "text/event-stream" in kinds:
                streamed = {**request, "headers": {**headers, "accept": "text/event-stream"}}
                if part == "openai":
                    streamed["body"] = {"a": 1, "stream": True}
                expected[called if len(kinds) == 1 else f"{called}Stream"] = (args, streamed)
    return expected


def test_every_operation_of_the_document_is_a_method_that_sends_its_request(node: Path) -> None:
    expected = examples()
    operations = sum(len(methods) for methods in document("0")["paths"].values())
    assert len(expected) >= operations > 150
    calls = [{"name": name, "args": args} for name, (args, _) in expected.items()]
    told = json.dumps({"credentials": CREDENTIALS, "calls": calls})
    script = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" + CALLS
    said = json.loads(run(node, "--input-type=module", "-e", script, str(HTTP / "index.ts"), told=told))
    assert sorted(said["methods"]) == sorted(expected)
    for name, (_, request) in expected.items():
        sent = said["sent"][name]
        headers = {key.lower(): value for key, value in sent["headers"].items()}
        keyed = headers.pop("idempotency-key", None) is not None
        assert {**sent, "headers": headers, "keyed": keyed} == request, name


def test_it_is_what_the_document_says() -> None:
    generate_web_http.main(["--check"])


def test_nothing_in_it_is_any() -> None:
    for path in HTTP.glob("*.ts"):
        code = re.sub(r"/\*\*.*?\*/|//.*$", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
        assert not re.search(r"[:<|(]\s*any\b", code), path.name


@pytest.mark.anyio
async def test_a_conversation_its_errors_and_pages_on_a_real_gateway(servers: Servers, node: Path) -> None:
    told = "".join(f"{number:03d}." for number in range(40))
    model_says = StubBehaviour(text=told, deltas=40, delta_delay_ms=5)
    async with (
        StubModel(model_says) as model,
        a_live_gateway(servers, "web-http", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        another_gateway(gateway) as other,
    ):
        urls = (f"http://127.0.0.1:{one.port}" for one in (gateway, other))
        arguments = (*urls, gateway.key, gateway.public_key, gateway.project_id)
        said = await asyncio.to_thread(run, node, PACKAGE / "testing" / "http-walk.ts", *arguments)
        asked = model.count
    walked = json.loads(said)
    ended = walked["conversation"].pop("ended")
    assert walked["conversation"].pop("events") > 40
    assert walked["conversation"] == {
        "cuts": 4, "resumed": 3, "joined": told, "whole": told, "isEachOnce": True, "again": told, "isSameSession": True,
        "said": ["user", "assistant"],
    }  # fmt: skip
    assert (ended["status"], ended["code"], ended["reason"], ended["mayHaveRun"], ended["isTraced"]) == (
        409, "CONFLICT", "SESSION_ENDED", False, True,
    )  # fmt: skip
    assert walked["completion"] == {
        "text": told, "finish": "end_turn", "openai": True, "first": "RUN_STARTED", "last": "RUN_FINISHED",
    }  # fmt: skip
    csv = walked["files"].pop("csv")
    assert csv.startswith("session_id,")
    assert walked["files"] == {"isOne": True, "content": "Hello, file", "zip": "PK", "metrics": True}
    assert walked["pages"]["isEachOnce"]
    assert walked["pages"]["total"] >= 4
    who = walked["credentials"]
    assert who["page"] == told
    assert who["renewals"] == 1
    assert who["user"] == [f"walker-{gateway.project_id}@example.com"] * 2
    assert (who["spent"]["status"], who["spent"]["code"]) == (401, "UNAUTHORIZED")
    assert (who["stranger"]["status"], who["stranger"]["code"]) == (401, "UNAUTHORIZED")
    assert (who["nobody"]["status"], who["nobody"]["code"]) == (0, "NO_CREDENTIAL")
    assert asked == 6, "each turn ran once, however often it was asked for"


@pytest.mark.anyio
async def test_a_page_of_another_origin_has_its_conversation_with_it(
    servers: Servers, node: Path, tmp_path: Path
) -> None:
    told = "".join(f"{number:03d}." for number in range(20))
    esbuild = modules_of(WEB) / "esbuild" / "bin" / "esbuild"
    bundle = tmp_path / "http.js"
    await asyncio.to_thread(
        run, node, esbuild, HTTP / "index.ts", "--bundle", "--format=esm", "--target=es2020", f"--outfile={bundle}"
    )
    async with (
        StubModel(StubBehaviour(text=told, deltas=20, delta_delay_ms=5)) as model,
        a_live_gateway(servers, "web-http-page", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
        a_site() as site,
        a_browser() as browser,
    ):
        page = await browser.new_page()
        await page.goto(f"{site}/web-sdk.js")  # a text has an origin too
        url = f"http://127.0.0.1:{gateway.port}"
        text = bundle.read_text(encoding="utf-8")
        said = await page.evaluate(IN_A_PAGE, [text, url, gateway.public_key, gateway.project_id])
    assert said == {
        "chunks": told, "whole": told, "left": "bored", "refused": [True, 401, "UNAUTHORIZED", True],
    }  # fmt: skip
