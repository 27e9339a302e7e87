"""What production mode asks of an installation before it starts. Spec: platform-api 14.1."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from actors.settings import Settings
from domain.errors import InvalidInput

PRODUCTION: Final = "production"
SHARED_SECRETS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "master_keys": "ABL_MASTER_KEYS",
        "token_secrets": "ABL_TOKEN_SECRETS",
        "sandbox_secret": "ABL_SANDBOX_SECRET",
        "link_token": "ABL_LINK_TOKEN",
    }
)
"""Settings that are generated when nothing is given -> their variables."""
REFUSED: Final = (
    "Production mode (ABL_MODE=production) on several nodes (a Ray cluster, {place}) does not start with secrets that "
    "each node makes for itself. Set {missing}, the same on every node, each from `openssl rand -base64 32`; what was "
    "generated so far is in the data folder and may be carried over. Or start without a cluster, or without ABL_MODE."
)


def is_production(settings: Settings) -> bool:
    """Return whether this is not for trying things out: no documentation is served, and webhooks are https only."""
    return settings.mode == PRODUCTION


def check_production(settings: Settings) -> None:
    """Refuse a start in production mode on several nodes with generated secrets.

    Raises:
        InvalidInput: One of `SHARED_SECRETS` is not set; the sentence names all that are missing.
    """
    if not is_production(settings) or not settings.ray_address:
        return
    missing = [variable for name, variable in SHARED_SECRETS.items() if not getattr(settings, name)]
    if missing:
        raise InvalidInput(REFUSED.format(place=settings.ray_address, missing=_listed(missing)))


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
