"""API keys: who brings one. Keys are random, so the store compares their SHA-256; this module remembers its answers."""

from __future__ import annotations

from actors.runtime import Caller, Runtime
from domain.clock import Clock
from domain.errors import Unauthenticated
from gateway import bounds
from gateway.auth.remembered import Remembered


class ApiKeys:
    """Answers who brings an API key. Spec: platform-api 2.1."""

    def __init__(self, runtime: Runtime, clock: Clock) -> None:
        self._callers: Remembered[Caller] = Remembered(
            runtime.authenticate, clock, believed_s=bounds.CREDENTIAL_RECHECK_S, held=bounds.CREDENTIALS_HELD
        )

    async def caller(self, key: str) -> Caller:
        """Return who brings `key`.

        Raises:
            Unauthenticated: Nobody does: unknown, revoked or expired.
        """
        caller = await self._callers.find(key)
        if caller is None:
            raise Unauthenticated("Invalid API key")
        return caller

    def forget(self, tenant_id: str, key_id: str) -> None:
        """Ask for this key again: it was revoked or has another secret."""
        self._callers.forget_all(lambda _, caller: (caller.tenant_id, caller.subject) == (tenant_id, key_id))

    def forget_all(self, tenant_id: str) -> None:
        """Ask for all keys of a tenant again: it was erased."""
        self._callers.forget_all(lambda _, caller: caller.tenant_id == tenant_id)
