from __future__ import annotations

from domain.ids import PREFIXES, is_project_id, prefixed, session_address


def test_a_project_id_is_a_bare_cuid() -> None:
    assert is_project_id("c" + "a1" * 12)
    assert not is_project_id("c" + "A1" * 12)
    assert not is_project_id("x" + "a1" * 12)
    assert not is_project_id("c123")


def test_every_other_id_carries_the_prefix_of_its_kind() -> None:
    assert prefixed("session", "c1") == "sess_c1"
    assert len(set(PREFIXES.values())) == len(PREFIXES)


def test_a_thread_is_addressed_by_session_and_agent() -> None:
    assert session_address("sess_1", "Desk") == "sess_1/Desk"
