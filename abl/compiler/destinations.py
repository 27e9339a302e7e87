"""Lowers DESTINATIONS and knows which hosts lie inside a network. Spec: abl-language 3.4, 12.2."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from abl.compiler.lowering import lower, shape
from abl.compiler.plain import Json, only, text
from abl.compiler.scope import Scope
from abl.syntax.coordination import Destination

PRIVATE_NAMES = ("localhost", "local", "internal", "localdomain")

_DESTINATION = shape(Destination)
_NUMERIC = re.compile(r"0x[0-9a-f]{1,8}|\d{1,10}")
_FEW_PARTS = re.compile(r"(\d{1,3})\.(?:(\d{1,3})\.)?(\d{1,8})")


def lower_destinations(scope: Scope) -> list[Json]:
    """Return `[{name, url, method, auth, headers}]`; reports hosts inside the network."""
    found: list[Json] = []
    allowed = set(scope.options.allowed_hosts)
    for node in only(Destination, scope.document.destinations):
        ir = lower(node, scope, _DESTINATION)
        ir["name"] = text(node.name)
        ir["method"] = (text(node.method) or "POST").upper()
        host = host_of(text(node.url))
        if host not in allowed and is_private(host):
            scope.report("PRIVATE_DESTINATION", node, "url", name=text(node.name), value=host)
        found.append(ir)
    return found


def host_of(url: str) -> str:
    """Return the host of an address in lowercase, empty when there is none or it is filled in later."""
    try:
        return (urlsplit(url.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_private(host: str) -> bool:
    """Whether a host is loopback, private, link-local or otherwise not on the public net."""
    if not host or "{" in host:
        return False
    if host.rpartition(".")[2] in PRIVATE_NAMES:
        return True
    address = _address(host)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address is not None and not address.is_global


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address a host writes, also in the short and numeric forms that resolvers accept."""
    short = _FEW_PARTS.fullmatch(host)
    if short is not None:
        middle = int(short[2]) << 16 if short[2] else 0
        return IPv4Address(((int(short[1]) << 24) + middle + int(short[3])) & 0xFFFFFFFF)
    if _NUMERIC.fullmatch(host):
        return IPv4Address(int(host, 0 if host.startswith("0x") else 10) & 0xFFFFFFFF)
    try:
        return ip_address(host.split("%", 1)[0])
    except ValueError:
        return None
