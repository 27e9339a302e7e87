"""Work that others do for a session ends with the wait for it, and what they had begun is told: never done twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from actors.archive import StoredArchive
from actors.runtime import SessionRef, TurnReply
from domain.errors import Conflict, Unavailable
from tests.flows.test_handoff import FRONT as FRONT_OF_OFFICE
from tests.flows.test_handoff import SPECIALIST
from tests.support.stories import Story, Workshop, a_story, a_workshop, eventually

CLERK = """\
AGENT: {name}
GOAL: "Pay twice"

TOOLS:
  pay(order: string) -> {{done: boolean}}
    description: "Pays"
    side_effects: {changes}
    type: http
    endpoint: "{url}"
    method: POST

MEMORY:
  session:
    - receipt

FLOW:
  entry_point: first
  first:
    REASONING: false
    CALL: pay("first")
      AS: a
    ON_SUCCESS:
      THEN: second
    ON_FAILURE:
      THEN: COMPLETE
  second:
    REASONING: false
    CALL: pay("second")
      AS: b
    ON_SUCCESS:
      SET: receipt = "paid"
      THEN: COMPLETE
    ON_FAILURE:
      THEN: COMPLETE
"""
MANAGER = """\
AGENT: Manager
GOAL: "Have orders paid"

MEMORY:
  session:
    - order
    - receipt

HOOKS:
  before_turn:
    SET: order = input

DELEGATE:
{delegates}

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "step"
        DELEGATE: Clerk
        THEN: answer
      - ELSE:
        THEN: answer
  answer:
    REASONING: false
    RESPOND: "noted {{{{receipt}}}}"
    THEN: listen
"""
TO = """\
  - AGENT: {agent}
    WHEN: order == "{when}"
    INPUT: {{order: order}}
    RETURNS: {{receipt: receipt}}
    TIMEOUT: {timeout}s
    ON_FAILURE:
      type: retry
      count: 2
"""
MIDDLE = """\
AGENT: Middle
GOAL: "Pass on"

MEMORY:
  session:
    - receipt

DELEGATE:
  - AGENT: Clerk
    WHEN: receipt IS NOT SET
    RETURNS: {receipt: receipt}
    TIMEOUT: 60s

FLOW:
  entry_point: wait
  wait:
    REASONING: false
    RESPOND: "passed on"
"""
UNKNOWN = "I cannot tell whether {} was done. Please check before you ask again."
PAY_UNKNOWN = [("assistant", UNKNOWN.format("pay"))]
CHILDREN = """
    SELECT session_id, parent_session_id AS parent, agent_name AS agent, status FROM sessions
    WHERE tenant_id = :tenant AND project_id = :project ORDER BY created_at, session_id
"""


def clerk(url: str, name: str = "Clerk", *, changes: bool = True) -> str:
    return CLERK.format(name=name, url=url, changes=str(changes).lower())


def a_team(url: str, *, timeout: int = 60, changes: bool = True) -> dict[str, str]:
    """Return a manager, who gives work to one clerk (`one`, `step`), to two (`two`), or to one through another."""
    asks = (("Clerk", "one"), ("Clerk", "two"), ("Bursar", "two"), ("Middle", "through"))
    delegates = "".join(TO.format(agent=agent, when=when, timeout=timeout) for agent, when in asks)
    clerks = {"b.abl": clerk(url, changes=changes), "c.abl": clerk(url, "Bursar", changes=changes)}
    return {"a.abl": MANAGER.format(delegates=delegates), "m.abl": MIDDLE, **clerks}


async def sessions(told: Story) -> list[dict[str, Any]]:
    return await told.rows(CHILDREN, tenant=told.tenant, project=told.project)


async def given_up(told: Story, shop: Workshop, how: str, say: str, calls: int) -> tuple[str, TurnReply | None]:
    """Begin a turn, break it off when `calls` calls are under way; return the session and the reply, if it has one."""
    more = {"deadline_s": 2.0} if how == "deadline" else {}
    asked = asyncio.create_task(told.say(say, agent="Manager", idempotency_key="k1", **more))

    async def under_way() -> bool:
        return shop.under_way == calls

    if how != "deadline":
        await eventually(under_way)
    runtime = told.running.runtime
    session = next(one["session_id"] for one in await sessions(told) if not one["parent"]) if not more else ""
    match how:
        case "cancel":
            assert await runtime.cancel_turn(told.ref(session))
        case "reset":
            await runtime.reset_session(told.ref(session))
        case "end":
            await runtime.end_session(told.ref(session))
        case "delete":
            await runtime.delete_session(told.ref(session))
        case _:
            with pytest.raises(Unavailable, match="Turn timed out"):
                await asked
            return (await sessions(told))[0]["session_id"], None
    if how in ("reset", "end", "delete"):
        with pytest.raises(Conflict, match="The session was reset" if how == "reset" else "Session has ended"):
            await asked
        return session, None
    return session, await asked


@pytest.mark.parametrize(("say", "calls"), [("one", 1), ("step", 1), ("two", 2), ("through", 1)])
def test_children_give_up_with_their_parent_and_both_say_what_may_have_been_done(
    data_dir: str, say: str, calls: int
) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=30.0) as shop,
            a_story(data_dir, f"up-{say}", a_team(shop.url)) as told,
        ):
            session, reply = await given_up(told, shop, "cancel", say, calls)
            names = {"two": ("Clerk", "Bursar"), "through": ("Middle",)}.get(say, ("Clerk",))
            assert reply is not None
            assert reply.response == "\n\n".join(map(UNKNOWN.format, names))
            children = [one for one in await sessions(told) if one["parent"]]
            assert {one["status"] for one in children} == {"ended"}  # all have ended when the parent's turn has
            for child in children:
                said = [("assistant", UNKNOWN.format("Clerk"))]  # the sub-task goes before the flow, which was given up
                words = said if child["agent"] == "Middle" else PAY_UNKNOWN
                assert await told.lines(child["session_id"]) == words
            assert len(children) == (2 if say in ("two", "through") else 1)
            assert [one["order"] for one in shop.bodies] == ["first"] * calls
            assert await told.lines(session) == [("user", say), ("assistant", reply.response)]

    asyncio.run(story())


@pytest.mark.parametrize("how", ["reset", "end", "delete", "deadline"])
def test_whatever_gives_the_turn_up_gives_up_its_children(data_dir: str, how: str) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=30.0) as shop,
            a_story(data_dir, f"by-{how}", a_team(shop.url)) as told,
        ):
            session, reply = await given_up(told, shop, how, "one", 1)
            assert reply is None or reply.response == UNKNOWN.format("Clerk")
            children = [one["status"] for one in await sessions(told) if one["parent"]]
            assert children in ([], ["ended"]) if how in ("delete", "deadline") else children == ["ended"]
            assert len(shop.bodies) <= 1
            if how in ("end", "reset"):  # who waited is told so; what may have been done stands there too
                assert (await told.lines(session))[-1] == ("assistant", UNKNOWN.format("Clerk"))
            if how == "reset":
                assert (await told.say("hello", session)).response.startswith("noted")

    asyncio.run(story())


def test_a_sub_task_that_was_cut_off_is_not_given_out_again_when_it_can_change_something(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=30.0) as shop,
            a_story(data_dir, "cut-off", a_team(shop.url, timeout=1)) as told,
        ):
            reply = await told.say("one", agent="Manager")
            assert reply.response == UNKNOWN.format("Clerk") + "\n\nnoted "
            (event,) = [one["data"] for one in reply.trace_events if one["type"] == "delegate"]
            assert event["error"]["code"] == "outcome_unknown"
            assert [one["order"] for one in shop.bodies] == ["first"]
            (child,) = [one for one in await sessions(told) if one["parent"]]
            assert child["status"] == "ended"
            assert await told.lines(child["session_id"]) == PAY_UNKNOWN

    asyncio.run(story())


@pytest.mark.parametrize("say", ["one", "step"])
def test_one_that_can_change_nothing_is_given_out_again_as_its_rule_says(data_dir: str, say: str) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=30.0) as shop,
            a_story(data_dir, f"again-{say}", a_team(shop.url, timeout=1, changes=False)) as told,
        ):
            reply = await told.say(say, agent="Manager")
            codes = [one["data"]["error"]["code"] for one in reply.trace_events if one["type"] == "delegate"]
            assert codes == ["timeout"] * 3
            assert len(set(shop.keys)) == 3
            assert "cannot tell" not in reply.response

    asyncio.run(story())


@pytest.mark.parametrize("how", ["reset", "end", "expired"])
def test_work_that_a_session_waits_for_is_given_up_when_it_waits_no_more(data_dir: str, how: str) -> None:
    async def story() -> None:
        async with a_workshop(takes_s=30.0) as shop:
            office = {"a.abl": FRONT_OF_OFFICE, "s.abl": SPECIALIST, "b.abl": clerk(shop.url, "Backoffice")}
            async with a_story(data_dir, f"later-{how}", office) as told:
                session = (await told.say("do it later", agent="Front")).session_id
                await asyncio.wait_for(shop.began.wait(), 20)
                match how:
                    case "reset":
                        await told.running.runtime.reset_session(told.ref(session))
                    case "end":
                        await told.running.runtime.end_session(told.ref(session))
                    case _:
                        await told.run("UPDATE jobs SET due_at = clock_timestamp() WHERE kind = 'callback.expire'")

                async def has_ended() -> bool:
                    return [one["status"] for one in await sessions(told) if one["parent"]] == ["ended"]

                async def is_told() -> bool:
                    return ("assistant", UNKNOWN.format("Backoffice")) in await told.lines(session)

                async def is_dropped() -> bool:
                    left = "SELECT name FROM jobs WHERE kind = 'session.work' AND tenant_id = :tenant"
                    return not await told.rows(left, tenant=told.tenant)

                await eventually(has_ended)
                await eventually(is_dropped)
                if how == "expired":
                    await eventually(is_told)
                (child,) = [one for one in await sessions(told) if one["parent"]]
                assert await told.lines(child["session_id"]) == PAY_UNKNOWN
                assert [one["order"] for one in shop.bodies] == ["first"]

    asyncio.run(story())


def test_a_session_whose_deletion_is_asked_for_twice_is_gone_when_the_second_is_answered(
    data_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with a_workshop() as shop, a_story(data_dir, "deleted-twice", a_team(shop.url)) as told:
            session = (await told.say("one", agent="Manager")).session_id
            assert len(await sessions(told)) == 2
            runtime, listed = told.running.runtime, StoredArchive.children

            async def children(archive: StoredArchive, parent: SessionRef, limit: int) -> Sequence[SessionRef]:
                found = await listed(archive, parent, limit)
                monkeypatch.setattr(StoredArchive, "children", listed)
                for child in found:
                    await runtime.delete_session(child)  # as the first request does, that is still under way
                return found

            monkeypatch.setattr(StoredArchive, "children", children)
            await runtime.delete_session(told.ref(session))
            assert await sessions(told) == []

    asyncio.run(story())
