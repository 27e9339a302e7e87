"""How much is let through of what callers and tenants ask for. Spec: platform-api 2.5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Final

from domain import limits
from domain.json_values import JsonObject


@dataclass(frozen=True, slots=True)
class RateSettings:
    """How much is let through; 0 switches a limit off.

    Attributes:
        requests_burst: How many may come at once; 0 for those of a second.
        tool_calls_per_minute, model_tokens_per_minute: Of a tenant; hosts count them, not the gateway.
    """

    requests_per_second: int = limits.REQUESTS_PER_SECOND
    requests_burst: int = limits.REQUESTS_BURST
    session_messages_per_minute: int = limits.SESSION_MESSAGES_PER_MINUTE
    concurrent_sessions: int = limits.CONCURRENT_SESSIONS_PER_TENANT
    concurrent_voice_rooms: int = limits.CONCURRENT_VOICE_ROOMS
    sdk_inits_per_minute: int = limits.SDK_INITS_PER_MINUTE
    tickets_per_minute: int = limits.TICKETS_PER_MINUTE
    tickets_per_tenant_minute: int = limits.TICKETS_PER_TENANT_MINUTE
    tool_calls_per_minute: int = limits.TOOL_CALLS_PER_MINUTE
    model_tokens_per_minute: int = limits.MODEL_TOKENS_PER_MINUTE

    @property
    def burst(self) -> int:
        """How many requests may come at once.

        >>> RateSettings(requests_per_second=5, requests_burst=0).burst
        5
        """
        return self.requests_burst or self.requests_per_second


RATES: Final = "rates"
"""Under this name a tenant's settings hold rates of its own, spelled as in `SPELLED`."""
OF_INSTANCE: Final = "concurrent_voice_rooms"
"""Counted for the whole instance, so no tenant has its own."""


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)


SPELLED: Final[Mapping[str, str]] = MappingProxyType({_camel(one.name): one.name for one in fields(RateSettings)})
"""Limit in camelCase -> field of `RateSettings`."""
UNLIMITED: Final = RateSettings(**dict.fromkeys(SPELLED.values(), 0))


def rates_of(given: Mapping[str, int]) -> RateSettings:
    """Return the rates of an instance that sets some of them, in camelCase.

    >>> rates_of({"requestsPerSecond": 5}).requests_per_second
    5
    """
    return replace(RateSettings(), **{SPELLED[name]: value for name, value in given.items()})


def rates_within(settings: JsonObject, default: RateSettings) -> RateSettings:
    """Return the rates of a tenant: its own where they are set, the instance's elsewhere.

    >>> rates_within({"rates": {"toolCallsPerMinute": 7}}, RateSettings()).tool_calls_per_minute
    7
    """
    own = settings.get(RATES)
    if not isinstance(own, dict):
        return default
    given: dict[str, int] = {}
    for spelled, name in SPELLED.items():
        value = own.get(spelled)
        if name != OF_INSTANCE and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            given[name] = value
    return replace(default, **given)
