"""What outlives a session: persistent memory by scope, its time to live, and that no effect writes twice."""

from __future__ import annotations

import asyncio

from actors.clocks import SystemClock
from actors.memories import StoredMemories
from actors.session.store import SessionPin
from engine import MemoryWrite
from tests.support.stories import a_story

KEEPER = """\
AGENT: Keeper
GOAL: "Remember"

MEMORY:
  session:
    - NAME: heard
      INITIAL: ""
  persistent:
    - PATH: user.word
      DEFAULT_VALUE: "nothing"
    - PATH: project.word
      SCOPE: project
      DEFAULT_VALUE: "nothing"
    - PATH: execution_tree.word
      SCOPE: execution_tree
      DEFAULT_VALUE: "nothing"
  remember:
    - WHEN: heard CONTAINS "short"
      STORE: heard -> user.short
      TTL: "2h"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input CONTAINS "mine"
        SET: user.word = input
        RESPOND: "kept for you"
        THEN: listen
      - IF: input CONTAINS "ours"
        SET: project.word = input
        RESPOND: "kept for all"
        THEN: listen
      - IF: input CONTAINS "tree"
        SET: execution_tree.word = input
        RESPOND: "kept for this tree"
        THEN: listen
      - IF: input CONTAINS "short"
        SET: heard = input
        RESPOND: "kept for a while"
        THEN: listen
      - ELSE:
        RESPOND: "user {{user.word}}, project {{project.word}}, tree {{execution_tree.word}}"
        THEN: listen
"""


def test_what_is_kept_is_found_by_whom_its_scope_names_and_after_a_restart(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "keeper", {"a.abl": KEEPER}) as told:
            mine = await told.say("this is mine", user_id="usr_1", user_kind="user")
            assert mine.response == "kept for you"
            await told.say("this is ours", mine.session_id)
            await told.say("this is the tree", mine.session_id)
            assert (await told.say("?", mine.session_id)).response == (
                "user this is mine, project this is ours, tree this is the tree"
            )
        async with a_story(data_dir, "keeper", {"a.abl": KEEPER}) as told:
            again = await told.say("?", user_id="usr_1", user_kind="user")
            assert again.response == "user this is mine, project this is ours, tree nothing"
            other = await told.say("?", user_id="usr_2", user_kind="user")
            assert other.response == "user nothing, project this is ours, tree nothing"

    asyncio.run(story())


def test_a_value_with_a_time_to_live_is_gone_after_it(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "keeper", {"a.abl": KEEPER}) as told:
            await told.say("short one", user_id="usr_3", user_kind="user")
            kept = await told.rows(
                "SELECT extract(epoch FROM expires_at - now()) AS left_s FROM memory WHERE path = :path",
                path="user.short",
            )
            assert 7_000 < float(kept[0]["left_s"]) <= 7_200
            await told.run("UPDATE memory SET expires_at = now() WHERE path = :path", path="user.short")
            memories = StoredMemories(told.running.database, SystemClock())
            assert await memories.read(a_pin(told.tenant, told.project, "usr_3"), {"user.short": "user"}) == {}

    asyncio.run(story())


def a_pin(tenant: str, project: str, user: str) -> SessionPin:
    return SessionPin(
        tenant_id=tenant,
        project_id=project,
        session_id="sess_x",
        runtime_session_id="cx",
        program_id="",
        entry_agent="",
        user_id=user,
        user_kind="user",
    )


def test_an_effect_that_is_repeated_does_not_write_over_what_came_after_it(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "keeper", {"a.abl": KEEPER}) as told:
            memories = StoredMemories(told.running.database, SystemClock())
            pin = a_pin(told.tenant, told.project, "usr_4")
            first, second = (MemoryWrite(path="user.count", value=value) for value in (1, 2))
            await memories.write(pin, (first,), "effect-1")
            await memories.write(pin, (second,), "effect-2")
            await memories.write(pin, (first,), "effect-1")
            assert await memories.read(pin, {"user.count": "user"}) == {"user.count": 2}

    asyncio.run(story())
