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


def of_user(**named: str) -> str:
    return subject_of(msgspec.structs.replace(PIN, **named), "user")


@pytest.mark.parametrize("kind", ["user", "api_key"])
def test_the_user_is_the_contact_else_the_user_else_the_session(kind: str) -> None:
    assert of_user(user_id="usr_1", user_kind=kind, contact_id="ct_1") == "ct_1"
    assert of_user(user_id="usr_1", user_kind=kind) == f"{kind}:usr_1"
    assert of_user(user_kind=kind) == PIN.session_id
    assert of_user(user_id="usr_1", user_kind=kind, root_session_id="sess_root") == f"{kind}:usr_1"


@pytest.mark.parametrize("kind", ["sdk", ""])
def test_a_user_that_nobody_vouches_for_has_the_memory_of_the_session(kind: str) -> None:
    assert of_user(user_id="usr_1", user_kind=kind) == PIN.session_id
    assert of_user(user_id="usr_1", user_kind=kind, root_session_id="sess_root") == "sess_root"
    assert of_user(user_id="usr_1", user_kind=kind, contact_id="ct_1") == "ct_1"


@pytest.mark.parametrize("other", ["user:usr_1", "api_key:anna", "sess_1", "contact:sess_1"])
def test_no_contact_has_the_name_of_another_subject(other: str) -> None:
    assert of_user(contact_id=other) == f"contact:{other}"


def test_children_share_the_memory_of_their_tree() -> None:
    child = msgspec.structs.replace(PIN, session_id="sess_child", root_session_id=PIN.session_id)
    assert subject_of(child, "execution_tree") == subject_of(PIN, "execution_tree")
    assert subject_of(child, "project") == PIN.project_id
