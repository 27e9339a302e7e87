"""What stands beside a session's journal, when hosts die, freeze, or lose their word on the way. Decision: 0037."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from actors.installation import MASTER_KEY_FILE
from actors.replaying import Replayer
from actors.session.store import StoreLost
from actors.stored_sessions import StoredSessions
from actors.wiring import open_runtime
from domain.errors import Unavailable
from tests.support.echo import an_echo
from tests.support.stories import a_story, a_workshop

TOOLER = """\
AGENT: Tooler
GOAL: "Remember"

TOOLS:
  order(what: string) -> {{done: boolean}}
    description: "Orders"
    side_effects: true
    type: http
    endpoint: "{url}"
    method: POST

MEMORY:
  session:
    - NAME: heard
      INITIAL: ""
  persistent:
    - PATH: project.word
      SCOPE: project
      DEFAULT_VALUE: "nothing"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input CONTAINS "what"
        RESPOND: "word {{{{project.word}}}}, heard {{{{heard}}}}"
        THEN: listen
      - ELSE:
        SET:
          heard = input
          project.word = input
        THEN: go
  go:
    REASONING: false
    CALL: order(heard)
      AS: r
    ON_SUCCESS:
      RESPOND: "ok {{{{project.word}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "bad"
      THEN: listen
"""


@pytest.mark.parametrize("written", [True, False])
def test_a_reset_whose_answer_is_lost_has_taken_place_or_not_and_never_half(
    data_dir: str, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    async def story() -> None:
        async with a_workshop() as shop, a_story(data_dir, "tooler", {"a.abl": TOOLER.format(url=shop.url)}) as told:
            session = (await told.say("alpha")).session_id
            runtime, real = told.running.runtime, StoredSessions.append

            async def dies(self: StoredSessions, *given: Any, end: Any = None, **named: Any) -> int:
                if end is None or not end.revived:
                    return await real(self, *given, end=end, **named)
                if written:
                    await real(self, *given, end=end, **named)
                raise StoreLost

            before = (await runtime.session(told.ref(session))).runtime_session_id
            monkeypatch.setattr(StoredSessions, "append", dies)
            with pytest.raises(Unavailable):
                await runtime.reset_session(told.ref(session))
            monkeypatch.setattr(StoredSessions, "append", real)
            after = (await runtime.session(told.ref(session))).runtime_session_id
            assert (after != before) == written
            heard = "" if written else "alpha"
            assert (await told.say("what", session)).response == f"word alpha, heard {heard}"
            assert (await told.say("beta", session)).response == "ok beta"
            assert len(set(shop.keys)) == len(shop.keys) == 2, "each call has a key of its own"
            assert (await told.say("what")).response.startswith("word beta"), "what was acknowledged is kept"
            replayed = await Replayer(told.running.database).replay(told.tenant, session)
            assert replayed.difference == ""

    asyncio.run(story())


def test_a_reset_that_comes_again_under_its_key_wipes_nothing(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as shop, a_story(data_dir, "again", {"a.abl": TOOLER.format(url=shop.url)}) as told:
            runtime = told.running.runtime
            session = (await told.say("alpha")).session_id
            ref = told.ref(session)
            await runtime.use_memory(ref, "set", "cart", {"n": 1})
            first = await runtime.reset_session(ref, "k1")
            assert await runtime.use_memory(ref, "get", "cart", None) == {}
            await told.say("beta", session)
            await runtime.use_memory(ref, "set", "cart", {"n": 2})
            assert (await runtime.reset_session(ref, "k1")).runtime_session_id == first.runtime_session_id
            assert (await told.say("what", session)).response == "word beta, heard beta"
            assert await runtime.use_memory(ref, "get", "cart", None) == {"n": 2}
            assert (await runtime.reset_session(ref, "k2")).runtime_session_id != first.runtime_session_id
            await told.say("gamma", session)
        async with a_story(data_dir, "again", {"a.abl": TOOLER.format(url="http://127.0.0.1:9/")}) as told:
            second = await told.running.runtime.reset_session(told.ref(session), "k1")  # also on another host
            assert second.runtime_session_id != first.runtime_session_id
            assert (await told.say("what", session)).response == "word gamma, heard gamma"

    asyncio.run(story())


def test_a_reset_that_comes_again_lets_the_turn_that_runs_go_on(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=0.5) as shop,
            a_story(data_dir, "running", {"a.abl": TOOLER.format(url=shop.url)}) as told,
        ):
            runtime = told.running.runtime
            session = (await told.say("what")).session_id
            await runtime.reset_session(told.ref(session), "k1")
            running = asyncio.create_task(told.say("alpha", session))
            await shop.began.wait()
            await runtime.reset_session(told.ref(session), "k1")
            assert (await running).response == "ok alpha"

    asyncio.run(story())


def test_a_host_that_froze_brings_no_older_memory_back(data_dir: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Host A freezes behind its durable write of 1; B takes over, and its 2 is acknowledged; then A goes on."""

    async def story() -> None:
        async with a_story(data_dir, "frozen", {"a.abl": an_echo("you said")}) as told:
            session = (await told.say("one")).session_id
            ref = told.ref(session)
            reached, go_on, real = asyncio.Event(), asyncio.Event(), StoredSessions.append

            async def freezes(self: StoredSessions, *given: Any, **named: Any) -> int:
                seq = await real(self, *given, **named)
                if not reached.is_set():
                    reached.set()
                    await go_on.wait()
                return seq

            monkeypatch.setattr(StoredSessions, "append", freezes)
            frozen = asyncio.create_task(told.running.runtime.use_memory(ref, "set", "cart", {"v": 1}))
            await reached.wait()
            await told.run(
                "UPDATE hosts SET revoked_at = clock_timestamp(), expires_at = clock_timestamp() WHERE :everyone",
                everyone=True,
            )
            keys = (told.data_folder / MASTER_KEY_FILE).read_text().strip()
            other = msgspec.structs.replace(
                told.running.settings, data_dir=str(told.data_folder / "other"), master_keys=keys
            )
            async with open_runtime(other) as two:
                await two.runtime.use_memory(ref, "set", "cart", {"v": 2})
                assert await two.runtime.use_memory(ref, "get", "cart", None) == {"v": 2}
                go_on.set()
                await asyncio.gather(frozen, return_exceptions=True)
                assert await two.runtime.use_memory(ref, "get", "cart", None) == {"v": 2}

    asyncio.run(story())
