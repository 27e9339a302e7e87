"""The secrets of callbacks as they are kept: sealed, as everything is that somebody else must not say in our name."""

from __future__ import annotations

import base64
from typing import Final

from storage.crypto import NO_MASTER_KEY, Unopenable
from storage.repositories.callbacks import CallbackRecord
from storage.vault import Vault

ABOUT: Final = "callback"
SEALED: Final = "sealed:"
"""Begins what is kept; what was kept before secrets were sealed stands as it is."""


class CallbackSecrets:
    """Seals and opens the secrets of callbacks. Where the installation has no master key they stand as they are."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def kept(self, tenant_id: str, callback_id: str, secret: str) -> str:
        """Return what is kept of a secret."""
        if not self._vault.has_master_key:
            return secret
        sealed = await self._vault.seal(tenant_id, secret.encode(), (ABOUT, callback_id))
        return SEALED + base64.b64encode(sealed).decode()

    async def opened(self, record: CallbackRecord) -> str:
        """Return the secret of a callback. Raises Unopenable: its key is not here."""
        if not record.secret.startswith(SEALED):
            return record.secret
        if not self._vault.has_master_key:
            raise Unopenable(NO_MASTER_KEY)
        sealed = base64.b64decode(record.secret.removeprefix(SEALED))
        return (await self._vault.open(record.tenant_id, sealed, (ABOUT, record.callback_id))).decode()
