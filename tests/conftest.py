"""What holds for every test: nothing beyond loopback is reached, and generated examples are the same each run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

CACHE = Path(__file__).resolve().parent.parent / ".cache"
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost", "", None})


def refuse_the_world(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: raise when a test connects, or looks a name up, beyond loopback."""
    match event, arguments:
        case "socket.connect", (_, (host, *_)):
            reached = host
        case "socket.getaddrinfo", (host, *_):
            reached = host
        case _:
            return
    if reached not in LOOPBACK:
        raise PermissionError(f"a test may not reach beyond loopback: {reached!r}")


def pytest_configure(config: pytest.Config) -> None:
    set_hypothesis_home_dir(CACHE / "hypothesis")
    # No deadline: two cores are shared with other work. Derandomised: what passed once passes again.
    settings.register_profile(
        "default-suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.register_profile("soak", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("soak" if config.option.markexpr == "soak" else "default-suite")
    sys.addaudithook(refuse_the_world)
