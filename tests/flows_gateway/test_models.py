"""Model providers and the models of projects over real sockets: kept, asked, resolved, audited. Spec: 14.5, 14.7."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.flows_gateway.test_auth import bearer, log_in, somebody
from tests.flows_gateway.test_sdk_channels import waits_for_a_lock
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers, until
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
THINKER = 'AGENT: Thinker\nGOAL: "Think"\nPERSONA: "Calm"\n'
CHOOSY = 'AGENT: Choosy\nGOAL: "Think"\nPERSONA: "Calm"\n\nEXECUTION:\n  model: stub/talker\n'
PROVIDERS = "/api/model-providers"
SEALED = "sk-never-to-be-seen"
ENTRIES = Statement("SELECT action, entry FROM audit_log WHERE tenant_id = :tenant_id ORDER BY number")
RENAME = Statement("""
    UPDATE model_providers SET name = :name, version = version + 1
    WHERE tenant_id = :tenant_id AND provider_id = :provider_id
""")
ROWS = Statement("SELECT sealed, models FROM model_providers WHERE tenant_id = :tenant_id")


@asynccontextmanager
async def a_gateway(servers: Servers, name: str) -> AsyncIterator[tuple[LiveGateway, StubModel]]:
    async with (
        StubModel(StubBehaviour(text="OK")) as model,
        a_live_gateway(
            servers, name, {"t.abl": THINKER, "c.abl": CHOOSY}, model_url=model.base_url,
            allowed_networks=("127.0.0.0/8",),
        ) as gateway,
    ):  # fmt: skip
        try:
            yield gateway, model
        finally:
            for one in (await gateway.call("GET", f"{PROVIDERS}?limit=200")).json()["providers"]:
                await gateway.call("DELETE", f"{PROVIDERS}/{one['id']}")


async def add(gateway: LiveGateway, headers: dict[str, str] | None = None, **body: Any) -> Answer:
    given = {"name": f"p{RandomIds().new('')}", "kind": "mock", "models": [{"id": "m"}], **body}
    return await gateway.call("POST", PROVIDERS, given, headers)


async def models(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/models{path}", body)


async def test_a_provider_is_kept_with_its_key_sealed_changed_and_removed(servers: Servers) -> None:
    async with a_gateway(servers, "provider-life") as (gateway, _):
        row = {
            "id": "big", "family": "x", "contextWindow": 8_000, "maxOutputTokens": 1_000, "inputPricePerMTok": 0.5,
            "outputPricePerMTok": 1.5, "supportsTools": True, "supportsImages": False,
        }  # fmt: skip
        made = await add(gateway, name="own", kind="anthropic", apiKey=SEALED, models=[row])
        assert made.status == 201, made.body
        provider = made.json()["provider"]
        assert provider == {
            "id": provider["id"], "name": "own", "kind": "anthropic", "baseUrl": None, "hasApiKey": True,
            "models": [row], "isDefault": False, "status": "ready",
        }  # fmt: skip
        listed = await gateway.call("GET", PROVIDERS)
        assert listed.json()["providers"] == [provider]
        assert listed.json()["pagination"] == {"total": 1, "limit": 50, "offset": 0}
        place = f"{PROVIDERS}/{provider['id']}"
        renamed = (await gateway.call("PATCH", place, {"name": "mine"})).json()["provider"]
        assert renamed == {**provider, "name": "mine"}
        keyless = (await gateway.call("PATCH", place, {"apiKey": "", "models": []})).json()["provider"]
        assert (keyless["hasApiKey"], keyless["models"], keyless["status"]) == (False, [], "needs_key")
        second = await add(gateway, name="mine")
        assert (second.status, second.json()["error"]["details"]["reason"]) == (409, "DUPLICATE_NAME")
        assert (await gateway.call("DELETE", place)).json() == {"success": True, "deleted": True}
        for method, path, body in (("PATCH", "", {}), ("DELETE", "", None), ("POST", "/test", None)):
            assert (await gateway.call(method, place + path, body)).status == 404
        rows = await gateway.running.database.rows(ENTRIES, tenant_id=TENANT_ID)
        told = [row for row in rows if row["entry"]["resource"]["id"] == provider["id"]]
        assert [row["action"] for row in told] == [
            "model_provider.create", "model_provider.update", "model_provider.update", "model_provider.delete",
        ]  # fmt: skip
        assert SEALED not in str([row["entry"] for row in told])


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a/b"}, {"name": ""}, {"kind": "gguf"}, {"kind": "embedded"}, {"kind": "openai_compatible"},
        {"baseUrl": "ftp://a"}, {"baseUrl": "https://a:b@c"}, {"models": [{"id": ""}]}, {"models": [{}]},
        {"models": [{"id": "m", "inputPricePerMTok": -1}]}, {"models": [{"id": "m"}] * 201},
    ],
)  # fmt: skip
async def test_what_is_no_provider_is_refused(servers: Servers, wrong: dict[str, Any]) -> None:
    async with a_gateway(servers, "provider-wrong") as (gateway, _):
        answer = await add(gateway, **wrong)
        assert answer.status == 400
        assert (await gateway.call("GET", PROVIDERS)).json()["providers"] == []


async def test_a_provider_is_asked_for_a_word_and_its_failure_is_told_without_its_key(servers: Servers) -> None:
    async with a_gateway(servers, "provider-test") as (gateway, model):
        fields = {"kind": "openai_compatible", "baseUrl": model.base_url, "apiKey": SEALED}
        works = (await add(gateway, **fields)).json()["provider"]["id"]
        answer = (await gateway.call("POST", f"{PROVIDERS}/{works}/test")).json()
        assert (answer["ok"], answer["error"]) == (True, None)
        assert answer["latencyMs"] >= 0
        broken = (await add(gateway, **{**fields, "baseUrl": "http://127.0.0.1:9/v1"})).json()["provider"]["id"]
        answer = (await gateway.call("POST", f"{PROVIDERS}/{broken}/test")).json()
        assert (answer["success"], answer["ok"]) == (True, False)
        assert answer["error"]
        assert SEALED not in answer["error"]
        assert (await add(gateway, **{**fields, "baseUrl": "http://169.254.169.254/v1"})).status == 400
        private = (await add(gateway, **{**fields, "baseUrl": "http://10.0.0.1/v1"})).json()["provider"]["id"]
        assert (await gateway.call("POST", f"{PROVIDERS}/{private}/test")).json()["ok"] is False


async def test_changes_at_the_same_time_lose_nothing_of_each_other(servers: Servers) -> None:
    async with a_gateway(servers, "provider-at-once") as (gateway, _):
        place = f"{PROVIDERS}/{(await add(gateway)).json()['provider']['id']}"
        name = f"p{RandomIds().new('')}"
        async with gateway.running.database.transaction() as connection:
            given = {"tenant_id": TENANT_ID, "provider_id": place.rpartition("/")[2], "name": name}
            assert await connection.execute(RENAME, **given) == 1
            change = asyncio.create_task(gateway.call("PATCH", place, {"models": [{"id": "other"}]}))
            await until(lambda: waits_for_a_lock(gateway))
        answer = await change
        assert answer.status == 200, answer.body
        changed = answer.json()["provider"]
        assert (changed["name"], [one["id"] for one in changed["models"]]) == (name, ["other"])


async def test_a_sealed_key_is_not_sent_to_a_new_address(servers: Servers) -> None:
    async with a_gateway(servers, "provider-moved") as (gateway, model):
        made = (await add(gateway, kind="anthropic", baseUrl="https://models.example/v1", apiKey=SEALED)).json()
        place = f"{PROVIDERS}/{made['provider']['id']}"
        path = (await gateway.call("PATCH", place, {"baseUrl": "https://models.example/v2"})).json()["provider"]
        assert (path["hasApiKey"], path["status"]) == (True, "ready")
        moved = (await gateway.call("PATCH", place, {"baseUrl": model.base_url})).json()["provider"]
        assert (moved["hasApiKey"], moved["status"]) == (False, "needs_key")
        await gateway.call("POST", f"{place}/test")
        assert SEALED not in str(model.requests)
        rows = await gateway.running.database.rows(ENTRIES, tenant_id=TENANT_ID)
        told = [row["entry"]["details"] for row in rows if row["action"] == "model_provider.update"]
        assert [one["fields"] for one in told[-2:]] == [["base_url"], ["api_key", "base_url"]]


async def test_only_who_sees_the_whole_tenant_changes_its_providers(servers: Servers) -> None:
    async with a_gateway(servers, "provider-roles") as (gateway, _):
        developer = await somebody(gateway, "viewer", **{gateway.project_id: "developer"})
        headers = bearer((await log_in(gateway, developer)).json()["accessToken"])
        assert (await gateway.call("GET", PROVIDERS, headers=headers)).status == 200
        assert (await add(gateway, headers)).status == 403
        viewer = await somebody(gateway, "viewer", **{gateway.project_id: "viewer"})
        headers = bearer((await log_in(gateway, viewer)).json()["accessToken"])
        assert (await gateway.call("GET", PROVIDERS, headers=headers)).status == 403


async def test_a_project_takes_models_and_tells_which_one_a_call_goes_to(servers: Servers) -> None:
    async with a_gateway(servers, "project-models") as (gateway, _):
        empty = {"fast": None, "balanced": None, "powerful": None, "voice": None}
        nothing = {
            "defaultModelId": None, "tiers": empty, "evalPersonaModel": None, "evalJudgeModel": None, "stt": None,
            "tts": None,
        }  # fmt: skip
        assert (await models(gateway)).json() == {"success": True, "models": nothing}
        resolved = {"success": True, "modelId": "stub/talker", "providerId": "stub", "source": "tenant"}
        assert (await models(gateway, path="/resolve")).json() == resolved
        own = (await add(gateway, name="own", models=[{"id": "small"}, {"id": "big"}])).json()["provider"]["id"]
        assert (await models(gateway, path="/resolve")).json() == resolved, "nobody has asked for it"
        wanted = {"defaultModelId": "own/small", "tiers": {"powerful": "own/big"}, "evalJudgeModel": "own/big"}
        put = await models(gateway, "PUT", body=wanted)
        assert put.json()["models"] == {**nothing, **wanted, "tiers": {**empty, "powerful": "own/big"}}
        assert (await models(gateway)).json() == put.json()
        for query, name, provider, source in (
            ("", "own/small", own, "project"),
            ("?tier=powerful", "own/big", own, "tier"),
            ("?agentName=Thinker", "own/small", own, "project"),
            ("?agentName=Choosy", "stub/talker", "stub", "agent"),
            ("?agentName=Choosy&tier=powerful", "stub/talker", "stub", "agent"),
        ):
            told = (await models(gateway, path=f"/resolve{query}")).json()
            assert told == {"success": True, "modelId": name, "providerId": provider, "source": source}, query
        unknown = await models(gateway, "PUT", body={"tiers": {"fast": "nobody/x"}})
        assert (unknown.status, unknown.json()["error"]["details"]["fields"][0]["path"]) == (400, "/tiers/fast")
        assert (await models(gateway, path="/resolve?tier=huge")).status == 400
        assert (await models(gateway, path="/resolve?agentName=Nobody")).status == 404
        rows = await gateway.running.database.rows(ENTRIES, tenant_id=TENANT_ID)
        mine = [row["action"] for row in rows if row["entry"]["resource"]["id"] == gateway.project_id]
        assert mine.count("project_models.update") == 1


async def test_who_deletes_a_provider_takes_it_from_the_projects_that_have_chosen_it(servers: Servers) -> None:
    async with a_gateway(servers, "provider-chosen") as (gateway, _):
        ids = {
            name: (
                await add(gateway, name=name, models=[{"id": one} for one in listed], isDefault=name == "stays")
            ).json()["provider"]["id"]
            for name, listed in (("gone", ["small", "both"]), ("stays", ["big", "both"]))
        }
        other = (await gateway.call("POST", "/api/projects", {"name": f"o{RandomIds().new('')}"})).json()["project"][
            "id"
        ]
        theirs = f"/api/projects/{other}/models"
        wanted = {
            "defaultModelId": "gone/small", "tiers": {"fast": "small", "balanced": "both", "powerful": "stays/big"},
            "evalJudgeModel": "gone/both", "evalPersonaModel": "stays/big",
        }  # fmt: skip
        before = (await models(gateway, "PUT", body=wanted)).json()["models"]
        untouched = await gateway.call("PUT", theirs, {"defaultModelId": "stays/big"})
        assert (await models(gateway, path="/resolve")).json()["modelId"] == "gone/small"
        assert (await gateway.call("DELETE", f"{PROVIDERS}/{ids['gone']}")).status == 200
        left = {**before, "defaultModelId": None, "evalJudgeModel": None}
        left["tiers"] = {**before["tiers"], "fast": None}
        assert (await models(gateway)).json()["models"] == left
        assert (await gateway.call("GET", theirs)).json() == untouched.json()
        resolved = (await models(gateway, path="/resolve")).json()
        assert (resolved["modelId"], resolved["source"]) == ("stays/big", "tenant")
        rows = await gateway.running.database.rows(ENTRIES, tenant_id=TENANT_ID)
        told = [(row["action"], row["entry"]["resource"]["id"], row["entry"]["details"]) for row in rows][-2:]
        kept = {"tiers": {"balanced": "both", "powerful": "stays/big"}, "evalPersonaModel": "stays/big"}
        assert told == [
            ("model_provider.delete", ids["gone"], {"kind": "mock", "projects": 1}),
            ("project_models.update", gateway.project_id, {"models": kept}),
        ]


async def test_a_chosen_model_that_nobody_serves_any_more_is_an_error(servers: Servers) -> None:
    async with a_gateway(servers, "provider-emptied") as (gateway, _):
        own = (await add(gateway, name="own", models=[{"id": "small"}])).json()["provider"]["id"]
        assert (await models(gateway, "PUT", body={"defaultModelId": "own/small"})).status == 200
        assert (await gateway.call("PATCH", f"{PROVIDERS}/{own}", {"models": [{"id": "other"}]})).status == 200
        asked = {"projectId": gateway.project_id, "message": "hello", "agentId": "Thinker"}
        for answer in (await models(gateway, path="/resolve"), await gateway.call("POST", "/api/v1/chat/agent", asked)):
            error = answer.json()["error"]
            assert (answer.status, error["message"]) == (503, "Runtime not configured")
            assert error["details"]["reason"] == "MODEL_NOT_CONFIGURED"
        assert "'own/small'" in (await models(gateway, path="/resolve")).json()["error"]["details"]["hint"]
        assert (await models(gateway, path="/resolve?agentName=Choosy")).json()["modelId"] == "stub/talker"


async def test_without_any_model_nothing_resolves(servers: Servers) -> None:
    async with a_live_gateway(servers, "no-models", {"t.abl": THINKER}) as gateway:
        answer = await models(gateway, path="/resolve")
        assert answer.status == 503
        assert answer.json()["error"]["message"] == "Runtime not configured"


async def test_a_first_provider_serves_nobody_unasked(servers: Servers) -> None:
    async with a_live_gateway(servers, "unasked", {"t.abl": THINKER}, allowed_networks=("127.0.0.0/8",)) as gateway:
        asked = {"projectId": gateway.project_id, "message": "hello"}
        first = (await add(gateway, name="first")).json()["provider"]
        assert first["isDefault"] is False
        for answer in (await models(gateway, path="/resolve"), await gateway.call("POST", "/api/v1/chat/agent", asked)):
            error = answer.json()["error"]
            assert (answer.status, error["message"]) == (503, "Runtime not configured")
            assert "isDefault: true" in error["details"]["hint"]
            assert "defaultModelId" in error["details"]["hint"]
        changed = await gateway.call("PATCH", f"{PROVIDERS}/{first['id']}", {"isDefault": True})
        assert changed.json()["provider"] == {**first, "isDefault": True}
        told = {"success": True, "modelId": "first/m", "providerId": first["id"], "source": "tenant"}
        assert (await models(gateway, path="/resolve")).json() == told
        whole = {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "hello"}]}
        assert (await gateway.call("POST", "/api/v1/chat/complete", whole)).status == 200
        second = (await add(gateway, name="second", isDefault=True)).json()["provider"]
        listed = (await gateway.call("GET", PROVIDERS)).json()["providers"]
        assert [(one["name"], one["isDefault"]) for one in listed] == [("first", False), ("second", True)]
        assert (await models(gateway, path="/resolve")).json()["modelId"] == "second/m"
        await gateway.call("PATCH", f"{PROVIDERS}/{second['id']}", {"isDefault": False})
        assert (await models(gateway, path="/resolve")).status == 503
