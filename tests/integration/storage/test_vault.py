from __future__ import annotations

import asyncio

import pytest

from domain.errors import Unavailable
from storage.crypto import MasterKeys, Unopenable, new_data_key
from storage.database import Database
from storage.statements import Statement
from storage.vault import Vault

pytestmark = pytest.mark.anyio

OLD, NEW = b"o" * 32, new_data_key()
ABOUT = ("project", "sec_1", "1")
COUNT = Statement("SELECT count(*) FROM tenant_keys WHERE tenant_id = :tenant_id")


async def rewrapped(vault: Vault) -> int:
    """Return how many data keys were wrapped anew; other tests of this run leave some of master keys of their own."""
    try:
        return await vault.rewrap()
    except Unopenable as told:
        return int(told.message.split()[0])


async def test_a_value_opens_for_its_tenant_alone(database: Database, tenant_id: str) -> None:
    vault = Vault(database, MasterKeys([OLD]))
    sealed = await vault.seal(tenant_id, b"secret", ABOUT)
    assert await Vault(database, MasterKeys([OLD])).open(tenant_id, sealed, ABOUT) == b"secret"
    with pytest.raises(Unopenable):
        await vault.open(f"{tenant_id} other", sealed, ABOUT)
    with pytest.raises(Unopenable):
        await vault.open(tenant_id, sealed, ("project", "sec_2", "1"))


async def test_many_first_values_at_once_make_one_key(database: Database, tenant_id: str) -> None:
    vaults = [Vault(database, MasterKeys([OLD])) for _ in range(8)]
    sealed = await asyncio.gather(*(vault.seal(tenant_id, b"secret", ABOUT) for vault in vaults))
    assert await database.value(COUNT, tenant_id=tenant_id) == 1
    fresh = Vault(database, MasterKeys([OLD]))
    assert {await fresh.open(tenant_id, one, ABOUT) for one in sealed} == {b"secret"}


async def test_a_master_key_is_replaced_without_a_moment_of_darkness(database: Database, tenant_id: str) -> None:
    before = Vault(database, MasterKeys([OLD]))
    sealed = await before.seal(tenant_id, b"secret", ABOUT)
    both = Vault(database, MasterKeys([NEW, OLD]))
    assert await both.open(tenant_id, sealed, ABOUT) == b"secret"
    with pytest.raises(Unopenable, match="not configured"):
        await Vault(database, MasterKeys([NEW])).open(tenant_id, sealed, ABOUT)
    assert await rewrapped(both) >= 1
    assert await rewrapped(both) == 0
    assert await Vault(database, MasterKeys([NEW])).open(tenant_id, sealed, ABOUT) == b"secret"
    await rewrapped(Vault(database, MasterKeys([OLD, NEW])))  # other tests of this run have the old one alone


async def test_a_data_key_of_a_lost_master_key_keeps_no_other_from_being_wrapped(
    database: Database, tenant_id: str
) -> None:
    lost = Vault(database, MasterKeys([new_data_key()]))
    before = await lost.seal(f"{tenant_id} a", b"secret", ABOUT)
    sealed = await Vault(database, MasterKeys([OLD])).seal(f"{tenant_id} b", b"secret", ABOUT)
    with pytest.raises(Unopenable, match="Add those and try again"):
        await Vault(database, MasterKeys([NEW, OLD])).rewrap()
    assert await Vault(database, MasterKeys([NEW])).open(f"{tenant_id} b", sealed, ABOUT) == b"secret"
    assert await lost.open(f"{tenant_id} a", before, ABOUT) == b"secret"
    await rewrapped(Vault(database, MasterKeys([OLD, NEW])))


async def test_a_tenant_gets_a_new_key_and_what_was_sealed_under_the_last_still_opens(
    database: Database, tenant_id: str
) -> None:
    vault = Vault(database, MasterKeys([OLD]))
    first = await vault.seal(tenant_id, b"one", ABOUT)
    assert await vault.renew(tenant_id) == 2
    second = await vault.seal(tenant_id, b"two", ABOUT)
    assert first[:4] != second[:4]
    fresh = Vault(database, MasterKeys([OLD]))
    assert [await fresh.open(tenant_id, one, ABOUT) for one in (first, second)] == [b"one", b"two"]


async def test_without_a_master_key_nothing_is_sealed(database: Database, tenant_id: str) -> None:
    for vault in (Vault(database, None), Vault(database, MasterKeys([]))):
        with pytest.raises(Unavailable, match="Encryption service unavailable"):
            await vault.seal(tenant_id, b"secret", ABOUT)


async def test_master_keys_that_are_not_configured_are_told_of(database: Database, tenant_id: str) -> None:
    lost, kept = MasterKeys([new_data_key()]), MasterKeys([new_data_key()])
    await Vault(database, lost).seal(tenant_id, b"secret", ABOUT)
    told = await Vault(database, kept).unknown_masters()
    assert f"1 under {lost.current_id.hex()}" in told
    assert lost.current_id.hex() not in await Vault(database, lost).unknown_masters()
