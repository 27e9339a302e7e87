"""A finished turn in few bytes, told again as it was."""

import asyncio

from actors.runtime import StreamEvent
from actors.session.kept import KeptTurn, decode_kept, encode_kept, reply_of_kept, told_again, wire_form
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from domain.traces import TraceEvent, TraceType
from engine import Say
from tests.support.sessions import PIN, PROGRAM, SESSION, MemoryStore

TRACES = [{"id": "evt_1", "type": "decision"}, {"id": "evt_2", "type": "response"}]


def a_turn(**more: object) -> KeptTurn:
    return KeptTurn(message_id="msg_1", turn=3, first_seq=11, response="one two", shape=(4, 0, 3, 0), **more)


def test_the_bytes_give_the_turn_back() -> None:
    kept = a_turn(action={"type": "respond"}, void=("no",), status="idle")
    assert decode_kept(encode_kept(kept)) == kept


def test_the_events_have_the_numbers_and_the_pieces_they_had() -> None:
    events = told_again(SESSION, a_turn(), TRACES)
    assert [event.seq for event in events] == list(range(11, 19))
    assert {event.turn for event in events} == {3}
    assert [event.data.get("chunk") for event in events if event.kind == "response_chunk"] == ["one ", "two"]
    assert [event.data["event"] for event in events if event.kind == "trace_event"] == TRACES
    assert events[-1].seq == a_turn().last_seq
    assert events[-1].data == wire_form(reply_of_kept(SESSION, a_turn(), TRACES))


def test_what_was_void_is_told_before_the_message_begins_again() -> None:
    kept = KeptTurn(
        message_id="msg_1", turn=1, first_seq=1, response="better", void=("bad",), shape=(3, -1, 6), attempt=2
    )
    events = told_again(SESSION, kept, [])
    assert [event.kind for event in events] == [
        "session_start",
        "response_start",
        "response_chunk",
        "response_restart",
        "response_chunk",
        "response_end",
        "complete",
    ]
    assert [event.data.get("attempt") for event in events[1:4:2]] == [2, 3]
    assert [event.data["chunk"] for event in events if event.kind == "response_chunk"] == ["bad", "better"]


def test_a_turn_that_was_refused_ends_with_its_error() -> None:
    kept = a_turn(failed={"error": "Turn timed out", "code": "SERVICE_UNAVAILABLE"})
    events = told_again(SESSION, kept, TRACES)
    assert events[-1].kind == "error"
    assert events[-1].data == {"error": "Turn timed out", "code": "SERVICE_UNAVAILABLE"}
    assert events[-1].seq == kept.last_seq


def test_a_cancelled_turn_says_so_at_its_end() -> None:
    events = told_again(SESSION, a_turn(status="cancelled"), TRACES)
    assert events[-2].data["interrupted"]
    assert events[-1].data["status"] == "cancelled"


def test_the_end_of_a_message_says_what_is_shown_and_spoken_with_it_in_the_words_of_the_wire() -> None:
    kept = a_turn(
        action={"type": "respond"},
        voice_config={"voice_id": "anna", "plain_text": "one", "ssml": "<speak>one</speak>"},
        rich_content={"markdown": "*one*"},
        actions={"elements": []},
    )
    end, complete = told_again(SESSION, kept, TRACES)[-2:]
    shown = {
        "action": {"type": "respond"},
        "voiceConfig": {"enabled": True, "voice": "anna", "plainText": "one", "ssml": "<speak>one</speak>"},
        "richContent": {"markdown": "*one*"},
        "actions": {"elements": []},
    }
    assert end.data == {"messageId": "msg_1", "fullText": "one two", "openActions": None, **shown}
    assert {name: complete.data[name] for name in shown} == shown


def test_an_output_writes_down_how_it_came() -> None:
    async def story() -> None:
        live = LiveSession(PIN, PROGRAM, MemoryStore(), 1)
        shown: list[StreamEvent] = []
        output = TurnOutput(live, "msg_1", 1, 1, lambda event: shown.append(event) is None)
        output.open()
        output.show_delta("on")
        output.model_begins_again()
        output.trace(
            TraceEvent(type=TraceType.RESPONSE, at="2026-01-01T00:00:00.000Z", agent="A", turn=1, seq=1, span="1.1")
        )
        output.say(Say(id="1.2", agent="A", text="two"))
        output.settle("two")
        kept = KeptTurn(
            message_id="msg_1",
            turn=1,
            first_seq=output.first_seq,
            response="two",
            shape=tuple(output.shape),
            void=tuple(output.void),
        )
        assert told_again(SESSION, kept, output.traces)[: len(shown)] == shown

    asyncio.run(story())
