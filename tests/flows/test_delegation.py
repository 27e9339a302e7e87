"""Work that one agent gives to others: each child is a session of its own, found again whatever happens to the parent."""

from __future__ import annotations

import asyncio
import os
import signal

from actors.hosts.process import ChildHosts
from actors.session.records import decode_record
from engine import SessionBegun
from storage.journal import Journal
from tests.support.placement import written_by
from tests.support.stories import Story, a_story, a_workshop, eventually

CLERK = """\
AGENT: {name}
GOAL: "Do the work"

TOOLS:
  work(order: string) -> {{done: boolean}}
    description: "Works"
    side_effects: false
    type: http
    endpoint: "{url}"
    method: POST

FLOW:
  entry_point: work

  work:
    REASONING: false
    CALL: work(order)
      AS: result
    ON_SUCCESS:
      SET: answer = "{name} did {{{{order}}}}"
      RESPOND: "done"
      THEN: COMPLETE
    ON_FAILURE:
      RESPOND: "failed"
      THEN: COMPLETE
"""
ASKER = """\
AGENT: Asker
GOAL: "Ask the user"

FLOW:
  entry_point: ask

  ask:
    REASONING: false
    GATHER:
      - name: colour
        prompt: "Which colour?"
        type: string
        required: true
    THEN: COMPLETE
"""
FRONT = """\
AGENT: Front
GOAL: "Have the work done"

MEMORY:
  session:
    - NAME: wanted
      INITIAL: ""
    - NAME: order
      INITIAL: "tea"

DELEGATE:
{delegates}

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET: wanted = input
        RESPOND: "noted {{{{wanted}}}}"
        THEN: listen
"""
ONE = """\
  - AGENT: {name}
    WHEN: input == "{when}"
    INPUT: {{order: order}}
    RETURNS: {{answer: answer_{name}}}
    TIMEOUT: {timeout}s
    ON_FAILURE: RESPOND "{name} failed"
"""
NAMES = ("Anna", "Bert", "Cleo", "Dora")


def a_team(url: str, *, when: str = "all", timeout: int = 20) -> dict[str, str]:
    """Return a front agent and four clerks, and one who asks questions."""
    delegates = "".join(ONE.format(name=name, when=when, timeout=timeout) for name in NAMES)
    delegates += ONE.format(name="Asker", when="ask", timeout=timeout)
    files = {f"{name}.abl": CLERK.format(name=name, url=url) for name in NAMES}
    return {**files, "asker.abl": ASKER, "front.abl": FRONT.format(delegates=delegates)}


async def children_of(story: Story, session: str) -> list[dict[str, object]]:
    return await story.rows(
        "SELECT * FROM sessions WHERE tenant_id = :tenant AND parent_session_id = :session ORDER BY session_id",
        tenant=story.tenant,
        session=session,
    )


def test_four_children_work_at_the_same_time_each_in_a_session_with_a_journal(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop(together=4) as workshop, a_story(data_dir, "four", a_team(workshop.url)) as told:
            reply = await told.say("all", agent="Front")
            events = [one["data"] for one in reply.trace_events if one["type"] == "delegate"]
            assert [one["toAgent"] for one in events] == list(NAMES)
            assert all(one["success"] for one in events), events
            assert len({one["parallelGroup"] for one in events}) == 1
            assert workshop.most == 4
            assert len(set(workshop.keys)) == 4
            children = await children_of(told, reply.session_id)
            assert {one["agent_name"] for one in children} == set(NAMES)
            assert {(one["status"], one["transport"]) for one in children} == {("ended", "internal")}
            journal = Journal(told.running.database)
            for child in children:
                records = await journal.read(told.tenant, str(child["session_id"]))
                first = decode_record(records[0][1]).fact
                assert isinstance(first, SessionBegun)
                assert first.agent == child["agent_name"]
                assert first.input["order"] == "tea"
            view = await told.running.runtime.session(told.ref(reply.session_id))
            assert view.detail["variables"]["answer_Cleo"] == "Cleo did tea"

    asyncio.run(story())


def test_a_child_that_is_too_slow_is_a_failure_and_is_cancelled(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=30.0) as workshop,
            a_story(data_dir, "slow", a_team(workshop.url, timeout=1)) as told,
        ):
            reply = await told.say("all", agent="Front")
            assert "Anna failed" in reply.response
            kinds = [one["data"]["error"]["code"] for one in reply.trace_events if one["type"] == "delegate"]
            assert kinds == ["timeout"] * 4
            children = await children_of(told, reply.session_id)

            async def all_have_ended() -> bool:
                return all(one["status"] == "ended" for one in await children_of(told, reply.session_id))

            assert len(children) == 4
            await eventually(all_have_ended)

    asyncio.run(story())


def test_a_child_that_needs_the_user_says_so_and_asks_nobody(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "asking", a_team("http://127.0.0.1:9/")) as told:
            reply = await told.say("ask", agent="Front")
            event = next(one["data"] for one in reply.trace_events if one["type"] == "delegate")
            assert event["error"]["code"] == "needs_input"
            assert "Which colour" not in reply.response
            assert "Asker failed" in reply.response

    asyncio.run(story())


def test_a_parent_that_died_between_question_and_answer_finds_the_same_children(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=2.0, together=4) as workshop,
            a_story(data_dir, "dying", a_team(workshop.url), runtime="process", hosts=2) as told,
        ):
            session = (await told.say("nothing", agent="Front")).session_id
            asked = asyncio.create_task(told.say("all", session, idempotency_key="k1"))

            async def four_are_asked() -> bool:
                return workshop.under_way == 4

            await eventually(four_are_asked)
            hosts = told.running.hosts
            assert isinstance(hosts, ChildHosts)
            host_id, _ = await written_by(told.running.database, told.tenant, session)
            pid = next(child.pid for child in hosts.children if child.host_id == host_id)
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            reply = await asked
            events = [one["data"] for one in reply.trace_events if one["type"] == "delegate"]
            assert [one["success"] for one in events] == [True] * 4
            children = await children_of(told, session)
            assert len(children) == 4
            assert len(set(workshop.keys)) == 4
            assert [role for role, _ in await told.lines(session)] == ["user", "assistant"] * 2

    asyncio.run(story())
