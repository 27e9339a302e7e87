"""The catalogue of a project: read from the files beside its texts, and as the tools of one session see it.

An entry may hold `environments`: name -> what is different there. Decision: 0019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import yaml

from actors.programs import DRAFTS_USE, WORKING_COPY
from actors.session.store import SessionPin
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from providers.ports import Catalogue
from providers.tools.catalogue import CATALOGUE_FILES, Kind, read_entry
from storage.repositories.catalogue import CatalogueEntry, Catalogues

ENVIRONMENTS: Final = "environments"
_KINDS: Final[dict[str, Kind]] = {file: kind for kind, file in CATALOGUE_FILES.items()}


def is_catalogue_file(path: str) -> bool:
    """Return whether a file of this path, relative to the project's folder, holds entries of its catalogue.

    >>> is_catalogue_file("connectors.yaml"), is_catalogue_file("tools/connectors.yaml")
    (True, False)
    """
    return path in _KINDS


def catalogue_of(files: Mapping[str, str]) -> list[CatalogueEntry]:
    """Return the entries that the files of a project hold, each of them looked at in all of its environments.

    Raises:
        InvalidInput: A file is not YAML, or an entry cannot be read; the sentence names it.
    """
    found: list[CatalogueEntry] = []
    for path, text in files.items():
        if not is_catalogue_file(path):
            continue
        for name, entry in _read(path, text).items():
            kind = _KINDS[path]
            if not isinstance(entry, dict):
                raise InvalidInput(f"{path}: {name!r} is no entry")
            environments = entry.get(ENVIRONMENTS) or {}
            if not isinstance(environments, dict):
                raise InvalidInput(f"{path}: the environments of {name!r} are names with what is different there")
            for environment in ("", *environments):
                read_entry(kind, str(name), within(entry, environment))
            found.append(CatalogueEntry(kind, str(name), entry))
    return found


def within(entry: JsonObject, environment: str) -> JsonObject:
    """Return an entry as it holds in an environment.

    >>> within({"url": "a", "environments": {"staging": {"url": "b"}}}, "staging")
    {'url': 'b'}
    """
    own = (entry.get(ENVIRONMENTS) or {}).get(environment) or {}
    return {**{key: value for key, value in entry.items() if key != ENVIRONMENTS}, **own}


class SessionCatalogue:
    """Satisfies `providers.ports.Catalogue` for one session."""

    def __init__(self, stored: Catalogues, pin: SessionPin) -> None:
        self._stored = stored
        self._pin = pin

    async def entry(self, kind: str, name: str) -> JsonObject | None:
        """Return the entry of that name as it holds in the session's environment."""
        entry = await self._stored.find(self._pin.tenant_id, self._pin.project_id, kind, name)
        return within(entry, environment_of(self._pin)) if entry is not None else None


def environment_of(pin: SessionPin) -> str:
    """Return the environment whose secrets and addresses a session uses: sessions on the drafts use `dev`."""
    return DRAFTS_USE if pin.environment in ("", WORKING_COPY) else pin.environment


def catalogues_of(stored: Catalogues) -> Callable[[SessionPin], Catalogue]:
    """Return what gives each session its catalogue."""
    return lambda pin: SessionCatalogue(stored, pin)


def _read(path: str, text: str) -> JsonObject:
    try:
        given = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise InvalidInput(f"{path} holds names with an entry each")
    return given
