"""The kill test as one of the default tests, and with many more turns as one of the long ones."""

from __future__ import annotations

import asyncio

import pytest

from tests.prove.kill_test import prove

TURNS = 2_000
SESSIONS = 40
LONG_TURNS = 50_000
LONG_SESSIONS = 200
EVERY = 50
HOSTS = 2

pytestmark = pytest.mark.xdist_group("product")


def test_nothing_is_lost_or_done_twice_while_processes_are_killed() -> None:
    outcome = asyncio.run(prove(TURNS, SESSIONS, EVERY, HOSTS))
    assert outcome.holds, outcome.last_line


@pytest.mark.soak
def test_nothing_is_lost_or_done_twice_for_a_long_while() -> None:
    outcome = asyncio.run(prove(LONG_TURNS, LONG_SESSIONS, EVERY, HOSTS))
    assert outcome.holds, outcome.last_line
