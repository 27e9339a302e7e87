"""What may not wait: cancelling, resetting and ending while a turn runs, its deadline, and a full mailbox."""

from __future__ import annotations

import asyncio

import pytest

from actors.runtime import ChatTurn, NewSession, StreamEvent
from actors.settings import ModelProvider
from domain.errors import Conflict, QueueFull, Unavailable
from domain.limits import SESSION_QUEUE_TURNS
from domain.request_keys import owned_key, owner_of_key
from tests.support.stories import Story, Workshop, a_story, a_workshop

WORKER = """\
AGENT: Worker
GOAL: "Work"

TOOLS:
  work(order: string) -> {{done: boolean}}
    description: "Works"
    side_effects: true
    type: http
    endpoint: "{url}"
    method: POST

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    RESPOND: "Yes?"
    ON_INPUT:
      - IF: input == "work"
        RESPOND: "One moment."
        THEN: work
      - ELSE:
        RESPOND: "heard {{{{input}}}}"
        THEN: listen
  work:
    REASONING: false
    CALL: work("tea")
      AS: result
    ON_SUCCESS:
      RESPOND: "done"
      THEN: listen
    ON_FAILURE:
      RESPOND: "failed"
      THEN: listen
"""
TALKER = """\
AGENT: Talker
GOAL: "Talk"

EXECUTION:
  model: "scripted/long"
"""


WARNING = "I cannot tell whether work was done. Please check before you ask again."


def at_work(workshop: Workshop, *, changes: bool = True) -> dict[str, str]:
    text = WORKER if changes else WORKER.replace("side_effects: true", "side_effects: false")
    return {"a.abl": text.format(url=workshop.url)}


async def begun(workshop: Workshop) -> None:
    """Wait until the tool is called."""
    async with asyncio.timeout(60):
        await workshop.began.wait()


def test_a_cancelled_turn_ends_with_what_it_has_said_and_that_is_kept(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop(takes_s=30.0) as workshop, a_story(data_dir, "worker", at_work(workshop)) as told:
            runtime = told.running.runtime
            session = (await told.say("hello")).session_id
            asked = asyncio.create_task(told.say("work", session, idempotency_key="k1"))
            await begun(workshop)
            assert not await runtime.cancel_turn(told.ref(session), "another")
            assert await runtime.cancel_turn(told.ref(session), owned_key("turn", owner_of_key("", ""), "k1"))
            reply = await asked
            assert (reply.status, reply.response) == ("cancelled", f"One moment.\n\n{WARNING}")
            assert not await runtime.cancel_turn(told.ref(session))
            again = await told.say("work", session, idempotency_key="k1")
            assert again.repeated
            assert again.status == "cancelled"
            assert len(workshop.keys) == 1
            assert (await told.lines(session))[-1] == ("assistant", f"One moment.\n\n{WARNING}")
            page = await runtime.transcript(told.ref(session), limit=50)
            assert page.rows[-1]["interrupted"]
            workshop.takes_s = 0.0
            assert (await told.say("still there?", session)).status == "idle"

    asyncio.run(story())


def test_what_a_model_had_written_stays_when_it_is_interrupted(data_dir: str) -> None:
    async def story() -> None:
        rows = [{"text": "one two three four five six", "delta_chars": 4, "delta_delay_ms": 200}]
        provider = ModelProvider(name="scripted", kind="scripted", models=("long",), options={"rows": rows})
        more = {"providers": (provider,), "default_model": "scripted/long"}
        async with a_story(data_dir, "talker", {"a.abl": TALKER}, **more) as told:
            runtime = told.running.runtime
            session = (await runtime.create_session(a_new(told))).id
            turn = ChatTurn(tenant_id=told.tenant, project_id=told.project, message="talk", session_id=session)
            events: list[StreamEvent] = []
            async for event in runtime.stream(turn):
                events.append(event)
                if event.kind == "response_chunk" and len(events) > 4 and events[-2].kind == "response_chunk":
                    await runtime.cancel_turn(told.ref(session))
            shown = "".join(event.data["chunk"] for event in events if event.kind == "response_chunk")
            closing = next(event for event in events if event.kind == "response_end")
            assert "response_restart" not in {event.kind for event in events}
            assert closing.data["interrupted"]
            assert closing.data["fullText"] == shown
            assert events[-1].data["status"] == "cancelled"
            rest = [event async for event in runtime.resume(told.ref(session), events[1].seq)]
            assert rest == events[2:]

    asyncio.run(story())


def a_new(told: Story) -> NewSession:
    return NewSession(tenant_id=told.tenant, project_id=told.project, agent="Talker")


@pytest.mark.parametrize("how", ["reset", "end", "delete"])
def test_a_session_that_is_reset_ended_or_deleted_gives_up_its_running_turn_and_says_so(
    data_dir: str, how: str
) -> None:
    async def story() -> None:
        async with a_workshop(takes_s=30.0) as workshop, a_story(data_dir, "worker", at_work(workshop)) as told:
            runtime = told.running.runtime
            session = (await told.say("hello")).session_id
            running = asyncio.create_task(told.say("work", session))
            await begun(workshop)
            waiting = asyncio.create_task(told.say("next", session))
            await asyncio.sleep(0)
            if how == "delete":
                await runtime.delete_session(told.ref(session))
            else:
                view = await (runtime.reset_session if how == "reset" else runtime.end_session)(told.ref(session))
                assert view.status == ("active" if how == "reset" else "ended")
            reason = "SESSION_RESET" if how == "reset" else "SESSION_ENDED"
            why = "The session was reset" if how == "reset" else "Session has ended"
            with pytest.raises(Conflict, match=why) as ended:
                await running
            said = f"One moment.\n\n{WARNING}"
            assert ended.value.details == {"reason": reason, "begun": True, "response": said}
            with pytest.raises(Conflict) as refused:
                await waiting
            assert refused.value.details["reason"] == reason
            if how == "reset":
                assert (await told.say("hi", session)).response == "Yes?"
            elif how == "end":
                with pytest.raises(Conflict, match="Session has ended"):
                    await told.say("hi", session)
                assert (await runtime.reset_session(told.ref(session))).status == "active"

    asyncio.run(story())


def test_a_turn_that_takes_too_long_is_given_up_and_may_be_asked_again(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop(takes_s=30.0) as workshop,
            a_story(data_dir, "worker", at_work(workshop, changes=False)) as told,
        ):
            session = (await told.say("hello")).session_id
            with pytest.raises(Unavailable, match="Turn timed out"):
                await told.say("work", session, idempotency_key="k1", deadline_s=0.3)
            workshop.takes_s = 0.0
            again = await told.say("work", session, idempotency_key="k1")
            assert not again.repeated
            assert "done" in again.response

    asyncio.run(story())


def test_a_turn_that_takes_too_long_after_it_may_have_changed_the_world_is_never_run_again(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop(takes_s=30.0) as workshop, a_story(data_dir, "worker", at_work(workshop)) as told:
            session = (await told.say("hello")).session_id
            for _ in range(2):
                with pytest.raises(Unavailable, match="Turn timed out"):
                    await told.say("work", session, idempotency_key="k1", deadline_s=0.3)
            assert len(workshop.keys) == 1
            assert (await told.lines(session))[-1] == ("assistant", f"One moment.\n\n{WARNING}")
            workshop.takes_s = 0.0
            assert "done" in (await told.say("work", session, idempotency_key="k2")).response

    asyncio.run(story())


def test_a_full_mailbox_says_when_to_come_again(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop(takes_s=1.0) as workshop, a_story(data_dir, "worker", at_work(workshop)) as told:
            session = (await told.say("hello")).session_id
            running = asyncio.create_task(told.say("work", session))
            await begun(workshop)
            asked = [asyncio.create_task(told.say(f"n{n}", session)) for n in range(SESSION_QUEUE_TURNS + 20)]
            answers = await asyncio.gather(*asked, return_exceptions=True)
            refused = [one for one in answers if isinstance(one, QueueFull)]
            assert len(refused) == 20
            assert all(one.retry_after_ms > 0 and one.message == "Execution queue full" for one in refused)
            heard = [one.response.partition("\n")[0] for one in answers if not isinstance(one, BaseException)]
            assert heard == [f"heard n{n}" for n in range(SESSION_QUEUE_TURNS)]
            assert "done" in (await running).response

    asyncio.run(story())


def test_an_agent_that_needs_a_model_says_that_none_is_configured(data_dir: str) -> None:
    async def story() -> None:
        thinker = 'AGENT: Thinker\nGOAL: "Think"\n'
        async with a_story(data_dir, "thinker", {"a.abl": thinker}) as told:
            with pytest.raises(Unavailable, match="Runtime not configured"):
                await told.say("why is the sky blue?", idempotency_key="k1")
            with pytest.raises(Unavailable, match="Runtime not configured"):
                await told.say("why is the sky blue?", idempotency_key="k1")

    asyncio.run(story())


def test_a_button_is_an_action_of_the_agent(data_dir: str) -> None:
    async def story() -> None:
        files = {"a.abl": BUTTON}
        async with a_story(data_dir, "button", files) as told:
            session = (await told.say("hello")).session_id
            action = {"actionId": "rate", "value": "5", "formData": {"why": "fast"}, "renderId": "r1"}
            reply = await told.say("", session, action=action)
            assert reply.response == "You gave 5 because fast."

    asyncio.run(story())


BUTTON = """\
AGENT: Rating
GOAL: "Ask for a rating"

MEMORY:
  session:
    - NAME: rating
      INITIAL: ""

ACTION_HANDLERS:
  rate:
    SET: rating = _action.value
    RESPOND: "You gave {{rating}} because {{_action.formData.why}}."

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "Rate us."
          ACTIONS:
            RENDER_ID: r1
            SUBMIT_ID: rate
            - BUTTON: "Five" -> rate
              VALUE: "5"
            - INPUT: "Why"
              ID: why
        THEN: listen
"""
