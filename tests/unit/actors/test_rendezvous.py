from collections import Counter

from actors.rendezvous import choose

SESSIONS = [f"sess_{number}" for number in range(6_000)]


def test_without_hosts_there_is_nobody() -> None:
    assert choose("sess_1", []) is None


def test_every_caller_comes_to_the_same_host() -> None:
    assert all(choose(one, ["a", "b", "c"]) == choose(one, ["c", "a", "b"]) for one in SESSIONS[:200])


def test_sessions_are_spread_evenly() -> None:
    shares = Counter(choose(one, ["a", "b", "c"]) for one in SESSIONS)
    assert all(0.9 < share / 2_000 < 1.1 for share in shares.values())


def test_only_the_sessions_of_a_host_that_leaves_move() -> None:
    before = {one: choose(one, ["a", "b", "c"]) for one in SESSIONS}
    after = {one: choose(one, ["a", "b"]) for one in SESSIONS}
    assert all(after[one] == before[one] for one in SESSIONS if before[one] != "c")
