"""Budgets over real sockets: set, seen, changed and removed, and a run that would pass one is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from storage.statements import Statement
from tests.flows_gateway.test_completions import events_of
from tests.flows_gateway.test_sockets import say as tell
from tests.flows_gateway.test_sockets import until
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stories import eventually
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
USED = 37
"""What the stub says that each answer used."""
MANY, AT_ONCE = 750, 50
ACTIONS = Statement(
    "SELECT action FROM audit_log WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY number"
)


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, **more: Any) -> AsyncIterator[tuple[LiveGateway, StubModel]]:
    async with (
        StubModel(StubBehaviour(text="Done")) as model,
        a_live_gateway(
            servers, name, {"t.abl": THINKER}, model_url=model.base_url, allowed_networks=("127.0.0.0/8",), **more
        ) as gateway,
    ):
        yield gateway, model


async def budgets(gateway: LiveGateway, method: str = "GET", path: str = "", body: Any = None) -> Answer:
    return await gateway.call(method, f"/api/projects/{gateway.project_id}/budgets{path}", body)


async def say(gateway: LiveGateway, session_id: str = "") -> Answer:
    body = {"projectId": gateway.project_id, "message": "hello", **({"sessionId": session_id} if session_id else {})}
    return await gateway.call("POST", "/api/v1/chat/agent", body)


async def test_a_budget_is_set_seen_changed_and_removed(servers: Servers) -> None:
    async with a_gateway(servers, "budget-life") as (gateway, _):
        made = await budgets(gateway, "POST", body={"scope": "session", "period": "day", "maxTokens": 9_000})
        assert made.status == 201
        budget = made.json()["budget"]
        assert budget == {
            "id": budget["id"], "scope": "session", "subject": None, "period": "day", "maxTokens": 9_000, "maxUsd": None,
        }  # fmt: skip
        listed = (await budgets(gateway)).json()
        assert (listed["budgets"], listed["pagination"]) == ([budget], {"total": 1, "limit": 50, "offset": 0})
        place = f"/{budget['id']}"
        changed = (await budgets(gateway, "PUT", place, {"maxUsd": 1.5})).json()["budget"]
        assert (changed["maxTokens"], changed["maxUsd"]) == (None, 1.5)
        assert (await budgets(gateway, "GET", place)).json()["accounts"] == []
        assert (await budgets(gateway, "DELETE", place)).json() == {"success": True, "deleted": True}
        for method, body in (("GET", None), ("PUT", {"maxTokens": 1}), ("DELETE", None)):
            assert (await budgets(gateway, method, place, body)).status == 404
        tenant_id = "ten_default"
        rows = await gateway.running.database.rows(ACTIONS, tenant_id=tenant_id, project_id=gateway.project_id)
        assert [row["action"] for row in rows] == ["budget.create", "budget.update", "budget.delete"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"maxTokens": -1},
        {"maxTokens": "5"},
        {"maxUsd": -0.1},
        {"maxTokens": 1, "scope": "galaxy"},
        {"maxTokens": 1, "period": "week"},
        {"maxTokens": 1, "scope": "project", "subject": "x"},
    ],
)
async def test_what_is_no_budget_is_refused(servers: Servers, body: Any) -> None:
    async with a_gateway(servers, "budget-refused") as (gateway, _):
        answer = await budgets(gateway, "POST", body=body)
        assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
        assert (await budgets(gateway)).json()["budgets"] == []


async def test_a_session_is_stopped_before_it_passes_its_budget_and_others_go_on(servers: Servers) -> None:
    async with a_gateway(servers, "budget-session") as (gateway, model):
        made = await budgets(gateway, "POST", body={"scope": "session", "maxTokens": 12_000})
        budget_id = made.json()["budget"]["id"]
        first = (await say(gateway)).json()
        await budgets(gateway, "PUT", f"/{budget_id}", {"maxTokens": 1_000})
        asked = len(model.requests)
        stopped = await say(gateway, first["sessionId"])
        assert stopped.status == 409
        error = stopped.json()["error"]
        assert (error["code"], error["message"]) == ("CONFLICT", "Budget exceeded")
        assert error["details"]["reason"] == "BUDGET_EXCEEDED"
        assert "1,000 tokens for the session" in error["details"]["hint"]
        assert len(model.requests) == asked
        (account,) = (await budgets(gateway, "GET", f"/{budget_id}")).json()["accounts"]
        assert (account["subject"], account["tokensSpent"], account["tokensHeld"]) == (first["sessionId"], USED, 0)
        await budgets(gateway, "PUT", f"/{budget_id}", {"maxTokens": 50_000})
        assert (await say(gateway, first["sessionId"])).json()["response"] == "Done"


async def test_a_completion_goes_on_the_budget_of_its_project(servers: Servers) -> None:
    async with a_gateway(servers, "budget-completion") as (gateway, model):
        await budgets(gateway, "POST", body={"maxTokens": 500})
        ask = {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "Where?"}], "maxTokens": 100}
        assert (await gateway.call("POST", "/api/v1/chat/complete", ask)).status == 200
        refused = await gateway.call("POST", "/api/v1/chat/complete", {**ask, "maxTokens": 5_000})
        error = refused.json()["error"]
        assert (refused.status, error["message"], error["details"]["reason"]) == (
            *(409, "Budget exceeded", "BUDGET_EXCEEDED"),
        )
        assert "500 tokens for the project" in error["details"]["hint"]
        streamed = await gateway.call("POST", "/api/v1/chat/stream", {**ask, "maxTokens": 5_000})
        assert (streamed.status, events_of(streamed)[-1]) == (
            *(200, ("error", {"error": "Budget exceeded", "code": "CONFLICT"})),
        )
        assert len(model.requests) == 1


async def ask_everywhere(gateway: LiveGateway) -> list[Answer]:
    """Ask a model in each of the ways in which whoever is outside has it asked."""
    said = [{"role": "user", "content": "hello"}]
    named = {"openai-project": gateway.project_id}
    return [
        await say(gateway),
        await gateway.call("POST", "/api/v1/chat/complete", {"projectId": gateway.project_id, "messages": said}),
        await gateway.call("POST", "/v1/chat/completions", {"model": "Thinker", "messages": said}, named),
    ]


async def test_a_budget_holds_once_it_is_set_and_a_changed_one_too(servers: Servers) -> None:
    async with a_gateway(servers, "budget-at-once") as (gateway, model), another_gateway(gateway) as other:
        both = (gateway, other)
        for budget in ({"maxTokens": 5}, {"maxTokens": 5, "scope": "agent", "subject": "Thinker"}):
            answers = [answer for one in both for answer in await ask_everywhere(one)]
            assert [one.status for one in answers] == [200] * 6, "all of them know that there is no budget"
            asked = len(model.requests)
            place = f"/{(await budgets(gateway, 'POST', body=budget)).json()['budget']['id']}"
            is_spent = [not ("scope" in budget and number % 3 == 1) for number in range(6)]  # a completion has no agent
            answers = [answer for one in both for answer in await ask_everywhere(one)]
            assert [one.status for one in answers] == [409 if spent else 200 for spent in is_spent]
            assert len(model.requests) == asked + is_spent.count(False)
            await budgets(gateway, "PUT", place, {"maxTokens": 90_000})
            assert [one.status for at in both for one in await ask_everywhere(at)] == [200] * 6
            (account,) = (await budgets(gateway, "GET", place)).json()["accounts"]
            assert (account["tokensSpent"], account["tokensHeld"]) == (USED * is_spent.count(True), 0)
            assert (await budgets(other, "DELETE", place)).status == 200


async def test_turns_and_completions_at_once_pass_no_budget_that_was_just_set(
    servers: Servers,
) -> None:
    async with a_gateway(servers, "budget-crowd") as (gateway, model), another_gateway(gateway) as other:
        for one in (gateway, other):
            await ask_everywhere(one)
        asked, enough = model.count, 20_000
        made = await budgets(gateway, "POST", body={"maxTokens": enough})
        ask = {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "Hi"}], "maxTokens": 100}
        at_once = asyncio.Semaphore(AT_ONCE)

        async def one_of_many(number: int) -> Answer:
            at = (gateway, other)[number % 2]
            async with at_once:
                return await (at.call("POST", "/api/v1/chat/complete", ask) if number % 4 < 3 else say(at))

        answers = await asyncio.gather(*(one_of_many(number) for number in range(MANY)))
        assert {one.status for one in answers} == {200, 409}
        (account,) = (await budgets(gateway, "GET", f"/{made.json()['budget']['id']}")).json()["accounts"]
        spent = account["tokensSpent"]
        assert (spent, account["tokensHeld"]) == (USED * (model.count - asked), 0)
        assert spent == USED * sum(one.status == 200 for one in answers) <= enough


@pytest.mark.parametrize(
    ("body", "path"), [({"scope": "agent", "subject": "Thinker"}, "/scope"), ({"subject": "Thinker"}, "/subject")]
)
async def test_a_budget_of_less_than_the_tenant_is_none_of_the_tenant(servers: Servers, body: Any, path: str) -> None:
    async with a_gateway(servers, "budget-tenant-scope") as (gateway, _):
        refused = await gateway.call("POST", "/api/budgets", {"maxTokens": 5, **body})
        error = refused.json()["error"]
        assert (refused.status, error["code"], error["details"]["fields"][0]["path"]) == (400, "VALIDATION_ERROR", path)
        assert (await gateway.call("GET", "/api/budgets")).json()["budgets"] == []
        made = await gateway.call("POST", "/api/budgets", {"maxTokens": 5, "scope": "tenant", "subject": None})
        assert (made.status, made.json()["budget"]["scope"]) == (201, "tenant")


async def test_a_budget_that_was_removed_refuses_nothing(servers: Servers) -> None:
    async with a_gateway(servers, "budget-removed") as (gateway, model):
        stays = (await budgets(gateway, "POST", body={"maxTokens": 90_000})).json()["budget"]["id"]
        each = [
            (await budgets(gateway, "POST", body={"scope": scope, "maxTokens": 10**9})).json()["budget"]["id"]
            for scope in ("agent", "session")
        ]
        assert (await say(gateway)).status == 200, "all of them are known from here on"
        for budget_id in each:
            assert (await budgets(gateway, "DELETE", f"/{budget_id}")).status == 200
        assert (await say(gateway)).status == 200
        (account,) = (await budgets(gateway, "GET", f"/{stays}")).json()["accounts"]
        assert (account["tokensSpent"], account["tokensHeld"], len(model.requests)) == (2 * USED, 0, 2)


async def test_a_call_that_names_no_length_is_held_for_no_more_than_its_model_gives(servers: Servers) -> None:
    async with a_gateway(servers, "budget-most") as (gateway, model):
        rows = [{"id": "brief", "maxOutputTokens": 100}]
        provider = {"name": "own", "kind": "openai_compatible", "baseUrl": model.base_url, "models": rows}
        made = (await gateway.call("POST", "/api/model-providers", provider)).json()["provider"]
        try:
            await budgets(gateway, "POST", body={"maxTokens": 1_000})
            ask = {"projectId": gateway.project_id, "messages": [{"role": "user", "content": "Hi"}]}
            for length in ({"maxTokens": 20_000}, {}):
                asked = {**ask, "modelId": "own/brief", **length}
                assert (await gateway.call("POST", "/api/v1/chat/complete", asked)).status == 200
            assert [one.body["max_tokens"] for one in model.requests] == [100, 100]
        finally:
            await gateway.call("DELETE", f"/api/model-providers/{made['id']}")


async def test_a_client_of_mcp_is_told_whose_budget_is_spent(servers: Servers) -> None:
    async with a_gateway(servers, "budget-mcp") as (gateway, _):
        await budgets(gateway, "POST", body={"maxTokens": 10})
        params = {"name": "Thinker", "arguments": {"message": "hello"}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        result = (await gateway.call("POST", f"/mcp/{gateway.project_id}", call)).json()["result"]
        whose = "Budget exceeded: The budget of 10 tokens for the project has not enough left"
        assert result["content"][0]["text"].startswith(whose)
        assert (result["isError"], result["_meta"]["abl.runtime/error"]["code"]) == (True, "CONFLICT")


async def test_money_needs_a_price(servers: Servers) -> None:
    async with a_gateway(servers, "budget-unpriced") as (gateway, model):
        await budgets(gateway, "POST", body={"maxUsd": 100.0})
        answer = await say(gateway)
        assert answer.status == 409
        assert "no price is known of stub/talker" in answer.json()["error"]["details"]["hint"]
        assert not model.requests


async def test_a_spent_budget_ends_a_stream_and_is_told_on_a_socket_that_goes_on(servers: Servers) -> None:
    async with a_gateway(servers, "budget-streams") as (gateway, model):
        made = await budgets(gateway, "POST", body={"maxTokens": 10})
        body, events = {"projectId": gateway.project_id, "message": "hello"}, {"accept": "text/event-stream"}
        for _ in range(2):  # under its key it may be asked for again: nothing was changed
            streamed = await gateway.call("POST", "/api/v1/chat/agent", body, {**events, "idempotency-key": "one"})
            name, told = events_of(streamed)[-1]
            assert (name, told["error"], told["code"]) == ("error", "Budget exceeded", "CONFLICT")
        async with gateway.socket(await gateway.page_token()) as socket:
            await tell(socket, type="chat_message", text="hello", messageId="m1")
            error = (await until(socket, "error"))[-1]
            assert (error["code"], error["message"], error["fatal"]) == ("BAD_REQUEST", "Budget exceeded", False)
            assert not model.requests
            await budgets(gateway, "DELETE", f"/{made.json()['budget']['id']}")

            async def answers() -> bool:
                return (await say(gateway)).status == 200

            await eventually(answers)
            await tell(socket, type="chat_message", text="hello", messageId="m2")
            assert (await until(socket, "response_end"))[-1]["fullText"] == "Done"
