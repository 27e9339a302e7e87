"""Variables of projects: what `{{env.KEY}}` and `{{config.KEY}}` stand for. Spec: platform-api 6.5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from domain.errors import NotFound
from storage.database import Connection, Database, Row
from storage.statements import Statement

BASE: Final = "base"
"""The environment of values that hold where an environment has none of its own."""
NO_VARIABLE: Final = "Variable not found"
_COLUMNS = "variable_id, project_id, kind, key, environment, value, sealed, version, description, updated_at"

PUT = Statement(f"""
    INSERT INTO variables AS known (
        tenant_id, variable_id, project_id, kind, key, environment, value, sealed, version, description
    ) VALUES (
        :tenant_id, :variable_id, :project_id, :kind, :key, :environment, :value, :sealed, :version, :description
    )
    ON CONFLICT (tenant_id, project_id, kind, environment, key) DO UPDATE SET
        value = excluded.value, sealed = excluded.sealed, version = excluded.version,
        description = excluded.description, updated_at = clock_timestamp()
    RETURNING {_COLUMNS}
""")
NAMED = Statement(f"""
    SELECT {_COLUMNS} FROM variables
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND kind = :kind AND environment = :environment
      AND key = :key
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM variables
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND (:kind::text IS NULL OR kind = :kind)
      AND (:environment::text IS NULL OR environment = :environment)
    ORDER BY kind, key, environment
""")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM variables
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND variable_id = :variable_id
""")
COUNT = Statement("""
    SELECT count(*) FROM variables WHERE tenant_id = :tenant_id AND project_id = :project_id AND kind = :kind
""")
DELETE = Statement(f"""
    DELETE FROM variables WHERE tenant_id = :tenant_id AND project_id = :project_id AND variable_id = :variable_id
    RETURNING {_COLUMNS}
""")
CONFIG = Statement("""
    SELECT key, value FROM variables
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND kind = 'config' ORDER BY key
""")
ENVIRONMENT = Statement(f"""
    SELECT DISTINCT ON (key) {_COLUMNS} FROM variables
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND kind = 'env' AND environment IN ('base', :environment)
    ORDER BY key, environment = 'base'
""")


class VariableRecord(Struct, frozen=True, kw_only=True):
    """A variable; a secret one has `sealed` in the place of `value`, which opens for its version only."""

    variable_id: str
    project_id: str
    kind: str
    key: str
    environment: str
    value: str | None
    sealed: bytes | None
    version: int
    description: str | None
    updated_at: datetime


class NewVariable(Struct, frozen=True, kw_only=True):
    """A variable to write."""

    variable_id: str
    project_id: str
    kind: str
    key: str
    environment: str
    version: int
    value: str | None = None
    sealed: bytes | None = None
    description: str | None = None


class Variables:
    """The variables of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, connection: Connection, tenant_id: str, wanted: NewVariable) -> VariableRecord:
        """Write a variable, in the place of the one that has this name; that one keeps its id."""
        values = asdict(wanted)
        row = await connection.row(PUT, tenant_id=tenant_id, **values)
        assert row is not None
        return _record(row)

    async def named(
        self, connection: Connection, tenant_id: str, project_id: str, kind: str, environment: str, key: str
    ) -> VariableRecord | None:
        """Return the variable of this name as a transaction sees it."""
        row = await connection.row(
            NAMED, tenant_id=tenant_id, project_id=project_id, kind=kind, environment=environment, key=key
        )
        return _record(row) if row else None

    async def get(self, tenant_id: str, project_id: str, variable_id: str) -> VariableRecord:
        """Return a variable. Raises NotFound."""
        row = await self._database.row(FIND, tenant_id=tenant_id, project_id=project_id, variable_id=variable_id)
        if row is None:
            raise NotFound(NO_VARIABLE)
        return _record(row)

    async def count(self, connection: Connection, tenant_id: str, project_id: str, kind: str) -> int:
        """Return how many variables of a kind a project has."""
        return int(await connection.value(COUNT, tenant_id=tenant_id, project_id=project_id, kind=kind))

    async def list(
        self, tenant_id: str, project_id: str, *, kind: str | None = None, environment: str | None = None
    ) -> Sequence[VariableRecord]:
        """Return a project's variables by kind and key."""
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, kind=kind, environment=environment
        )
        return [_record(row) for row in rows]

    async def delete(self, connection: Connection, tenant_id: str, project_id: str, variable_id: str) -> VariableRecord:
        """Remove a variable; return what it was. Raises NotFound."""
        row = await connection.row(DELETE, tenant_id=tenant_id, project_id=project_id, variable_id=variable_id)
        if row is None:
            raise NotFound(NO_VARIABLE)
        return _record(row)

    async def config(self, tenant_id: str, project_id: str) -> Mapping[str, str]:
        """Return what `{{config.KEY}}` stands for in a project."""
        rows = await self._database.rows(CONFIG, tenant_id=tenant_id, project_id=project_id)
        return {row["key"]: row["value"] for row in rows}

    async def environment(self, tenant_id: str, project_id: str, environment: str) -> Sequence[VariableRecord]:
        """Return what `{{env.KEY}}` stands for in an environment: its own value, else the one for all of them."""
        rows = await self._database.rows(
            ENVIRONMENT, tenant_id=tenant_id, project_id=project_id, environment=environment
        )
        return [_record(row) for row in rows]


def about(project_id: str, variable_id: str, version: int) -> tuple[str, ...]:
    """Return what a sealed value is bound to beside its tenant: it can neither be moved, nor an old one be put back."""
    return ("variable", project_id, variable_id, str(version))


def _record(row: Row) -> VariableRecord:
    return VariableRecord(**dict(row))
