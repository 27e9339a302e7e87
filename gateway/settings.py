"""What the gateway may be told: a frozen tree with a default for every key, handed down by the composition root."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from domain import limits
from domain.rates import RateSettings


def installed_version() -> str:
    """Return the version of this distribution, `0` when it runs without being installed."""
    try:
        return version("abl-runtime")
    except PackageNotFoundError:
        return "0"


@dataclass(frozen=True, slots=True)
class FirstPage:
    """Whose agents the page at `/` shows, and the key that it carries; "" where this server knows none."""

    tenant_id: str
    project_id: str
    name: str
    public_key: str = ""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Everything the gateway may be told.

    Attributes:
        instance: Name of this installation, the issuer of its tokens.
        public_url: Address that clients reach, for `wsUrl`; empty takes the one of the request.
        cors_origins: Origins that may call the routes that are not SDK routes.
        token_secret: Secret from which the key of every kind of token is derived; at least 32 bytes.
        older_secrets: Those that came before it: what was made under them is still read.
        show_docs: Whether `/docs` and `/openapi.json` are served.
        show_metrics: Whether `/metrics` is served here; not where it has a port of its own.
        first_page: What the page at `/` shows; None where there is none.
        turn_deadline_s: Seconds a turn may take.
    """

    token_secret: bytes
    older_secrets: tuple[bytes, ...] = ()
    instance: str = "abl-runtime"
    version: str = field(default_factory=installed_version)
    public_url: str = ""
    cors_origins: tuple[str, ...] = ()
    show_docs: bool = True
    show_metrics: bool = True
    first_page: FirstPage | None = None
    turn_deadline_s: float = limits.TURN_DEADLINE_S
    sse_heartbeat_s: float = limits.SSE_HEARTBEAT_S
    rates: RateSettings = field(default_factory=RateSettings)
