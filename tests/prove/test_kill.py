"""The kill test as one of the default tests, and with many more turns as one of the long ones."""

from __future__ import annotations

import asyncio

import pytest

from tests.prove.kill_test import prove

TURNS = 2_000
SHORT_TURNS = 600
"""Of the run among the default tests; `make prove` has them all."""
SESSIONS = 40
"""Fewer than the turns between two kills: of more, the quick ones would have a host killed before a slow one's turn,
which has to ask another host, could ever end."""
LONG_TURNS = 50_000
EVERY = 50
HOSTS = 2

pytestmark = pytest.mark.xdist_group("product")


def test_nothing_is_lost_or_done_twice_while_processes_are_killed() -> None:
    outcome = asyncio.run(prove(SHORT_TURNS, SESSIONS, EVERY, HOSTS))
    assert outcome.holds, outcome.last_line


@pytest.mark.soak
def test_nothing_is_lost_or_done_twice_for_a_long_while() -> None:
    outcome = asyncio.run(prove(LONG_TURNS, SESSIONS, EVERY, HOSTS))
    assert outcome.holds, outcome.last_line


@pytest.mark.soak
def test_nothing_is_lost_or_done_twice_on_ray() -> None:
    outcome = asyncio.run(prove(TURNS, SESSIONS, EVERY, HOSTS, runtime="ray"))
    assert outcome.holds, outcome.last_line
