"""What the gateway asks for beside the runtime, answered from the store, and how its server listens.

Projects, public keys, tenants' settings and kept replies come from the database; counters from the coordination store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import uvicorn

from actors.agent_cards import StoredAgentCards
from actors.installation import sandbox_tokens
from actors.shared_counters import SharedCounters
from actors.wiring import RunningRuntime
from cli.bounded_http import BoundedHttp
from domain import limits
from domain.clock import Clock, IdSource
from domain.json_values import JsonObject
from gateway import bounds
from gateway.auth.public_keys import PublicKey
from gateway.idempotency import ReplyName, StoredReply
from gateway.services import AccessServices
from storage.database import Database
from storage.repositories.api_keys import ApiKeys, KeyRecord
from storage.repositories.projects import Projects
from storage.repositories.replies import Replies
from storage.repositories.sdk_channels import ChannelRecord, SdkChannels

PUBLIC = "public"
GRACE_S = 30
"""How long open requests may go on after the end was asked for."""
BACKLOG = 2_048
KEEP_ALIVE_S = 65
"""Longer than proxies keep idle connections (60 s is usual), so that it is they who close."""
SOCKET_QUEUE_FRAMES = 32


class StoredProjects:
    """Satisfies `gateway.gate.Projects`."""

    def __init__(self, database: Database) -> None:
        self._projects = Projects(database)

    async def exists(self, tenant_id: str, project_id: str) -> bool:
        """Return whether the tenant has this project."""
        return await self._projects.find(tenant_id, project_id) is not None

    async def tenant_settings(self, tenant_id: str) -> JsonObject:
        """Return what is set for a tenant. Satisfies `gateway.services.TenantSettings`."""
        return await self._projects.tenant_settings(tenant_id)


class StoredPublicKeys:
    """Satisfies `gateway.auth.public_keys.PublicKeyStore`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._keys = ApiKeys(database)
        self._channels = SdkChannels(database)
        self._clock = clock

    async def find_by_secret(self, secret: str) -> PublicKey | None:
        """Return the key whose clear text is `secret`."""
        return await self._used(await self._keys.find_by_plaintext(secret))

    async def find_by_id(self, tenant_id: str, key_id: str) -> PublicKey | None:
        """Return the key with this id."""
        return await self._used(await self._keys.find_valid(tenant_id, key_id))

    async def _used(self, key: KeyRecord | None) -> PublicKey | None:
        found = _public(key)
        if key is None or found is None:
            return None
        await self._keys.note_use(key, self._clock.now())
        channel = await self._channels.of_key(found.tenant_id, found.id)
        return _on_channel(found, channel) if channel is not None else found


class StoredReplies:
    """Satisfies `gateway.idempotency.ReplyStore`."""

    def __init__(self, database: Database) -> None:
        self._replies = Replies(database)

    async def claim(self, name: ReplyName, request_hash: bytes, *, repeatable: bool = False) -> StoredReply | None:
        """Return what is known under `name`, or None: then the request is the caller's to run."""
        known = await self._replies.claim(
            *name, request_hash, claim_life_s=bounds.REPLY_CLAIM_LIFE_S, repeatable=repeatable
        )
        if known is None:
            return None
        return StoredReply(known.request_hash, known.status, known.body or b"", known.is_stale)

    async def renew(self, name: ReplyName) -> None:
        """Say that a claimed request still runs."""
        await self._replies.renew(*name)

    async def keep(self, name: ReplyName, status: int, body: bytes) -> None:
        """Keep the reply of a claimed request."""
        await self._replies.keep(*name, status, body)

    async def release(self, name: ReplyName) -> None:
        """Give a claim back."""
        await self._replies.release(*name)


def access_services(running: RunningRuntime, clock: Clock, ids: IdSource) -> AccessServices:
    """Return what the gateway decides about callers with."""
    projects = StoredProjects(running.database)
    return AccessServices(
        desks=running.desks,
        public_keys=StoredPublicKeys(running.database, clock),
        projects=projects,
        counters=SharedCounters(running.coordination, clock),
        replies=StoredReplies(running.database),
        active_sessions=running.archive.count_active,
        tenant_settings=projects.tenant_settings,
        clock=clock,
        ids=ids,
        agent_cards=StoredAgentCards(running.database),
        sandbox_tokens=sandbox_tokens(running.settings, clock, ids),
        on_refusal=running.system.limited,
    )


def server_config(app: Any, *, trusted_proxies: Sequence[str] = (), **options: Any) -> uvicorn.Config:
    """Return how the gateway's server listens; `options` come before what stands here.

    `X-Forwarded-For` and `X-Forwarded-Proto` are believed of `trusted_proxies`, addresses and networks; of nobody where
    there are none, whatever the environment says to uvicorn.

    A frame longer than any that is allowed ends the socket with 1009 before it is read whole; a peer that does not
    answer a ping is cut. Spec: platform-api 12.4, 12.6.
    """
    given: dict[str, Any] = {
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "backlog": BACKLOG,
        "timeout_graceful_shutdown": GRACE_S,
        "timeout_keep_alive": KEEP_ALIVE_S,
        "http": BoundedHttp,
        "forwarded_allow_ips": list(trusted_proxies),
        "ws_max_size": limits.VOICE_AUDIO_MAX_BYTES,
        "ws_max_queue": SOCKET_QUEUE_FRAMES,
        "ws_ping_interval": limits.SOCKET_PING_S,
        "ws_ping_timeout": limits.SOCKET_PONG_WAIT_S,
        "ws_per_message_deflate": True,
    }
    return uvicorn.Config(app, **{**given, **options})


def _public(key: KeyRecord | None) -> PublicKey | None:
    if key is None or key.kind != PUBLIC:
        return None
    details = key.details
    return PublicKey(
        id=key.key_id,
        tenant_id=key.tenant_id,
        project_id=key.project_id or "",
        channel_id=str(details.get("channelId", "")),
        channel_name=str(details.get("channelName", "")),
        environment=key.environments[0] if key.environments else "",
        deployment_id=str(details.get("deploymentId", "")),
        allowed_origins=tuple(str(origin) for origin in details.get("allowedOrigins", ())),
        require_origin=details.get("requireOrigin") is not False,
        allow_agent_override=details.get("allowAgentOverride") is True,
        show_activity_updates=details.get("showActivityUpdates") is True,
        may_see_traces=details.get("maySeeTraces") is True,
        chat=details.get("chat") is not False,
        voice=details.get("voice") is True,
    )


def _on_channel(key: PublicKey, channel: ChannelRecord) -> PublicKey:
    """Return a key with the channel it is for; what the key itself is bound to comes first. Spec: platform-api 6.6."""
    named = msgspec.structs.replace(
        key, channel_id=key.channel_id or channel.channel_id, channel_name=key.channel_name or channel.name
    )
    if key.deployment_id or key.environment:
        return named
    if channel.deployment_id:
        return msgspec.structs.replace(named, deployment_id=channel.deployment_id)
    follows = channel.environment if channel.follow_environment else None
    return msgspec.structs.replace(named, environment=follows or "")
