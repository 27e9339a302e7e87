"""Why a socket is closed. Spec: platform-api 12.8."""

from __future__ import annotations

from enum import IntEnum


class CloseCode(IntEnum):
    """The number a client is closed with."""

    NORMAL = 1000
    GOING_AWAY = 1001
    UNEXPECTED_BINARY = 1003
    ABUSE = 1008
    TOO_LARGE = 1009
    INTERNAL = 1011
    OVERLOADED = 1013
    UNAUTHENTICATED = 4001
    FORBIDDEN = 4003
    NO_SESSION = 4004
    IDLE = 4008
    TOO_MANY_SOCKETS = 4009
    DISABLED = 4010
    RATE_LIMITED = 4029


class Closing(Exception):
    """The server has nothing more to say."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code.name)
        self.code = code
