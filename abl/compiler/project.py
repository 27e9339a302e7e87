"""Compiles a set of documents into the compilation output. Spec: abl-language 12.1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from abl.compiler.agent import Project, lower_agent
from abl.compiler.aliases import resolve_aliases
from abl.compiler.bounds import Full
from abl.compiler.catalogue import Catalogue
from abl.compiler.config import Config
from abl.compiler.coordination import remote_agents
from abl.compiler.options import CompileOptions
from abl.compiler.places import Places, Unit
from abl.compiler.plain import Json, text
from abl.compiler.profiles import Profiles
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.ir import IR_VERSION
from abl.syntax.document import Document
from abl.syntax.node import Node

AGENT_KINDS = frozenset({"agent", "supervisor"})
COORDINATION_DEFAULTS: Json = {
    "history": "auto",
    "history_messages": 5,
    "delegate_timeout_seconds": 30,
    "max_handoff_depth": 10,
}


@dataclass(slots=True)
class Compilation:
    """What a compile gives back.

    Attributes:
        output: The JSON of abl-language 12.1.
        places: Where the objects of the output come from in the texts.
        findings: What the compiler itself found; errors and warnings stand in `output` as well.
    """

    output: dict[str, Any]
    places: Places
    findings: list[Diagnostic]


def compile_documents(units: Sequence[Unit], options: CompileOptions | None = None) -> Compilation:
    """Return the compiled project; faults in the documents are findings, never exceptions."""
    options = CompileOptions.read(options)
    places = Places()
    findings: list[Diagnostic] = []
    project = Project(
        options=options,
        catalogue=Catalogue(units, options.tool_catalog),
        profiles=Profiles(units, options.behavior_profiles),
        config=Config(options.config_variables or {}),
        places=places,
        findings=findings,
    )
    agents = _lower_all([unit for unit in units if unit.document.kind in AGENT_KINDS], project)
    _report_supervisors(units, project)
    output: dict[str, Any] = {
        "version": IR_VERSION,
        "compiled_at": options.compiled_at,
        "agents": agents,
        "entry_agent": _entry_agent(agents, options),
        "deployment": _deployment(agents),
        "remote_agents": _remote_agents(agents),
        "coordination_defaults": dict(COORDINATION_DEFAULTS),
        "resolved_config_variables": project.config.summary(),
        "tool_snapshot": project.snapshot,
    }
    add_findings(output, findings)
    return Compilation(output, places, findings)


def add_findings(output: dict[str, Any], findings: Iterable[Diagnostic]) -> None:
    """Write findings into the output: errors and warnings as lists, absent when empty; notes are left out."""
    for severity, keys in (
        ("error", ("compilation_errors", "errors")),
        ("warning", ("compilation_warnings", "warnings")),
    ):
        found = [_entry(one) for one in findings if one.severity == severity]
        if found:
            for key in keys:
                output[key] = [*output.get(key, ()), *found]


def _entry(one: Diagnostic) -> Json:
    entry: Json = {"code": one.code, "message": one.message}
    for name in ("agent", "line", "file"):
        if (value := getattr(one, name)) is not None:
            entry[name] = value
    return entry


def _lower_all(units: list[Unit], project: Project) -> dict[str, Json]:
    """Return name -> AgentIR, in the order of the units; stops when the time is up."""
    agents: dict[str, Json] = {}
    compiled: list[tuple[Unit, Document]] = []
    options = project.options
    start = options.clock() if options.clock is not None else 0.0
    for unit in units:
        if _is_over(options, start):
            detail = f"{len(agents)} of {len(units)} agents were compiled in {options.timeout_ms} ms"
            project.findings.append(finding("E727", detail=detail))
            return agents
        document = _modern(unit.document)
        name = text(document.name)
        if name in agents:
            project.findings.append(_duplicate(name, unit))
            continue
        known, said = len(project.places), len(project.findings)
        try:
            agents[name] = lower_agent(unit, document, project)
        except Full:
            del project.findings[said:]
            project.findings.append(_too_large(name, unit, project.places.take_back(known)))
        compiled.append((unit, document))
    resolve_aliases(agents, compiled)
    return agents


def _too_large(name: str, unit: Unit, last: Node | None) -> Diagnostic:
    """Return the finding that an agent holds more than can be compiled; `last` is where that was seen."""
    at = last.pos if last is not None and last.pos is not None else unit.document.pos
    place = {"line": at.line, "column": at.column, "offset": at.offset} if at is not None else {}
    detail = f"{name or 'This text'} is read, but neither compiled nor checked"
    return finding("TEXT_TOO_LARGE", agent=name, file=unit.path, detail=detail, **place)  # type: ignore[arg-type]


def _is_over(options: CompileOptions, start: float) -> bool:
    if options.clock is None or options.timeout_ms is None:
        return False
    return (options.clock() - start) * 1000 > options.timeout_ms


def _modern(document: Document) -> Document:
    """Return a document of the numbered grammar in today's form."""
    if document.format != "legacy":
        return document
    from abl.legacy import modernise  # noqa: PLC0415 - loaded for old documents only

    modern: Document = modernise(document)
    return modern


def _duplicate(name: str, unit: Unit) -> Diagnostic:
    at = unit.document.pos
    place = {"line": at.line, "column": at.column, "offset": at.offset} if at is not None else {}
    return finding("DUPLICATE_AGENT", name=name, agent=name, file=unit.path, **place)  # type: ignore[arg-type]


def _report_supervisors(units: Sequence[Unit], project: Project) -> None:
    supervisors = [unit for unit in units if unit.document.kind == "supervisor"]
    known = ", ".join(text(unit.document.name) for unit in supervisors)
    for unit in supervisors[1:]:
        at = unit.document.pos
        place = {"line": at.line, "column": at.column, "offset": at.offset} if at is not None else {}
        name = text(unit.document.name)
        project.findings.append(finding("E728", known=known, agent=name or None, file=unit.path, **place))  # type: ignore[arg-type]


def _entry_agent(agents: dict[str, Json], options: CompileOptions) -> str | None:
    if options.entry_agent:
        return options.entry_agent
    supervisor = next((name for name, ir in agents.items() if ir["metadata"]["type"] == "supervisor"), None)
    return supervisor or next(iter(agents), None)


def _deployment(agents: dict[str, Json]) -> Json:
    hints = [ir["execution"]["hints"] for ir in agents.values()]
    return {
        "runtime_recommendations": {
            "needs_model": any(_needs_model(ir) for ir in agents.values()),
            "needs_persistence": any(hint["requires_persistence"] for hint in hints),
            "voice": any(hint["voice_optimized"] for hint in hints),
            "agents": len(agents),
        },
        "parallel_safe": all(ir["execution"].get("concurrency", "serial") == "serial" for ir in agents.values()),
        "stateful": any(ir["memory"]["session"] or ir["gather"]["fields"] or "flow" in ir for ir in agents.values()),
        "hitl_capable": any(hint["supports_hitl"] for hint in hints),
    }


def _needs_model(ir: Json) -> bool:
    """Whether an agent asks a model in ordinary turns: it has no flow, or a step that reasons."""
    return "flow" not in ir or any("reasoning_zone" in step for step in ir["flow"]["definitions"].values())


def _remote_agents(agents: dict[str, Json]) -> Json:
    found: Json = {}
    for ir in agents.values():
        for name, remote in remote_agents(ir["coordination"]).items():
            found.setdefault(name, remote)
    return found
