"""What is compared when the clients have gone: transcripts with what was sent, journals with themselves, memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from actors.installation import MASTER_KEY_FILE
from storage.crypto import MasterKeys
from storage.database import Database
from storage.embedded import PostgresServer
from storage.repositories.memory import Memory
from storage.statements import Statement
from tests.prove.conversation import Conversation
from tests.prove.counting_server import CountingServer
from tests.prove.product import Product
from tests.prove.project import PARTS

SAID = re.compile(r"\b(noted|unknown|refused) ((?:un|slow)?keyed-\d+-\d+)\b")
NUMBERED = re.compile(r" as number (\d+)")

APPENDS = Statement("""
    SELECT s.tenant_id, s.session_id, seq, count, epoch
    FROM journal j JOIN sessions s USING (session_key)
    ORDER BY s.tenant_id, s.session_id, seq, at
""")
HEADS = Statement("""
    SELECT s.tenant_id, s.session_id, last_seq
    FROM session_heads h JOIN sessions s USING (session_key)
""")
REMEMBERED = Statement("SELECT tenant_id, project_id, scope, subject FROM memory WHERE path = :path")
ORDERS = "user.orders"


@dataclass
class Findings:
    """What does not hold.

    Attributes:
        unknown: Orders whose outcome was openly said to be unknown; no fault where the tool honours no key.
        split: Sessions whose journal two hosts have written at once.
    """

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    split: list[str] = field(default_factory=list)
    unknown: int = 0


def compare(one: Conversation, lines: list[dict[str, str]], server: CountingServer, found: Findings) -> None:
    """Compare a conversation with its transcript and with what the tools did."""
    said = [line["content"] for line in lines if line["role"] == "user" and line["content"] not in one.unpaid]
    answers = [line["content"] for line in lines if line["role"] == "assistant"]
    outcomes = [match.group(1, 2) for text in answers for match in [SAID.search(text)] if match]
    told = {order: word for word, order in outcomes}
    found.lost += [f"{order} is not in the transcript" for order in one.replies if order not in said]
    found.lost += [
        f"reply to {order}: {reply!r}" for order, reply in one.replies.items() if reply and reply not in answers
    ]
    found.twice += [f"{order} said {count} times" for order, count in Counter(said).items() if count > 1]
    found.twice += [
        f"{order} answered {count} times"
        for order, count in Counter(order for _, order in outcomes).items()
        if count > 1
    ]
    kept = {line["content"] for line in lines if line.get("interrupted")}
    found.failed += [
        f"{order} has no reply" for order, reply in one.replies.items() if not reply and order not in one.interrupted
    ]
    for order in one.replies:
        if order in one.interrupted and order not in told:
            if (
                one.replies[order] and one.replies[order] not in kept
            ):  # stopped before a word of it stood, it has no line
                found.failed.append(f"{order}: the transcript does not say that it was interrupted")
            continue
        _outcome(one, order, told.get(order, ""), server, found)
    if said != [order for order in one.sent if order in said] or [order for _, order in outcomes] != [
        order for order in one.sent if order in told
    ]:
        found.lost.append(f"conversation {one.number}: out of order")
    if one.agent == "Counter":
        numbers = [int(match.group(1)) for text in answers for match in [NUMBERED.search(text)] if match]
        if numbers != list(range(1, len(numbers) + 1)):
            found.failed.append(f"conversation {one.number} counted {numbers}")


def _outcome(one: Conversation, order: str, word: str, server: CountingServer, found: Findings) -> None:
    """What was acknowledged as done was done; what was not known to be done is said so, and only without a key."""
    if word == "noted" and one.numbers and NUMBERED.findall(one.replies[order]) != [str(one.numbers[order])]:
        found.failed.append(f"{one.agent} {order} was to be number {one.numbers[order]}: {one.replies[order]!r}")
    if word == "noted":
        parts = [order + part for part in PARTS] if one.agent == "Planner" else [order]
        found.lost += [f"{part}: acknowledged and never carried out" for part in parts if not server.done(part)]
    elif word == "refused" and one.habit == "approve":
        found.failed += [f"{order}: refused and carried out"] if server.done(order) else []
    elif word == "unknown" and (order.startswith("unkeyed") or order in server.away):
        found.unknown += 1
    else:
        found.failed.append(f"{one.agent} {order}: {one.replies[order]!r}")


@asynccontextmanager
async def store_of(product: Product) -> AsyncIterator[Database]:
    """Yield the database of a product that has ended."""
    server = PostgresServer(product.data)
    await server.start()
    try:
        keys = MasterKeys.kept_in(product.data / MASTER_KEY_FILE)
        database = await Database.open(server.url, master_keys=keys)
        try:
            yield database
        finally:
            await database.close()
    finally:
        await server.stop()


async def look_into_the_store(product: Product, conversations: list[Conversation], found: Findings) -> None:
    """Check the journals and the memory of a product that has ended."""
    async with store_of(product) as database:
        await check_store(database, conversations, found)


async def check_store(database: Database, conversations: list[Conversation], found: Findings) -> None:
    """Check the journals, and the memory that outlives sessions."""
    _check_journals(await database.rows(APPENDS), await database.rows(HEADS), found)
    memory, remembered = Memory(database), {}
    for row in await database.rows(REMEMBERED, path=ORDERS):
        remembered[row["subject"]] = (await memory.read(**row, paths=[ORDERS]))[ORDERS]
    for one in conversations:
        kept = remembered.get(one.session_id, 0)
        if one.agent == "Counter" and not len(one.replies) <= kept <= len(one.sent):
            found.lost.append(f"conversation {one.number} remembers {kept} of {len(one.replies)} orders")


def _check_journals(appends: list[Any], heads: list[Any], found: Findings) -> None:
    """One history for each session: numbers without gap or repetition, no writer that comes back once replaced.

    Epochs belong to hosts: a session may well go from a younger one to an older one, but an epoch that was taken from
    it is over for good.
    """
    ends = {(row["tenant_id"], row["session_id"]): row["last_seq"] for row in heads}
    for session, rows in groupby(appends, key=lambda row: (row["tenant_id"], row["session_id"])):
        last_seq, epochs = 0, [0]
        for row in rows:
            if row["seq"] != last_seq + 1 or row["epoch"] in epochs[:-1]:
                found.split.append(f"{session[1]}: {row['seq']} of epoch {row['epoch']} after {last_seq} of {epochs}")
                break
            last_seq = row["seq"] + row["count"] - 1
            if row["epoch"] != epochs[-1]:
                epochs.append(row["epoch"])
        else:
            if ends.get(session) != last_seq:
                found.split.append(f"{session[1]}: ends at {last_seq}, its head says {ends.get(session)}")
