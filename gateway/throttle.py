"""The four rate categories, and two more for the bootstrap: what is counted, for whom, and what excess answers.

Spec: platform-api 1.4, 2.5. Decision kept here: what is a rate is counted by `Counters`; what is a number of things
that exist (sessions, rooms) is asked of the runtime and only compared here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NoReturn

from actors.counters import Counters, Sample, Taken
from domain import limits
from domain.clock import Clock
from domain.errors import Overloaded, Unavailable
from domain.rates import RateSettings
from gateway import bounds
from gateway.auth.remembered import Remembered
from gateway.session_room import CountActive, SessionRoom


class RateCategory(StrEnum):
    """What is limited."""

    REQUESTS = "requests"
    SESSION_MESSAGES = "sessionMessages"
    SESSIONS = "concurrentSessions"
    VOICE_ROOMS = "concurrentVoiceRooms"
    SDK_INIT = "sdkInit"
    SOCKET_TICKETS = "socketTickets"
    LOGIN = "login"


EXCESS: Mapping[RateCategory, str] = MappingProxyType(
    {
        RateCategory.REQUESTS: "Request rate limit exceeded",
        RateCategory.SESSION_MESSAGES: "Session message rate limit exceeded",
        RateCategory.SESSIONS: "Concurrent session limit exceeded",
        RateCategory.VOICE_ROOMS: "Maximum concurrent voice sessions reached",
        RateCategory.SDK_INIT: "SDK initialisation rate limit exceeded",
        RateCategory.SOCKET_TICKETS: "WebSocket ticket rate limit exceeded",
        RateCategory.LOGIN: "Login rate limit exceeded",
    }
)

TenantRates = Callable[[str], Awaitable[RateSettings]]
"""Tenant id -> how much is let through for it."""
OnRefusal = Callable[[str, str, str], None]
"""Told of a tenant, a project where one is known, and the limit that refused something."""
Whose = tuple[str, str]
"""Tenant and project, empty where it is not known."""
NOBODY: Whose = ("", "")


class Throttle:
    """Lets through what is within the limits and refuses the rest."""

    def __init__(
        self,
        counters: Counters,
        rates: TenantRates,
        clock: Clock,
        active_sessions: CountActive,
        on_refusal: OnRefusal | None = None,
    ) -> None:
        """`on_refusal` hears of each refusal that is a tenant's."""
        self._on_refusal = on_refusal
        self._counters = counters
        self._refused: Counter[str] = Counter()
        self._rates = Remembered(rates, clock, believed_s=bounds.TENANT_RATES_RECHECK_S, held=bounds.TENANTS_HELD)
        self._room = SessionRoom(active_sessions, clock)

    def numbers(self) -> Sequence[Sample]:
        """Return how often each limit has refused something."""
        return [("abl_limited_total", {"limit": limit}, float(count)) for limit, count in self._refused.items()]

    async def request(self, tenant_id: str, project_id: str = "") -> Taken | None:
        """Count a request of a tenant; None when the limit is off. Raises Overloaded."""
        rates = await self._rates_of(tenant_id)
        if not rates.requests_per_second:
            return None
        taken = await self._counters.take(f"req:{tenant_id}", per_s=rates.requests_per_second, burst=rates.burst)
        return self._allowed(RateCategory.REQUESTS, taken, (tenant_id, project_id))

    async def session_message(self, tenant_id: str, session_id: str, project_id: str = "") -> Taken | None:
        """Count a message of a session of a tenant; None when the limit is off. Raises Overloaded."""
        limit, key = (await self._rates_of(tenant_id)).session_messages_per_minute, f"{tenant_id}:{session_id}"
        return await self._per_minute(RateCategory.SESSION_MESSAGES, key, limit, (tenant_id, project_id))

    async def new_session(self, tenant_id: str, project_id: str = "") -> None:
        """Refuse a session beyond those that a tenant may have at once. Raises Overloaded."""
        limit = (await self._rates_of(tenant_id)).concurrent_sessions
        if limit and not await self._room.enter(tenant_id, limit):
            self._too_many(RateCategory.SESSIONS, (tenant_id, project_id))

    async def new_voice_room(self, tenant_id: str, rooms: int) -> None:
        """Refuse a voice room beyond those of the whole instance. Raises Overloaded."""
        limit = (await self._rates_of(tenant_id)).concurrent_voice_rooms
        if limit and rooms >= limit:
            self._too_many(RateCategory.VOICE_ROOMS, (tenant_id, ""))

    async def sdk_init(self, tenant_id: str, key_id: str, address: str) -> Taken | None:
        """Count a bootstrap of a public key from an address. Raises Overloaded."""
        limit = (await self._rates_of(tenant_id)).sdk_inits_per_minute
        return await self._per_minute(RateCategory.SDK_INIT, f"{key_id}:{address}", limit, (tenant_id, ""))

    async def login(self, email: str, address: str) -> Taken:
        """Count an attempt to log in under an email from an address. Raises Overloaded."""
        key = f"{RateCategory.LOGIN}:{email.casefold()}:{address}"
        taken = await self._counters.count(key, limit=limits.LOGIN_ATTEMPTS, window_s=limits.LOGIN_WINDOW_S)
        return self._allowed(RateCategory.LOGIN, taken)

    async def socket_ticket(self, tenant_id: str, family: str, project_id: str = "") -> Taken | None:
        """Count a ticket, of its token family and of its tenant. Raises Overloaded."""
        tickets, rates = RateCategory.SOCKET_TICKETS, await self._rates_of(tenant_id)
        whose = (tenant_id, project_id)
        tenant = await self._per_minute(tickets, f"tenant:{tenant_id}", rates.tickets_per_tenant_minute, whose)
        return tightest([tenant, await self._per_minute(tickets, family, rates.tickets_per_minute, whose)])

    async def check_tickets(self) -> None:
        """Refuse to make a ticket that nobody could take back. Raises Unavailable."""
        if not await self._counters.is_reachable():
            raise Unavailable("Tickets cannot be made at the moment")

    async def used_before(self, ticket_id: str) -> bool:
        """Return whether a ticket was shown before; from now on it was."""
        return not await self._counters.once(f"ticket:{ticket_id}", ttl_s=limits.TICKET_S)

    async def _rates_of(self, tenant_id: str) -> RateSettings:
        return await self._rates.find(tenant_id) or RateSettings()

    async def _per_minute(self, category: RateCategory, key: str, limit: int, whose: Whose) -> Taken | None:
        if not limit:
            return None
        taken = await self._counters.count(f"{category}:{key}", limit=limit, window_s=limits.MINUTE_S)
        return self._allowed(category, taken, whose)

    def _allowed(self, category: RateCategory, taken: Taken, whose: Whose = NOBODY) -> Taken:
        """Return `taken` if it was allowed; raises Overloaded, which carries it for the headers, if not."""
        if not taken.allowed:
            self._note(category, whose)
            raise RateExceeded(category, taken)
        return taken

    def _too_many(self, category: RateCategory, whose: Whose) -> NoReturn:
        """Refuse one more thing at once. Raises Overloaded."""
        self._note(category, whose)
        raise Overloaded(EXCESS[category], retry_after_ms=bounds.CONCURRENCY_RETRY_MS)

    def _note(self, category: RateCategory, whose: Whose) -> None:
        self._refused[category] += 1
        if whose != NOBODY and self._on_refusal is not None:
            self._on_refusal(*whose, category)


class RateExceeded(Overloaded):
    """A rate limit is exceeded; `taken` is for the headers."""

    def __init__(self, category: RateCategory, taken: Taken) -> None:
        super().__init__(EXCESS[category], retry_after_ms=taken.retry_after_ms)
        self.category = category
        self.taken = taken


def tightest(takings: Sequence[Taken | None]) -> Taken | None:
    """Return the one that is used up first, by its share."""
    known = [taken for taken in takings if taken is not None]
    return min(known, key=lambda taken: taken.remaining / taken.limit, default=None)


def rate_headers(taken: Taken, now_s: float) -> list[tuple[bytes, bytes]]:
    """Return the rate-limit headers that describe `taken`."""
    return [
        (b"x-ratelimit-limit", b"%d" % taken.limit),
        (b"x-ratelimit-remaining", b"%d" % taken.remaining),
        (b"x-ratelimit-reset", b"%d" % -int(-(now_s + taken.reset_s) // 1)),
    ]
