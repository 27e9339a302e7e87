"""The end of a turn told from its reply alone, to a reader who has seen a part of it."""

import pytest

from actors.runtime import TurnReply
from actors.turn_stream import told_again

REPLY = TurnReply(
    session_id="sess_1", message_id="msg_1", turn=2, response="one two", action={}, first_seq=11, last_seq=20
)


def kinds(after: int, reply: TurnReply = REPLY) -> list[str]:
    events = told_again(reply, after)
    assert [event.seq for event in events] == list(range(20 - len(events) + 1, 21)) or not reply.last_seq
    return [event.kind for event in events]


def test_a_reader_who_has_seen_nothing_gets_the_message_from_its_start() -> None:
    assert kinds(10) == ["response_start", "response_chunk", "response_end", "complete"]


def test_what_a_reader_has_seen_of_the_text_is_void() -> None:
    assert kinds(13) == ["response_restart", "response_chunk", "response_end", "complete"]


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (17, ["response_restart", "response_end", "complete"]),
        (18, ["response_end", "complete"]),
        (19, ["complete"]),
        (20, []),
        (25, []),
    ],
)
def test_the_last_event_keeps_its_number(after: int, told: list[str]) -> None:
    assert kinds(after) == told


def test_a_reply_whose_numbers_are_not_known_goes_on_behind_the_reader() -> None:
    events = told_again(TurnReply(session_id="s", message_id="m", turn=1, response="x", action={}), 41)
    assert events[-1].kind == "complete"
    assert events[-1].seq == 42
