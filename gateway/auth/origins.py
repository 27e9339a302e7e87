"""Which origins a list of allowed origins admits. Spec: platform-api 2.1, rule 5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

ANY = "*"
DEFAULT_PORTS = {"http": "80", "https": "443"}


class Whence(NamedTuple):
    """Where a request comes from, as its browser says.

    Attributes:
        origin: Of the page; None where nothing is said, by no browser or in a GET to the origin of the page itself.
        own: What the origin of this gateway is then, by its host; empty where no browser says that the two are one.
    """

    origin: str | None = None
    own: tuple[str, ...] = ()


def whence(headers: Mapping[str, str]) -> Whence:
    """Return where a request with these headers comes from."""
    is_same = headers.get("sec-fetch-site") == "same-origin" and "host" in headers
    own = tuple(f"{scheme}://{headers['host']}" for scheme in DEFAULT_PORTS) if is_same else ()
    return Whence(headers.get("origin"), own)


def is_allowed(origin: str, allowed: Iterable[str]) -> bool:
    """Return whether `origin` is admitted; no entries admit none.

    An entry is an exact origin, `scheme://*.example.com` (one or more labels), `scheme://host:*` (any port), or `*`.
    """
    return any(_admits(entry.lower(), origin.lower()) for entry in allowed)


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
