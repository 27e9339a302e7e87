"""The secrets of a project as the tools of one session may use them: those of its environment, opened when used."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from actors.programs import DRAFTS_USE, WORKING_COPY
from actors.session.store import SessionPin
from domain.json_values import JsonObject
from providers.ports import Credentials, SecretExpired
from storage.repositories.credentials import Credentials as StoredCredentials

ANY_TOOL = "*"


class SessionSecrets:
    """Satisfies `providers.ports.Credentials` for one session."""

    def __init__(self, stored: StoredCredentials, pin: SessionPin) -> None:
        self._stored = stored
        self._pin = pin

    async def secret(self, tool: str, name: str) -> str | None:
        """Return the secret `name` of `tool`, else that of all tools; None when there is none. Raises SecretExpired."""
        pin = self._pin
        environment = DRAFTS_USE if pin.environment in ("", WORKING_COPY) else pin.environment
        found = await self._stored.resolve(pin.tenant_id, pin.project_id, name, environment, [tool, ANY_TOOL])
        if found is None:
            return None
        expires_at = found.meta.expires_at
        if expires_at is not None and expires_at <= datetime.now(UTC):
            raise SecretExpired(name)
        return found.value

    async def profile(self, name: str) -> JsonObject | None:
        """Return None: auth profiles are not stored yet."""
        return None

    async def user_token(self, provider: str) -> str | None:
        """Return None: users have not granted anything yet."""
        return None

    def note(self, text: str) -> None:
        """Do nothing: who reads what comes back keeps notes, `actors.secret_values`."""


def secrets_of(stored: StoredCredentials) -> Callable[[SessionPin], Credentials]:
    """Return what gives each session its secrets."""
    return lambda pin: SessionSecrets(stored, pin)
