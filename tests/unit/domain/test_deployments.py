"""The life of a deployment, one test per row of the table in platform-api 3.2."""

from __future__ import annotations

import re

import pytest

from domain.deployments import (
    TRANSITIONS,
    DeploymentEvent,
    Standing,
    Transition,
    endpoint_slug,
    no_predecessor,
    standing,
    transition,
)
from domain.errors import Conflict

ACTIVE, DRAINING, RETIRED = Standing.ACTIVE, Standing.DRAINING, Standing.RETIRED
EVENT = DeploymentEvent


def test_a_new_one_is_active_and_the_one_before_drains() -> None:
    assert transition(None, EVENT.CREATE) == Transition(to=ACTIVE, retires_active=True)
    assert transition(ACTIVE, EVENT.REPLACED) == Transition(to=DRAINING)


def test_a_retired_one_drains_and_its_sessions_go_on() -> None:
    assert transition(ACTIVE, EVENT.RETIRE) == Transition(to=DRAINING)


def test_a_drain_is_over_with_the_last_session() -> None:
    assert transition(DRAINING, EVENT.LAST_SESSION_ENDED) == Transition(to=RETIRED)


def test_a_drain_whose_time_is_up_ends_the_sessions_that_are_left() -> None:
    assert transition(DRAINING, EVENT.DRAIN_TIMEOUT) == Transition(to=RETIRED, ends_sessions=True)


@pytest.mark.parametrize("now", [ACTIVE, DRAINING])
def test_force_ends_the_sessions(now: Standing) -> None:
    assert transition(now, EVENT.FORCE) == Transition(to=RETIRED, ends_sessions=True)


@pytest.mark.parametrize("now", [DRAINING, RETIRED])
def test_a_retired_one_is_rolled_back_to(now: Standing) -> None:
    assert transition(now, EVENT.ROLLBACK) == Transition(to=ACTIVE, retires_active=True)


def test_an_active_one_is_rolled_back_from() -> None:
    assert transition(ACTIVE, EVENT.ROLLBACK) == Transition(to=DRAINING, restores_predecessor=True)
    for now in (DRAINING, RETIRED):
        assert transition(now, EVENT.RESTORED) == Transition(to=ACTIVE)


def test_nothing_stands_behind_the_first() -> None:
    assert no_predecessor().details == {"reason": "NO_PREVIOUS_DEPLOYMENT"}


@pytest.mark.parametrize("now", list(Standing))
def test_promoting_leaves_the_source_as_it_is(now: Standing) -> None:
    assert transition(now, EVENT.PROMOTE) == Transition(to=now, makes_another=True)


@pytest.mark.parametrize(("now", "event"), [(DRAINING, EVENT.RETIRE), (RETIRED, EVENT.RETIRE), (RETIRED, EVENT.FORCE)])
def test_a_retired_one_is_not_retired_again_unless_force_ends_a_drain(now: Standing, event: DeploymentEvent) -> None:
    with pytest.raises(Conflict) as refused:
        transition(now, event)
    assert refused.value.details == {"reason": "ALREADY_RETIRED"}


def test_what_the_table_does_not_say_is_refused() -> None:
    for now in Standing:
        for event in DeploymentEvent:
            if (now, event) not in TRANSITIONS:
                with pytest.raises(Conflict):
                    transition(now, event)


@pytest.mark.parametrize(
    ("status", "draining", "found"),
    [("active", False, ACTIVE), ("retired", True, DRAINING), ("retired", False, RETIRED)],
)
def test_how_a_stored_one_stands(status: str, draining: bool, found: Standing) -> None:
    assert standing(status, draining) is found
    assert found.status == status


@pytest.mark.parametrize("bits", [0, 1, 2**44, 2**64 - 1])
def test_a_slug_has_its_form(bits: int) -> None:
    assert re.fullmatch(r"shop-dev-[a-z0-9]{4}-[0-9a-f]{6}", endpoint_slug("shop", "dev", bits))
