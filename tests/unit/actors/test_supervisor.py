from actors.supervisor import MAX_BACKOFF_S, MAX_DEATHS, Life, Load, Sizing, after_death, wanted_hosts


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


def test_more_sessions_than_hosts_can_carry_want_more_hosts() -> None:
    assert wanted_hosts(Load(hosts=1, live_sessions=10_001, running_turns=0), Sizing()) == 2


def test_many_running_turns_want_more_hosts() -> None:
    assert wanted_hosts(Load(hosts=1, live_sessions=10, running_turns=1_600), Sizing()) == 4


def test_hosts_leave_one_at_a_time_and_only_when_there_is_room() -> None:
    assert wanted_hosts(Load(hosts=4, live_sessions=100, running_turns=0), Sizing()) == 3
    assert wanted_hosts(Load(hosts=2, live_sessions=6_000, running_turns=0), Sizing()) == 2


def test_the_bounds_hold() -> None:
    sizing = Sizing(min_hosts=2, max_hosts=3)
    assert wanted_hosts(Load(hosts=2, live_sessions=0, running_turns=0), sizing) == 2
    assert wanted_hosts(Load(hosts=3, live_sessions=10**6, running_turns=0), sizing) == 3
