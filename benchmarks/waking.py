"""What a client waits whose session sleeps, one of 100,000 in the store: over HTTP, with a model that answers at once.

The baseline is the next turn of the same session, which is awake then.
"""

from __future__ import annotations

import asyncio
from random import Random

from benchmarks.activation_rows import fill, name_of
from benchmarks.load import Conversations, Taken, percentile
from benchmarks.report import Figure
from benchmarks.serving import Served, a_folder, product, stub_model
from benchmarks.turn_agents import texts
from benchmarks.turns import product_target, tool_url
from storage.crypto import MasterKeys
from storage.database import Database
from storage.statements import Statement

TURNS_LIVED = 20
MORE_TURNS = 16
"""Turns within which a session's state is stored as it stands."""
WARM_UP = 100
MS = 1_000

TEMPLATE = Statement("SELECT tenant_id FROM sessions WHERE session_id = :session_id")
IS_WHOLE = Statement("""
    SELECT p.seq = h.last_seq FROM session_heads h JOIN snapshots p USING (session_key)
    WHERE session_key = session_key(:tenant_id, :session_id)
""")


async def _template(database: Database, talk: Conversations) -> tuple[str, str]:
    """Let a conversation live for a while; return tenant and id of its session, which can be copied then."""
    await talk.hold(TURNS_LIVED)
    session_id = talk.sessions[0]
    tenant_id = str(await database.value(TEMPLATE, session_id=session_id))
    for _ in range(MORE_TURNS):
        if await database.value(IS_WHOLE, tenant_id=tenant_id, session_id=session_id):
            return tenant_id, session_id
        await talk.hold(1)
    raise RuntimeError("the state of a session is not stored as it stands")


async def _waits(served: Served, agent: str, stored: int, wakes: int) -> tuple[Taken, Taken]:
    """Return what the first turn of sleeping sessions took, and the second one of each."""
    keys = MasterKeys.kept_in(served.master_key_file)
    database = await Database.open(served.database_url, master_keys=keys)
    woken, warm = Taken(), Taken()
    try:
        async with Conversations.open(product_target(served, agent), 1) as talk:
            tenant_id, template = await _template(database, talk)
            await fill(database, 1, stored, template=template, tenant_id=tenant_id)
            for place, number in enumerate(Random(1).sample(range(1, stored), WARM_UP + wakes)):
                talk.sessions[0] = name_of(number)
                first, second = await talk.hold(1), await talk.hold(1)
                if place >= WARM_UP:
                    woken.waits_s += first.waits_s
                    warm.waits_s += second.waits_s
    finally:
        await database.close()
    return woken, warm


def over_http(stored: int, wakes: int) -> list[Figure]:
    """Return what waking adds for a client, for an agent with a model."""
    with a_folder() as folder, stub_model() as model, product(folder, texts(tool_url(model)), model) as served:
        woken, warm = asyncio.run(_waits(served, "Text", stored, wakes))
    figures = []
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        first, second = percentile(woken.waits_s, share) * MS, percentile(warm.waits_s, share) * MS
        asked = ("at most 2 times the warm turn", first <= 2 * second) if name == "p99" else ("", True)
        figures.append(Figure(f"turn that wakes one of {stored:,}, over HTTP, {name}", first, "ms", second, *asked))
    return figures
