"""Secret values of `{{env.KEY}}`: opened when a tool is called, and nowhere else. Decision: 0026.

The others are fixed when a session begins, in its first fact; a secret must not stand there, so no prompt, reply or
condition can read one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final

from actors.programs import DRAFTS_USE, WORKING_COPY
from actors.session.store import SessionPin
from domain.recent import Recent
from providers.retry import Seconds
from storage.repositories.variables import VariableRecord, Variables, about
from storage.vault import Vault

KEPT_S: Final = 2.0
"""How long a change may take to be seen."""
MAX_KEPT: Final = 1_000


class SecretVariables:
    """The secret variables of all projects, as tools of their sessions get them."""

    def __init__(self, variables: Variables, vault: Vault, *, seconds: Seconds = time.monotonic) -> None:
        self._variables = variables
        self._vault = vault
        self._kept: Recent[tuple[str, str, str], Sequence[VariableRecord]] = Recent(KEPT_S, MAX_KEPT, seconds)

    async def of(self, pin: SessionPin) -> Mapping[str, str]:
        """Return key -> value of the secret ones in a session's environment.

        Raises:
            Unopenable: A value was changed in the store, or its key is gone.
            Unavailable: There is no master key.
        """
        environment = DRAFTS_USE if pin.environment in ("", WORKING_COPY) else pin.environment
        sealed = await self._sealed((pin.tenant_id, pin.project_id, environment))
        return {one.key: await self._opened(pin, one) for one in sealed}

    async def _opened(self, pin: SessionPin, one: VariableRecord) -> str:
        assert one.sealed is not None, "only these are kept"
        bound = about(one.project_id, one.variable_id, one.version)
        return (await self._vault.open(pin.tenant_id, one.sealed, bound)).decode()

    async def _sealed(self, key: tuple[str, str, str]) -> Sequence[VariableRecord]:
        kept = self._kept.get(key)
        if kept is None:
            kept = [one for one in await self._variables.environment(*key) if one.sealed is not None]
            self._kept.put(key, kept)
        return kept
