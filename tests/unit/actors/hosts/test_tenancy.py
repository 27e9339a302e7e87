from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

import actors.hosts.tenancy as tenancy_module
from actors.hosts.tenancy import Epoch, Tenancy
from actors.session_host import SessionHost
from domain.json_values import JsonObject
from storage.errors import StaleEpoch
from tests.support.sessions import MemoryStore, a_turn, some_services
from tests.support.until import until


@dataclass
class Leases:
    """Leases in a list."""

    epoch: int = 0
    labels: list[JsonObject] = field(default_factory=list)
    released: list[int] = field(default_factory=list)
    is_stale: bool = False

    async def register_host(self, host_id: str, address: str, labels: JsonObject) -> int:
        self.epoch += 1
        self.is_stale = False
        self.labels.append(labels)
        return self.epoch

    async def renew(self, epoch: int, labels: JsonObject) -> datetime:
        if self.is_stale:
            raise StaleEpoch("over")
        self.labels.append(labels)
        return datetime.now(UTC)

    async def release_host(self, epoch: int) -> None:
        self.released.append(epoch)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenancy_module, "RENEW_EVERY_S", 0.0)


def a_tenancy() -> tuple[Tenancy, Leases, SessionHost, Epoch]:
    leases, epoch = Leases(), Epoch()
    host = SessionHost("host-0", some_services(MemoryStore()))
    return Tenancy(leases, host, epoch), leases, host, epoch


def test_a_renewal_says_what_the_host_carries_beside_its_own_labels() -> None:
    async def story() -> None:
        tenancy, leases, host, _ = a_tenancy()
        await tenancy.start("unix:/a", {"machine": "m"})
        await host.ask(a_turn("one"))
        await until(lambda: leases.labels[-1]["sessions"] == 1)
        assert leases.labels[-1]["machine"] == "m"
        assert leases.labels[-1]["draining"] is False
        await tenancy.stop()
        assert leases.released == [1]

    asyncio.run(story())


def test_that_the_host_drains_is_told_at_once() -> None:
    async def story() -> None:
        tenancy, leases, host, epoch = a_tenancy()
        epoch.value = 1
        host.begin_drain()
        await tenancy.announce()
        assert leases.labels[-1]["draining"] is True

    asyncio.run(story())


def test_a_host_that_lost_its_lease_drops_its_sessions_and_registers_again() -> None:
    async def story() -> None:
        tenancy, leases, host, epoch = a_tenancy()
        await tenancy.start("unix:/a", {})
        await host.ask(a_turn("one"))
        leases.is_stale = True
        await until(lambda: epoch.value == 2)
        assert host.stats().live_sessions == 0
        await tenancy.stop()

    asyncio.run(story())


def test_a_host_that_drains_leaves_its_name_to_whoever_has_it_now() -> None:
    async def story() -> None:
        tenancy, leases, host, epoch = a_tenancy()
        await tenancy.start("unix:/a", {})
        await host.ask(a_turn("one"))
        host.begin_drain()
        leases.is_stale = True
        await until(lambda: host.stats().live_sessions == 0)
        for _ in range(20):
            await asyncio.sleep(0)
        assert epoch.value == 1
        await tenancy.stop()

    asyncio.run(story())
