"""What is compared of all that clients did beside speaking: what was deleted is gone, what was spent was counted."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database import Database
from storage.repositories.memory_stores import MemoryStores
from storage.statements import Statement
from tests.prove.acts import Asker
from tests.prove.audit import Findings
from tests.prove.conversation import Conversation
from tests.prove.counting_server import STORE, CountingServer
from tests.prove.spending import charges, spending_of

TABLES = Statement("""
    SELECT c.relname AS name, a.attname AS col FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT a.attisdropped
      AND a.attname IN ('session_id', 'session_key', 'parent_session_id', 'child_session_id') ORDER BY 1, 2
""")
STAYS = "analytics_"
"""Analytics keep the bare id of a deleted session (platform-api 5.4)."""
KEYED = "SELECT count(*) FROM {table} WHERE {column} IN (SELECT session_key(t.tenant_id, d) FROM unnest(:ids::text[]) d, tenants t)"
NAMED = "SELECT count(*) FROM {table} WHERE {column} = ANY(:ids::text[])"
SESSION = Statement("SELECT tenant_id, status, end_reason FROM sessions WHERE session_id = :session_id")
ACCOUNTS = Statement("SELECT tokens_spent, tokens_held FROM budget_accounts WHERE budget_id = :budget_id")
HOLDS = Statement("SELECT tokens FROM budget_holds WHERE budget_id = :budget_id")
PAGE = 200


async def nothing_remains(database: Database, conversations: Sequence[Conversation], found: Findings) -> None:
    """Look for rows of deleted sessions in every table that names sessions."""
    ids = [one.session_id for one in conversations if one.is_deleted]
    for place in await database.rows(TABLES):
        table, column = place["name"], place["col"]
        if table.startswith(STAYS):
            continue
        form = KEYED if column == "session_key" else NAMED
        if left := await database.value(Statement(form.format(table=table, column=column)), ids=ids):
            found.failed.append(f"{left} rows of deleted sessions are left in {table} ({column})")


async def ended_stay_ended(database: Database, conversations: Sequence[Conversation], found: Findings) -> None:
    """See that every session that was ended is, with the reason that was told, and that no other one is."""
    for one in conversations:
        if one.is_deleted or not one.session_id:
            continue
        row = await database.row(SESSION, session_id=one.session_id)
        if row is None:
            found.lost.append(f"conversation {one.number}: there is no session {one.session_id}")
        elif (row["status"] == "ended") != bool(one.end) or (one.end and row["end_reason"] != one.end["reason"]):
            found.failed.append(f"{one.session_id} was told to have ended as {one.end}, and is {dict(row)}")


async def stores_are_kept(
    database: Database, conversations: Sequence[Conversation], server: CountingServer, found: Findings
) -> None:
    """Compare memory stores with what was acknowledged of them."""
    found.lost += server.forgotten
    stores = MemoryStores(database)
    for one in conversations:
        if one.habit != "remember" or not one.session_id:
            continue
        row = await database.row(SESSION, session_id=one.session_id)
        content = await stores.read(row["tenant_id"], one.session_id, STORE) if row else {}
        kept = (content or {}).get("orders", [])
        noted = {order for order in one.replies if order not in server.away}
        told = (server.kept[str(one.number)], server.perhaps[str(one.number)])
        if kept not in told or not noted <= set(kept):
            found.lost.append(f"the store of {one.number} holds {kept}, told {told[0]}, lacks {noted - set(kept)}")


async def budget_is_right(database: Database, budget_id: str, max_tokens: int, calls: int, found: Findings) -> str:
    """Compare a budget with its charges, and these with the calls that its model counted; return the figures."""
    accounts = await database.rows(ACCOUNTS, budget_id=budget_id)
    holds = [row["tokens"] for row in await database.rows(HOLDS, budget_id=budget_id)]
    spent, held = (sum(row[name] for row in accounts) for name in ("tokens_spent", "tokens_held"))
    if held != sum(holds):
        found.failed.append(f"budget: {held} tokens are held, for calls of {sum(holds)}")
    if spent + held > max_tokens:
        found.failed.append(f"budget: {spent} tokens spent and {held} held of {max_tokens}")
    spending = spending_of(await charges(database))
    found.failed += spending.told(calls, len(holds), spent)
    return f"budget={spent} spent ({spending}), {held} held in {len(holds)}, for {calls} calls, of {max_tokens}"


async def tasks_are_one_each(asker: Asker, conversations: Sequence[Conversation], found: Findings) -> None:
    """See that of each order there is one task that somebody was given, and none that nobody decided."""
    titles: list[str] = []
    while True:
        page = await asker.done("GET", f"{asker.project}/human-tasks?limit={PAGE}&offset={len(titles)}&status=pending")
        titles += [task["title"] for task in page["tasks"]]
        if len(page["tasks"]) < PAGE:
            break
    wanted = sorted(order for one in conversations if one.habit == "approve" for order in one.replies)
    if sorted(titles) != wanted:
        more, less = sorted(set(titles) - set(wanted)), sorted(set(wanted) - set(titles))
        found.failed.append(f"tasks: {len(titles)} pending of {len(wanted)}; too many {more}, missing {less}")
