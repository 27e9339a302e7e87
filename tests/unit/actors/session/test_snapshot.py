"""A snapshot gives back the state and what the shell counts; a newer one is refused."""

import pytest

from actors.session.kept import KeptTurn
from actors.session.snapshot import UnreadableSnapshot, decode_snapshot, encode_snapshot

KEPT = KeptTurn(message_id="msg_1", turn=2, first_seq=7, response="hi", shape=(2,))


def test_a_session_that_has_not_begun_has_no_state() -> None:
    found = decode_snapshot(encode_snapshot(None, 9, 4, 3, KEPT))
    assert (found.state, found.last_seq, found.messages, found.traces, found.last) == (None, 9, 4, 3, KEPT)


def test_equal_sessions_give_equal_bytes() -> None:
    assert encode_snapshot(None, 9, 4, 3, KEPT) == encode_snapshot(None, 9, 4, 3, KEPT)


@pytest.mark.parametrize("raw", [b"", b"{}", b'{"engine":"1","state":null,"v":99}', b'{"engine":"1","state":{"x":1}}'])
def test_what_cannot_be_read_is_said(raw: bytes) -> None:
    with pytest.raises(UnreadableSnapshot):
        decode_snapshot(raw)
