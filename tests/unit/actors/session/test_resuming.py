"""What comes from outside to a session that waits: once, and only while it waits."""

import asyncio

import msgspec
import pytest

from actors.messages import CallbackReady, Done, HostAnswer, Replied, SuspensionDue, TaskClosed, TimerDue
from actors.session.body import SessionBody
from actors.session.driver import Performer
from actors.session.resuming import human_fields, is_quiet
from actors.session.waits import open_task, open_wait
from engine import AnyEffect, AnyFact, OpenTask, StartTimer, Suspend
from tests.support.sessions import SESSION, TENANT, MemoryStore, a_turn, some_services

DESK = """\
AGENT: Desk
GOAL: "Help"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "photo"
        THEN: upload
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
  upload:
    REASONING: false
    AWAIT_ATTACHMENT:
      NAME: photo
      PROMPT: "Send the photo."
      CATEGORY: image
      TIMEOUT: 600
      ON_TIMEOUT: late_step
    THEN: late_step
  yes_step:
    REASONING: false
    RESPOND: "approved"
    THEN: listen
  no_step:
    REASONING: false
    RESPOND: "refused"
    THEN: listen
  late_step:
    REASONING: false
    RESPOND: "late"
    THEN: listen
"""


class Waits:
    """Performs only what sets up a wait. Satisfies `Performer`."""

    def __init__(self) -> None:
        self.order: list[str] = []

    async def perform(self, effect: AnyEffect, live, output) -> AnyFact | None:
        match effect:
            case Suspend():
                await open_wait(live, output, effect.id, effect.agent, effect.subject, effect.expires_s)
            case OpenTask():
                await open_task(live, output, effect)
            case StartTimer():
                await live.store.start_timer(live.pin, live.epoch, effect.id, effect.delay_ms / 1_000)
        self.order.append(type(effect).__name__)
        return None


def a_desk(store: MemoryStore, performer: Performer | None = None) -> SessionBody:
    return SessionBody(TENANT, SESSION, some_services(store, performer or Waits(), DESK))


def text(answer: HostAnswer) -> str:
    assert isinstance(answer, Replied), answer
    return answer.reply.response


async def waiting(store: MemoryStore) -> str:
    """Return the id of the suspension a new session waits for."""
    answer = await a_desk(store).handle(a_turn("please", "k1"), None)
    assert isinstance(answer, Replied)
    assert answer.reply.status == "suspended"
    (suspension_id,) = store.opened
    assert answer.reply.action["taskId"] == f"ht_{suspension_id}"
    assert answer.reply.action["callbackId"] == f"cb_{suspension_id}"
    assert answer.reply.action["expiresAt"]
    return suspension_id


@pytest.mark.parametrize(("decision", "said"), [("approved", "approved"), ("rejected", "refused")])
def test_a_decision_goes_on_once(decision: str, said: str) -> None:
    async def story() -> None:
        store = MemoryStore()
        suspension_id = await waiting(store)
        store.resolved[f"ht_{suspension_id}"] = {"decision": decision, "respondedBy": "usr_1"}
        message = TaskClosed(tenant_id=TENANT, session_id=SESSION, task_id=f"ht_{suspension_id}")
        assert said in text(await a_desk(store).handle(message, None))
        assert store.closed[-1] == (suspension_id, False)
        journal = len(store.journals[SESSION])
        assert isinstance(await a_desk(store).handle(message, None), Done)
        assert len(store.journals[SESSION]) == journal, "an answer that nobody waits for is not written down"

    asyncio.run(story())


def test_a_suspension_whose_time_is_over_goes_on_as_late() -> None:
    async def story() -> None:
        store = MemoryStore()
        suspension_id = await waiting(store)
        due = SuspensionDue(tenant_id=TENANT, session_id=SESSION, callback_id=f"cb_{suspension_id}")
        assert isinstance(await a_desk(store).handle(due, None), Done), "it has not expired"
        store.expired.add(f"cb_{suspension_id}")
        assert "late" in text(await a_desk(store).handle(due, None))
        assert store.closed[-1] == (suspension_id, True)

    asyncio.run(story())


def test_an_answer_from_before_a_reset_is_not_taken() -> None:
    async def story() -> None:
        store = MemoryStore()
        suspension_id = await waiting(store)
        pin = store.pins[SESSION]
        ready = CallbackReady(tenant_id=TENANT, session_id=SESSION, callback_id=f"cb_{suspension_id}")
        body = a_desk(store)
        original = store.callback

        async def from_before(callback_id: str):
            found = await original(callback_id)
            return msgspec.structs.replace(found, runtime_session_id="another")

        store.callback = from_before  # type: ignore[method-assign]
        assert isinstance(await body.handle(ready, None), Done)
        assert pin.runtime_session_id != "another"

    asyncio.run(story())


def test_a_timer_between_turns_is_asked_for_durably_and_fires_only_for_its_wait() -> None:
    async def story() -> None:
        store = MemoryStore()
        await a_desk(store).handle(a_turn("photo", "k1"), None)
        ((effect_id, delay_s),) = store.timers
        assert delay_s == 600.0
        runtime_id = store.pins[SESSION].runtime_session_id
        due = TimerDue(tenant_id=TENANT, session_id=SESSION, runtime_session_id=runtime_id, effect_id=effect_id)
        stale = msgspec.structs.replace(due, runtime_session_id="another")
        assert isinstance(await a_desk(store).handle(stale, None), Done)
        assert "late" in text(await a_desk(store).handle(due, None))
        assert isinstance(await a_desk(store).handle(due, None), Done)

    asyncio.run(story())


def test_what_outlives_a_turn_is_set_up_after_its_record_is_durable_and_before_the_end_is() -> None:
    async def story() -> None:
        store, waits = MemoryStore(), Waits()
        seen: list[tuple[list[str], bool]] = []

        async def look(end: object) -> None:
            seen.append((list(waits.order), end is not None))

        store.before_append = look
        await a_desk(store, waits).handle(a_turn("please", "k1"), None)
        assert seen[0] == ([], False)
        assert seen[-1] == (["Suspend", "OpenTask"], True)

    asyncio.run(story())


def test_a_host_that_died_before_the_task_was_opened_leaves_it_to_the_next_one() -> None:
    async def story() -> None:
        store = MemoryStore()

        class Dies(Waits):
            async def perform(self, effect: AnyEffect, live, output) -> AnyFact | None:
                raise RuntimeError("the host dies here")

        with pytest.raises(RuntimeError):
            await a_desk(store, Dies()).handle(a_turn("please", "k1"), None)
        assert not store.commits
        answer = await a_desk(store).handle(a_turn("please", "k1"), None)
        assert isinstance(answer, Replied)
        assert answer.reply.repeated
        assert answer.reply.status == "suspended"
        assert len(store.opened) == 1
        assert len(store.commits) == 1

    asyncio.run(story())


def test_the_fields_of_a_decision_are_state_under_their_names_and_under_human() -> None:
    found = human_fields({"decision": "approved", "respondedBy": "usr_1", "notes": "ok", "fields": {"limit": 5}})
    assert (found["limit"], found["resolution"]) == (5, "approved")
    assert found["human"]["approved"] is True
    assert found["human"]["respondedBy"] == "usr_1"


def test_a_session_that_waits_is_not_quiet() -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_desk(store)
        await body.handle(a_turn("please", "k1"), None)
        assert body.live is not None
        assert not is_quiet(body.live, "2099-01-01T00:00:00.000Z")

    asyncio.run(story())
