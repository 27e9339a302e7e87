"""What stands in a journal can be read again, and what cannot be is said."""

import pytest

from actors.session.records import (
    HASH_CHARS,
    Record,
    TurnOpening,
    UnknownSchema,
    asked_of,
    decode_record,
    encode_record,
)
from domain.model_calls import ModelRequest
from engine import AskModel, Say, UserSpoke


def test_a_record_is_read_as_it_was_written() -> None:
    fact = UserSpoke(at="2026-01-01T00:00:00.000Z", text="hello", message_id="msg_1", reply_id="msg_2")
    record = Record(engine="1", fact=fact, asked={"1.1": "ab"}, opens=TurnOpening("user", "msg_2", "k", "h"))
    assert decode_record(encode_record(record)) == record


@pytest.mark.parametrize(
    "note", [Record(engine="1", attempt=2), Record(engine="1", reset=True), Record(engine="1", ended="api")]
)
def test_a_note_has_no_fact(note: Record) -> None:
    assert decode_record(encode_record(note)) == note


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"engine":"9","v":99}', b'{"engine":"1","fact":{"type":"Unheard"}}'])
def test_what_cannot_be_read_is_said(raw: bytes) -> None:
    with pytest.raises(UnknownSchema):
        decode_record(raw)


def test_only_the_beginning_of_a_hash_is_kept() -> None:
    ask = AskModel(id="1.1", agent="A", request=ModelRequest(messages=()), operation="reasoning", request_hash="f" * 32)
    assert asked_of([ask, Say(id="1.2", agent="A", text="x")]) == {"1.1": "f" * HASH_CHARS}
