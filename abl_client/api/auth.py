"""The part of the API about auth. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport

if TYPE_CHECKING:
    from abl_client.forms.auth import DoneReply, LoginBody, LoginReply, PasswordBody, RefreshBody, TokenReply, UserReply


class AuthApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def log_in(self, body: LoginBody) -> LoginReply:
        """Return tokens for an email and its password; each failure has the same answer and takes the ..."""
        return cast("LoginReply", self._transport.json("POST", "/api/auth/login", body=body, schemes=()))

    def refresh(self, body: RefreshBody) -> TokenReply:
        """Return new tokens for the last refresh token of a log-in; one that is used again ends the log-in."""
        return cast("TokenReply", self._transport.json("POST", "/api/auth/refresh", body=body, schemes=()))

    def log_out(self) -> DoneReply:
        """End the log-in of the caller: none of its tokens opens anything again."""
        return cast("DoneReply", self._transport.json("POST", "/api/auth/logout", schemes=("bearer",)))

    def get_me(self) -> UserReply:
        """Return who is calling."""
        return cast("UserReply", self._transport.json("GET", "/api/auth/me", schemes=("bearer",)))

    def change_password(self, body: PasswordBody) -> DoneReply:
        """Change the password of the caller; all other log-ins of the caller end."""
        return cast("DoneReply", self._transport.json("POST", "/api/auth/password", body=body, schemes=("bearer",)))
