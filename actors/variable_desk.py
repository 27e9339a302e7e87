"""Variables of projects written and seen; values of secret ones are sealed and never shown. Spec: platform-api 6.5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from msgspec import UNSET, Struct, UnsetType

from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import InvalidInput
from domain.ids import PREFIXES
from domain.limits import CONFIG_KEYS_MAX, ENV_KEYS_MAX
from storage.database import Database
from storage.repositories.audit import AuditLog
from storage.repositories.projects import Projects
from storage.repositories.variables import BASE, NewVariable, VariableRecord, Variables, about
from storage.vault import Vault

KIND: Final = "variable"
FIRST_VERSION: Final = 1
MOST: Final = {"config": CONFIG_KEYS_MAX, "env": ENV_KEYS_MAX}
"""Kind -> how many a project may have."""


class WantedVariable(Struct, frozen=True, kw_only=True):
    """A variable to write; only one of the kind `env` has an environment other than `base`, or may be secret.

    Whether it is secret stays what it was where `secret` is None, and so does a description that is unset.
    """

    kind: Literal["env", "config"]
    key: str
    value: str
    environment: str = BASE
    secret: bool | None = None
    description: str | UnsetType | None = UNSET


class VariableDesk(Protocol):
    """The variables of projects."""

    async def list(
        self, tenant_id: str, project_id: str, *, kind: str | None, environment: str | None
    ) -> Sequence[VariableRecord]:
        """Return variables by kind and key; secret ones without a value."""
        ...

    async def get(self, tenant_id: str, project_id: str, variable_id: str) -> VariableRecord:
        """Return a variable; a secret one without a value. Raises NotFound."""
        ...

    async def put(self, tenant_id: str, project_id: str, wanted: WantedVariable, by: Initiator) -> VariableRecord:
        """Write a variable, or another value of the one that has this name.

        Raises:
            InvalidInput: There are too many.
            Unavailable: It is secret, and there is no master key.
        """
        ...

    async def remove(self, tenant_id: str, project_id: str, variable_id: str, by: Initiator) -> None:
        """Delete a variable. Raises NotFound."""
        ...


class StoredVariables:
    """Satisfies `VariableDesk`."""

    def __init__(self, database: Database, vault: Vault, audit: AuditLog, ids: IdSource) -> None:
        self._database = database
        self._variables = Variables(database)
        self._projects = Projects(database)
        self._vault = vault
        self._audit = audit
        self._ids = ids

    async def list(
        self, tenant_id: str, project_id: str, *, kind: str | None, environment: str | None
    ) -> Sequence[VariableRecord]:
        """Return variables by kind and key; secret ones without a value."""
        return await self._variables.list(tenant_id, project_id, kind=kind, environment=environment)

    async def get(self, tenant_id: str, project_id: str, variable_id: str) -> VariableRecord:
        """Return a variable; a secret one without a value."""
        return await self._variables.get(tenant_id, project_id, variable_id)

    async def put(self, tenant_id: str, project_id: str, wanted: WantedVariable, by: Initiator) -> VariableRecord:
        """Write a variable, or another value of the one that has this name."""
        async with self._database.transaction() as connection:
            await self._projects.lock(connection, tenant_id, project_id)
            name = (wanted.kind, wanted.environment, wanted.key)
            known = await self._variables.named(connection, tenant_id, project_id, *name)
            if known is None:
                count = await self._variables.count(connection, tenant_id, project_id, wanted.kind)
                if count >= MOST[wanted.kind]:
                    raise InvalidInput(f"A project has at most {MOST[wanted.kind]} variables of the kind {wanted.kind}")
            variable_id = known.variable_id if known is not None else self._ids.new(PREFIXES[KIND])
            version = known.version + 1 if known is not None else FIRST_VERSION
            is_secret = wanted.secret if wanted.secret is not None else known is not None and known.sealed is not None
            sealed = None
            if is_secret:
                bound = about(project_id, variable_id, version)
                sealed = await self._vault.seal(tenant_id, wanted.value.encode(), bound, connection)
            new = NewVariable(
                variable_id=variable_id,
                project_id=project_id,
                kind=wanted.kind,
                key=wanted.key,
                environment=wanted.environment,
                version=version,
                value=None if is_secret else wanted.value,
                sealed=sealed,
                description=_description(wanted, known),
            )
            kept = await self._variables.put(connection, tenant_id, new)
            await self._audit.append(connection, tenant_id, _entry(kept, "create" if known is None else "update", by))
        return kept

    async def remove(self, tenant_id: str, project_id: str, variable_id: str, by: Initiator) -> None:
        """Delete a variable."""
        async with self._database.transaction() as connection:
            gone = await self._variables.delete(connection, tenant_id, project_id, variable_id)
            await self._audit.append(connection, tenant_id, _entry(gone, "delete", by))


def _description(wanted: WantedVariable, known: VariableRecord | None) -> str | None:
    if wanted.description is not UNSET:
        return wanted.description
    return known.description if known is not None else None


def _entry(variable: VariableRecord, verb: str, by: Initiator) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"{KIND}.{verb}",
        category=AuditCategory.PROJECT,
        resource=Resource(KIND, variable.variable_id, variable.key),
        project_id=variable.project_id,
        details={
            "kind": variable.kind,
            "environment": variable.environment,
            "secret": variable.sealed is not None,
        },
    )
