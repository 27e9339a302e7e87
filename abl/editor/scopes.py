"""How far a name reaches: which texts of a project share their steps and variables."""

from __future__ import annotations

from abl.editor.names import PROJECT_WIDE, Symbol
from abl.editor.readings import File, Piece

Reach = list[tuple[File, Piece]]


def scope_of(file: File, offset: int, project: Reach, symbol: Symbol, name: str) -> Reach:
    """Return the texts in which a name of a kind means the same as at `offset` of a file."""
    if symbol in PROJECT_WIDE:
        return project
    near = _family(file, offset, project)
    return _passed_on(near, project, name) if symbol is Symbol.VARIABLE and name else near


def _family(file: File, offset: int, project: Reach) -> Reach:
    """Return an agent and the profiles it uses, or a profile and the agents that use it.

    Where a variable of another agent is named, that agent is meant.
    """
    start = file.piece(offset)
    at = file.occurrence(offset)
    if at is not None and at.agent:
        start = next((one for _, one in project if one.name == at.agent), start)
    document = start.document
    if document is None:
        return [(file, start)]
    users = [start]
    if document.kind == "profile":
        users += [one for _, one in project if start.name in one.profiles]
    used = {name for one in users for name in one.profiles}
    return [
        (other, one)
        for other, one in project
        if any(one is user for user in users) or (one.kind == "profile" and one.name in used)
    ]


def _passed_on(near: Reach, project: Reach, name: str) -> Reach:
    """Return `near` with the agents to which the variable `name` is passed on, and those that pass it to them."""
    edges = [
        (one.name, handoff.to)
        for _, one in project
        if one.document is not None
        for handoff in one.document.handoffs
        if name in handoff.pass_
    ]
    agents = {one.name for _, one in near if one.kind != "profile"}
    known = 0
    while edges and len(agents) != known:
        known = len(agents)
        agents.update(other for pair in edges for other in pair if agents.intersection(pair))
    known_pieces = {id(one) for _, one in near}
    return [*near, *((file, one) for file, one in project if one.name in agents and id(one) not in known_pieces)]
