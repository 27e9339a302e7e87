"""Sessions that wait for the outside: a callback, a person, a time; across restarts, and each answer taken once."""

from __future__ import annotations

import asyncio
import hashlib
import hmac

import msgspec
import pytest

from actors.deliveries import CallbackDelivery
from actors.runtime import TraceFilter
from domain.errors import Conflict, InvalidInput, NotFound
from tests.support.stories import Story, a_story, a_workshop, eventually

COURIER = """\
AGENT: Courier
GOAL: "Send a parcel"

TOOLS:
  send(order: string) -> {{number: string}}
    description: "Sends; the number comes later"
    type: async_webhook
    endpoint: "{url}"
    method: POST
    timeout_seconds: 3600

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "wait"
        THEN: send
      - ELSE:
        RESPOND: "heard {{{{input}}}}"
        THEN: listen

  send:
    REASONING: false
    CALL: send("tea")
      AS: sent
    ON_SUCCESS:
      RESPOND: "it has the number {{{{sent.number}}}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "no number came"
      THEN: listen
"""
DESK = """\
AGENT: Desk
GOAL: "Help"

ESCALATE:
  triggers:
    - WHEN: input CONTAINS "lawyer"
      REASON: "Mentions a lawyer"
      PRIORITY: 1
      TAGS: [legal]
  context_for_human:
    - "Said: {{input}}"
  on_human_complete:
    - IF: resolution == "resolved"
      COMPLETE
    - IF true: CONTINUE

COMPLETE:
  - WHEN: resolution == "resolved"
    RESPOND: "A colleague has settled it: {{verdict}}."

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "heard {{input}}"
        THEN: listen
"""
APPROVER = """\
AGENT: Approver
GOAL: "Have it approved"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: approve
  approve:
    REASONING: false
    HUMAN_APPROVAL:
      PROMPT: "May this go out?"
      TIMEOUT: 3600
      ON_APPROVE: yes_step
      ON_REJECT: no_step
      ON_TIMEOUT: late_step
  yes_step:
    REASONING: false
    RESPOND: "It was approved."
    THEN: listen
  no_step:
    REASONING: false
    RESPOND: "It was refused."
    THEN: listen
  late_step:
    REASONING: false
    RESPOND: "Nobody decided."
    THEN: listen
"""
PHOTO = """\
AGENT: Photo
GOAL: "Get a photo"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: upload
  upload:
    REASONING: false
    AWAIT_ATTACHMENT:
      NAME: photo
      PROMPT: "Send the photo."
      CATEGORY: image
      TIMEOUT: 600
      ON_TIMEOUT: late
    THEN: late
  late:
    REASONING: false
    RESPOND: "No photo came."
    THEN: listen
"""


def signed(secret: str, callback_id: str, body: dict[str, object]) -> CallbackDelivery:
    raw = msgspec.json.encode(body)
    digest = hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
    return CallbackDelivery(callback_id=callback_id, raw=raw, body=body, signature=f"sha256={digest}")


async def said(told: Story, session: str, text: str) -> None:
    """Wait until the session says something."""

    async def has_said() -> bool:
        return any(text in line for role, line in await told.lines(session) if role == "assistant")

    await eventually(has_said)


async def make_due(told: Story, kind: str) -> None:
    """Move the time of work that waits before the clock of the store."""
    assert await told.run("UPDATE jobs SET due_at = now() WHERE kind = :kind", kind=kind)


async def expired(told: Story, session: str, text: str) -> None:
    """Let the time of every callback run out until the session says so."""

    async def has_said() -> bool:
        if await told.run("UPDATE callbacks SET expires_at = now() WHERE status = 'pending' AND :all", all=True):
            await told.run("UPDATE jobs SET due_at = now() WHERE kind = :kind", kind="callback.expire")
        return any(text in line for _, line in await told.lines(session))

    await eventually(has_said)


def test_a_callback_that_is_delivered_twice_resumes_the_session_once(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop() as workshop,
            a_story(data_dir, "courier", {"a.abl": COURIER.format(url=workshop.url)}) as told,
        ):
            runtime = told.running.runtime
            reply = await told.say("wait")
            session = reply.session_id
            assert reply.action["type"] == "suspend"
            assert reply.status == "suspended"
            head = workshop.headers[0]
            callback_id, secret = head["X-ABL-Callback-Id"], head["X-ABL-Callback-Secret"]
            assert reply.action["callbackId"] == callback_id
            assert workshop.bodies[0]["callbackUrl"] == head["X-ABL-Callback-Url"]
            assert head["X-ABL-Callback-Expires"] == reply.action["expiresAt"]
            detail = (await runtime.session(told.ref(session))).detail
            assert detail["suspension"]["callbackId"] == callback_id
            wrong = CallbackDelivery(callback_id=callback_id, raw=b"{}", body={}, signature="sha256=00")
            assert await runtime.deliver_callback(wrong) == "invalid_signature"
            delivery = signed(secret, callback_id, {"number": "P-7"})
            results = await asyncio.gather(*(runtime.deliver_callback(delivery) for _ in range(2)))
            assert sorted(results) == ["accepted", "already_processed"]
            await said(told, session, "it has the number P-7")
            assert (await told.say("hello", session)).response == "heard hello"
            texts = [line for _, line in await told.lines(session)]
            assert len([line for line in texts if "P-7" in line]) == 1
            assert (await runtime.session(told.ref(session))).detail["suspension"] is None

    asyncio.run(story())


def test_a_delivery_that_was_taken_survives_a_restart_before_the_session_went_on(data_dir: str) -> None:
    async def story() -> None:
        async with a_workshop() as workshop:
            files = {"a.abl": COURIER.format(url=workshop.url)}
            async with a_story(data_dir, "restarted", files) as told:
                session = (await told.say("wait")).session_id
                callback_id = workshop.headers[-1]["X-ABL-Callback-Id"]
                payload = {"callback_id": callback_id, "session_id": session}
                await told.run(  # the claim and its job are one transaction; the process dies right after it
                    """
                    WITH claimed AS (
                        UPDATE callbacks SET status = 'processed', closed_at = now(), payload = :payload
                        WHERE tenant_id = :tenant AND callback_id = :callback_id
                    )
                    INSERT INTO jobs (tenant_id, kind, name, payload, due_at)
                    VALUES (:tenant, 'callback.resume', :callback_id, :work, now() + interval '1 hour')
                    """,
                    payload=b'{"number": "P-8"}',
                    tenant=told.tenant,
                    callback_id=callback_id,
                    work=payload,
                )
            async with a_story(data_dir, "restarted", files) as told:
                assert await told.run("UPDATE jobs SET due_at = now() WHERE kind = :kind", kind="callback.resume")
                await said(told, session, "it has the number P-8")

    asyncio.run(story())


@pytest.mark.parametrize("restart", [False, True], ids=["at-once", "after-a-restart"])
def test_a_callback_that_never_comes_expires(data_dir: str, restart: bool) -> None:
    async def story() -> None:
        async with a_workshop() as workshop:
            files = {"a.abl": COURIER.format(url=workshop.url)}
            async with a_story(data_dir, "late", files) as told:
                session = (await told.say("wait")).session_id
                head = workshop.headers[-1]
                if not restart:
                    await expired(told, session, "no number came")
            if restart:
                async with a_story(data_dir, "late", files) as told:
                    await expired(told, session, "no number came")
            async with a_story(data_dir, "late", files) as told:
                delivery = signed(head["X-ABL-Callback-Secret"], head["X-ABL-Callback-Id"], {"number": "P-9"})
                assert await told.running.runtime.deliver_callback(delivery) == "expired"
                assert len(await told.lines(session)) == 3  # what was said, that it waits, that nothing came

    asyncio.run(story())


def test_a_reset_cancels_what_the_session_waited_for(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop() as workshop,
            a_story(data_dir, "reset", {"a.abl": COURIER.format(url=workshop.url)}) as told,
        ):
            session = (await told.say("wait")).session_id
            head = workshop.headers[-1]
            await told.running.runtime.reset_session(told.ref(session))
            delivery = signed(head["X-ABL-Callback-Secret"], head["X-ABL-Callback-Id"], {"number": "P-1"})
            assert await told.running.runtime.deliver_callback(delivery) == "expired"
            assert (await told.say("hello", session)).response == "heard hello"
            page = await told.running.runtime.traces(told.ref(session), TraceFilter(event_types=("state_change",)))
            mark = next(row for row in page.rows if row["data"]["key"] == "session.reset")
            assert (mark["data"]["scope"], mark["data"]["source"]) == ("runtime", "reset")

    asyncio.run(story())


def test_an_escalation_is_a_task_that_a_person_resolves_once(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "desk", {"a.abl": DESK}) as told:
            runtime = told.running.runtime
            reply = await told.say("I call my lawyer")
            session = reply.session_id
            assert reply.action["type"] == "escalate"
            (task,) = await told.tasks(session)
            assert (task.type, task.priority, task.status) == ("escalation", "critical", "pending")
            assert (task.title, task.tags) == ("Mentions a lawyer", ("legal",))
            assert task.context == {"Said: {{input}}": "Said: I call my lawyer"}
            assert task.due_at is not None
            assert reply.action["taskId"] == task.task_id
            assert (await runtime.session(told.ref(session))).detail["suspension"]["taskId"] == task.task_id
            with pytest.raises(InvalidInput):
                await told.resolve(task.task_id, "maybe")
            with pytest.raises(NotFound):
                await told.resolve("ht_none", "resolved")
            both = (told.resolve(task.task_id, "resolved", verdict="refund") for _ in range(2))
            assert [one.status for one in await asyncio.gather(*both)] == ["completed"] * 2, "the same, said twice"
            with pytest.raises(Conflict):
                await told.resolve(task.task_id, "resolved", verdict="nothing")
            await said(told, session, "A colleague has settled it: refund.")
            texts = [line for _, line in await told.lines(session)]
            assert len([line for line in texts if "settled" in line]) == 1

            async def nothing_waits() -> bool:  # a wait is closed once the turn that ends it is stored
                pending = "SELECT 1 FROM callbacks WHERE session_id = :session AND status = 'pending'"
                return not await told.rows(pending, session=session)

            await eventually(nothing_waits)

    asyncio.run(story())


@pytest.mark.parametrize(("decision", "text"), [("approved", "It was approved."), ("rejected", "It was refused.")])
def test_an_approval_goes_where_the_decision_leads_also_after_a_restart(
    data_dir: str, decision: str, text: str
) -> None:
    async def story() -> None:
        async with a_story(data_dir, "approver", {"a.abl": APPROVER}) as told:
            session = (await told.say("please")).session_id
        async with a_story(data_dir, "approver", {"a.abl": APPROVER}) as told:
            (task,) = await told.tasks(session)
            assert (await told.resolve(task.task_id, decision)).status == "completed"
            await said(told, session, text)

    asyncio.run(story())


def test_a_task_that_nobody_decides_expires_with_its_suspension(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "approver", {"a.abl": APPROVER}) as told:
            session = (await told.say("please")).session_id
            await expired(told, session, "Nobody decided.")
            (task,) = await told.tasks(session)
            assert task.status == "expired"
            with pytest.raises(Conflict):
                await told.resolve(task.task_id, "approved")

    asyncio.run(story())


@pytest.mark.parametrize("restart", [False, True], ids=["at-once", "after-a-restart"])
def test_a_timer_fires_between_turns(data_dir: str, restart: bool) -> None:
    async def story() -> None:
        async with a_story(data_dir, "photo", {"a.abl": PHOTO}) as told:
            reply = await told.say("here")
            session = reply.session_id
            assert reply.response == "Send the photo."
            if not restart:
                await make_due(told, "session.timer")
                await said(told, session, "No photo came.")
        if restart:
            async with a_story(data_dir, "photo", {"a.abl": PHOTO}) as told:
                await make_due(told, "session.timer")
                await said(told, session, "No photo came.")

                async def is_finished() -> bool:
                    return not await told.rows("SELECT 1 FROM jobs WHERE kind = :kind", kind="session.timer")

                await eventually(is_finished)

    asyncio.run(story())
