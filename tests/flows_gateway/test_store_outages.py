"""The store is away for a moment while a model is to be asked: nothing is acknowledged that did not happen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from actors import patience
from actors.models import StoredModels
from storage.errors import ConnectionLost
from storage.repositories.budgets import Budgets
from tests.flows_gateway.test_budgets import USED, a_gateway, budgets
from tests.support.live_gateway import Answer, LiveGateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
SECONDS = 0.3


async def say(gateway: LiveGateway, key: str) -> Answer:
    body = {"projectId": gateway.project_id, "message": "hello"}
    return await gateway.call("POST", "/api/v1/chat/agent", body, {"idempotency-key": key})


def away(act: Callable[..., Awaitable[Any]], times: int, *, is_done: bool = False) -> Callable[..., Awaitable[Any]]:
    """Return `act` with its first answers lost: nothing was done, or it was and nobody heard of it."""
    left = times

    async def lost(*given: Any, **named: Any) -> Any:
        nonlocal left
        if not left:
            return await act(*given, **named)
        left -= 1
        if is_done:
            await act(*given, **named)
        raise ConnectionLost("The database is not reachable.")

    return lost


async def spent(gateway: LiveGateway, budget_id: str) -> tuple[int, int]:
    (account,) = (await budgets(gateway, "GET", f"/{budget_id}")).json()["accounts"]
    return account["tokensSpent"], account["tokensHeld"]


async def a_budget(gateway: LiveGateway) -> str:
    return str((await budgets(gateway, "POST", body={"maxTokens": 900_000})).json()["budget"]["id"])


async def test_a_budget_that_cannot_be_asked_is_no_missing_credential(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_gateway(servers, "outage-budget") as (gateway, model):
        budget_id = await a_budget(gateway)
        with monkeypatch.context() as patched:
            patched.setattr(patience, "STORE_PATIENCE_S", SECONDS)
            patched.setattr(Budgets, "hold", away(Budgets.hold, 1_000_000))
            refused = await say(gateway, "k1")
        assert (refused.status, refused.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
        assert not model.requests
        again = await say(gateway, "k1")
        assert (again.status, again.json()["response"]) == (200, "Done")
        assert (await say(gateway, "k1")).json()["messageId"] == again.json()["messageId"]
        assert len(model.requests) == 1
        assert await spent(gateway, budget_id) == (USED, 0)


@pytest.mark.parametrize("is_done", [False, True])
async def test_a_moment_without_the_store_is_waited_out_and_held_once(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    async with a_gateway(servers, f"outage-moment-{int(is_done)}") as (gateway, model):
        budget_id = await a_budget(gateway)
        monkeypatch.setattr(Budgets, "hold", away(Budgets.hold, 2, is_done=is_done))
        answer = await say(gateway, "k1")
        assert (answer.status, answer.json()["response"]) == (200, "Done")
        assert len(model.requests) == 1
        assert await spent(gateway, budget_id) == (USED, 0)


@pytest.mark.parametrize("is_done", [False, True])
async def test_what_a_call_used_is_charged_once_also_when_the_store_was_away_at_its_end(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    async with a_gateway(servers, f"outage-end-{int(is_done)}") as (gateway, _):
        budget_id = await a_budget(gateway)
        monkeypatch.setattr(Budgets, "settle", away(Budgets.settle, 2, is_done=is_done))
        answer = await say(gateway, "k1")
        assert (answer.status, answer.json()["response"]) == (200, "Done")
        assert await spent(gateway, budget_id) == (USED, 0)


async def test_models_that_cannot_be_read_at_first_are_no_missing_credential(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_gateway(servers, "outage-models") as (gateway, model):
        monkeypatch.setattr(patience, "STORE_PATIENCE_S", SECONDS)
        with monkeypatch.context() as patched:
            patched.setattr(StoredModels, "choose", away(StoredModels.choose, 1_000_000))
            assert (await say(gateway, "k1")).status == 503
            assert not model.requests
        monkeypatch.setattr(StoredModels, "choose", away(StoredModels.choose, 1))
        assert (await say(gateway, "k1")).json()["response"] == "Done"
        assert len(model.requests) == 1
