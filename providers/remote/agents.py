"""Protocol -> who speaks it; and who we are to an agent elsewhere.

The language names no credentials for such an agent. They are the project's secrets `agent_token` (sent as a bearer
token) or `agent_api_key` (sent as X-API-Key), stored for the tool that has the agent's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from providers.http import HttpClient
from providers.ports import Credentials, SecretExpired
from providers.remote.a2a import A2aAgent
from providers.remote.asking import RemoteAgent, RemoteCall, RemoteFailed, RemoteReply
from providers.remote.exchange import Exchange
from providers.remote.rest import RestAgent

TOKEN: Final = "agent_token"
API_KEY: Final = "agent_api_key"


_REPEATABLE: Final = frozenset({"rest"})
"""Protocols whose requests carry a key under which a repetition is the same request on the other side."""


def is_repeatable(protocol: str) -> bool:
    """Return whether a message of this protocol may be sent again when nobody knows whether it has arrived."""
    return protocol.lower() in _REPEATABLE


class RemoteAgents:
    """Asks agents elsewhere; used by one event loop."""

    def __init__(self, client: HttpClient, *, exchange: Exchange | None = None) -> None:
        self._exchange = exchange or Exchange(client)
        self._protocols: dict[str, RemoteAgent] = {"rest": RestAgent(self._exchange), "a2a": A2aAgent(self._exchange)}

    async def ask(self, call: RemoteCall, protocol: str, credentials: Credentials) -> RemoteReply:
        """Return what the agent answers.

        Raises:
            RemoteFailed: There is no answer; `refused` too for an unknown protocol and a secret that has expired.
        """
        agent = self._protocols.get(protocol.lower())
        if agent is None:
            known = " and ".join(self._protocols)
            raise RemoteFailed("refused", f"{call.agent} has the protocol {protocol!r}; {known} are known")
        headers = {**call.headers, **await _headers(call.agent, credentials)}
        return await agent.ask(msgspec.structs.replace(call, headers=headers))

    async def close(self) -> None:
        """Close the connections."""
        await self._exchange.close()


async def _headers(agent: str, credentials: Credentials) -> Mapping[str, str]:
    try:
        token = await credentials.secret(agent, TOKEN)
        api_key = await credentials.secret(agent, API_KEY) if token is None else None
    except SecretExpired as error:
        raise RemoteFailed("refused", f"The secret for {agent} has expired") from error
    shown = {"Authorization": f"Bearer {token}"} if token else {"X-API-Key": api_key} if api_key else {}
    if not all(value.isascii() and value.isprintable() for value in shown.values()):
        raise RemoteFailed("refused", f"The secret for {agent} holds characters that no header may have")
    return shown
