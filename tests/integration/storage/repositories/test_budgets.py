"""Accounts of budgets: whatever comes at once, no more is held and spent than there is."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta

import pytest

from domain.budgets import Amount, Budget, BudgetScope
from storage.database import Database
from storage.repositories.budgets import Account, Budgets
from storage.statements import Statement

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
HELD_S = 600.0
AT_ONCE = 50
CALLS, ENOUGH = 500, 50_000
NOW_THERE = Statement("SELECT clock_timestamp()")
TENANT = Statement("INSERT INTO tenants (tenant_id, name) VALUES (:tenant_id, :tenant_id) ON CONFLICT DO NOTHING")


class Kept:
    """The budgets of one tenant."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        self.database = database
        self.tenant_id = tenant_id
        self.budgets = Budgets(database)

    async def budget(self, budget_id: str, tokens: int | None = None, nanos: int | None = None) -> Account:
        await self.database.execute(TENANT, tenant_id=self.tenant_id)
        budget = Budget(budget_id=budget_id, scope=BudgetScope.TENANT, max_tokens=tokens, max_nanos=nanos)
        async with self.database.transaction() as connection:
            await self.budgets.put(connection, self.tenant_id, budget, "test")
        return Account(budget_id, "", NOW)

    async def hold(self, hold_id: str, accounts: list[Account], tokens: int, nanos: int = 0) -> Account | None:
        return await self.budgets.hold(self.tenant_id, hold_id, accounts, Amount(tokens, nanos), HELD_S)

    async def stands(self, account: Account) -> tuple[int, int]:
        """Return the tokens that are held and those that are spent."""
        (state,) = await self.budgets.accounts(self.tenant_id, account.budget_id, limit=1)
        return state.tokens_held, state.tokens_spent


@pytest.fixture
def kept(database: Database, tenant_id: str) -> Kept:
    return Kept(database, tenant_id)


async def test_many_calls_at_once_spend_no_more_than_there_is(kept: Kept) -> None:
    account = await kept.budget("b", tokens=ENOUGH)
    chance = random.Random(7)
    turns = asyncio.Semaphore(AT_ONCE)
    spent, refused = 0, 0

    async def call(number: int, most: int, used: int) -> None:
        nonlocal spent, refused
        async with turns:
            if await kept.hold(f"h{number}", [account], most) is not None:
                refused += 1
                return
            held, done = await kept.stands(account)
            assert held + done <= ENOUGH
            await kept.budgets.settle(kept.tenant_id, f"h{number}", Amount(used, 0))
            spent += used

    amounts = [(most := chance.randrange(1, 1_000), chance.randrange(1, most + 1)) for _ in range(CALLS)]
    await asyncio.gather(*(call(number, *amount) for number, amount in enumerate(amounts)))
    assert await kept.stands(account) == (0, spent)
    assert ENOUGH * 9 // 10 < spent <= ENOUGH  # what others hold at the end is refused to the last ones
    assert refused


async def test_a_call_on_several_budgets_holds_on_all_or_on_none(kept: Kept) -> None:
    wide, narrow = await kept.budget("a", tokens=100), await kept.budget("b", tokens=10)
    assert await kept.hold("h1", [narrow, wide], 11) == narrow
    assert await kept.hold("h2", [narrow, wide], 10) is None
    assert await kept.stands(wide) == await kept.stands(narrow) == (10, 0)


async def test_tokens_and_money_both_count(kept: Kept) -> None:
    account = await kept.budget("b", tokens=100, nanos=50)
    assert await kept.hold("h1", [account], 10, nanos=51) == account
    assert await kept.hold("h2", [account], 10, nanos=50) is None
    assert await kept.hold("h3", [account], 10, nanos=1) == account


async def test_a_hold_is_settled_once(kept: Kept) -> None:
    account = await kept.budget("b", tokens=100)
    assert await kept.hold("h1", [account], 60) is None
    for _ in range(3):
        await kept.budgets.settle(kept.tenant_id, "h1", Amount(20, 0))
    assert await kept.stands(account) == (0, 20)


async def test_calls_that_never_end_count_as_used(kept: Kept) -> None:
    account = await kept.budget("b", tokens=100)
    for number in range(3):
        assert await kept.hold(f"h{number}", [account], 20) is None
    now: datetime = await kept.database.value(NOW_THERE)
    assert await kept.budgets.charge_expired(now, 1_000) == 0
    assert await kept.budgets.charge_expired(now + timedelta(seconds=HELD_S + 1), 1_000) >= 1
    await kept.budgets.settle(kept.tenant_id, "h0", Amount(0, 0))  # it comes too late
    assert await kept.stands(account) == (0, 60)


async def test_a_smaller_limit_holds_at_once_and_what_was_spent_stays(kept: Kept) -> None:
    account = await kept.budget("b", tokens=100)
    assert await kept.hold("h1", [account], 60) is None
    await kept.budget("b", tokens=70)
    assert await kept.hold("h2", [account], 11) == account
    assert await kept.hold("h3", [account], 10) is None
