"""Names -> addresses that may be called."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from providers.addresses import AddressPolicy
from providers.failures import CallFailed, FailureKind
from providers.guarded_resolver import GuardedResolver

pytestmark = pytest.mark.anyio


def resolver(*addresses: str, allowed: tuple[str, ...] = ()) -> GuardedResolver:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return addresses

    return GuardedResolver(AddressPolicy(allowed), lookup)


async def refused(guard: GuardedResolver, host: str = "evil.example", port: int = 80) -> FailureKind:
    with pytest.raises(CallFailed) as caught:
        await guard.addresses(host, port)
    return caught.value.kind


async def test_gives_all_addresses_of_a_public_name() -> None:
    found = await resolver("93.184.216.34", "2606:2800:220:1::1").addresses("example.com", 443)
    assert [str(address) for address in found] == ["93.184.216.34", "2606:2800:220:1::1"]


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.5", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1"])
async def test_a_name_that_means_a_private_address_is_refused(address: str) -> None:
    assert await refused(resolver(address)) is FailureKind.REFUSED


async def test_one_private_address_among_public_ones_refuses_the_name() -> None:
    assert await refused(resolver("93.184.216.34", "127.0.0.1")) is FailureKind.REFUSED


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "[::1]", "2130706433"])
async def test_an_address_is_judged_without_a_lookup(host: str) -> None:
    assert await refused(resolver("93.184.216.34"), host) is FailureKind.REFUSED


async def test_a_listed_name_may_have_any_address() -> None:
    guard = resolver("10.0.0.5", allowed=("crm.intern.example",))
    assert [str(one) for one in await guard.addresses("CRM.intern.example.", 80)] == ["10.0.0.5"]
    assert await refused(guard, "other.example") is FailureKind.REFUSED


async def test_a_suffix_opens_no_metadata_service_and_a_whole_name_does() -> None:
    for meant in ("169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254"):
        assert (
            await refused(resolver(meant, allowed=("*.intern.example",)), "crm.intern.example") is FailureKind.REFUSED
        )
        assert await resolver(meant, allowed=("crm.intern.example",)).addresses("crm.intern.example", 80)
    assert await resolver("10.0.0.5", allowed=("*.intern.example",)).addresses("crm.intern.example", 80)


async def test_a_listed_network_opens_names_within_it() -> None:
    assert await resolver("10.0.0.5", allowed=("10.0.0.0/8",)).addresses("crm.example", 80)


@pytest.mark.parametrize("error", [OSError("unknown"), UnicodeError("label too long")])
async def test_a_name_without_an_address_is_no_connection(error: Exception) -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        raise error

    assert await refused(GuardedResolver(AddressPolicy(), lookup)) is FailureKind.CONNECT
    assert await refused(resolver()) is FailureKind.CONNECT


async def test_an_empty_host_is_refused() -> None:
    assert await refused(resolver("1.1.1.1"), "") is FailureKind.INVALID


async def test_what_is_remembered_of_a_literal_holds_for_its_port_and_its_policy_alone() -> None:
    guard, strict = resolver(allowed=("127.0.0.1:8080",)), resolver()
    for _ in range(2):
        guard.check_literal("127.0.0.1", 8080)
        for other, port in ((guard, 8081), (strict, 8080)):
            with pytest.raises(CallFailed) as caught:
                other.check_literal("127.0.0.1", port)
            assert caught.value.kind is FailureKind.REFUSED


async def test_a_literal_can_be_judged_before_anything_waits() -> None:
    guard = resolver("127.0.0.1")
    with pytest.raises(CallFailed):
        guard.check_literal("0177.1", 80)
    guard.check_literal("a.name.example", 80)
