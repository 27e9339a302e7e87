"""What became of every amount that was held on the budget of the kill test: the database writes it down as it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from actors.installation import MASTER_KEY_FILE
from storage.crypto import MasterKeys
from storage.database import Database
from storage.embedded import PostgresServer
from storage.statements import Statement
from tests.prove.product import Product

USED = 37
"""Tokens of every answer of the model."""
NOTE = (
    Statement("""
        CREATE TABLE prove_charges (
            place bigint GENERATED ALWAYS AS IDENTITY, tx xid8 DEFAULT pg_current_xact_id(), what text, hold text,
            tokens bigint
        )
    """),
    Statement("""
        CREATE FUNCTION prove_note_hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO prove_charges (what, hold, tokens) VALUES ('taken', old.hold_id, old.tokens);
            RETURN NULL;
        END $$
    """),
    Statement("""
        CREATE FUNCTION prove_note_charge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO prove_charges (what, hold, tokens) VALUES ('spent', '', new.tokens_spent - old.tokens_spent);
            RETURN NULL;
        END $$
    """),
    Statement("""
        CREATE TRIGGER prove_hold AFTER DELETE ON budget_holds FOR EACH ROW EXECUTE FUNCTION prove_note_hold()
    """),
    Statement("""
        CREATE TRIGGER prove_charge AFTER UPDATE ON budget_accounts FOR EACH ROW
        WHEN (new.tokens_held < old.tokens_held OR new.tokens_spent <> old.tokens_spent)
        EXECUTE FUNCTION prove_note_charge()
    """),
)
NOTED = Statement("SELECT tx::text AS tx, what, hold, tokens FROM prove_charges ORDER BY place")


class Noted(NamedTuple):
    """One line of what the database has written down: a hold was taken off, or an account was charged."""

    tx: str
    what: str
    hold: str
    tokens: int


class Spending(NamedTuple):
    """What all charges come to, and what is wrong with them.

    Attributes:
        answered: Calls that were charged with what an answer uses.
        cut: What calls were charged with that ended without saying what they used: all that was held for each.
        freed: Calls that were charged with nothing: they were refused, or tried again.
    """

    answered: int
    cut: tuple[int, ...]
    freed: int
    faults: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """All tokens that were charged."""
        return self.answered * USED + sum(self.cut)

    def told(self, calls: int, left: int, spent: int) -> list[str]:
        """Return what does not hold: each call that the model counted is charged once, or its hold is left."""
        wrong = [f"budget: {fault}" for fault in self.faults]
        if self.tokens != spent and not self.faults:
            wrong.append(f"budget: {spent} tokens are spent, and {self.tokens} were charged")
        if self.answered > calls:
            wrong.append(f"budget: {self.answered} answers were charged, of {calls}")
        if self.answered + len(self.cut) + left < calls:
            wrong.append(f"budget: {calls} calls, of which {self.answered} + {len(self.cut)} were charged, {left} held")
        return wrong

    def __str__(self) -> str:
        cut = f" and {len(self.cut)} cut off at {', '.join(map(str, self.cut))}" if self.cut else ""
        return f"{self.answered} answers of {USED}{cut}"


def spending_of(noted: Iterable[Noted]) -> Spending:
    """Return what the charges of a run come to."""
    charged: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    cut: list[int] = []
    faults: list[str] = []
    for tx, lines in groupby(sorted(noted, key=lambda one: int(one.tx)), key=lambda one: one.tx):
        these = list(lines)
        taken = [one for one in these if one.what == "taken"]
        spent = [one.tokens for one in these if one.what == "spent"]
        if len(taken) != len(spent):
            faults.append(f"transaction {tx} charges {len(spent)} times for {[one.hold for one in taken]}")
        for hold, tokens in zip(taken, spent, strict=False):
            charged[hold.hold] += bool(tokens)
            if tokens == hold.tokens:
                cut.append(tokens)
            elif tokens in (0, USED):
                counts["answered" if tokens else "freed"] += 1
            else:
                faults.append(f"{hold.hold} of {hold.tokens} tokens is charged with {tokens}")
    faults += [f"{hold} is charged {count} times" for hold, count in charged.items() if count > 1]
    return Spending(counts["answered"], tuple(cut), counts["freed"], tuple(faults))


async def note_charges(product: Product) -> None:
    """Have the database of a running product write down every charge of a budget from now on."""
    keys = MasterKeys.kept_in(product.data / MASTER_KEY_FILE)
    database = await Database.open(PostgresServer(product.data).url, master_keys=keys)
    try:
        for statement in NOTE:
            await database.execute(statement)
    finally:
        await database.close()


async def charges(database: Database) -> Sequence[Noted]:
    """Return what it has written down."""
    return [Noted(**dict(row)) for row in await database.rows(NOTED)]
