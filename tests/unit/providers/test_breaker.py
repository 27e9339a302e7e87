"""The circuit breaker as a state machine."""

from __future__ import annotations

from providers import breaker as module
from providers.breaker import CLOSED, BreakerPolicy, Breakers, Position, admit, failed, succeeded

POLICY = BreakerPolicy(threshold=3, reset_s=10.0)


def opened(at_s: float = 0.0) -> module.Breaker:
    state = CLOSED
    for _ in range(POLICY.threshold):
        state = failed(state, POLICY, at_s)
    return state


def test_opens_after_so_many_failures_in_a_row() -> None:
    state = failed(failed(CLOSED, POLICY, 0), POLICY, 0)
    assert admit(state, POLICY, 0) == (state, None)
    assert failed(state, POLICY, 5).position is Position.OPEN


def test_a_success_in_between_begins_the_count_again() -> None:
    assert succeeded(failed(failed(CLOSED, POLICY, 0), POLICY, 0)) == CLOSED


def test_an_open_breaker_refuses_and_says_how_long() -> None:
    assert admit(opened(), POLICY, 4.0)[1] == 6.0


def test_after_the_rest_one_call_may_try() -> None:
    trying, wait_s = admit(opened(), POLICY, 10.0)
    assert (trying.position, wait_s) == (Position.TRYING, None)
    assert admit(trying, POLICY, 11.0)[1] == 9.0


def test_the_trial_decides() -> None:
    trying = admit(opened(), POLICY, 10.0)[0]
    assert succeeded(trying) == CLOSED
    again = failed(trying, POLICY, 12.0)
    assert (again.position, admit(again, POLICY, 13.0)[1]) == (Position.OPEN, 9.0)


def test_a_trial_that_never_reports_gives_way() -> None:
    trying = admit(opened(), POLICY, 10.0)[0]
    assert admit(trying, POLICY, 20.0)[1] is None


def test_late_failures_do_not_prolong_the_rest() -> None:
    late = failed(opened(0.0), POLICY, 9.0)
    assert admit(late, POLICY, 10.0)[1] is None


def test_keys_have_breakers_of_their_own() -> None:
    breakers = Breakers()
    for _ in range(3):
        breakers.report("a", POLICY, 0.0, ok=False)
    assert breakers.admit("a", POLICY, 1.0) == 9.0
    assert breakers.admit("b", POLICY, 1.0) is None
    breakers.report("a", POLICY, 1.0, ok=True)
    assert breakers.admit("a", POLICY, 1.0) is None


def test_only_so_many_breakers_are_kept() -> None:
    breakers = Breakers()
    for number in range(module.MAX_BREAKERS + 10):
        breakers.report(str(number), POLICY, 0.0, ok=False)
    assert len(breakers._by_key) == module.MAX_BREAKERS
