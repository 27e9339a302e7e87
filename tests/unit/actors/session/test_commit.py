"""What the end of a turn adds, and what has no reply."""

import asyncio

import msgspec
import pytest

from actors.session.commit import commit, joined
from actors.session.kept import decode_kept
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.records import TurnOpening
from domain.clock import FixedClock, iso_ms
from domain.errors import Conflict, InvalidInput, Unavailable
from engine import EndTurn, Say, UserSpoke
from tests.support.sessions import PIN, PROGRAM, MemoryStore

END = EndTurn(id="1.9", reply="done", action={"type": "respond"}, agent="Ledger")
AT = iso_ms(FixedClock().now())
USER = TurnOpening("user", "msg_1", "k1", "h1")


def ended(
    end: EndTurn, *, opening: TurnOpening = USER, pin=PIN, shown: str = "done"
) -> tuple[LiveSession, MemoryStore]:
    store = MemoryStore()
    live = LiveSession(pin, PROGRAM, store, 1)

    async def story() -> None:
        await store.create(pin)
        output = TurnOutput(live, opening.message_id, 1)
        output.open()
        output.say(Say(id="1.1", agent="Ledger", text=shown))
        await commit(live, output, opening, end, None, AT)

    asyncio.run(story())
    return live, store


def test_a_reply_under_a_key_is_kept_under_it_and_in_the_session() -> None:
    live, store = ended(END)
    ((_, known),) = store.turns.items()
    assert known.request_hash == "h1"
    assert decode_kept(known.reply) == live.last
    assert live.last is not None
    assert live.last.response == "done"


def test_a_reply_without_a_key_is_kept_in_the_session_alone() -> None:
    live, store = ended(END, opening=TurnOpening("user", "msg_1"))
    assert store.turns == {}
    assert live.last is not None


def test_what_had_been_shown_of_a_cancelled_turn_is_its_reply() -> None:
    live, _ = ended(msgspec.structs.replace(END, reply="", status="cancelled", error="cancelled"), shown="half of")
    assert live.last is not None
    assert (live.last.response, live.last.status) == ("half of", "cancelled")


@pytest.mark.parametrize(
    ("status", "error", "sentence"),
    [("cancelled", "deadline", "Turn timed out"), ("failed", "not_configured", "Runtime not configured")],
)
def test_a_turn_without_a_reply_is_durable_and_its_key_may_come_again(status: str, error: str, sentence: str) -> None:
    store = MemoryStore()
    live = LiveSession(PIN, PROGRAM, store, 1)

    async def story() -> None:
        await store.create(PIN)
        output = TurnOutput(live, "msg_1", 1)
        output.open()
        await commit(live, output, USER, msgspec.structs.replace(END, status=status, error=error), None, AT)

    with pytest.raises(Unavailable, match=sentence):
        asyncio.run(story())
    assert len(store.commits) == 1
    assert store.turns == {}
    assert live.last is not None
    assert live.last.failed["error"] == sentence


def test_a_model_that_is_not_ready_says_how_far_it_is() -> None:
    end = msgspec.structs.replace(END, status="failed", error="model_not_ready", metadata={"refusal": "43 % of 491 MB"})
    with pytest.raises(Unavailable, match="The model is not ready") as refused:
        ended(end)
    assert refused.value.details == {"reason": "MODEL_NOT_READY", "hint": "43 % of 491 MB"}


def test_a_turn_past_its_deadline_has_the_code_that_sockets_have_for_it() -> None:
    with pytest.raises(Unavailable, match="Turn timed out") as refused:
        ended(msgspec.structs.replace(END, status="cancelled", error="deadline"))
    assert refused.value.details == {"reason": "TURN_TIMEOUT", "response": "done"}


def test_a_spent_budget_is_a_conflict_that_says_whose_it_is() -> None:
    end = msgspec.structs.replace(END, status="failed", error="budget_exceeded", metadata={"refusal": "of the project"})
    with pytest.raises(Conflict, match="Budget exceeded") as refused:
        ended(end)
    assert refused.value.details == {"reason": "BUDGET_EXCEEDED", "hint": "of the project"}


def test_the_only_turn_of_a_child_ends_its_session() -> None:
    child = msgspec.structs.replace(PIN, parent_session_id="sess_parent")
    live, store = ended(msgspec.structs.replace(END, values={"a": 1}, status="completed"), pin=child)
    assert live.status == "ended"
    assert store.commits[0].activity.end_reason == "delegation_finished"
    assert live.last is not None
    assert live.last.outcome["values"] == {"a": 1}


def test_what_was_said_at_the_start_stands_first() -> None:
    begun = msgspec.structs.replace(END, reply="hello", state={"a": 1, "b": 1})
    whole = joined(begun, msgspec.structs.replace(END, state={"b": 2}))
    assert (whole.reply, whole.state) == ("hello\n\ndone", {"a": 1, "b": 2})
    assert joined(None, END) is END


def test_what_was_shown_at_the_start_stays_where_nothing_else_is() -> None:
    shown = {"rich_content": {"markdown": "*a*"}, "actions": {"elements": []}, "voice": {"ssml": "<speak/>"}}
    begun = msgspec.structs.replace(END, reply="hello", action={"type": "respond"}, **shown)
    silent = msgspec.structs.replace(END, reply="", action={"type": "continue"})
    assert joined(begun, silent) == begun
    louder = msgspec.structs.replace(END, action={"type": "complete"}, actions={"elements": [{"id": "yes"}]})
    both = joined(begun, louder)
    assert (both.action, both.actions, both.rich_content) == (louder.action, louder.actions, begun.rich_content)


class PickyStore(MemoryStore):
    """Keeps no text with a zero in it, like PostgreSQL, and none that a test names."""

    refused = "\0"

    async def append(self, pin, epoch, records, *, expect_seq, end=None, stores=None):
        texts = [line.content for line in end.transcript] + [str(row) for row in end.traces] if end is not None else []
        if any(word in text for text in texts for word in ("\0", self.refused)):
            raise InvalidInput("A value cannot be stored")
        return await super().append(pin, epoch, records, expect_seq=expect_seq, end=end, stores=stores)


def picky_end(store: PickyStore, reply: str, spoken: str) -> LiveSession:
    live = LiveSession(PIN, PROGRAM, store, 1)

    async def story() -> None:
        await store.create(PIN)
        output = TurnOutput(live, "msg_1", 1)
        output.open()
        output.traces = [{"id": "evt_1", "type": "error", "data": {"message": reply}}]
        spoke = UserSpoke(at=AT, text=spoken, message_id="msg_0")
        await commit(live, output, USER, msgspec.structs.replace(END, reply=reply), spoke, AT)

    asyncio.run(story())
    return live


def test_a_turn_that_holds_a_zero_is_stored_without_it() -> None:
    store = PickyStore()
    live = picky_end(store, "a\0b", "c\0d")
    assert store.transcript == [("user", "c�d"), ("assistant", "a�b")]
    assert not live.is_ahead
    assert live.unwritten == []


def test_a_turn_that_can_never_be_stored_ends_without_a_reply_and_is_not_taken_up_again() -> None:
    store = PickyStore()
    store.refused = "poison"
    with pytest.raises(Unavailable, match="cannot be stored"):
        picky_end(store, "poison", "hello")
    assert len(store.commits) == 1
    assert store.turns == {}
    assert store.snapshots.keys() == {PIN.session_id}
