"""Budgets and their accounts: amounts are held and spent by single statements, so that no two calls share one rest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec.structs import asdict

from domain.budgets import AccountState, Amount, Budget, Spender
from storage.database import Connection, Database, Row
from storage.statements import Statement

_COLUMNS = "budget_id, scope, project_id, subject, period, max_tokens, max_nanos"

PUT = Statement(
    """
    INSERT INTO budgets (
        tenant_id, budget_id, scope, project_id, subject, period, max_tokens, max_nanos, created_by
    ) VALUES (
        :tenant_id, :budget_id, :scope, :project_id, :subject, :period, :max_tokens, :max_nanos, :created_by
    )
    ON CONFLICT (tenant_id, budget_id) DO UPDATE SET max_tokens = excluded.max_tokens, max_nanos = excluded.max_nanos
    """
)
DELETE = Statement("""
    DELETE FROM budgets WHERE tenant_id = :tenant_id AND project_id = :project_id AND budget_id = :budget_id
""")
ABOUT = Statement(f"""
    SELECT {_COLUMNS}, clock_timestamp() AS now FROM budgets
    WHERE tenant_id = :tenant_id AND project_id IN ('', :project_id)
      AND subject IN ('', :agent, :contact_id, :session_id)
    ORDER BY budget_id
""")
"""With the time: all processes go by one clock in what period a call is. Decision: 0048."""
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM budgets WHERE tenant_id = :tenant_id AND project_id = :project_id
    ORDER BY created_at, budget_id
""")
ACCOUNTS = Statement("""
    SELECT subject, began, tokens_held, nanos_held, tokens_spent, nanos_spent FROM budget_accounts
    WHERE tenant_id = :tenant_id AND budget_id = :budget_id
    ORDER BY began DESC, tokens_spent DESC, subject LIMIT :limit
""")
HOLD = Statement("""
    INSERT INTO budget_accounts AS a (tenant_id, budget_id, subject, began, tokens_held, nanos_held)
    SELECT :tenant_id, :budget_id, :subject, :began, :tokens, :nanos FROM budgets
    WHERE tenant_id = :tenant_id AND budget_id = :budget_id
      AND (max_tokens IS NULL OR max_tokens >= :tokens) AND (max_nanos IS NULL OR max_nanos >= :nanos)
    FOR KEY SHARE
    ON CONFLICT (tenant_id, budget_id, subject, began) DO UPDATE SET
        tokens_held = a.tokens_held + excluded.tokens_held, nanos_held = a.nanos_held + excluded.nanos_held
    WHERE NOT EXISTS (
        SELECT 1 FROM budgets b WHERE b.tenant_id = :tenant_id AND b.budget_id = :budget_id
        AND (a.tokens_spent + a.tokens_held + excluded.tokens_held > b.max_tokens
             OR a.nanos_spent + a.nanos_held + excluded.nanos_held > b.max_nanos)
    )
""")
"""The budget is locked before its account, as by its removal: in the other order the two could wait for each other."""
NOTE_HOLD = Statement("""
    INSERT INTO budget_holds (tenant_id, hold_id, budget_id, subject, began, tokens, nanos, expires_at)
    VALUES (
        :tenant_id, :hold_id, :budget_id, :subject, :began, :tokens, :nanos,
        clock_timestamp() + make_interval(secs => :held_s)
    )
""")
TAKE_HOLD = Statement("""
    DELETE FROM budget_holds WHERE tenant_id = :tenant_id AND hold_id = :hold_id
    RETURNING budget_id, subject, began, tokens, nanos
""")
SPEND = Statement("""
    UPDATE budget_accounts SET
        tokens_held = tokens_held - :tokens, nanos_held = nanos_held - :nanos,
        tokens_spent = tokens_spent + :used_tokens, nanos_spent = nanos_spent + :used_nanos
    WHERE tenant_id = :tenant_id AND budget_id = :budget_id AND subject = :subject AND began = :began
""")
EXPIRED = Statement("""
    SELECT tenant_id, hold_id, max(tokens) AS tokens, max(nanos) AS nanos FROM (
        SELECT tenant_id, hold_id, tokens, nanos FROM budget_holds
        WHERE expires_at < :now ORDER BY expires_at LIMIT :limit
    ) old GROUP BY tenant_id, hold_id
""")
FORGET_OLD = Statement("""
    DELETE FROM budget_accounts WHERE ctid IN (
        SELECT a.ctid FROM budget_accounts a JOIN budgets b USING (tenant_id, budget_id)
        WHERE b.period <> 'total' AND a.began < :before AND a.tokens_held = 0 LIMIT :limit
    )
""")


class Account(NamedTuple):
    """Where a call goes on: whose account of which budget, begun when."""

    budget_id: str
    subject: str
    began: datetime


class About(NamedTuple):
    """The budgets that a call may go on, and the time by the clock of the database; None where there are none."""

    budgets: Sequence[Budget]
    now: datetime | None


class _NotSoMuchLeft(Exception):
    def __init__(self, account: Account) -> None:
        super().__init__(account)
        self.account = account


class Budgets:
    """The budgets of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, connection: Connection, tenant_id: str, budget: Budget, created_by: str) -> None:
        """Keep a budget; of one that is there, its limits change."""
        given = asdict(budget)
        await connection.execute(PUT, tenant_id=tenant_id, created_by=created_by, **given)

    async def delete(self, connection: Connection, tenant_id: str, project_id: str, budget_id: str) -> bool:
        """Remove a budget with its accounts; return whether there was one."""
        return bool(await connection.execute(DELETE, tenant_id=tenant_id, project_id=project_id, budget_id=budget_id))

    async def about(self, tenant_id: str, spender: Spender) -> About:
        """Return the budgets that a call may go on, always in the same order: `domain.budgets.subject_of` says."""
        rows = await self._database.rows(ABOUT, tenant_id=tenant_id, **asdict(spender))
        return About([_budget(row) for row in rows], rows[0]["now"] if rows else None)

    async def list(self, tenant_id: str, project_id: str) -> Sequence[Budget]:
        """Return the budgets of a project, or with an empty `project_id` those of the tenant itself; oldest first."""
        return [_budget(row) for row in await self._database.rows(LIST, tenant_id=tenant_id, project_id=project_id)]

    async def accounts(self, tenant_id: str, budget_id: str, *, limit: int) -> Sequence[AccountState]:
        """Return the accounts of a budget, the newest period first, in it those that spent most."""
        rows = await self._database.rows(ACCOUNTS, tenant_id=tenant_id, budget_id=budget_id, limit=limit)
        return [AccountState(**row) for row in rows]

    async def hold(
        self, tenant_id: str, hold_id: str, accounts: Sequence[Account], most: Amount, held_s: float
    ) -> Account | None:
        """Hold an amount for so long on all of these accounts, or on none; return the first that has not so much left.

        How long goes by the clock of the database: the one that `charge_expired` is told.
        """
        try:
            async with self._database.transaction() as connection:
                for account in sorted(accounts):
                    named = {"tenant_id": tenant_id, **account._asdict(), **most._asdict()}
                    if not await connection.execute(HOLD, **named):
                        raise _NotSoMuchLeft(account)  # what the others hold of it is undone
                    await connection.execute(NOTE_HOLD, hold_id=hold_id, held_s=held_s, **named)
        except _NotSoMuchLeft as short:
            return short.account
        return None

    async def settle(self, tenant_id: str, hold_id: str, used: Amount) -> None:
        """Spend what a call did use, and free the rest of its hold; a second time changes nothing."""
        async with self._database.transaction() as connection:
            held = await connection.rows(TAKE_HOLD, tenant_id=tenant_id, hold_id=hold_id)
            for row in sorted(
                held, key=lambda row: (row["budget_id"], row["subject"], row["began"])
            ):  # as they are held
                await connection.execute(
                    SPEND, tenant_id=tenant_id, used_tokens=used.tokens, used_nanos=used.nanos, **dict(row)
                )

    async def forget_old(self, before: datetime, limit: int) -> int:
        """Delete accounts of periods that began before a moment; return how many."""
        return await self._database.execute(FORGET_OLD, before=before, limit=limit)

    async def charge_expired(self, now: datetime, limit: int) -> int:
        """Spend holds whose call never ended: it may have used all of it. Return how many."""
        expired = await self._database.rows(EXPIRED, now=now, limit=limit)
        for row in expired:
            await self.settle(row["tenant_id"], row["hold_id"], Amount(row["tokens"], row["nanos"]))
        return len(expired)


def _budget(row: Row) -> Budget:
    return msgspec.convert(dict(row), Budget)
