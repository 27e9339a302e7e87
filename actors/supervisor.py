"""When a host that died is started again, and how many hosts there should be: decisions over numbers, no waiting."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    """What all shared hosts carry together.

    Attributes:
        live_sessions: Awake, whether anything is asked of them or not.
        turns: Those that run and those that wait.
        rss_bytes: Resident memory of all of them.
    """

    live_sessions: int = 0
    turns: int = 0
    rss_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Sizing:
    """What one host may carry, and within which bounds their number may move.

    Attributes:
        full_at: Share of what hosts may carry at which one more is asked for: a node takes minutes to come.
        roomy_below: Share of what one host fewer could carry below which one may go; the gap between the two shares is
            what keeps the number from going up and down.
        shrink_after_s: How long there has to have been room before a host goes.
    """

    sessions_per_host: int = 10_000
    turns_per_host: int = 500
    bytes_per_host: int = 2 * 1024**3
    min_hosts: int = 1
    max_hosts: int = 64
    full_at: float = 0.8
    roomy_below: float = 0.5
    shrink_after_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Aim:
    """How many hosts there should be, and since when one fewer would do; None when it would not."""

    hosts: int
    roomy_since_s: float | None = None


def next_aim(aim: Aim, load: Load, sizing: Sizing, now_s: float) -> Aim:
    """Return how many hosts there should be from now on.

    It grows at once and to the full need, before hosts are full. It shrinks by one host at a time, when one fewer
    would have been roomy for `shrink_after_s` without a break; then that time begins anew. Hosts beyond the highest
    number, which there are after a gateway with wider bounds has left, go in the same steps.

    >>> next_aim(Aim(2), Load(live_sessions=25_000), Sizing(), now_s=0.0)
    Aim(hosts=4, roomy_since_s=None)
    >>> next_aim(Aim(2), Load(live_sessions=100), Sizing(), now_s=0.0)
    Aim(hosts=2, roomy_since_s=0.0)
    >>> next_aim(Aim(2, roomy_since_s=0.0), Load(live_sessions=100), Sizing(), now_s=60.0)
    Aim(hosts=1, roomy_since_s=None)
    """
    highest = max(sizing.min_hosts, sizing.max_hosts)
    needed = min(max(_hosts_for(load, sizing, sizing.full_at), sizing.min_hosts), highest)
    if needed > aim.hosts:
        return Aim(needed)
    fewer = aim.hosts - 1
    may_go = fewer >= highest or fewer >= max(sizing.min_hosts, _hosts_for(load, sizing, sizing.roomy_below))
    if not may_go:
        return Aim(aim.hosts)
    since_s = now_s if aim.roomy_since_s is None else aim.roomy_since_s
    return Aim(fewer) if now_s - since_s >= sizing.shrink_after_s else Aim(aim.hosts, since_s)


def _hosts_for(load: Load, sizing: Sizing, share: float) -> int:
    """Return how many hosts carry a load when each is filled to a share; at least one."""
    parts = (
        load.live_sessions / sizing.sessions_per_host,
        load.turns / sizing.turns_per_host,
        load.rss_bytes / sizing.bytes_per_host,
    )
    return max(1, math.ceil(max(parts) / share))
