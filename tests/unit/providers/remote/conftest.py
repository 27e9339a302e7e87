"""A way to ask agents on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.ports import Credentials, NoCredentials
from providers.remote import RemoteAgents, RemoteCall, RemoteReply

Ask = Callable[..., Awaitable[RemoteReply]]


@pytest.fixture
async def remotes() -> AsyncIterator[RemoteAgents]:
    agents = RemoteAgents(HttpClient(AddressPolicy(("127.0.0.0/8",))))
    yield agents
    await agents.close()


@pytest.fixture
def ask(remotes: RemoteAgents, request: pytest.FixtureRequest) -> Ask:
    """Ask in the protocol that the module names in `PROTOCOL`."""
    protocol = request.module.PROTOCOL

    async def asked(endpoint: str, *, credentials: Credentials | None = None, **more: object) -> RemoteReply:
        given = {"endpoint": endpoint, "agent": "Hotel", "text": "a room", "key": "s:r:1.2", "timeout_s": 5.0, **more}
        call = RemoteCall(**given)  # type: ignore[arg-type]
        return await remotes.ask(call, protocol, credentials or NoCredentials())

    return asked
