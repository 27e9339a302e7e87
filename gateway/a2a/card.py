"""The card of an agent: what it is for and where it is spoken to. Pure. Spec: a2a-protocol.org, 0.3 (5), 1.0 (4.4)."""

from __future__ import annotations

from typing import Final

from actors.agent_cards import AgentCard
from domain.json_values import JsonObject

TEXT: Final = ["text/plain"]
SCHEMES: Final[JsonObject] = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (abl_...) or a user's JWT",
        "httpAuthSecurityScheme": {"scheme": "bearer", "description": "An API key (abl_...) or a user's JWT"},
    },
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"},
    },
}
"""Each in the words of both versions; readers take those that they know."""


def card_form(card: AgentCard, name: str, url: str, version: str) -> JsonObject:
    """Return the card of an agent under an address, for clients of both versions of the protocol."""
    return {
        "name": name,
        "description": card.description,
        "version": version,
        "protocolVersion": "0.3.0",
        "url": url,
        "preferredTransport": "JSONRPC",
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "capabilities": {"streaming": True, "pushNotifications": True, "extendedAgentCard": False},
        "defaultInputModes": TEXT,
        "defaultOutputModes": TEXT,
        "skills": [{"id": name, "name": name, "description": card.description, "tags": ["conversation"]}],
        "securitySchemes": SCHEMES,
        "security": [{"bearer": []}, {"apiKey": []}],
        "securityRequirements": [{"schemes": {"bearer": {"list": []}}}, {"schemes": {"apiKey": {"list": []}}}],
    }
