"""Tools that name a connector, a workflow or an MCP server: the project's catalogue says where that is.

And their secrets: resolved when the call is made, for the session's environment, and found nowhere afterwards.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest
from aiohttp import web

from actors.deliveries import CallbackDelivery
from actors.installation import master_keys
from actors.runtime import TraceFilter
from actors.settings import ModelProvider
from domain.errors import InvalidInput
from storage.journal import Journal
from storage.repositories.credentials import Credentials
from storage.vault import Vault
from tests.support.repository import ROOT
from tests.support.stories import Story, a_story, eventually
from tests.support.story_servers import StoryModel

SECRETS = {"CARE_TOKEN": "planted-care-41f7", "BILLING_TOKEN": "planted-billing-9c2e", "FLOW_KEY": "planted-flow-77ab"}


@dataclass
class Outside:
    """Answers by path, and keeps what was asked: (method, path, headers, body)."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    url: str = ""

    async def serve(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else None
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append((request.method, request.path, headers, body))
        answer = self.answers.get(request.path, {"status": 404})
        if callable(answer):
            answer = answer(headers, body)
        return web.json_response(answer, status=answer.get("status", 200) if isinstance(answer, dict) else 200)


@asynccontextmanager
async def an_outside(**answers: Any) -> AsyncIterator[Outside]:
    outside = Outside(answers)
    app = web.Application()
    app.router.add_route("*", "/{any:.*}", outside.serve)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    outside.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    try:
        yield outside
    finally:
        await runner.cleanup()


async def plant(told: Story, secrets: dict[str, str], environment: str = "dev") -> None:
    """Keep tool secrets of the project."""
    stored = Credentials(told.running.database, Vault(told.running.database, master_keys(told.running.settings)))
    for name, value in secrets.items():
        await stored.create(
            told.tenant, f"cred_{told.project}_{name}_{environment}", project_id=told.project, tool_name="*",
            secret_key=name, value=value, environment=environment,
        )  # fmt: skip


async def everything_stored(told: Story) -> str:
    """Return all rows of all tables as text, and what is squeezed in them unpacked: journals, traces, memory."""
    tables = await told.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND :all", all=True)
    texts: list[str] = []
    for table in tables:
        rows = await told.rows(f"SELECT t::text AS text FROM {table['tablename']} t WHERE :all", all=True)
        texts += [row["text"] for row in rows]
    journal = Journal(told.running.database)
    for row in await told.rows("SELECT session_id FROM sessions WHERE project_id = :p", p=told.project):
        texts += [raw.decode() for _, raw in await journal.read(told.tenant, row["session_id"])]
        page = await told.running.runtime.traces(told.ref(row["session_id"]), TraceFilter(limit=1_000))
        texts.append(json.dumps(page.rows))
    await journal.close()
    return "\n".join(texts)


def telecom(url: str) -> dict[str, str]:
    """Return the example with all of its hosts at `url`."""
    folder = ROOT / "examples" / "telecom-complaint"
    files = {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*")
        if path.suffix in (".abl", ".yaml") and path.name != "mocks.yaml"
    }
    hosts = ("care.telecom.example", "billing.telecom.example", "flows.telecom.example")
    for host in hosts:
        files = {path: text.replace(f"https://{host}", url) for path, text in files.items()}
    return files


@asynccontextmanager
async def a_talk(
    data_dir: str, name: str, files: dict[str, str], model: StoryModel, **more: object
) -> AsyncIterator[Story]:
    providers = (ModelProvider(name="stub", base_url=model.base_url, models=("talker",)),)
    async with a_story(data_dir, name, files, providers=providers, default_model="stub/talker", **more) as told:
        yield told


def test_the_telecom_example_works_with_its_catalogue_and_no_secret_is_found_afterwards(
    data_dir: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def story() -> None:
        answers = {
            "/v2/lines/12345678/check": lambda headers, body: {
                "state": f"down {headers['authorization']}", "outage_hours": 30,
            },
            "/refund-payment/versions/3/runs": lambda headers, body: {"refund_id": "R1", "seen": headers["x-flow-key"]},
        }  # fmt: skip
        async with an_outside(**answers) as outside, StoryModel() as model:
            model.lines = [
                {"says": "What is your contract number?"},
                {"uses": [["check_line", {"contract_no": "12345678"}]]},
                {"says": "Two and a half euros, on the next bill?"},
                {"uses": [["pay_refund", {"contract_no": "12345678", "amount": 2.5, "way": "bill"}]]},
            ]
            model.reads = [
                {"says": '{"entities": {"complaint_text": "no internet"}, "intents": []}'},
                {"says": '{"entities": {"contract_no": "12345678"}, "intents": []}'},
                {"says": '{"entities": {"monthly_fee": 30}, "intents": []}'},
            ]
            async with a_talk(data_dir, "telecom", telecom(outside.url), model) as told:
                await plant(told, SECRETS)
                session = (await told.say("my internet is down")).session_id
                for text in ("12345678", "30 euros", "the bill is fine"):
                    await told.say(text, session)
                last = await told.say("yes", session)
                assert "Refund R1" in last.response
                method, path, headers, body = outside.asked[-1]
                assert (method, path) == ("POST", "/refund-payment/versions/3/runs")
                assert body == {"contract": "12345678", "euros": 2.5, "channel": "bill"}
                assert headers["x-flow-key"] == SECRETS["FLOW_KEY"]
                assert headers["idempotency-key"]
                stored = await everything_stored(told)
                assert "Two and a half euros" in stored, "the look at the store sees something"
                assert "down Bearer [secret]" in stored, "an endpoint that says back what it was sent"
                traced = json.dumps((await told.running.runtime.session(told.ref(session), messages=50)).detail)
                for secret in SECRETS.values():
                    assert secret not in stored
                    assert secret not in traced
                    assert secret not in caplog.text

    asyncio.run(story())


DESK = """\
AGENT: Desk
GOAL: "Work"

TOOLS:
  credit(contract: string) -> {{credit_id: string}}
    description: "Credits"
    type: connector
    connector: "billing"
    action: "{action}"
    side_effects: true

  start(order: string) -> {{done: string}}
    description: "Starts"
    type: workflow
    workflow_id: "packing"
    mode: async
    param_mapping:
      what: "order"
      twice: "order + order"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "pack"
        THEN: pack
      - ELSE:
        THEN: credit
  credit:
    REASONING: false
    CALL: credit(contract: "7")
      AS: made
    ON_SUCCESS:
      RESPOND: "credit {{{{made.credit_id}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "failed: {{{{result.message}}}}"
      THEN: listen
  pack:
    REASONING: false
    CALL: start(order: "tea")
      AS: packed
    ON_SUCCESS:
      RESPOND: "packed {{{{packed.done}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "failed: {{{{result.message}}}}"
      THEN: listen
"""
CONNECTORS = """\
billing:
  base_url: "{url}/v1"
  auth: bearer
  auth_config: {{token: "{{{{secrets.BILLING_TOKEN}}}}"}}
  circuit_breaker: {{threshold: 2, resetMs: 60000}}
  actions:
    credit.create: {{method: POST, path: "/contracts/{{contract}}/credits"}}
  environments:
    staging: {{base_url: "{url}/staging"}}
"""
WORKFLOWS = """\
packing:
  url: "{url}/packing/runs"
"""


def desk(url: str, action: str = "credit.create") -> dict[str, str]:
    return {
        "a.abl": DESK.format(action=action),
        "connectors.yaml": CONNECTORS.format(url=url),
        "workflows.yaml": WORKFLOWS.format(url=url),
    }


def test_a_connector_fails_with_sentences_and_rests_when_it_keeps_failing(data_dir: str) -> None:
    async def story() -> None:
        async with an_outside(**{"/v1/contracts/7/credits": {"status": 503}}) as outside:
            async with a_story(data_dir, "resting", desk(outside.url)) as told:
                assert (await told.say("go")).response == "failed: The secret 'BILLING_TOKEN' is not set for this tool"
                await plant(told, {"BILLING_TOKEN": "tok"})
                session = (await told.say("go")).session_id
                assert len(outside.asked) == 1
                await told.say("go", session)
                rests = await told.say("go", session)
                assert len(outside.asked) == 2, "the breaker let nothing through"
                assert rests.response.startswith("failed: The tool failed several times in a row and rests; try again")
                error = next(one["data"] for one in rests.trace_events if one["type"] == "tool_result")["error"]
                assert error["code"] == "CIRCUIT_OPEN"
                assert 0 < error["retryAfterMs"] <= 60_000
            async with a_story(data_dir, "unknown", desk(outside.url, "credit.undo")) as told:
                assert "no action 'credit.undo'" in (await told.say("go")).response

    asyncio.run(story())


def test_an_asynchronous_workflow_suspends_until_its_callback(data_dir: str) -> None:
    async def story() -> None:
        async with (
            an_outside(**{"/packing/runs": {"accepted": True}}) as outside,
            a_story(data_dir, "packing", desk(outside.url)) as told,
        ):
            session = (await told.say("pack")).session_id
            _, _, headers, body = outside.asked[0]
            assert body == {"what": "tea", "twice": "teatea", "callbackUrl": headers["x-abl-callback-url"]}
            raw = b'{"done": "one parcel"}'
            digest = hmac.new(headers["x-abl-callback-secret"].encode(), raw, sha256).hexdigest()
            delivery = CallbackDelivery(
                callback_id=headers["x-abl-callback-id"],
                raw=raw,
                body=json.loads(raw),
                signature=f"sha256={digest}",
            )
            assert await told.running.runtime.deliver_callback(delivery) == "accepted"

            async def is_packed() -> bool:
                return ("assistant", "packed one parcel") in await told.lines(session)

            await eventually(is_packed)

    asyncio.run(story())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("billing: {base_url: 'http://x', autth: bearer}", "autth"),
        ("billing: {actions: {}}", "base_url"),
        ("billing: 3", "no entry"),
        ("- billing", "names with an entry"),
        ("a: [", "cannot be read"),
        ("billing: {base_url: x, environments: {staging: {autth: bearer}}}", "autth"),
    ],
)
def test_a_catalogue_that_cannot_be_read_is_refused_where_it_is_put_in(data_dir: str, text: str, sentence: str) -> None:
    async def story() -> None:
        with pytest.raises(InvalidInput, match=sentence):
            async with a_story(data_dir, "broken", {"a.abl": DESK.format(action="a"), "connectors.yaml": text}):
                pass

    asyncio.run(story())
