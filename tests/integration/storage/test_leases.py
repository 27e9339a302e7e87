from __future__ import annotations

import asyncio

import pytest

from domain.errors import NotFound
from storage.database import Database
from storage.errors import OwnedElsewhere, StaleEpoch
from storage.journal import Journal
from storage.leases import Leases
from tests.support.claims import claim
from tests.support.servers import until

pytestmark = pytest.mark.anyio


@pytest.fixture
def brief(database: Database) -> Leases:
    return Leases(database, lease_s=0.05)


async def test_a_live_host_is_listed_and_owns_what_it_claims(leases: Leases, journal: Journal, tenant_id: str) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h", {"zone": "a"})
    await journal.open_session(tenant_id, "s", None)
    assert await leases.owner(tenant_id, "s") is None
    assert await claim(leases, tenant_id, "s", epoch) == 0
    owner = await leases.owner(tenant_id, "s")
    assert owner is not None
    assert owner in await leases.hosts()
    assert (owner.host_id, owner.epoch, owner.address, owner.labels) == (
        f"h {tenant_id}",
        epoch,
        "unix:h",
        {"zone": "a"},
    )


async def test_a_session_of_a_live_host_is_not_given_away(leases: Leases, journal: Journal, tenant_id: str) -> None:
    first = await leases.register_host(f"1 {tenant_id}", "unix:1")
    second = await leases.register_host(f"2 {tenant_id}", "unix:2")
    await journal.open_session(tenant_id, "s", first)
    with pytest.raises(OwnedElsewhere) as refused:
        await claim(leases, tenant_id, "s", second)
    assert (refused.value.host_id, refused.value.address) == (f"1 {tenant_id}", "unix:1")
    await leases.release_session(tenant_id, "s", second)
    with pytest.raises(OwnedElsewhere):
        await claim(leases, tenant_id, "s", second)
    await leases.release_session(tenant_id, "s", first)
    assert await claim(leases, tenant_id, "s", second) == 0


async def test_a_lease_that_ran_out_lives_on_until_somebody_claims(
    brief: Leases, leases: Leases, journal: Journal, tenant_id: str
) -> None:
    first = await brief.register_host(f"1 {tenant_id}", "unix:1")
    for name in ("a", "b"):
        await journal.open_session(tenant_id, name, first)

    async def ran_out() -> bool:
        return first not in {host.epoch for host in await leases.hosts()}

    await until(ran_out)
    assert await journal.append(tenant_id, "a", first, [b"x"], expect_seq=0) == 1
    await brief.renew(first)
    await until(ran_out)
    second = await leases.register_host(f"2 {tenant_id}", "unix:2")
    assert await claim(leases, tenant_id, "a", second) == 1
    for name in ("a", "b"):
        with pytest.raises(StaleEpoch):
            await journal.append(tenant_id, name, first, [b"x"], expect_seq=1)
    with pytest.raises(StaleEpoch):
        await brief.renew(first)
    with pytest.raises(StaleEpoch):
        await claim(leases, tenant_id, "b", first)
    assert await claim(leases, tenant_id, "b", second) == 0


async def test_of_many_claims_at_once_one_wins(brief: Leases, leases: Leases, journal: Journal, tenant_id: str) -> None:
    lost = await brief.register_host(f"lost {tenant_id}", "unix:0")
    await journal.open_session(tenant_id, "s", lost)
    claimers = [await leases.register_host(f"{number} {tenant_id}", "unix:x") for number in range(8)]

    async def ran_out() -> bool:
        return lost not in {host.epoch for host in await leases.hosts()}

    await until(ran_out)
    outcomes = await asyncio.gather(
        *(claim(leases, tenant_id, "s", epoch) for epoch in claimers), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["OwnedElsewhere"] * 7 + ["int"]


async def test_a_host_that_registers_anew_has_lost_its_old_epoch(
    leases: Leases, journal: Journal, tenant_id: str
) -> None:
    old = await leases.register_host(f"h {tenant_id}", "unix:h")
    await journal.open_session(tenant_id, "s", old)
    new = await leases.register_host(f"h {tenant_id}", "unix:h")
    assert new > old
    with pytest.raises(StaleEpoch):
        await journal.append(tenant_id, "s", old, [b"x"], expect_seq=0)
    with pytest.raises(StaleEpoch):
        await leases.renew(old)
    assert await claim(leases, tenant_id, "s", new) == 0


async def test_a_host_that_leaves_frees_its_sessions_at_once(leases: Leases, journal: Journal, tenant_id: str) -> None:
    first = await leases.register_host(f"1 {tenant_id}", "unix:1")
    second = await leases.register_host(f"2 {tenant_id}", "unix:2")
    await journal.open_session(tenant_id, "s", first)
    await leases.release_host(first)
    assert await leases.owner(tenant_id, "s") is None
    assert await claim(leases, tenant_id, "s", second) == 0


async def test_an_unknown_session_cannot_be_claimed(leases: Leases, tenant_id: str) -> None:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    with pytest.raises(NotFound):
        await claim(leases, tenant_id, "none", epoch)
