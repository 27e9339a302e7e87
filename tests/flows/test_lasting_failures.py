"""What no waiting mends, a secret that nobody can open: the agent says so, and the session goes on."""

from __future__ import annotations

import asyncio
import logging

import pytest

from actors.replaying import Replayer
from actors.runtime import TraceFilter
from actors.secret_variables import SecretVariables
from storage.crypto import Unopenable
from tests.support.stories import Story, a_story, a_workshop

TOOLER = """\
AGENT: Tooler
GOAL: "Remember and order"

TOOLS:
  order(what: string) -> {{done: boolean}}
    description: "Orders"
    side_effects: false
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
        RESPOND: "word {{{{project.word}}}}"
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
      RESPOND: "ordered {{{{project.word}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "not ordered"
      THEN: listen
"""


async def unopenable(self: SecretVariables, key: tuple[str, str, str]) -> object:
    raise Unopenable("The master key 0011223344556677 is not configured; add it to the master keys.")


def told_in(data_dir: str, name: str, url: str):
    return a_story(data_dir, name, {"a.abl": TOOLER.format(url=url)})


async def replayed(told: Story, session: str) -> None:
    found = await Replayer(told.running.database).replay(told.tenant, session)
    assert found.difference == ""


def test_a_tool_whose_secret_cannot_be_opened_fails_and_the_session_goes_on(
    data_dir: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with a_workshop() as shop, told_in(data_dir, "lasting", shop.url) as told:
            session = (await told.say("what")).session_id
            with monkeypatch.context() as patched:
                patched.setattr(SecretVariables, "_sealed", unopenable)
                failed = await told.say("beta", session, idempotency_key="k1")
                assert failed.response == "not ordered"
                assert (await told.say("beta", session, idempotency_key="k1")).response == failed.response
                assert (await told.say("what", session)).response == "word beta"
                runtime = told.running.runtime
                assert (await runtime.session(told.ref(session))).execution_state == "idle"
            page = await runtime.traces(told.ref(session), TraceFilter(event_types=("error",)))
            assert "A secret that is needed cannot be read: its master key is not here" in str(page.rows)
            assert "0011223344556677" not in str(page.rows)
            assert shop.bodies == []
            assert (await told.say("gamma", session)).response == "ordered gamma"
            await replayed(told, session)

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert any("0011223344556677" in str(record.exc_info) for record in caplog.records)  # for operators


@pytest.mark.parametrize("what", ["reset", "end"])
def test_a_session_whose_turn_nobody_can_finish_is_looked_at_reset_and_ended(
    data_dir: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Something nobody has thought of, in every attempt, behind a memory write that is durable."""

    async def broken(self: SecretVariables, key: tuple[str, str, str]) -> object:
        raise ZeroDivisionError

    async def story() -> None:
        async with a_workshop() as shop, told_in(data_dir, f"broken-{what}", shop.url) as told:
            runtime = told.running.runtime
            session = (await told.say("what")).session_id
            with monkeypatch.context() as patched:
                patched.setattr(SecretVariables, "_sealed", broken)
                with pytest.raises(Exception, match="actor failed"):
                    await told.say("beta", session)
                assert (await runtime.session(told.ref(session))).status == "active"
                await (runtime.reset_session if what == "reset" else runtime.end_session)(told.ref(session))
            view = await runtime.session(told.ref(session))
            assert view.status == ("active" if what == "reset" else "ended")
            if what == "reset":
                assert (await told.say("delta", session)).response == "ordered delta"
            await replayed(told, session)

    asyncio.run(story())


def test_a_turn_that_nobody_can_finish_is_given_up_and_the_next_message_is_answered(
    data_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []
    real = SecretVariables._sealed

    async def broken(self: SecretVariables, key: tuple[str, str, str]) -> object:
        tries.append(key)
        if len(tries) > 5:  # the run, and four attempts of those who took it up
            return await real(self, key)
        raise ZeroDivisionError

    async def story() -> None:
        async with a_workshop() as shop, told_in(data_dir, "given-up", shop.url) as told:
            session = (await told.say("what")).session_id
            monkeypatch.setattr(SecretVariables, "_sealed", broken)
            with pytest.raises(Exception, match="actor failed"):
                await told.say("beta", session, idempotency_key="k1")
            await told.say("gamma", session)
            assert len(tries) > 5
            with pytest.raises(Exception, match="The turn has failed"):
                await told.say("beta", session, idempotency_key="k1")
            assert (await told.say("delta", session)).response == "ordered delta"
            await replayed(told, session)

    asyncio.run(story())
