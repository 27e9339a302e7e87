"""Which addresses may be called: tables of networks, and the allow-list of a deployment. Pure.

IPv6 is judged by default deny: only global unicast outside the special ranges. Addresses that carry an IPv4 address
inside are judged by that, or refused where the way they go cannot be known.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

IPAddress: TypeAlias = IPv4Address | IPv6Address
IPNetwork: TypeAlias = IPv4Network | IPv6Network

REFUSED: Final[tuple[tuple[IPNetwork, str], ...]] = tuple(
    (ip_network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by a carrier"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "a relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::1/128", "loopback"),
        ("::/128", "unspecified"),
        ("::/8", "reserved"),
        ("64:ff9b:1::/48", "a local translation"),
        ("100::/64", "discarded"),
        ("2001::/32", "a tunnel"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "for documentation"),
        ("2002::/16", "a tunnel"),
        ("3fff::/20", "for documentation"),
        ("5f00::/16", "reserved"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "private"),
        ("ff00::/8", "multicast"),
    )
)
"""Network -> why it is not called; the first that matches names the reason."""

GLOBAL_IPV6: Final = IPv6Network("2000::/3")
NAT64: Final = IPv6Network("64:ff9b::/96")
METADATA: Final = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
    )
)
"""Where clouds hand out credentials: allowed only when listed one by one, never by a network or a suffix."""

METADATA_NAMES: Final = frozenset(
    (
        "metadata",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.tencentyun.com",
        "instance-data",
        "instance-data.ec2.internal",
    )
)
"""What clouds call them; what such a name means elsewhere is nobody's server of models or of events."""
CLOUD: Final = "a cloud's metadata service"
OF_ONES_OWN: Final = frozenset({"loopback", "private", "shared by a carrier"})
"""Why addresses are refused at which servers of one's own may be, once the operator lists them."""

LOOPBACK_NAMES: Final = frozenset(
    (
        "localhost",
        "localhost.localdomain",
        "localhost4",
        "localhost4.localdomain4",
        "localhost6",
        "localhost6.localdomain6",
        "ip6-localhost",
        "ip6-loopback",
    )
)
"""Names that systems have for themselves; a name under `localhost` is one too (RFC 6761, 6.3)."""
LOOPBACK: Final[tuple[IPAddress, ...]] = (IPv4Address("127.0.0.1"), IPv6Address("::1"))

_ISATAP = (0x00005EFE, 0x02005EFE)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_MAX_PARTS = 4
_MAX_HOST_CHARS = 255
_MAX_KEPT = 2_048
"""Hosts and entries whose reading is kept: it depends on their text alone."""


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """What a deployment allows beyond the public internet.

    Attributes:
        allowed: Entries `name`, `*.suffix`, `address` or `network`; a name or address may have `:port`.
        everything: No address is refused; for endpoints that an operator configures, never for those of agents.
    """

    allowed: tuple[str, ...] = ()
    everything: bool = False

    def allows_name(self, host: str, port: int) -> bool:
        """Return whether the host is listed by its name, so that any address behind it may be called."""
        return any(_matches_name(entry, host, port) for entry in self.allowed)

    def names(self, host: str, port: int) -> bool:
        """Return whether the host is listed by its whole name."""
        return any(_matches_name(entry, host, port) for entry in self.allowed if not entry.strip().startswith("*."))

    def allows_address(self, address: IPAddress, port: int) -> bool:
        """Return whether the address is listed, by itself or within a network."""
        return any(_matches_address(entry, address, port) for entry in self.allowed)


def plain_host(host: str) -> str:
    """Return the host as it is compared: compatibility forms folded, lower case, no final dot, no brackets."""
    folded = unicodedata.normalize("NFKC", host[:_MAX_HOST_CHARS]).replace("\u3002", ".").lower()
    return folded.removeprefix("[").removesuffix("]").rstrip(".")


def literal_address(host: str) -> IPAddress | None:
    """Return the address that `host` spells in any form a system library would accept, None for a name.

    >>> literal_address("0x7f.1")
    IPv4Address('127.0.0.1')
    """
    return _spelled(host[:_MAX_HOST_CHARS])


@lru_cache(maxsize=_MAX_KEPT)
def _spelled(host: str) -> IPAddress | None:
    text = plain_host(host)
    if ":" in text:
        try:
            return IPv6Address(text.partition("%")[0])
        except ValueError:
            return None
    return _classic_ipv4(text)


def is_loopback_name(host: str) -> bool:
    """Return whether `host` can only be this machine itself.

    >>> is_loopback_name("API.localhost."), is_loopback_name("localhost.example.com")
    (True, False)
    """
    name = plain_host(host)
    return name in LOOPBACK_NAMES or name.endswith(".localhost")


def name_refusal(host: str, port: int, policy: AddressPolicy) -> str | None:
    """Return why a name may not be called whatever its addresses turn out to be, None when that is up to them."""
    name = plain_host(host)
    if policy.everything or policy.names(name, port):
        return None
    if name in METADATA_NAMES:
        return CLOUD
    if not is_loopback_name(name) or policy.allows_name(name, port):
        return None
    return None if any(policy.allows_address(one, port) for one in LOOPBACK) else "loopback"


def host_refusal(host: str, port: int, policy: AddressPolicy) -> str | None:
    """Return why a host may not be called, by what is seen without looking it up; None when it may, or may turn out to.

    >>> host_refusal("0xa9.0xfe.43518", 80, AddressPolicy()), host_refusal("example.com", 80, AddressPolicy())
    ("a cloud's metadata service", None)
    """
    address = literal_address(host)
    return refusal(address, port, policy) if address is not None else name_refusal(host, port, policy)


def refusal(address: IPAddress, port: int, policy: AddressPolicy) -> str | None:
    """Return why the address may not be called, None when it may."""
    if policy.everything or policy.allows_address(address, port):
        return None
    inner = _inner_ipv4(address)
    if inner is not None:
        return refusal(inner, port, policy)
    if address in METADATA:
        return CLOUD
    for network, reason in REFUSED:
        if address.version == network.version and address in network:
            return reason
    if isinstance(address, IPv6Address):
        if address not in GLOBAL_IPV6:
            return "reserved"
        if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
            return "a tunnel"
    return None


def _classic_ipv4(text: str) -> IPv4Address | None:
    """Return what inet_aton makes of `text`: one to four numbers, decimal, octal or hexadecimal."""
    parts = text.split(".")
    if len(parts) > _MAX_PARTS or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    *high, low = numbers
    if any(number > 0xFF for number in high) or low >= 1 << (8 * (_MAX_PARTS - len(high))):
        return None
    value = low
    for place, number in enumerate(high):
        value |= number << (8 * (3 - place))
    return IPv4Address(value)


def _number(part: str) -> int:
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part[0] == "0" else int(part)


def _inner_ipv4(address: IPAddress) -> IPv4Address | None:
    if not isinstance(address, IPv6Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else None


def _matches_name(entry: str, host: str, port: int) -> bool:
    name, wanted = _split_port(entry.strip().lower())
    if wanted is not None and wanted != port:
        return False
    if name.startswith("*."):
        return host.endswith(name[1:])
    return name == host and literal_address(host) is None


def _matches_address(entry: str, address: IPAddress, port: int) -> bool:
    network, wanted = _network_of(entry)
    if network is None or (wanted is not None and wanted != port):
        return False
    if network.version != address.version or address not in network:
        return False
    return (_inner_ipv4(address) or address) not in METADATA or network.num_addresses == 1


@lru_cache(maxsize=_MAX_KEPT)
def _network_of(entry: str) -> tuple[IPNetwork | None, int | None]:
    """Return the network an entry names, None where it names a host, and its port."""
    name, port = _split_port(entry.strip())
    try:
        return ip_network(name.removeprefix("[").removesuffix("]"), strict=False), port
    except ValueError:
        return None, port


def _split_port(entry: str) -> tuple[str, int | None]:
    head, colon, tail = entry.rpartition(":")
    if colon and tail.isdigit() and (head.endswith("]") or ":" not in head):
        return head, int(tail)
    return entry, None
