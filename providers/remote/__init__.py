"""Agents that run in other systems, behind two protocols: this platform's own chat API, and Agent2Agent.

Spec: abl-language 3.8 (LOCATION, ENDPOINT, PROTOCOL), 7.2, 7.3; platform-api 4.1; A2A 0.3.
"""

from __future__ import annotations

from providers.remote.agents import RemoteAgents, is_repeatable
from providers.remote.asking import RemoteAgent, RemoteCall, RemoteFailed, RemoteReply

__all__ = ["RemoteAgent", "RemoteAgents", "RemoteCall", "RemoteFailed", "RemoteReply", "is_repeatable"]
