"""Turns under budgets as all processes see them: each its own keeper, the store the only thing between them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from actors.budgets import HELD_S, BudgetKeeper
from actors.clocks import RandomIds, SystemClock
from actors.session.models import ChosenModel
from domain.budgets import Budget, BudgetPeriod, BudgetScope, Spender, most_input_tokens
from domain.model_calls import BUDGET_EXCEEDED, Message, ModelDelta, ModelReply, ModelRequest, Usage
from providers.failures import ModelCallFailed
from storage.database import Database
from storage.repositories.budgets import Budgets
from storage.statements import Statement
from tests.integration.storage.repositories.test_budgets import TENANT

pytestmark = pytest.mark.anyio
PROCESSES = 4
AT_ONCE = 50
"""More than there are connections, and few enough that each gets one in time on a busy machine."""
CALLS = 10_000
BEFORE = 500
"""Calls that have ended when the budget is set."""
ENOUGH = 1_000_000
LONGEST = 600
"""Tokens of an answer."""
HELLO = ModelRequest(messages=(Message("user", "hello"),), max_tokens=LONGEST)


class Model:
    """Answers with as many tokens as it likes, up to what it was asked for, and adds up what all calls have used."""

    def __init__(self) -> None:
        self.chance = random.Random(7)
        self.used = 0

    def open(self, _name: str, **_more: Any) -> Model:
        return self

    async def answer(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(0)  # others may go on meanwhile
        usage = Usage(
            self.chance.randrange(1, most_input_tokens(request)), self.chance.randrange(request.max_tokens or 1)
        )
        self.used += usage.input_tokens + usage.output_tokens
        return ModelReply(text="Hello", usage=usage)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        yield ModelDelta(text="Hello", usage=(await self.answer(request)).usage)


async def asked(keeper: BudgetKeeper, tenant_id: str, model: Any, number: int) -> bool:
    """Ask a model as a turn does, or streamed; return whether it was allowed."""
    chosen = ChosenModel(registry=model, name="a/model", source="request")
    spender = Spender(project_id="p", session_id=f"s{number}", agent="Talker")
    opened = await keeper.open(tenant_id, spender, chosen, timeout_ms=1_000)
    try:
        if number % 2:
            await opened.answer(HELLO)
        else:
            assert [one.text async for one in opened.stream(HELLO)] == ["Hello"]
    except ModelCallFailed as failure:
        if failure.kind != BUDGET_EXCEEDED:
            raise
        return False
    return True


async def test_ten_thousand_calls_at_once_in_all_processes_spend_no_more_than_there_is(
    database: Database, tenant_id: str
) -> None:
    await database.execute(TENANT, tenant_id=tenant_id)
    budgets, model, at_once = Budgets(database), Model(), asyncio.Semaphore(AT_ONCE)
    keepers = [BudgetKeeper(budgets, RandomIds()) for _ in range(PROCESSES)]

    async def call(number: int) -> bool:
        async with at_once:
            return await asked(keepers[number % PROCESSES], tenant_id, model, number)

    assert all(await asyncio.gather(*map(call, range(BEFORE))))
    async with database.transaction() as connection:
        budget = Budget(budget_id="b", scope=BudgetScope.TENANT, max_tokens=ENOUGH)
        await budgets.put(connection, tenant_id, budget, "test")
    model.used = 0  # whoever set it was told so: what is used from here on is on it
    answers = await asyncio.gather(*map(call, range(CALLS)))
    (account,) = await budgets.accounts(tenant_id, "b", limit=1)
    assert (account.tokens_spent, account.tokens_held) == (model.used, 0)
    assert ENOUGH - LONGEST - most_input_tokens(HELLO) < model.used <= ENOUGH
    assert not all(answers)


async def test_a_budget_holds_in_a_process_that_has_just_seen_none(database: Database, tenant_id: str) -> None:
    await database.execute(TENANT, tenant_id=tenant_id)
    budgets, model = Budgets(database), Model()
    keepers = [BudgetKeeper(budgets, RandomIds()) for _ in range(PROCESSES)]
    for number in range(20):
        assert all([await asked(one, tenant_id, model, 1) for one in keepers])
        budget = Budget(budget_id=f"b{number}", scope=BudgetScope.TENANT, max_tokens=1)
        async with database.transaction() as connection:
            await budgets.put(connection, tenant_id, budget, "test")
        before = model.used
        assert not any([await asked(one, tenant_id, model, 1) for one in keepers])
        assert model.used == before
        async with database.transaction() as connection:
            await budgets.delete(connection, tenant_id, "", budget.budget_id)


HOLDS = Statement("""
    SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS held_s,
        began = date_trunc('day', clock_timestamp(), 'UTC') AS is_of_today FROM budget_holds WHERE tenant_id = :tenant_id
""")


@pytest.mark.parametrize("ahead_s", [-400 * 86_400.0, 400 * 86_400.0])
async def test_what_a_host_with_a_wrong_clock_holds_is_of_the_right_day_and_held_as_long_as_any_other(
    database: Database, tenant_id: str, monkeypatch: pytest.MonkeyPatch, ahead_s: float
) -> None:
    """Its upkeep, which goes by the clock of the database, would charge a call under way, or never one that is lost."""
    true_now = SystemClock.now
    monkeypatch.setattr(SystemClock, "now", lambda self: true_now(self) + timedelta(seconds=ahead_s))
    await database.execute(TENANT, tenant_id=tenant_id)
    budgets, model = Budgets(database), Model()
    async with database.transaction() as connection:
        budget = Budget(budget_id="b", scope=BudgetScope.TENANT, period=BudgetPeriod.DAY, max_tokens=9_000)
        await budgets.put(connection, tenant_id, budget, "test")
    chosen = ChosenModel(registry=model, name="a/model", source="request")
    spender = Spender(project_id="p", session_id="s1", agent="Talker")
    opened = await BudgetKeeper(budgets, RandomIds()).open(tenant_id, spender, chosen, timeout_ms=1_000)
    async with aclosing(opened.stream(HELLO)) as deltas:
        async for _ in deltas:
            (held,) = await database.rows(HOLDS, tenant_id=tenant_id)
            assert HELD_S - 60.0 < held["held_s"] <= HELD_S
            assert held["is_of_today"]


@pytest.mark.parametrize(
    ("budget", "is_about"),
    [
        (Budget(budget_id="b", scope=BudgetScope.PROJECT, project_id="p"), True),
        (Budget(budget_id="b", scope=BudgetScope.PROJECT, project_id="q"), False),
        (Budget(budget_id="b", scope=BudgetScope.SESSION, project_id="p", subject="s1"), True),
        (Budget(budget_id="b", scope=BudgetScope.SESSION, project_id="p", subject="s2"), False),
        (Budget(budget_id="b", scope=BudgetScope.AGENT, project_id="p"), True),
        (Budget(budget_id="b", scope=BudgetScope.AGENT, project_id="p", subject="s1"), False),
        (Budget(budget_id="b", scope=BudgetScope.CONTACT, project_id="p"), False),
    ],
)
async def test_a_call_goes_on_the_budgets_that_are_about_it(
    database: Database, tenant_id: str, budget: Budget, is_about: bool
) -> None:
    await database.execute(TENANT, tenant_id=tenant_id)
    budgets, model = Budgets(database), Model()
    async with database.transaction() as connection:
        await budgets.put(connection, tenant_id, replace(budget, max_tokens=9_000), "test")
    assert await asked(BudgetKeeper(budgets, RandomIds()), tenant_id, model, 1)
    spent = [one.tokens_spent for one in await budgets.accounts(tenant_id, "b", limit=1)]
    assert spent == ([model.used] if is_about else [])
