"""The texts of a project compiled: its program, or what is wrong with them. Spec: platform-api 6.2 to 6.4."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from abl.compiler import CompileOptions
from abl.diagnostics.model import Diagnostic
from abl.folders import language_of_file
from abl.ir import canonical_bytes
from abl.parser.detect import detect
from abl.project import Project, check_project, compile_project
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from engine import Program
from storage.repositories.agents import AgentRecord

DIAGNOSTICS_SHOWN: Final = 100
AGENT_KINDS: Final = ("agent", "supervisor")
DECLARED_OTHERWISE: Final = "NAME_MISMATCH"
_ENV = re.compile(r"\{\{\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_NOTHING: Final[Mapping[str, str]] = {}


class UnreadableProject(InvalidInput):
    """The texts of a project do not compile."""


class Compiled(NamedTuple):
    """A program: the id made of its content, its bytes, and what it is."""

    program_id: str
    ir: bytes
    output: JsonObject


def compiled(
    files: Mapping[str, str],
    *,
    config: Mapping[str, str] = _NOTHING,
    entry_agent: str = "",
    known_agents: Iterable[str] = (),
) -> Compiled:
    """Return the program of these texts; agents of `known_agents` are not missed.

    Raises:
        UnreadableProject: There are errors in them; the message names the first ones, the details hold more.
    """
    project = Project.from_files(files)
    options = CompileOptions(config_variables=config, entry_agent=entry_agent, project_agents=tuple(known_agents))
    compilation = compile_project(project, options)
    errors = [one for one in (*project.findings, *compilation.findings) if one.is_error]
    if errors:
        raise unreadable(errors)
    program = Program(compilation.output)
    return Compiled(f"prog_{program.hash}", canonical_bytes(compilation.output), compilation.output)


def findings(
    files: Mapping[str, str], *, config: Mapping[str, str] = _NOTHING, known_agents: Iterable[str] = ()
) -> list[Diagnostic]:
    """Return everything that is found in texts; agents of `known_agents` are not missed."""
    options = CompileOptions(config_variables=config, project_agents=tuple(known_agents))
    return check_project(Project.from_files(files), options)


def unreadable(errors: Sequence[Diagnostic]) -> UnreadableProject:
    """Return the error that says what is wrong with texts."""
    shown = "; ".join(f"{_where(one)}{one.message}" for one in errors[:5])
    details = {"diagnostics": [diagnostic(one) for one in errors[:DIAGNOSTICS_SHOWN]]}
    count = f"{len(errors)} error{'s' if len(errors) != 1 else ''}"
    return UnreadableProject(f"The project has {count}: {shown}", details=details)


def _where(one: Diagnostic) -> str:
    """Return the file or else the agent, and the line, as far as they are known."""
    known = [str(part) for part in (one.file or one.agent, one.line) if part]
    return f"{':'.join(known)}: " if known else ""


def diagnostic(one: Diagnostic) -> JsonObject:
    """Return a finding as it goes over the wire. Spec: platform-api 6.2."""
    told: JsonObject = {"code": one.code, "message": one.message, "severity": one.severity}
    for name in ("line", "column", "agent"):
        value = getattr(one, name)
        if value is not None:
            told[name] = value
    return told


def misnamed(name: str, dsl: str) -> list[Diagnostic]:
    """Return the finding that an agent's text declares another name than the agent has, if it does."""
    declared = [unit.document.name for unit in Project.from_files({name: dsl}).units if unit.document.name]
    if not declared or name in declared:
        return []
    message = f"The text declares {declared[0]}, and the agent is called {name}"
    return [Diagnostic(DECLARED_OTHERWISE, message, "error", line=1, agent=name)]


def kind_of(dsl: str) -> str:
    """Return `supervisor` or `agent`, by what a text opens with.

    >>> kind_of("SUPERVISOR: Front\\nGOAL: Route"), kind_of("")
    ('supervisor', 'agent')
    """
    kind = detect(dsl)
    if kind in ("yaml", "agent-based"):
        kind = next((unit.document.kind for unit in Project.from_files({"a": dsl}).units), "agent")
    return "supervisor" if kind == "supervisor" else "agent"


def files_of(documents: Iterable[AgentRecord], texts: Mapping[str, str] = _NOTHING) -> dict[str, str]:
    """Return path -> text of a project's documents that have a text; `texts` come before the drafts of these names."""
    files: dict[str, str] = {}
    for one in documents:
        text = texts.get(one.name, one.dsl)
        if text.strip():
            path = one.path or (one.name if language_of_file(one.name) else f"{one.name}.abl")
            files[path if path not in files else f"{one.name}.abl"] = text
    return files


def env_keys(ir: bytes) -> list[str]:
    """Return the names that a program reads at `{{env.NAME}}`, sorted.

    >>> env_keys(b'{"endpoint": "{{env.API_URL}}/orders"}')
    ['API_URL']
    """
    return sorted(set(_ENV.findall(ir.decode())))
