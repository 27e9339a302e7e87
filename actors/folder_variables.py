"""Config variables of a folder as variables of its project, so that every compile of the project has them.

What was set over the API stays as it is. What a folder has put is known by its description, which holds a hash of the
value: a value that was changed since is not the folder's any more. Decision: 0064. Spec: platform-api 6.5.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from msgspec import Struct

from domain.errors import InvalidInput
from domain.ids import PREFIXES, stable_id
from domain.limits import CONFIG_KEYS_MAX
from storage.database import Connection
from storage.repositories.variables import BASE, NewVariable, VariableRecord, Variables

CONFIG = "config"
_PUT = "put by the project's folder ({})"
_HASH_CHARS = 12
SET_OTHERWISE = "config.{}: the value that was set over the API is used, and not that of the folder or command line"
FIRST_VERSION = 1


class VariablesPlan(Struct, frozen=True):
    """What becomes of a project's config variables.

    Attributes:
        values: All of them, as its texts are compiled with.
        written: Those that are new or have another value than the folder has put before.
        gone: Ids of those that the folder has put before and does not have any more.
        told: What is worth a sentence.
    """

    values: Mapping[str, str]
    written: Mapping[str, str]
    gone: tuple[str, ...]
    told: tuple[str, ...]

    async def write(self, variables: Variables, connection: Connection, tenant_id: str, project_id: str) -> None:
        """Write them."""
        for variable_id in self.gone:
            await variables.delete(connection, tenant_id, project_id, variable_id)
        for key, value in self.written.items():
            new = NewVariable(
                variable_id=stable_id(PREFIXES["variable"], tenant_id, project_id, CONFIG, key),
                project_id=project_id,
                kind=CONFIG,
                key=key,
                environment=BASE,
                version=FIRST_VERSION,
                value=value,
                description=_mark(value),
            )
            await variables.put(connection, tenant_id, new)


def plan_variables(stored: Iterable[VariableRecord], wanted: Mapping[str, str]) -> VariablesPlan:
    """Return what becomes of the stored config variables of a project when its folder gives `wanted`.

    Raises:
        InvalidInput: There are more than a project may have.
    """
    known = {one.key: one for one in stored}
    own = {key for key, one in known.items() if one.description == _mark(one.value or "")}
    others = {key: one.value or "" for key, one in known.items() if key not in own}
    values = {**wanted, **others}
    if len(values) > CONFIG_KEYS_MAX:
        raise InvalidInput(f"A project has at most {CONFIG_KEYS_MAX} variables of the kind {CONFIG}")
    return VariablesPlan(
        values=values,
        written={
            key: value
            for key, value in wanted.items()
            if key not in known or (key in own and known[key].value != value)
        },
        gone=tuple(known[key].variable_id for key in sorted(own - wanted.keys())),
        told=tuple(SET_OTHERWISE.format(key) for key in sorted(wanted) if key in others and others[key] != wanted[key]),
    )


def _mark(value: str) -> str:
    return _PUT.format(hashlib.sha256(value.encode()).hexdigest()[:_HASH_CHARS])
