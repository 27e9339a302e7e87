from __future__ import annotations

from storage.keys import request_key, session_key


def test_a_key_is_of_one_session_of_one_tenant() -> None:
    names = [("a", "bc"), ("ab", "c"), ("abc", ""), ("", "abc")]
    assert len({session_key(*one) for one in names}) == len(names)
    assert session_key("ten_1", "sess_1").hex() == "fc3cb7c75bc14758fb882239491ed181"


def test_the_number_of_a_request_fits_a_column_and_never_changes() -> None:
    assert request_key("k") == 7193521810918036140
    assert all(-(2**63) <= request_key(str(one)) < 2**63 for one in range(100))
