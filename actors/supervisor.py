"""When a host that died is started again, and how many hosts there should be: decisions over numbers, no waiting."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

FIRST_BACKOFF_S = 0.1
MAX_BACKOFF_S = 10.0
FORGIVEN_AFTER_S = 60.0
"""A host that has lived this long has its earlier deaths forgiven."""
MAX_DEATHS = 100
"""Deaths in a row after which a host is not started again: something is wrong that starting does not mend."""


@dataclass(frozen=True, slots=True)
class Life:
    """What is known of one host's past.

    Attributes:
        deaths: How often in a row it died soon after its start.
        started_at_s: When it was last started, on a clock that only rises.
    """

    deaths: int = 0
    started_at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Restart:
    """What to do about a host that died: start it again after `delay_s`, or give it up."""

    life: Life
    delay_s: float
    give_up: bool = False


def after_death(life: Life, now_s: float) -> Restart:
    """Return whether and when to start a host again that has just died.

    >>> after_death(Life(deaths=0, started_at_s=0.0), 1.0)
    Restart(life=Life(deaths=1, started_at_s=0.0), delay_s=0.0, give_up=False)
    >>> after_death(Life(deaths=3, started_at_s=0.0), 1.0).delay_s
    0.4
    """
    deaths = 1 if now_s - life.started_at_s >= FORGIVEN_AFTER_S else life.deaths + 1
    remembered = Life(deaths, life.started_at_s)
    if deaths > MAX_DEATHS:
        return Restart(remembered, 0.0, give_up=True)
    if deaths == 1:
        return Restart(remembered, 0.0)
    exponent = min(deaths - 2, 30)
    return Restart(remembered, min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2**exponent))


@dataclass(frozen=True, slots=True)
class Load:
    """What all hosts carry together, and their number."""

    hosts: int
    live_sessions: int
    running_turns: int


@dataclass(frozen=True, slots=True)
class Sizing:
    """What one host may carry, and within which bounds their number may move."""

    sessions_per_host: int = 10_000
    turns_per_host: int = 500
    min_hosts: int = 1
    max_hosts: int = 64
    shrink_below: float = field(default=0.5)


def wanted_hosts(load: Load, sizing: Sizing) -> int:
    """Return how many hosts there should be; shrinks one at a time, and only when well below what fewer could carry.

    >>> wanted_hosts(Load(hosts=2, live_sessions=25_000, running_turns=10), Sizing())
    3
    >>> wanted_hosts(Load(hosts=2, live_sessions=9_000, running_turns=10), Sizing())
    2
    """
    needed = max(
        math.ceil(load.live_sessions / sizing.sessions_per_host),
        math.ceil(load.running_turns / sizing.turns_per_host),
        1,
    )
    if needed < load.hosts:
        fewer = max(1, load.hosts - 1)
        roomy = (
            load.live_sessions <= fewer * sizing.sessions_per_host * sizing.shrink_below
            and load.running_turns <= fewer * sizing.turns_per_host * sizing.shrink_below
        )
        needed = fewer if roomy else load.hosts
    return min(max(needed, sizing.min_hosts), sizing.max_hosts)
