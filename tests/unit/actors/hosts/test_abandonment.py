"""When a host takes itself to be left by all gateways, and what does not make it do so."""

from __future__ import annotations

import pytest

from actors.hosts.abandonment import GAP_S, Abandonment
from storage.leases import HostRow

AFTER_S = 60.0
HOST = HostRow("host-0", 1, "unix:/x", {})
GATEWAY = HostRow("gateway-a", 2, "local", {})


class Looks:
    """A host that looks at leases once a second of a clock that the test moves."""

    def __init__(self) -> None:
        self.now_s = 1_000.0
        self.ends = 0
        self._watch = Abandonment(AFTER_S, self._end, lambda: self.now_s)

    def _end(self) -> None:
        self.ends += 1

    def look(self, times: int, *rows: HostRow) -> None:
        for _ in range(times):
            self._watch.see(rows)
            self.now_s += 1.0


@pytest.fixture
def looks() -> Looks:
    return Looks()


def test_a_host_ends_when_it_has_seen_no_gateway_for_the_whole_time(looks: Looks) -> None:
    looks.look(5, HOST, GATEWAY)
    looks.look(int(AFTER_S), HOST)
    assert not looks.ends
    looks.look(1, HOST)
    assert looks.ends == 1


def test_one_that_was_started_when_no_gateway_was_there_any_more_ends_too(looks: Looks) -> None:
    looks.look(int(AFTER_S) + 1)
    assert looks.ends == 1


def test_a_gateway_that_comes_back_begins_the_count_anew(looks: Looks) -> None:
    looks.look(int(AFTER_S), HOST)
    looks.look(1, HOST, GATEWAY)
    looks.look(int(AFTER_S), HOST)
    assert not looks.ends


def test_time_in_which_nothing_could_be_read_does_not_count(looks: Looks) -> None:
    """The gateway could not renew its lease either: it needs a moment when the database is back."""
    looks.look(5, HOST, GATEWAY)
    looks.now_s += 10 * AFTER_S
    looks.look(int(AFTER_S), HOST)
    assert not looks.ends


def test_a_gap_in_the_middle_begins_the_count_anew(looks: Looks) -> None:
    looks.look(int(AFTER_S) - 1, HOST)
    looks.now_s += GAP_S
    looks.look(int(AFTER_S), HOST)
    assert not looks.ends
    looks.look(1, HOST)
    assert looks.ends == 1
