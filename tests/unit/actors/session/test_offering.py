"""Which set of actions is open, told over a store of lists. Spec: platform-api 12.4, 13.2; decision 0075."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from actors.messages import Failed, HostAnswer, Replied
from actors.runtime import StreamEvent, TurnReply
from actors.session.body import SessionBody
from actors.session.commit import commit
from actors.session.output import TurnOutput
from actors.session.records import TurnOpening
from actors.session.telling import missed
from domain.clock import FixedClock, iso_ms
from domain.errors import Unavailable
from domain.limits import ACTIONS_OPEN_TURNS
from domain.messages import ActionEvent
from engine import EndTurn, UserSpoke
from tests.support.sessions import SESSION, TENANT, MemoryStore, TablePerformer, a_turn, some_services

COUNTER = """\
AGENT: Counter
GOAL: "Count"

TOOLS:
  note(order: string) -> {order: string}
    description: "May be repeated"
    side_effects: false
    type: http
    endpoint: "https://ledger.example/keyed"
    method: POST

FLOW:
  entry_point: ask

  ask:
    REASONING: false
    RESPOND: "Which?"
      ACTIONS:
        RENDER_ID: which
        - BUTTON: "One" -> one
        - BUTTON: "Note" -> note
    ON_ACTION:
      one:
        RESPOND: "one it is"
        TRANSITION: ask
      note:
        TRANSITION: write
    ON_INPUT:
      - IF: input == "away"
        THEN: over
      - IF: input == "card"
        THEN: card
      - ELSE:
        RESPOND: "heard {{input}}"

  card:
    REASONING: false
    RESPOND: "A card"
      FORMATS:
        ADAPTIVE_CARD: '{"type": "AdaptiveCard"}'
    ON_ACTION:
      approve:
        RESPOND: "approved {{_action.value}}"
        TRANSITION: ask
    ON_INPUT:
      - ELSE:
        RESPOND: "no words, please"

  write:
    REASONING: false
    CALL: note(input)
      AS: noted
    ON_SUCCESS:
      RESPOND: "noted"
      THEN: over

  over:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "over {{input}}"
"""


def awake(store: MemoryStore, performer: TablePerformer | None = None) -> SessionBody:
    """Return the session in another host, asleep."""
    return SessionBody(TENANT, SESSION, some_services(store, performer, COUNTER))


def replied(answer: HostAnswer) -> TurnReply:
    assert isinstance(answer, Replied), answer
    return answer.reply


def refused(answer: HostAnswer) -> tuple[str, Any]:
    assert isinstance(answer, Failed), answer
    return answer.kind, answer.details.get("reason")


def press(action_id: str, key: str = "", **more: Any) -> Any:
    turn = a_turn("", key, action={"actionId": action_id, **more})
    return msgspec.structs.replace(turn, turn=msgspec.structs.replace(turn.turn, request_hash=f"{action_id}{more}"))


CLOSED = ("Conflict", "ACTION_CLOSED")


def test_what_is_pressed_is_said_and_stands_in_the_transcript_with_what_it_answers() -> None:
    async def story() -> None:
        store = MemoryStore()
        asked = replied(await awake(store).handle(a_turn("hello", "k0"), None))
        assert asked.open_actions == asked.message_id
        told = replied(await awake(store).handle(press("one", renderId=asked.message_id), None))
        assert told.response == "one it is\n\nWhich?"
        line = store.commits[-1].transcript[0]
        assert (line.role, line.content) == ("user", "one")
        action = {"actionId": "one", "value": "one", "renderId": "which", "answers": asked.message_id}
        assert msgspec.json.decode(line.extra or b"{}") == {"action": action}

    asyncio.run(story())


def test_a_set_stays_open_over_other_messages_and_hosts_and_is_found_in_the_transcript() -> None:
    async def story() -> None:
        store = MemoryStore()
        asked = replied(await awake(store).handle(a_turn("hello", "k0"), None))
        for word in ("one?", "two?"):
            aside = replied(await awake(store).handle(a_turn(word, word), None))
            assert aside.actions is None
            assert aside.open_actions == asked.message_id
        assert refused(await awake(store).handle(press("two"), None)) == ("InvalidInput", "UNKNOWN_ACTION")
        assert replied(await awake(store).handle(press("one", "k1"), None)).response == "one it is\n\nWhich?"
        late = press("one", renderId=asked.message_id)
        assert refused(await awake(store).handle(late, None)) == CLOSED

    asyncio.run(story())


def test_a_conversation_that_has_moved_on_closes_what_was_offered() -> None:
    async def story() -> None:
        store = MemoryStore()
        await awake(store).handle(a_turn("hello", "k0"), None)
        assert replied(await awake(store).handle(a_turn("away"), None)).open_actions == ""
        commits = len(store.commits)
        assert refused(await awake(store).handle(press("one"), None)) == CLOSED
        assert len(store.commits) == commits

    asyncio.run(story())


def test_nobody_has_to_look_back_further_than_a_number_of_turns() -> None:
    async def story() -> None:
        body = awake(MemoryStore())
        asked = replied(await body.handle(a_turn("hello", "k0"), None))
        opened = [
            replied(await body.handle(a_turn(f"{n}?", f"{n}"), None)).open_actions
            for n in range(ACTIONS_OPEN_TURNS + 1)
        ]
        assert opened == [asked.message_id] * ACTIONS_OPEN_TURNS + [""]

    asyncio.run(story())


def test_what_a_card_offers_is_what_its_agent_handles_there() -> None:
    async def story() -> None:
        store = MemoryStore()
        await awake(store).handle(a_turn("hello", "k0"), None)
        await awake(store).handle(a_turn("card"), None)
        assert refused(await awake(store).handle(press("one"), None)) == ("InvalidInput", "UNKNOWN_ACTION")
        told = replied(await awake(store).handle(press("approve", value="free"), None))
        assert told.response == "approved free\n\nWhich?"

    asyncio.run(story())


def test_a_press_whose_host_died_is_taken_up_as_the_answer_that_it_was() -> None:
    async def story() -> None:
        store = MemoryStore()
        asked = replied(await awake(store).handle(a_turn("hello", "k0"), None))
        dead = TablePerformer(FixedClock(), hold=asyncio.Event())
        body = awake(store, dead)
        task = asyncio.create_task(body.handle(press("note", "k1"), None))
        await dead.started.wait()
        assert body.live is not None
        await body.live.write()
        task.cancel()
        await asyncio.wait([task])
        body = awake(store)
        reply = replied(await body.handle(press("note", "k1"), None))
        assert (reply.repeated, reply.response, reply.open_actions) == (True, "noted", "")
        events: list[StreamEvent] = []
        body.live.stream.listen(lambda event: events.append(event) is None, after=0, gaps=True)
        started = [event.data for event in events if event.kind == "response_start"]
        assert [one.get("answers") for one in started] == [asked.message_id]
        later = awake(store)
        assert refused(await later.handle(press("one"), None)) == CLOSED
        assert later.live is not None
        told, _ = await missed(later.live, 0)
        assert [one.data.get("answers") for one in told if one.kind == "response_start"] == [None, asked.message_id]

    asyncio.run(story())


@pytest.mark.parametrize("acts", [False, True])
def test_a_form_whose_turn_had_no_reply_can_be_sent_again_unless_it_has_changed_something(*, acts: bool) -> None:
    async def story() -> None:
        store = MemoryStore()
        body = awake(store)
        asked = replied(await body.handle(a_turn("hello", "k0"), None))
        live = body.live
        assert live is not None
        live.acted_in = 9 if acts else -1
        output = TurnOutput(live, "msg_9", 9, answers=asked.message_id)
        output.open()
        end = EndTurn(id="9.1", reply="", action={}, agent="Counter", status="failed", error="not_configured")
        spoke = UserSpoke(at=AT, message_id="msg_8", action=ActionEvent("one"))
        with pytest.raises(Unavailable):
            await commit(live, output, TurnOpening("user", "msg_9"), end, spoke, AT)
        assert live.last is not None
        assert live.last.failed.get("openActions") == (None if acts else asked.message_id)
        answers = msgspec.json.decode(store.commits[-1].transcript[0].extra or b"{}")["action"].get("answers")
        assert answers == (asked.message_id if acts else None)
        again = await body.handle(press("one"), None)
        assert refused(again) == CLOSED if acts else replied(again).response == "one it is\n\nWhich?"

    asyncio.run(story())


AT = iso_ms(FixedClock().now())
