"""A run that did not do the harm it was to do does not hold: it has shown nothing of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.prove.audit import Findings
from tests.prove.clock import Clocks
from tests.prove.kill_test import Outcome
from tests.prove.torment import VICTIMS, Torment

EVERY = 10
KINDS = set(VICTIMS)


class Sturdy:
    """A product that can be harmed in every way but `spared`."""

    disk = None

    def __init__(self, folder: Path, spared: str = "") -> None:
        self.clocks = Clocks(folder / "clocks")
        self._spared = spared

    def kill_host(self, number: int) -> bool:
        return self._spared != "host"

    def kill_postgres(self) -> bool:
        return self._spared != "postgres"

    def kill_valkey(self) -> bool:
        return self._spared != "valkey"

    def freeze_host(self, number: int) -> int | None:
        return None if self._spared == "freeze" else 1

    def thaw_host(self, pid: int) -> bool:
        return True

    async def kill_gateway(self) -> None:
        """Nothing is there to be started again."""


async def harmed(product: Any, harms: int, monkeypatch: pytest.MonkeyPatch) -> Torment:
    """Return a torment that has tried so many harms, one after the other."""
    monkeypatch.setattr("tests.prove.torment.FROZEN_S", 0.0)
    monkeypatch.setattr("tests.prove.torment.WRONG_S", 0.0)
    monkeypatch.setattr("tests.prove.torment.EARLY_WAIT_S", 0.0)
    over = asyncio.Event()
    tried = 0

    def acknowledged() -> int:
        nonlocal tried
        tried = len(torment.diary)
        if tried >= harms:
            over.set()
        return 1_000_000 * (tried + 1)

    torment = Torment(product, acknowledged, lambda: tried, EVERY)
    await torment.go_on(over)
    return torment


def test_a_run_that_was_harmed_in_every_way_misses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torment = asyncio.run(harmed(Sturdy(tmp_path), 2 * len(VICTIMS), monkeypatch))
    assert torment.missing(EVERY * 2 * len(VICTIMS)) == []
    assert set(torment.done) == KINDS - {"disk"}, "no disk of its own could be mounted, which is said"


@pytest.mark.parametrize("spared", ["host", "postgres", "valkey", "freeze"])
def test_a_run_that_was_spared_one_kind_does_not_hold(
    spared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torment = asyncio.run(harmed(Sturdy(tmp_path, spared), len(VICTIMS), monkeypatch))
    assert torment.missing(EVERY) == [spared]


def test_a_run_in_which_nothing_was_even_tried_does_not_hold(tmp_path: Path) -> None:
    torment = Torment(Sturdy(tmp_path), lambda: 0, lambda: 0, EVERY)  # type: ignore[arg-type]
    missing = torment.missing(EVERY * 2 * len(VICTIMS))
    assert set(missing) == KINDS - {"disk"}
    assert torment.missing(EVERY) == [], "too short for any"
    whole = Outcome([], Findings(), turns=0, clients=1, waiting="0")
    assert whole.holds
    whole.missing = missing
    assert not whole.holds
