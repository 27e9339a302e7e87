"""What the `project.json` of an import changes, beside what its texts do. Pure. Decision 0040; spec: platform-api 9."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.project_file import NO_DETAILS, SHOWN_CHARS, AgentEntry, Details, ProjectFile, refused
from domain.transfer import REASONS, Change, Entity, Existing, ImportMode, Operation, Place

DETAILS_CHANGED: Final = "Domain or description changed"
_NOTHING: Final = AgentEntry()


def with_project_file(
    operations: Sequence[Operation],
    existing: Iterable[Existing],
    said: ProjectFile | None,
    mode: ImportMode,
    *,
    name: str,
    entry_agent: str | None,
) -> list[Operation]:
    """Return what an import does when it also does what its project file says.

    Args:
        operations: What it does with documents.
        existing: The documents of the project as they are.
        said: The file, None without one: then everything beside the texts stays as it is.
        mode: `merge` changes what the file names; `replace` makes it what the file says, so what is not said goes.
        name: What the project is called.
        entry_agent: Its entry agent as it is.

    Raises:
        InvalidInput: The file names an agent that is not in the project after the import.
    """
    if said is None:
        return list(operations)
    held = {one.place.name: one for one in existing if one.place.entity is Entity.AGENT}
    _check_names(said, held, operations)
    planned = [_with_details(one, held, said, mode) for one in operations]
    imported = {one.place.name for one in operations if one.place.entity is Entity.AGENT}
    for agent in said.agents:
        if agent not in imported:
            stays = Operation(Change.UNCHANGED, held[agent].place, "", held[agent].document)
            changed = _with_details(stays, held, said, mode)
            planned += [changed] if changed.change is Change.UPDATE else []
    wanted = entry_of(said, mode)
    if wanted is not UNSET:
        change = Change.UNCHANGED if wanted == entry_agent else Change.UPDATE
        planned.append(Operation(change, Place(Entity.PROJECT, name), REASONS[Entity.PROJECT, change]))
    return planned


def entry_of(said: ProjectFile | None, mode: ImportMode) -> str | UnsetType | None:
    """Return the entry agent that a project gets: None for none, unset when it keeps its own."""
    if said is None or (said.entry_agent is UNSET and mode is ImportMode.MERGE):
        return UNSET
    return None if said.entry_agent is UNSET else said.entry_agent


def _check_names(said: ProjectFile, held: Mapping[str, Existing], operations: Iterable[Operation]) -> None:
    agents = set(held)
    for one in operations:
        if one.place.entity is Entity.AGENT:
            (agents.discard if one.change is Change.DELETE else agents.add)(one.place.name)
    entry = [said.entry_agent] if isinstance(said.entry_agent, str) else []
    for word, names in (("entryAgent", entry), ("agents", said.agents)):
        for agent in names:
            if agent not in agents:
                raise refused(f"{word} names {agent[:SHOWN_CHARS]}, which is no agent of the project")


def _with_details(one: Operation, held: Mapping[str, Existing], said: ProjectFile, mode: ImportMode) -> Operation:
    if one.place.entity is not Entity.AGENT or one.change is Change.DELETE:
        return one
    before = held[one.place.name].details if one.place.name in held else NO_DETAILS
    entry = said.agents.get(one.place.name, _NOTHING)
    after: Details = entry.over(NO_DETAILS if mode is ImportMode.REPLACE else before)
    if after == before:
        return one
    if one.change is not Change.UNCHANGED:
        return replace(one, details=after)
    return replace(one, change=Change.UPDATE, reason=DETAILS_CHANGED, text=None, details=after)
