"""What holds for every test: nothing beyond loopback is reached, and generated examples are the same each run."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir
from xdist.scheduler import LoadGroupScheduling

CACHE = Path(__file__).resolve().parent.parent / ".cache"
HERE = Path(__file__).resolve().parent
LONG_FIRST = ("prove", "cluster", "integration", "spec", "flows", "flows_gateway", "hostile", "fuzz", "property")
"""The others, whose modules are all short, let the workers end together."""
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
    # The tests start hundreds of processes; without bytecode each would compile the whole product again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    set_hypothesis_home_dir(CACHE / "hypothesis")
    # No deadline: two cores are shared with other work. Derandomised: what passed once passes again.
    settings.register_profile(
        "default-suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.register_profile("soak", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("soak" if config.option.markexpr == "soak" else "default-suite")
    sys.addaudithook(refuse_the_world)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="take modules, and the tests in each, in random order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have the folders come first in which one module may take long: no worker is left alone with one at the end.

    With `--shuffle` the order is random instead, the same for the same number: no test may lean on another.
    """
    seed = config.getoption("shuffle")
    if seed is None:
        items.sort(key=_place)
        return
    chance = Random(seed)
    modules = sorted({item.path for item in items})
    chance.shuffle(modules)
    places = {module: number for number, module in enumerate(modules)}
    chance.shuffle(items)
    items.sort(key=lambda item: places[item.path])


def _place(item: pytest.Item) -> int:
    return _place_of(item.path)


@cache
def _place_of(module: Path) -> int:
    folder = module.relative_to(HERE).parts[0]
    return LONG_FIRST.index(folder) if folder in LONG_FIRST else len(LONG_FIRST)


class ByModule(LoadGroupScheduling):
    """Gives a worker a whole module at a time, or what is marked as one group.

    Given one by one, as they are by xdist's own, tests cost the run more than they do themselves: whenever one ends,
    everything that its worker has had is looked at. And what the tests of a module share would be made in each worker.
    """

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if scope == nodeid else scope


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule | None:
    return ByModule(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Note how many cases a test goes over (`tests.support.cells`); the notes travel with its report."""
    item.user_properties.append(("cases", getattr(getattr(item, "obj", None), "cases", 1)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cases the tests that passed have gone over."""
    passed = terminalreporter.stats.get("passed", ())
    cases = sum(dict(report.user_properties).get("cases", 1) for report in passed)
    terminalreporter.write_line(f"{len(passed):,} tests with {cases:,} cases passed")
