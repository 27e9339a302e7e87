"""Which origins a list of allowed origins admits. Spec: platform-api 2.1, rule 5."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

ANY = "*"
DEFAULT_PORTS = {"http": "80", "https": "443"}


def is_allowed(origin: str, allowed: Iterable[str], own_host: str) -> bool:
    """Return whether `origin` is admitted.

    An entry is an exact origin, `scheme://*.example.com` (one or more labels), `scheme://host:*` (any port), or `*`.
    No entries at all admit only the gateway's own origin.
    """
    entries = tuple(allowed)
    if not entries:
        return _authority(urlsplit(origin.lower())) == _own_authority(origin, own_host)
    return any(_admits(entry.lower(), origin.lower()) for entry in entries)


def _admits(entry: str, origin: str) -> bool:
    if entry in (ANY, origin):
        return True
    asked, wanted = urlsplit(origin), urlsplit(entry)
    if not asked.hostname or asked.scheme != wanted.scheme:
        return False
    wanted_host, _, wanted_port = wanted.netloc.partition(":")
    return _host_matches(asked.hostname, wanted_host) and _port_matches(asked, wanted_port)


def _host_matches(host: str, wanted: str) -> bool:
    if not wanted.startswith("*."):
        return host == wanted
    return host.endswith(wanted[1:]) and len(host) > len(wanted[1:])


def _port_matches(asked: SplitResult, wanted: str) -> bool:
    return wanted == ANY or _port(asked) == (wanted or DEFAULT_PORTS.get(asked.scheme, ""))


def _port(origin: SplitResult) -> str:
    _, _, port = origin.netloc.rpartition("@")[2].partition(":")
    return port or DEFAULT_PORTS.get(origin.scheme, "")


def _authority(origin: SplitResult) -> tuple[str, str]:
    return origin.hostname or "", _port(origin)


def _own_authority(origin: str, own_host: str) -> tuple[str, str]:
    return _authority(urlsplit(f"{urlsplit(origin.lower()).scheme}://{own_host.lower()}"))
