"""Whose memory a scope means, and how long a value lasts."""

import msgspec
import pytest

from actors.memories import subject_of, ttl_s
from tests.support.sessions import PIN


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("2h", 7_200),
        ("30d", 2_592_000),
        ("1w", 604_800),
        (" 1 d ", 86_400),
        ("", 0),
        ("x", 0),
    ],
)
def test_a_time_to_live_is_read(text: str, seconds: int) -> None:
    assert ttl_s(text) == seconds


def test_the_user_is_the_contact_else_the_user_else_the_session() -> None:
    pin = msgspec.structs.replace(PIN, user_id="usr_1", contact_id="ct_1")
    assert subject_of(pin, "user") == "ct_1"
    assert subject_of(msgspec.structs.replace(pin, contact_id=""), "user") == "usr_1"
    assert subject_of(PIN, "user") == PIN.session_id


def test_children_share_the_memory_of_their_tree() -> None:
    child = msgspec.structs.replace(PIN, session_id="sess_child", root_session_id=PIN.session_id)
    assert subject_of(child, "execution_tree") == subject_of(PIN, "execution_tree")
    assert subject_of(child, "project") == PIN.project_id
