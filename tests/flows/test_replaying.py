"""Sessions of every kind fold again to the same effects and the same state: waits, children, code, resets, cancels."""

from __future__ import annotations

import asyncio

from actors.replaying import Replayer
from tests.flows.test_delegation import a_team
from tests.flows.test_handoff import TEAM
from tests.flows.test_memory import KEEPER
from tests.flows.test_tools import CODE, PYTHON
from tests.flows.test_urgent import at_work, begun
from tests.flows.test_waiting import APPROVER, COURIER, PHOTO, expired, make_due, said
from tests.support.stories import Story, a_story, a_workshop, eventually


async def approvals(data_dir: str) -> None:
    async with a_story(data_dir, "approver", {"a.abl": APPROVER}) as told:
        for decision in ("approved", "rejected"):
            session = (await told.say("please")).session_id
            (task,) = await told.tasks(session)
            await told.resolve(task.task_id, decision)
            await said(told, session, "It was")
        await expired(told, (await told.say("please")).session_id, "Nobody decided.")
    async with a_story(data_dir, "photo", {"a.abl": PHOTO}) as told:
        session = (await told.say("here")).session_id
        await make_due(told, "session.timer")
        await said(told, session, "No photo came.")


async def work(data_dir: str) -> None:
    async with a_workshop() as workshop:
        async with a_story(data_dir, "team", a_team(workshop.url)) as told:
            session = (await told.say("all", agent="Front")).session_id
            await told.say("ask", session)
        async with a_story(data_dir, "courier", {"a.abl": COURIER.format(url=workshop.url)}) as told:
            session = (await told.say("wait")).session_id
            await told.say("any news?", session)
            await told.running.runtime.reset_session(told.ref(session))
            await told.say("hello", session)
            await told.running.runtime.end_session(told.ref(session))
    async with a_workshop(takes_s=30.0) as workshop, a_story(data_dir, "worker", at_work(workshop)) as told:
        asked = asyncio.create_task(told.say("work"))
        await begun(workshop)
        rows = await told.rows("SELECT session_id FROM sessions WHERE project_id = :project", project=told.project)
        await told.running.runtime.cancel_turn(told.ref(rows[0]["session_id"]))
        await asked


async def handoffs(data_dir: str) -> None:
    async with a_story(data_dir, "handoffs", TEAM) as told:
        session = (await told.say("something special", agent="Front")).session_id
        await told.say("two pounds", session)
        later = (await told.say("that can come later", agent="Front")).session_id

        async def has_returned() -> bool:
            return any("Back with you" in line for _, line in await told.lines(later))

        await eventually(has_returned)
    files = {"a.abl": CODE.format(runtime="python", code=PYTHON)}
    async with a_story(data_dir, "coder", files) as told:
        await told.say("tea", (await told.say("tea")).session_id)
    async with a_story(data_dir, "keeper", {"a.abl": KEEPER}) as told:
        await told.say("?", (await told.say("this is mine", user_id="usr_1")).session_id)


async def differences(told: Story) -> tuple[int, list[str]]:
    replayer = Replayer(told.running.database)
    replayed = [await replayer.replay(*names) for names in await replayer.sessions()]
    return len(replayed), [f"{one.session_id}: {one.difference}" for one in replayed if one.difference]


def test_every_session_folds_again_to_what_is_stored(data_dir: str) -> None:
    async def story() -> None:
        await approvals(data_dir)
        await work(data_dir)
        await handoffs(data_dir)
        async with a_story(data_dir, "keeper", {"a.abl": KEEPER}) as told:
            count, different = await differences(told)
            assert count >= 16
            assert different == []

    asyncio.run(story())
