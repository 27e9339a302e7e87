"""Which agents of a project lead to which, what tools there are, and what is wrong with its texts. CPU work only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from abl.effects import effects
from abl.project import Project, compile_project
from actors.compiling import misnamed
from domain.json_values import JsonObject
from domain.transfer import Edge, Entity, Place, broken_edges, path_of, place_of

ENTITIES: Final[Mapping[str, Entity]] = {
    "agent": Entity.AGENT,
    "supervisor": Entity.AGENT,
    "tools": Entity.TOOL,
    "profile": Entity.PROFILE,
    "language": Entity.LANGUAGE,
}
"""Kind of a text -> what it is in a project."""
WARNINGS_SHOWN: Final = 100
WARNING_MAX_CHARS: Final = 500
UNBOUND: Final = "unbound"


class KnownTool(NamedTuple):
    """A tool that is written down in a project; `type` is http, mcp, sandbox and the like, or `unbound`."""

    name: str
    type: str


class ProjectGraph(NamedTuple):
    """The agents' ways to each other and to tools, and each that leads to nothing.

    Attributes:
        entry_agent: Where a conversation begins when nothing else is said; None without agents.
    """

    tools: list[KnownTool]
    edges: list[Edge]
    errors: list[str]
    entry_agent: str | None


def graph_of(files: Mapping[str, str]) -> ProjectGraph:
    """Return the graph of a project's texts (path -> text); texts with errors are read as far as they can be."""
    project = Project.from_files(files)
    compilation = compile_project(project)
    found = effects(compilation)["agents"]
    edges = [
        *(Edge(name, one["name"], one["by"]) for name, agent in found.items() for one in agent["agents"]["direct"]),
        *(Edge(name, tool["name"], "tool") for name, agent in found.items() for tool in agent["tools"]),
    ]
    tools = _tools(project, found)
    agents = {*project.agents, *compilation.output.get("remote_agents", ())}
    entry = compilation.output.get("entry_agent") if project.agents else None
    edges = sorted(dict.fromkeys(edges))
    known = [KnownTool(name, kind) for name, kind in sorted(tools.items())]
    errors = [*_misnamed(files), *broken_edges(edges, agents, tools)]
    return ProjectGraph(known, edges, shortened(errors), entry or None)


def _tools(project: Project, found: Mapping[str, JsonObject]) -> dict[str, str]:
    """Return tool -> type; an agent may declare what a library binds, so what is bound anywhere counts."""
    written = [(tool.name, tool.type) for unit in project.units for tool in unit.document.tools]
    compiled = [(str(tool["name"]), str(tool["kind"])) for agent in found.values() for tool in agent["tools"]]
    names = dict.fromkeys((name for name, _ in written), UNBOUND)
    bound = {name: kind for name, kind in [*written, *compiled] if kind and kind != UNBOUND and name in names}
    return {**names, **bound}


def _misnamed(files: Mapping[str, str]) -> list[str]:
    places = ((path, place_of(path)) for path in files)
    named = ((path, place.name) for path, place in places if place is not None and place.entity is Entity.AGENT)
    return [f"{path}: {one.message}" for path, name in named for one in misnamed(name, files[path])]


def tools_in(text: str) -> frozenset[str]:
    """Return the names of the tools that a text defines."""
    units = Project.from_files({"text": text}).units
    return frozenset(tool.name for unit in units for tool in unit.document.tools)


def warnings_of(texts: Mapping[Place, str]) -> list[str]:
    """Return what is found on reading texts, agents that are called otherwise than they declare, misplaced texts."""
    found = []
    for place, text in texts.items():
        path = path_of(place)
        project = Project.from_files({path: text})
        told = [*project.findings]
        if place.entity is Entity.AGENT:
            told += misnamed(place.name, text)
        found += [f"{path}:{one.line or 1}: {one.message}" for one in told]
        held = [ENTITIES[unit.document.kind] for unit in project.units]
        if held and place.entity not in held:
            found.append(f"{path}:1: This is a text of the kind {held[0]} where one of the kind {place.entity} belongs")
    return shortened(found)


def shortened(warnings: Sequence[str]) -> list[str]:
    """Return the first warnings, each within `WARNING_MAX_CHARS`, and how many more there are."""
    shown = [one[:WARNING_MAX_CHARS] for one in warnings[:WARNINGS_SHOWN]]
    return [*shown, f"and {len(warnings) - len(shown)} more"] if len(warnings) > len(shown) else shown
