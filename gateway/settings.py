"""What the gateway may be told: a frozen tree with a default for every key, handed down by the composition root."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from importlib.metadata import PackageNotFoundError, version

from pydantic.alias_generators import to_camel

from domain import limits
from domain.json_values import JsonObject


def installed_version() -> str:
    """Return the version of this distribution, `0` when it runs without being installed."""
    try:
        return version("abl-runtime")
    except PackageNotFoundError:
        return "0"


@dataclass(frozen=True, slots=True)
class RateSettings:
    """How much is let through; 0 switches a limit off. Spec: platform-api 2.5."""

    requests_per_second: int = limits.REQUESTS_PER_SECOND
    requests_burst: int = limits.REQUESTS_BURST
    session_messages_per_minute: int = limits.SESSION_MESSAGES_PER_MINUTE
    concurrent_sessions: int = limits.CONCURRENT_SESSIONS_PER_TENANT
    concurrent_voice_rooms: int = limits.CONCURRENT_VOICE_ROOMS
    sdk_inits_per_minute: int = limits.SDK_INITS_PER_MINUTE
    tickets_per_minute: int = limits.TICKETS_PER_MINUTE
    tickets_per_tenant_minute: int = limits.TICKETS_PER_TENANT_MINUTE


RATES = "rates"
"""Under this name a tenant's settings hold rates of its own, spelled as the fields of `RateSettings` in camelCase."""


OF_TENANTS = tuple(one.name for one in fields(RateSettings) if one.name != "concurrent_voice_rooms")
"""What a tenant may have of its own; voice rooms are counted for the whole instance."""


def rates_within(settings: JsonObject, default: RateSettings) -> RateSettings:
    """Return the rates of a tenant: its own where they are set, the instance's elsewhere."""
    own = settings.get(RATES)
    if not isinstance(own, dict):
        return default
    given = {name: own.get(to_camel(name)) for name in OF_TENANTS}
    return replace(default, **{name: value for name, value in given.items() if isinstance(value, int) and value >= 0})


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
        turn_deadline_s: Seconds a turn may take.
    """

    token_secret: bytes
    older_secrets: tuple[bytes, ...] = ()
    instance: str = "abl-runtime"
    version: str = field(default_factory=installed_version)
    public_url: str = ""
    cors_origins: tuple[str, ...] = ()
    show_docs: bool = True
    turn_deadline_s: float = limits.TURN_DEADLINE_S
    sse_heartbeat_s: float = limits.SSE_HEARTBEAT_S
    rates: RateSettings = field(default_factory=RateSettings)
