"""Other names of agents: AGENTS says which agent, or which file, a name stands for. Spec: abl-language 10.3."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abl.compiler.places import Unit
from abl.compiler.plain import Json, mapping, text
from abl.syntax.document import Document

_SUFFIX = re.compile(r"(?:\.(?:agent|supervisor))?\.(?:abl|ya?ml)\Z", re.IGNORECASE)
_PART = re.compile(r"#\d+\Z")
_NAME = re.compile(r"[\w\-]+\Z")
_HANDS_OVER = re.compile(r"(\bHANDOFF(?:\s+to)?\s+)([\w.\-]+)", re.IGNORECASE)
_KEYS = frozenset(
    {"to", "agent", "handoff", "delegate", "handoff_target", "on_failure_target", "on_timeout_target", "default_agent"}
)
"""Keys of an AgentIR whose text names an agent."""
_SECTIONS = ("coordination", "routing", "flow", "action_handlers", "on_start", "hooks", "error_handling", "constraints")


def resolve_aliases(agents: Mapping[str, Json], compiled: Iterable[tuple[Unit, Document]]) -> None:
    """Write the names of the agents that aliases stand for into the compiled agents; unknown files leave the alias."""
    compiled = list(compiled)
    files = [(_bare(unit.path or ""), text(document.name)) for unit, document in compiled]
    for _, document in compiled:
        names = {alias: name for alias, path in mapping(document.agents).items() if (name := _agent_of(path, files))}
        ir = agents.get(text(document.name))
        if names and ir is not None:
            for section in _SECTIONS:
                _rename(ir.get(section), names, is_constraint=section == "constraints")
            for parameter in _objects([tool for tool in ir.get("tools", ()) if tool.get("system")]):
                if parameter.get("name") == "target" and "enum" in parameter:
                    parameter["enum"] = list(dict.fromkeys(names.get(one, one) for one in parameter["enum"]))
            ir["available_agents"] = list(dict.fromkeys(names.get(one, one) for one in ir.get("available_agents", ())))


def _agent_of(path: str, files: list[tuple[str, str]]) -> str:
    """Return the agent a path or name stands for; empty when no file, or more than one, is meant."""
    if any(name == path for _, name in files):
        return path
    bare = _bare(path)
    found = {name for file, name in files if file == bare or file.endswith(f"/{bare}")}
    if not found:
        last = bare.rpartition("/")[2]
        found = {name for file, name in files if file.rpartition("/")[2] == last}
    if len(found) == 1:
        return found.pop()
    return path if not found and _NAME.match(path) else ""


def _bare(path: str) -> str:
    """Return a path without what leads up, its suffix, and the number of a part of a file."""
    plain = _SUFFIX.sub("", _PART.sub("", path.strip().replace("\\", "/")))
    while plain.startswith(("./", "../", "/")):
        plain = plain.partition("/")[2]
    return plain


def _rename(value: Any, names: Mapping[str, str], *, is_constraint: bool = False) -> None:
    for one in _objects(value):
        for key, said in one.items():
            if isinstance(said, str) and (key in _KEYS or (is_constraint and key == "target")):
                one[key] = names.get(said, said)
            elif key == "action" and isinstance(said, str):
                one[key] = _HANDS_OVER.sub(lambda found: found[1] + names.get(found[2], found[2]), said)


def _objects(value: Any) -> Iterator[Json]:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            yield one
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)
