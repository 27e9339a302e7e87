"""What was acknowledged waits until it can be run, however long that takes. Decision: 0046."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from actors.intake import RETRY_MAX_S, TOLD_EVERY_TRIES, Intake
from actors.messages import TURN_TAKEN_BACK, CancelTurn, Done, Failed, HostAnswer, RunTurn, encode
from actors.router import WORKER_LOST
from actors.runtime import ChatTurn, StreamEvent, StreamKind
from actors.session.stream import Listener
from actors.turn_stream import turn_events
from domain.errors import Conflict, Unavailable
from storage.repositories.accepted import AcceptedMessage, AcceptedMessages, Put, name_of

pytestmark = pytest.mark.anyio


class Accepted:
    """Messages that are never claimed; notes what becomes of them."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.left: list[float] = []
        self.removed = 0

    async def read(self, one: AcceptedMessage) -> bytes:
        return self.raw

    async def leave(self, name: Any, delay_s: float) -> None:
        self.left.append(delay_s)

    async def remove(self, name: Any) -> None:
        self.removed += 1


class Away:
    """No host answers."""

    async def ask(self, message: Any, listener: Any = None) -> Any:
        raise Unavailable("No host")


@pytest.mark.parametrize("readable", [True, False])
async def test_a_message_that_nobody_can_run_is_never_given_up(
    readable: bool, caplog: pytest.LogCaptureFixture
) -> None:
    turn = ChatTurn(tenant_id="t", project_id="p", session_id="s", message="hello", idempotency_key="k")
    accepted = Accepted(encode(RunTurn(turn=turn)) if readable else b"\xc1 of a newer version")
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", Away()))
    for tries in range(1, 10 * TOLD_EVERY_TRIES + 1):
        one = AcceptedMessage((b"s", 1), 1, "t", "s", b"", tries)
        assert not await intake._run(one), "those behind it wait"
    assert accepted.removed == 0
    assert len(accepted.left) == 10 * TOLD_EVERY_TRIES
    assert max(accepted.left) == accepted.left[-1] == RETRY_MAX_S
    assert len([one for one in caplog.records if one.levelname == "ERROR"]) == 10


class Taking(Accepted):
    """Takes messages in; nothing of them is refused or removed unless a test says so."""

    def __init__(self) -> None:
        super().__init__(b"")
        self.refused = self.put_times = 0
        self.is_there = False

    async def is_known(self, *_named: Any) -> bool:
        return self.is_there

    async def put(self, *_named: Any) -> Put:
        self.put_times += 1
        return Put(is_new=True, runtime_session_id="")

    async def refuse(self, *_named: Any) -> None:
        self.refused += 1


class Asked:
    """A router that notes what it is asked; unless told so it says of each cancellation that the turn was waiting."""

    def __init__(self, answer: HostAnswer | None = None) -> None:
        self.asked: list[str] = []
        self.answer = answer or Done(note=TURN_TAKEN_BACK)
        self.was_asked, self.may_answer = asyncio.Event(), asyncio.Event()
        self.may_answer.set()

    async def ask(self, message: Any, listener: Any = None) -> HostAnswer:
        self.asked.append(type(message).__name__)
        self.was_asked.set()
        await self.may_answer.wait()
        return self.answer


CANCEL = CancelTurn(tenant_id="t", project_id="p", session_id="s", message_id="k")


async def test_a_message_that_its_host_was_not_sent_yet_is_taken_back_and_never_sent() -> None:
    turn = ChatTurn(tenant_id="t", project_id="p", session_id="s", message="hello", idempotency_key="k")
    accepted, router = Taking(), Asked()
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", router))
    message = await intake.take(RunTurn(turn=turn, follow=True))
    assert await intake.take_back(CANCEL) == Done(note=TURN_TAKEN_BACK)
    assert accepted.refused == 1, "before its answer"
    with pytest.raises(Conflict, match="was taken back"):
        await anext(intake.output(message, lambda _task: None))
    assert router.asked == []
    await anext(intake.output(await intake.take(RunTurn(turn=turn)), lambda _task: None), None)
    assert router.asked == ["RunTurn"], "said once more it is run"


async def test_a_message_that_another_process_has_run_is_refused_by_who_takes_it_back() -> None:
    accepted, router = Taking(), Asked()
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", router))
    assert await intake.take_back(CANCEL) == Done(note=TURN_TAKEN_BACK)
    assert (router.asked, accepted.refused) == (["CancelTurn"], 1)


class Claimed(Taking):
    """Has messages that were left behind, once."""

    def __init__(self, turn: ChatTurn, places: int) -> None:
        super().__init__()
        self.raw = encode(RunTurn(turn=turn))
        name = name_of(turn.tenant_id, turn.session_id, turn.idempotency_key)
        self.waiting = [
            AcceptedMessage((name[0], name[1] + n), n, turn.tenant_id, turn.session_id, b"", 1) for n in range(places)
        ]

    async def claim(self, _limit: int) -> list[AcceptedMessage]:
        waiting, self.waiting = self.waiting, []
        return waiting


@pytest.mark.parametrize(
    "answer", [Done(), Failed(kind="Unavailable", message="Later"), Failed(kind="Conflict", message="No")]
)
async def test_nothing_is_remembered_of_a_message_that_was_left_behind_once_it_was_tried(answer: HostAnswer) -> None:
    """What is known of messages is bounded by those that are held; an old mark would be believed of a new message."""
    turn = ChatTurn(tenant_id="t", project_id="p", session_id="s", message="hello", idempotency_key="k")
    accepted, router = Claimed(turn, 3), Asked(answer)
    first = accepted.waiting[0]
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", router))
    await intake._look()
    await asyncio.gather(*intake._running)
    await intake._run(first)  # also where nobody holds it
    assert intake._held == {}
    assert "RunTurn" in router.asked
    await intake.take(RunTurn(turn=turn, follow=True))
    router.asked.clear()
    assert await intake.take_back(CANCEL) == Done(note=TURN_TAKEN_BACK)
    assert router.asked == [], "it was not sent in this life of it"


STOPPING = RunTurn(
    turn=ChatTurn(tenant_id="t", project_id="p", session_id="s", message="stop", idempotency_key="k"), follow=True
)


async def test_what_runs_is_given_up_once_for_a_message_that_comes_twice_at_a_time() -> None:
    accepted, router = Taking(), Asked(Done(note="cancelled"))
    router.may_answer.clear()
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", router))
    both = [asyncio.create_task(intake.take(STOPPING, interrupts=True)) for _ in range(2)]
    await router.was_asked.wait()
    assert accepted.put_times == 0, "it is not durable before that has stopped"
    router.may_answer.set()
    await asyncio.gather(*both)
    await intake.take(STOPPING, interrupts=True)
    assert (router.asked, accepted.put_times) == (["CancelTurn"], 3)


async def test_nothing_is_given_up_for_a_message_that_is_known() -> None:
    accepted, router = Taking(), Asked(Done())
    accepted.is_there = True
    await Intake(cast("AcceptedMessages", accepted), cast("Any", router)).take(STOPPING, interrupts=True)
    assert (router.asked, accepted.put_times) == ([], 1)


@pytest.mark.parametrize(("kind", "is_taken"), [("NotFound", True), ("Unavailable", False)])
async def test_an_interrupt_is_not_taken_when_what_runs_cannot_be_given_up(kind: str, is_taken: bool) -> None:
    """In a session that is yet to be opened nothing runs."""
    accepted, router = Taking(), Asked(Failed(kind=kind, message="No"))
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", router))
    if is_taken:
        await intake.take(STOPPING, interrupts=True)
    else:
        with pytest.raises(Unavailable):
            await intake.take(STOPPING, interrupts=True)
        assert intake._held == {}
    assert accepted.put_times == is_taken


class Lost:
    """A router whose hosts are lost for good, before anything is shown or in the middle of it."""

    def __init__(self, shows: int, answer: Failed = WORKER_LOST) -> None:
        self.shows = shows
        self.answer = answer

    async def ask(self, message: Any, listener: Listener | None = None) -> HostAnswer:
        for seq in range(1, self.shows + 1):
            assert listener is not None
            kind: StreamKind = "response_start" if seq == 1 else "response_chunk"
            listener(StreamEvent(seq=seq, turn=1, kind=kind, data={"messageId": "m", "chunk": "a"}))
        return self.answer


@pytest.mark.parametrize("shows", [0, 1, 2])
async def test_a_message_that_was_acknowledged_is_never_told_that_its_worker_was_lost(shows: int) -> None:
    """It will be run: to tell its sender to send it again would be wrong. Spec: platform-api 3.1, 12."""
    turn = ChatTurn(tenant_id="t", project_id="p", session_id="s", message="hello", idempotency_key="k")
    accepted, lost = Taking(), Lost(shows)
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", lost))
    message = await intake.take(RunTurn(turn=turn, follow=True))
    told = [event.kind async for event in intake.output(message, lambda _task: None)]
    assert "error" not in told
    assert len(told) == shows
    assert (accepted.removed, accepted.refused) == (0, 0), "it waits to be run"


@pytest.mark.parametrize("shows", [0, 1, 2])
async def test_a_message_that_is_refused_for_good_says_so_to_who_has_sent_it(shows: int) -> None:
    turn = ChatTurn(tenant_id="t", project_id="p", session_id="s", message="hello", idempotency_key="k")
    for_good = Failed(kind="Conflict", message="The session was reset")
    accepted = Taking()
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", Lost(shows, for_good)))
    message = await intake.take(RunTurn(turn=turn, follow=True))
    output = intake.output(message, lambda _task: None)
    assert [(await anext(output)).kind for _ in range(shows)].count("error") == 0
    with pytest.raises(Conflict, match="was reset"):
        await anext(output)
    assert accepted.refused == 1


@pytest.mark.parametrize("shows", [0, 1, 2])
async def test_a_message_that_nobody_has_acknowledged_is_told_so(shows: int) -> None:
    turn = ChatTurn(tenant_id="t", project_id="p", session_id="s", message="hello", idempotency_key="k")
    events = turn_events(cast("Any", Lost(shows)), RunTurn(turn=turn, follow=True), lambda _task: None)
    if not shows:
        with pytest.raises(Unavailable, match="Send the same message again") as refused:
            await anext(events)
        assert refused.value.details == WORKER_LOST.details
        return
    told = [event async for event in events]
    assert [event.kind for event in told][shows:] == ["error"]
    assert "Send the same message again" in told[-1].data["error"]
