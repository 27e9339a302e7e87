import itertools
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.supervisor import MAX_BACKOFF_S, MAX_DEATHS, Aim, Life, Load, Sizing, after_death, next_aim


def test_a_first_death_is_mended_at_once() -> None:
    assert after_death(Life(), 5.0).delay_s == 0.0


def test_deaths_in_a_row_wait_longer_up_to_a_bound() -> None:
    delays = []
    life = Life()
    for _ in range(12):
        decision = after_death(life, 1.0)
        life = decision.life
        delays.append(decision.delay_s)
    assert delays == sorted(delays)
    assert delays[1:4] == [0.1, 0.2, 0.4]
    assert delays[-1] == MAX_BACKOFF_S


def test_a_host_that_lived_long_is_forgiven() -> None:
    assert after_death(Life(deaths=9, started_at_s=0.0), 61.0).life.deaths == 1


def test_a_host_that_never_comes_up_is_given_up() -> None:
    assert after_death(Life(deaths=MAX_DEATHS), 1.0).give_up


ROOM_S = Sizing().shrink_after_s
MIB = 1024**2


@pytest.mark.parametrize(
    ("load", "hosts"),
    [
        (Load(), 1),
        (Load(live_sessions=8_000), 1),
        (Load(live_sessions=8_001), 2),
        (Load(live_sessions=10, turns=1_600), 4),
        (Load(live_sessions=10, rss_bytes=4_000 * MIB), 3),
        (Load(live_sessions=24_001, turns=10, rss_bytes=10), 4),
    ],
)
def test_whatever_is_short_first_asks_for_hosts_before_they_are_full(load: Load, hosts: int) -> None:
    assert next_aim(Aim(1), load, Sizing(), 0.0) == Aim(hosts)


def aims(aim: Aim, loads: Iterable[tuple[float, Load]], sizing: Sizing) -> Iterator[int]:
    """Yield the number of hosts after each look."""
    for now_s, load in loads:
        aim = next_aim(aim, load, sizing, now_s)
        yield aim.hosts


def test_hosts_leave_one_at_a_time_each_after_a_while_of_room() -> None:
    looks = [(5.0 * n, Load(live_sessions=100)) for n in range(60)]
    seen = list(aims(Aim(4), looks, Sizing()))
    assert seen[0] == 4
    assert [5.0 * n for n in range(1, 60) if seen[n] < seen[n - 1]] == [ROOM_S, 2 * ROOM_S + 5, 3 * ROOM_S + 10]
    assert seen[-1] == 1


def test_one_busy_moment_begins_the_while_of_room_anew() -> None:
    quiet, busy = Load(live_sessions=100), Load(live_sessions=100, turns=600)
    looks = [(0.0, quiet), (ROOM_S - 5, busy), (ROOM_S, quiet), (2 * ROOM_S - 5, quiet), (2 * ROOM_S, quiet)]
    assert list(aims(Aim(2), looks, Sizing())) == [2, 2, 2, 2, 1]


@given(live=st.integers(0, 200_000), turns=st.integers(0, 20_000), hosts=st.integers(1, 64), steps=st.integers(2, 40))
def test_under_a_steady_load_the_number_settles_and_stays(live: int, turns: int, hosts: int, steps: int) -> None:
    looks = [(ROOM_S * n, Load(live, turns)) for n in range(200)]
    seen = list(aims(Aim(hosts), looks, Sizing()))
    rises = [b > a for a, b in itertools.pairwise(seen)]
    assert not any(rises)  # it grows at the first look or never
    assert len(set(seen[-steps:])) == 1


@given(
    load=st.builds(Load, st.integers(0, 10**7), st.integers(0, 10**6), st.integers(0, 10**13)),
    now=st.floats(0, 1e6),
    low=st.integers(1, 9),
    high=st.integers(1, 9),
    aim=st.builds(Aim, st.integers(1, 20), st.just(0.0)),
)
def test_it_moves_towards_the_bounds_and_never_out_of_them(
    load: Load, now: float, low: int, high: int, aim: Aim
) -> None:
    wanted = next_aim(aim, load, Sizing(min_hosts=low, max_hosts=high), now).hosts
    assert wanted >= low
    assert wanted <= max(low, high, aim.hosts)


def test_hosts_beyond_the_highest_number_go_in_the_same_steps_whatever_the_load() -> None:
    looks = [(ROOM_S * n, Load(live_sessions=10**6)) for n in range(6)]
    assert list(aims(Aim(4), looks, Sizing(max_hosts=2))) == [4, 3, 3, 2, 2, 2]
