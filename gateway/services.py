"""What the routes work with: handed in by the composition root, put together once, never global."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends
from fastapi.requests import HTTPConnection

from actors.counters import Counters
from actors.desks import Desks
from actors.runtime import Runtime
from actors.sandbox_tokens import SandboxTokens
from domain.clock import Clock, IdSource
from domain.json_values import JsonObject
from domain.rates import RateSettings, rates_within
from gateway.auth.api_keys import ApiKeys
from gateway.auth.public_keys import PublicKeys, PublicKeyStore
from gateway.auth.sdk_tokens import SdkTokens
from gateway.auth.sealing import Seal
from gateway.auth.user_tokens import UserTokens
from gateway.feeds import Feeds
from gateway.gate import Gate, Projects
from gateway.idempotency import Replies, ReplyStore
from gateway.leaving import Leaving
from gateway.mcp import AgentCards, NoCards
from gateway.metrics import Metrics
from gateway.session_room import CountActive
from gateway.settings import GatewaySettings
from gateway.throttle import OnRefusal, Throttle

TenantSettings = Callable[[str], Awaitable[JsonObject]]
"""Tenant id -> what is set for it."""


@dataclass(frozen=True, slots=True)
class AccessServices:
    """What deciding about callers needs from outside.

    Attributes:
        active_sessions: How many sessions of a tenant are active; answers None where the runtime limits them itself.
        tenant_settings: What is set for a tenant; its `rates` come before those of the instance.
        agent_cards: What the agents of a project are called and are for.
        sandbox_tokens: Reads the tokens of sandboxed code; None where there are none.
        on_refusal: Hears of what a limit refuses a tenant; None where nobody counts it.
    """

    desks: Desks
    public_keys: PublicKeyStore
    projects: Projects
    counters: Counters
    replies: ReplyStore
    active_sessions: CountActive
    tenant_settings: TenantSettings
    clock: Clock
    ids: IdSource
    agent_cards: AgentCards = field(default_factory=NoCards)
    sandbox_tokens: SandboxTokens | None = None
    on_refusal: OnRefusal | None = None


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a route may ask for."""

    runtime: Runtime
    desks: Desks
    gate: Gate
    throttle: Throttle
    sdk_tokens: SdkTokens
    user_tokens: UserTokens
    public_keys: PublicKeys
    api_keys: ApiKeys
    feeds: Feeds
    leaving: Leaving
    metrics: Metrics
    counters: Counters
    clock: Clock
    ids: IdSource
    agent_cards: AgentCards
    settings: GatewaySettings


def assemble(runtime: Runtime, access: AccessServices, settings: GatewaySettings) -> Services:
    """Return the services of one app."""

    async def rates(tenant_id: str) -> RateSettings:
        return rates_within(await access.tenant_settings(tenant_id), settings.rates)

    throttle = Throttle(access.counters, rates, access.clock, access.active_sessions, access.on_refusal)
    public_keys = PublicKeys(access.public_keys, access.clock)
    api_keys = ApiKeys(runtime, access.clock)
    metrics = Metrics(lambda: [*access.counters.numbers(), *throttle.numbers()])
    secret, older = settings.token_secret, settings.older_secrets
    sdk_tokens = SdkTokens(secret, settings.instance, access.clock, access.ids, older=older)
    user_tokens = UserTokens(access.desks.users, secret, settings.instance, access.clock, access.ids, older=older)
    leaving = Leaving()
    gate = Gate(
        api_keys=api_keys,
        public_keys=public_keys,
        sdk_tokens=sdk_tokens,
        sandbox_tokens=access.sandbox_tokens,
        user_tokens=user_tokens,
        projects=access.projects,
        throttle=throttle,
        replies=Replies(access.replies, Seal(secret, "replies", older=older)),
        leaving=leaving,
        clock=access.clock,
    )
    return Services(
        runtime=runtime,
        desks=access.desks,
        gate=gate,
        throttle=throttle,
        sdk_tokens=sdk_tokens,
        user_tokens=user_tokens,
        public_keys=public_keys,
        api_keys=api_keys,
        feeds=Feeds(runtime, metrics),
        leaving=leaving,
        metrics=metrics,
        counters=access.counters,
        clock=access.clock,
        ids=access.ids,
        agent_cards=access.agent_cards,
        settings=settings,
    )


def services_of(connection: HTTPConnection) -> Services:
    """Return the services of the app that serves this connection."""
    services: Services = connection.app.state.services
    return services


async def _services(connection: HTTPConnection) -> Services:
    return services_of(connection)


Serving = Annotated[Services, Depends(_services)]
"""Parameter of a route that wants the services."""
