"""Tools as sessions run them: what is left out, what code keeps in memory, what is too large, and no write twice."""

from __future__ import annotations

import asyncio

import pytest

from actors.session.tool_calls import MAX_RESULT_BYTES
from domain.json_values import MAX_JSON_DEPTH
from gateway.envelope import json_bytes
from storage.repositories.memory_stores import MemoryStores
from tests.support.stories import Story, a_story, a_workshop

CODE = """\
AGENT: Coder
GOAL: "Count"

TOOLS:
  count(name: string, step: number = 2) -> {{total: number}}
    description: "Counts in a memory store"
    type: sandbox
    runtime: {runtime}
    code: |
{code}

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: count
  count:
    REASONING: false
    CALL: count(input)
      AS: result
    ON_SUCCESS:
      RESPOND: "{{{{result.total}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "failed: {{{{last_error.message}}}}"
      THEN: listen
"""
NOTES = """\
AGENT: Notes
GOAL: "Write notes"

TOOLS:
  note(text: string) -> {{done: boolean}}
    description: "Writes a note"
    type: http
    endpoint: "{url}"
    method: POST

FLOW:
  entry_point: write
  write:
    REASONING: false
    CALL: note(input)
    ON_SUCCESS:
      RESPOND: "written: {{{{input}}}}"
    THEN: COMPLETE
"""
PYTHON = """\
      kept = memory("get", "counts", None)
      total = kept.get(name, 0) + step
      kept[name] = total
      memory("set", "counts", kept)
      {"total": total}
"""
JAVASCRIPT = """\
      const kept = memory("get", "counts");
      const total = (kept[name] || 0) + step;
      memory("set", "counts", {...kept, [name]: total});
      return {total};
"""
FAILING = """\
      memory("set", "counts", {"tea": 100});
      throw new Error("no");
"""
BIG = """\
AGENT: Big
GOAL: "Fetch"

TOOLS:
  fetch(code: string, region: string = "EU") -> {{text: string}}
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
    CALL: fetch("x")
      AS: result
    ON_SUCCESS:
      RESPOND: "fetched"
      THEN: listen
    ON_FAILURE:
      RESPOND: "too much"
      THEN: listen
"""

EVIL = """\
AGENT: Evil
GOAL: "Fetch"

TOOLS:
  fetch(code: string) -> {{text: string}}
    description: "Fetches"
    type: http
    endpoint: "{url}"
    method: GET
    side_effects: {effects}

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: fetch
  fetch:
    REASONING: false
    CALL: fetch("x")
      AS: result
    ON_SUCCESS:
      RESPOND: "got {{{{result.text}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "failed: {{{{last_error.message}}}}"
      THEN: listen
"""


async def kept(told: Story, session: str) -> dict[str, object]:
    return await MemoryStores(told.running.database).read(told.tenant, session, "counts")


@pytest.mark.parametrize(("runtime", "code"), [("python", PYTHON), ("javascript", JAVASCRIPT)])
def test_code_counts_in_a_memory_store_of_the_session(data_dir: str, runtime: str, code: str) -> None:
    async def story() -> None:
        files = {"a.abl": CODE.format(runtime=runtime, code=code)}
        async with a_story(data_dir, f"coder-{runtime}", files) as told:
            first = await told.say("tea")
            assert first.response == "2"
            assert (await told.say("tea", first.session_id)).response == "4"
            assert (await told.say("milk", first.session_id)).response == "2"
            assert await kept(told, first.session_id) == {"tea": 4, "milk": 2}
            other = await told.say("tea")
            assert other.response == "2"
            view = await told.running.runtime.session(told.ref(first.session_id))
            assert view.detail["memoryStores"] == ["counts"]
            await told.running.runtime.reset_session(told.ref(first.session_id))
            assert await kept(told, first.session_id) == {}

    asyncio.run(story())


def test_code_that_fails_keeps_nothing(data_dir: str) -> None:
    async def story() -> None:
        files = {"a.abl": CODE.format(runtime="javascript", code=FAILING)}
        async with a_story(data_dir, "failing", files) as told:
            reply = await told.say("tea")
            assert reply.response.startswith("failed")
            assert await kept(told, reply.session_id) == {}

    asyncio.run(story())


def test_a_parameter_that_is_left_out_has_its_default_on_the_wire(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as workshop, a_story(data_dir, "big", {"a.abl": BIG.format(url=workshop.url)}) as told:
            assert (await told.say("go")).response == "fetched"
            assert workshop.bodies == [{"code": "x", "region": "EU"}]

    asyncio.run(story())


def test_a_result_that_is_too_large_is_an_error_of_the_tool_and_stands_nowhere(data_dir: str) -> None:
    async def story() -> None:
        answer = {"text": "x" * (MAX_RESULT_BYTES + 1)}
        async with (
            a_workshop(answer=answer) as workshop,
            a_story(data_dir, "big", {"a.abl": BIG.format(url=workshop.url)}) as told,
        ):
            reply = await told.say("go")
            assert reply.response == "too much"
            result = next(one["data"] for one in reply.trace_events if one["type"] == "tool_result")
            assert result["error"]["code"] == "RESULT_TOO_LARGE"
            sizes = await told.rows("SELECT sum(length(facts)) AS bytes FROM journal WHERE :all", all=True)
            assert int(sizes[0]["bytes"]) < 100_000

    asyncio.run(story())


def test_an_answer_that_is_nested_too_deep_is_an_error_and_asked_for_once(data_dir: str) -> None:
    async def story() -> None:
        deep: object = "x"
        for _ in range(MAX_JSON_DEPTH + 1):
            deep = [deep]
        async with a_workshop(answer={"text": "a", "deep": deep}) as workshop:
            files = {"a.abl": EVIL.format(url=workshop.url, effects="false")}
            async with a_story(data_dir, "deep", files) as told:
                reply = await told.say("go")
                result = next(one["data"] for one in reply.trace_events if one["type"] == "tool_result")
                assert result["error"]["code"] == "RESULT_TOO_DEEP"
                assert len(workshop.bodies) == 1

    asyncio.run(story())


@pytest.mark.parametrize("is_safe", ["true", "false"])
def test_what_a_tool_says_and_nobody_can_keep_fails_no_message(data_dir: str, is_safe: str) -> None:
    async def story() -> None:
        evil = {"text": "a\0b", "n": 10**40, "deep": "x"}
        for _ in range(MAX_JSON_DEPTH - 1):
            evil["deep"] = [evil["deep"]]
        async with a_workshop(answer=evil) as workshop:
            files = {"a.abl": EVIL.format(url=workshop.url, effects=is_safe)}
            async with a_story(data_dir, f"evil-{is_safe}", files) as told:
                first = await told.say("go")
                assert first.response == "got a�b"
                assert (await told.say("go", first.session_id, idempotency_key="k1")).response == "got a�b"
                assert ("assistant", "got a�b") in await told.lines(first.session_id)
                again = await told.say("go", first.session_id, idempotency_key="k1")
                assert again.repeated
                assert json_bytes(list(again.trace_events))
                assert len(workshop.bodies) == 2

    asyncio.run(story())


def test_a_flow_that_asks_nothing_runs_once_for_the_message_its_session_begins_with(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop() as workshop,
            a_story(data_dir, "notes", {"a.abl": NOTES.format(url=workshop.url)}) as told,
        ):
            first = await told.say("milk")
            assert first.response == "written: milk"
            assert workshop.bodies == [{"text": "milk"}]
            assert (await told.say("eggs", first.session_id)).response == "written: eggs"
            assert workshop.bodies == [{"text": "milk"}, {"text": "eggs"}]
            assert len(set(workshop.keys)) == 2

    asyncio.run(story())
