"""What is done to the product while its clients speak: processes killed, hosts frozen for longer than their lease."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable

from tests.prove.product import Product

VICTIMS = (
    *("host", "host", "freeze", "host", "postgres", "host", "gateway", "host", "host"),
    *("valkey", "host", "host", "postgres", "host", "host", "host"),
)
FROZEN_S = 10.0
"""Longer than a lease lasts (`storage.leases.LEASE_S`)."""
LOOK_S = 0.02
EARLY_S = 0.05
"""Half of the harm is done within so long after somebody has sent a new message."""
EARLY_LOOK_S = 0.002
EARLY_WAIT_S = 2.0
"""How long a new message is waited for; then the harm is done anyway."""


class Torment:
    """Does harm each time so many turns were acknowledged."""

    def __init__(self, product: Product, acknowledged: Callable[[], int], sent: Callable[[], int], every: int) -> None:
        self._product = product
        self._acknowledged = acknowledged
        self._sent = sent
        self._every = every
        self._chance = random.Random(7)
        self._thawing: set[asyncio.Task[None]] = set()
        self._began_s = time.monotonic()
        self.done: Counter[str] = Counter()
        self.diary: list[str] = []

    async def go_on(self, over: asyncio.Event) -> None:
        """Do harm until it is over; nothing is left frozen."""
        place, next_at = 0, self._every
        while not over.is_set():
            if self._acknowledged() < next_at:
                await asyncio.sleep(LOOK_S)
                continue
            next_at = self._acknowledged() + self._every
            victim = VICTIMS[place % len(VICTIMS)]
            place += 1
            if place % 2:
                await self._turn_begins()
            began_s = time.monotonic()
            if await self._harm(victim):
                self.done[victim] += 1
            took_s = time.monotonic() - began_s
            self.diary.append(
                f"at {began_s - self._began_s:.1f} s, {self._acknowledged()} turns: {victim}, {took_s:.1f} s"
            )
        if self._thawing:
            await asyncio.wait(set(self._thawing))

    async def _turn_begins(self) -> None:
        """Wait for a moment in which a turn has just been asked for."""
        before, give_up = self._sent(), time.monotonic() + EARLY_WAIT_S
        while self._sent() == before and time.monotonic() < give_up:  # noqa: ASYNC110 - many count it up
            await asyncio.sleep(EARLY_LOOK_S)
        await asyncio.sleep(self._chance.uniform(0.0, EARLY_S))

    async def _harm(self, victim: str) -> bool:
        product = self._product
        match victim:
            case "host":
                return product.kill_host(self._chance.randrange(8))
            case "postgres":
                return product.kill_postgres()
            case "valkey":
                return product.kill_valkey()
            case "freeze":
                pid = product.freeze_host(self._chance.randrange(8))
                if pid is None:
                    return False
                task = asyncio.get_running_loop().create_task(self._thaw(pid))
                self._thawing.add(task)
                task.add_done_callback(self._thawing.discard)
                return True
            case _:
                await product.kill_gateway()
                return True

    async def _thaw(self, pid: int) -> None:
        try:
            await asyncio.sleep(FROZEN_S)
        finally:
            self._product.thaw_host(pid)
