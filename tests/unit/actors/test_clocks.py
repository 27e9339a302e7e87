"""The form of ids."""

import re

from actors.clocks import RandomIds, SystemClock
from domain.ids import is_project_id


def test_ids_have_their_form_and_differ() -> None:
    ids = RandomIds()
    assert is_project_id(ids.new(""))
    assert re.fullmatch(r"sess_c[a-z0-9]{24}", ids.new("sess"))
    assert len({ids.new("msg") for _ in range(1_000)}) == 1_000


def test_the_clock_is_aware() -> None:
    assert SystemClock().now().utcoffset() is not None
