"""What is done to the product while its clients speak: processes killed, hosts frozen for longer than their lease,
clocks set wrong, the disk of its data filled.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import aiohttp

from tests.prove.clock import Clocks
from tests.prove.patience import patient
from tests.prove.product import Product

VICTIMS = (
    *("host", "clock", "host", "freeze", "disk", "host", "postgres", "clock", "gateway", "host"),
    *("valkey", "host", "clock", "host", "postgres", "host", "disk", "host", "clock", "host"),
)
FROZEN_S = 10.0
"""Longer than a lease lasts (`storage.leases.LEASE_S`)."""
WRONG_S = 12.0
"""How long a clock stays wrong."""
FULL_S = 2.0
"""How long a disk stays full once the product has said that it is."""
TOLD_S = 30.0
"""Within so long it has to say so, and within some more that it is ready again: a database may have ended of it."""
READY_S = 120.0
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
        self._passing: set[asyncio.Task[None]] = set()
        self._is_clock_wrong = False
        self._asked: set[str] = set()
        self.faults: list[str] = []
        self._began_s = time.monotonic()
        self._told = ""
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
            self._asked.add(victim)
            if place % 2:
                await self._turn_begins()
            began_s = time.monotonic()
            if await self._harm(victim):
                self.done[victim] += 1
            took_s = time.monotonic() - began_s
            self.diary.append(
                f"at {began_s - self._began_s:.1f} s, {self._acknowledged()} turns: {victim}, {took_s:.1f} s"
            )
        if self._passing:
            await asyncio.wait(set(self._passing))

    def missing(self, turns: int) -> list[str]:
        """Return the kinds of harm that a run of so many turns was to do and that never happened.

        What was tried has to have happened once at least. What was not tried must be beyond what the turns have room for:
        half of them may have been acknowledged while one harm was done.
        """
        wanted = self._asked | set(VICTIMS[: turns // self._every // 2])
        if self._product.disk is None or not self._product.disk.is_mounted:
            wanted.discard("disk")  # said at the start of the run
        if self._product.clocks is None:
            wanted.discard("clock")
        return sorted(wanted - self.done.keys())

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
                self._later(self._thaw(pid))
                return True
            case "clock":
                if product.clocks is None or self._is_clock_wrong:
                    return False
                self._is_clock_wrong = True
                self.diary.append(product.clocks.leap())
                self._later(self._set_right(product.clocks))
                return True
            case "disk":
                return await self._fill_disk()
            case _:
                await product.kill_gateway()
                return True

    def _later(self, passing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(passing)
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    async def _set_right(self, clocks: Clocks) -> None:
        try:
            await asyncio.sleep(WRONG_S)
        finally:
            clocks.set_right()
            self._is_clock_wrong = False

    async def _fill_disk(self) -> bool:
        """Fill the disk until the product says so and a little longer, then give it room again."""
        disk = self._product.disk
        if disk is None or not disk.is_mounted:
            return False
        disk.fill()
        try:
            if "disk" not in await self._ready_says(503, TOLD_S):
                self.faults.append("/ready did not say that the disk is full")
            await asyncio.sleep(FULL_S)
        finally:
            disk.make_room()
        if not await self._ready_says(200, READY_S):
            self.faults.append(f"/ready was not well {READY_S:.0f} s after the disk had room again")
        return True

    async def _ready_says(self, status: int, patience_s: float) -> str:
        """Return what /ready says once it answers so; "" when it does not in time."""
        give_up, url = time.monotonic() + patient(patience_s), f"{self._product.url}/ready"
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=patient(patience_s))) as http:
            while time.monotonic() < give_up:
                try:
                    async with http.get(url) as response:
                        told = await response.text()
                    self._told = f"{response.status} {told}"
                    if response.status == status and (status == 200 or "disk" in told):
                        return told
                except (aiohttp.ClientError, TimeoutError, OSError) as error:
                    self._told = repr(error)
                await asyncio.sleep(LOOK_S)
        self.faults.append(f"/ready last said {self._told}")
        return ""

    async def _thaw(self, pid: int) -> None:
        try:
            await asyncio.sleep(FROZEN_S)
        finally:
            self._product.thaw_host(pid)
