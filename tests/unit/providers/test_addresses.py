"""Which addresses may be called: a corpus of ways to write one that may not."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from providers.addresses import (
    METADATA,
    METADATA_NAMES,
    AddressPolicy,
    host_refusal,
    literal_address,
    name_refusal,
    plain_host,
    refusal,
)
from tests.support.address_forms import ALLOWED, LOOPBACK_NAMES, LOOPBACK_SPELLINGS, NAMES, REFUSED
from tests.support.cells import over

PUBLIC = AddressPolicy()


@over("host", [*LOOPBACK_SPELLINGS, *REFUSED])
def test_is_refused_in_every_spelling(host: str) -> None:
    address = literal_address(host)
    assert address is not None
    assert refusal(address, 80, PUBLIC)


@pytest.mark.parametrize("host", ALLOWED)
def test_the_public_internet_may_be_called(host: str) -> None:
    address = literal_address(host)
    assert address is not None
    assert refusal(address, 80, PUBLIC) is None


@pytest.mark.parametrize("host", [name for name in NAMES if name not in {"0x"}])
def test_a_name_is_no_address(host: str) -> None:
    assert literal_address(host) is None


@pytest.mark.parametrize(
    ("entry", "address", "port", "allowed"),
    [
        ("10.0.0.0/8", "10.1.2.3", 80, True),
        ("10.0.0.0/8", "11.1.2.3", 80, True),
        ("10.0.0.0/8", "192.168.0.1", 80, False),
        ("127.0.0.1:8080", "127.0.0.1", 8080, True),
        ("127.0.0.1:8080", "127.0.0.1", 8081, False),
        ("[::1]:9", "::1", 9, True),
        ("[::1]:9", "::1", 10, False),
        ("::1", "::1", 10, True),
        ("fd00::/8", "fd12::1", 80, True),
        ("10.0.0.1", "::ffff:10.0.0.1", 80, True),
        ("169.254.0.0/16", "169.254.1.1", 80, True),
        ("169.254.0.0/16", "169.254.169.254", 80, False),
        ("0.0.0.0/0", "169.254.169.254", 80, False),
        ("169.254.169.254", "169.254.169.254", 80, True),
        ("not an address", "10.0.0.1", 80, False),
    ],
)
def test_the_allow_list_opens_what_it_names(entry: str, address: str, port: int, allowed: bool) -> None:
    assert (refusal(ip_address(address), port, AddressPolicy((entry,))) is None) == allowed


@pytest.mark.parametrize("address", sorted(map(str, METADATA)))
def test_no_network_opens_a_metadata_service(address: str) -> None:
    assert refusal(ip_address(address), 80, AddressPolicy(("0.0.0.0/0", "::/0")))


@pytest.mark.parametrize("entry", ["::/0", "::ffff:0:0/96", "64:ff9b::/96", "0.0.0.0/0"])
def test_no_network_opens_one_that_is_written_as_ipv6(entry: str) -> None:
    for written in ("::ffff:169.254.169.254", "64:ff9b::169.254.169.254"):
        assert refusal(ip_address(written), 80, AddressPolicy((entry,))), written
    assert refusal(ip_address("::ffff:169.254.169.254"), 80, AddressPolicy(("169.254.169.254",))) is None


def test_a_name_of_a_metadata_service_is_refused_unless_it_is_listed_itself() -> None:
    for name in METADATA_NAMES:
        for entries in ((), ("*.internal",), ("*.google.internal", "*.com"), ("169.254.0.0/16",)):
            assert host_refusal(name.upper(), 80, AddressPolicy(entries)) == "a cloud's metadata service", name
        assert host_refusal(name, 80, AddressPolicy((name,))) is None
        assert host_refusal(name, 80, AddressPolicy(everything=True)) is None
    assert host_refusal("metadata.example.com", 80, AddressPolicy()) is None


def test_everything_means_everything() -> None:
    assert refusal(ip_address("169.254.169.254"), 80, AddressPolicy(everything=True)) is None


@pytest.mark.parametrize(
    ("entry", "host", "allowed"),
    [
        ("intern.example", "intern.example", True),
        ("Intern.Example", "intern.example", True),
        ("intern.example", "x.intern.example", False),
        ("*.intern.example", "x.intern.example", True),
        ("*.intern.example", "intern.example", False),
        ("*.intern.example", "evilintern.example", False),
        ("127.0.0.1", "127.0.0.1", False),
    ],
)
def test_names_are_listed_whole_or_by_suffix(entry: str, host: str, allowed: bool) -> None:
    assert AddressPolicy((entry,)).allows_name(host, 443) == allowed


def test_a_host_is_compared_in_one_form() -> None:
    assert plain_host("[::1]") == "::1"
    assert plain_host("EXAMPLE.com.") == "example.com"


def test_a_name_of_this_machine_is_refused_unless_it_or_its_address_is_listed() -> None:
    listed = (("127.0.0.0/8",), ("::1",), ("localhost",), ("*.localhost",))
    for host in LOOPBACK_NAMES:
        assert name_refusal(host, 443, AddressPolicy()) == "loopback", host
        assert name_refusal(host, 443, AddressPolicy(everything=True)) is None, host
        assert name_refusal(host, 443, AddressPolicy(listed[0])) is None, host
    assert [name_refusal("localhost", 443, AddressPolicy(one)) for one in listed] == [None, None, None, "loopback"]
    for host in ("example.com", "localhost.example.com", "mylocalhost", "localhost.com", "127.0.0.1", ""):
        assert name_refusal(host, 443, AddressPolicy()) is None, host
