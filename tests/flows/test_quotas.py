"""Quotas of a tenant over the real runtime: the agent sees an error, and its session folds again without a counter."""

from __future__ import annotations

import asyncio

from actors.projects import TENANT_ID
from actors.replaying import Replayer
from actors.runtime import TraceFilter
from actors.settings import ModelProvider
from storage.statements import Statement
from tests.support.stories import Story, a_story, a_workshop, eventually
from tests.support.stub_model import StubBehaviour, StubModel

CALLER = """\
AGENT: Caller
GOAL: "Fetch"

TOOLS:
  fetch() -> {{text: string}}
    description: "Fetches"
    type: http
    endpoint: "{url}"
    method: GET

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: fetch
  fetch:
    REASONING: false
    CALL: fetch()
      AS: result
    ON_SUCCESS:
      RESPOND: "fetched"
      THEN: listen
    ON_FAILURE:
      RESPOND: "not fetched"
      THEN: listen
"""
THINKER = 'AGENT: Thinker\nGOAL: "Think"\nPERSONA: "Calm"\n'
SET = Statement("UPDATE tenants SET settings = :settings WHERE tenant_id = :tenant_id")


async def set_rates(told: Story, **rates: int) -> None:
    await told.running.database.execute(SET, tenant_id=TENANT_ID, settings={"rates": rates} if rates else {})


async def counted(told: Story) -> list[tuple[str, dict[str, str], float]]:
    """Return the numbers of the runtime once its host has told that something was refused."""

    async def is_told() -> bool:
        return any(labels.get("end") == "rate_limited" for _, labels, _ in await told.running.runtime.metrics())

    await eventually(is_told)
    return list(await told.running.runtime.metrics())


async def differences(told: Story, session: str) -> list[str]:
    replayer = Replayer(told.running.database)
    replayed = [await replayer.replay(*names) for names in await replayer.sessions() if session in names]
    assert replayed
    return [one.difference for one in replayed if one.difference]


MOST = 3
"""Calls that two a minute may let through: the count slides, and a minute may turn between the second and the third."""


def test_tools_beyond_the_quota_of_the_instance_fail_in_the_hands_of_the_agent(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as workshop:
            files = {"a.abl": CALLER.format(url=workshop.url)}
            async with a_story(data_dir, "quota-tools", files, rates={"toolCallsPerMinute": 2}) as told:
                first = await told.say("go")
                said = [first.response]
                while said[-1] == "fetched" and len(said) <= MOST:
                    said.append((await told.say("go", first.session_id)).response)
                assert said[2:] in (["not fetched"], ["fetched", "not fetched"])
                assert len(workshop.keys) == said.count("fetched")
                wanted = TraceFilter(event_types=("tool_result",))
                traces = await told.running.runtime.traces(told.ref(first.session_id), wanted)
                error = traces.rows[-1]["data"]["error"]
                assert (error["code"], error["message"]) == ("RATE_LIMIT_EXCEEDED", "Tool call rate limit exceeded")
                assert error["retryAfterMs"] > 0
                refused = ("abl_tool_calls_total", {"host": "host-0", "end": "rate_limited"}, 1.0)

                async def is_counted() -> bool:  # a host tells its numbers now and then
                    return refused in await counted(told)

                await eventually(is_counted)
                assert await differences(told, first.session_id) == []

    asyncio.run(story())


def test_models_beyond_the_quota_of_the_tenant_are_not_asked(data_dir: str) -> None:
    async def story() -> None:
        async with StubModel(StubBehaviour(text="Done")) as model:
            stub = ModelProvider(name="stub", base_url=model.base_url, models=("talker",))
            more = {"providers": (stub,), "default_model": "stub/talker"}
            async with a_story(data_dir, "quota-models", {"t.abl": THINKER}, **more) as told:
                await set_rates(told, modelTokensPerMinute=30)
                try:
                    first = await told.say("hello")
                    assert first.response == "Done"
                    asked = len(model.requests)
                    second = await told.say("hello again", first.session_id)
                    assert second.response == "There are many questions at the moment. Please try again shortly."
                    assert len(model.requests) == asked
                    assert await differences(told, first.session_id) == []
                finally:
                    await set_rates(told)

    asyncio.run(story())
