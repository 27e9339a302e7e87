"""The settings: variables that nobody reads, and values of a form that will be refused."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from cli.doctor.faults import WARNING, Fault, Place

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def look_at_names(place: Place) -> Iterator[Fault]:
    """Every `ABL_` variable is one that is read."""
    from cli.environment import PREFIX, VARIABLES
    from cli.variables import AGENT_PREFIX, CONFIG_PREFIX

    for name in sorted(place.environment):
        if name.startswith(PREFIX) and not name.startswith((AGENT_PREFIX, CONFIG_PREFIX)) and name not in VARIABLES:
            near = get_close_matches(name, VARIABLES, 1)
            mend = (
                f'export {near[0]}="${name}"; unset {name}' if near else f"unset {name}; docs/settings.md has them all"
            )
            yield Fault("UNKNOWN_VARIABLE", f"nothing reads {name}", mend, WARNING)


def look_at_values(place: Place) -> Iterator[Fault]:
    """The settings as a whole can be made from the environment."""
    from cli.environment import settings_from
    from domain.errors import AppError

    try:
        settings_from(place.environment)
    except AppError as error:
        yield Fault("SETTING", error.message, "mend the variable; docs/settings.md says what it takes")


def look_at_keys(place: Place) -> Iterator[Fault]:
    """The master keys are keys."""
    from domain.errors import AppError
    from storage.crypto import MasterKeys

    text = place.environment.get("ABL_MASTER_KEYS", "")
    try:
        if text:
            MasterKeys.parse(text)
    except AppError as error:
        mend = (
            'export ABL_MASTER_KEYS="$(head -c 32 /dev/urandom | base64)"  (keep the old ones behind it, with commas)'
        )
        yield Fault("MASTER_KEYS", f"ABL_MASTER_KEYS: {error.message}", mend)


def look_at_networks(place: Place) -> Iterator[Fault]:
    """What tools may call besides public addresses is written as networks or names."""
    for one in place.environment.get("ABL_ALLOWED_NETWORKS", "").replace(",", " ").split():
        host = one.rpartition(":")[0] if one.rpartition(":")[2].isdigit() else one
        if not any(sign.isalpha() for sign in one) and not _is_network(one) and not _is_address(host):
            mend = "write 10.0.0.0/8, 127.0.0.1:9000 or name.internal"
            yield Fault("ALLOWED_NETWORKS", f"ABL_ALLOWED_NETWORKS: {one!r} is no network, address or name", mend)


def look_at_public_url(place: Place) -> Iterator[Fault]:
    """The address that callbacks come in at can be one."""
    url = place.environment.get("ABL_PUBLIC_URL", "")
    if not url:
        return
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        yield Fault(
            "PUBLIC_URL",
            f"ABL_PUBLIC_URL is {url!r}, no http address",
            "export ABL_PUBLIC_URL=https://agents.example.com",
        )
    elif parts.scheme == "http" and parts.hostname not in LOOPBACK:
        mend = f"export ABL_PUBLIC_URL=https://{parts.netloc}"
        yield Fault(
            "PUBLIC_URL_IN_CLEAR", "ABL_PUBLIC_URL is http: callbacks and tokens travel in clear", mend, WARNING
        )


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def _is_address(text: str) -> bool:
    try:
        ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True
