"""A way to ask agents on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.ports import Credentials, NoCredentials
from providers.remote import RemoteAgents, RemoteCall, RemoteReply
from providers.remote.exchange import Exchange

SHORTER = 20
"""How many times shorter than in earnest the waits before repetitions and looks are."""
Ask = Callable[..., Awaitable[RemoteReply]]


async def shortly(delay_s: float) -> None:
    await asyncio.sleep(delay_s / SHORTER)


@pytest.fixture
async def remotes() -> AsyncIterator[RemoteAgents]:
    client = HttpClient(AddressPolicy(("127.0.0.0/8",)))
    agents = RemoteAgents(client, exchange=Exchange(client, sleep=shortly))
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
