"""Validation of texts, projects and IR: the parser's findings, the compiler's, and those of the checks, in one list.

Spec: abl-language 2.4, 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from abl.checks import (
    CheckContext,
    CheckOptions,
    check_cross_agent,
    check_document,
    check_fields,
    profile_findings,
    run_checks,
)
from abl.compiler import CompileOptions, Unit, compile_documents
from abl.compiler.places import Place
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.frontend import parse
from abl.source import Source

_SAID_TWICE = frozenset({"INVALID_REGEX"})
"""Codes that the compiler and the reading of texts both report; the one with the exact span is kept."""

_SAID_BETTER = {"INVALID_CONDITION": "INVALID_OPERATOR"}
"""Code -> the code that says the same more exactly, when both stand at one place."""


def validate_ir(ir: object) -> list[Diagnostic]:
    """Return what all rules find in one AgentIR, or in every agent of a compilation output.

    A single agent is checked on its own: references to agents outside are not reported.

    >>> from abl import compile_abl_to_ir
    >>> flow = "FLOW:\\n  ask:\\n    REASONING: false\\n    RESPOND: Hello\\n    THEN: nowhere\\n"
    >>> output = compile_abl_to_ir("AGENT: Desk\\nGOAL: Help\\n" + flow)
    >>> [one.code for one in validate_ir(output) if one.is_error]
    ['DANGLING_STEP_REF']
    """
    context = _context_of(ir)
    if context is None:
        return [*_no_agent_findings(ir), *run_checks(ir)]
    if not context.agents:
        return [finding("INVALID_IR", detail="it holds no agents")]
    found = [(_no_agent_findings(agent, name), run_checks(agent, context)) for name, agent in context.agents.items()]
    return [one for parts in found for part in parts for one in part]


def _no_agent_findings(ir: object, name: str | None = None) -> list[Diagnostic]:
    problem = _no_agent(ir)
    return [] if problem is None else [finding("INVALID_IR", agent=name, detail=problem)]


def _no_agent(ir: object) -> str | None:
    """Return why something is no AgentIR, None when it is one."""
    if not isinstance(ir, Mapping):
        return f"it is of the type {type(ir).__name__}, not an object"
    metadata = ir.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if not isinstance(name, str) or not name.strip():
        return "`metadata.name` is missing"
    return None if isinstance(ir.get("identity"), Mapping) else "`identity` is missing"


def validate_cross_agent_refs(agents: object) -> list[Diagnostic]:
    """Return which references between agents lead nowhere.

    `agents` maps names to AgentIR, or is a compilation output, or a list of AgentIR.

    >>> from abl import compile_abl_to_ir
    >>> output = compile_abl_to_ir("AGENT: Desk\\nGOAL: Help\\nHANDOFF:\\n  - TO: Cards\\n    WHEN: true\\n")
    >>> [one.code for one in validate_cross_agent_refs(output)]
    ['INVALID_HANDOFF_TARGET']
    """
    context = _context_of(agents) or CheckContext(_named(agents))
    return [one for agent in context.agents.values() for one in check_cross_agent(agent, context)]


def validate_field_references(ir: object) -> list[Diagnostic]:
    """Return which names an AgentIR (or every agent of an output) reads that nothing fills, and the reverse.

    >>> from abl import compile_abl_to_ir
    >>> complete = "COMPLETE:\\n  - WHEN: parcel IS SET\\n    RESPOND: Bye\\n"
    >>> output = compile_abl_to_ir("AGENT: Desk\\nGOAL: Help\\n" + complete)
    >>> [one.code for one in validate_field_references(output)]
    ['UNDEFINED_CONDITION_VAR']
    """
    context = _context_of(ir)
    if context is None:
        return check_fields(ir)
    return [one for agent in context.agents.values() for one in check_fields(agent, context)]


def validate_abl(text: object, *, strict: bool = False) -> list[Diagnostic]:
    """Return everything that is found in one text: by the parser, the compiler and the checks, sorted by line.

    >>> flow = "FLOW:\\n  ask:\\n    REASONING: false\\n    RESPOND: Hello\\n    THEN: don\\n"
    >>> text = "AGENT: Parcel_Desk\\nGOAL: Help\\n" + flow
    >>> [(one.code, one.line) for one in validate_abl(text)]
    [('DANGLING_STEP_REF', 7)]
    """
    return check_text(text, strict=strict)


def check_text(text: object, *, strict: bool = False) -> list[Diagnostic]:
    """Return what is found in one text that stands alone; agents, files and profiles outside are not missed."""
    result = parse(text, strict=strict)  # type: ignore[arg-type] # what is no text is a finding too
    findings = result.findings
    if result.document is not None and isinstance(text, str):
        unit = Unit(result.document, Source(text))
        findings = [*findings, *check_units([unit], CompileOptions(strict=strict, single_agent=True))]
        if result.document.format == "yaml":
            findings = in_yaml_words(findings, text)
    return in_order(findings)


def in_yaml_words(findings: Iterable[Diagnostic], text: str) -> list[Diagnostic]:
    """Return findings about a YAML text, with properties named as it writes them."""
    from abl.yaml_form.wording import reworded  # noqa: PLC0415 - PyYAML is loaded for YAML texts only

    return list(reworded(findings, text))


def check_units(units: Sequence[Unit], options: CompileOptions | None = None) -> list[Diagnostic]:
    """Return what the compiler and the checks find in the documents of a project; parsing is not repeated.

    The findings stand in the order of the files, those of each file by line.
    """
    options = CompileOptions.read(options)
    compilation = compile_documents(units, options)
    findings = list(compilation.findings)
    for unit in units:
        findings.extend(_in_file(check_document(unit, strict=options.strict), unit))
    libraries = [unit for unit in units if unit.document.kind == "tools"]
    defined = [(tool, unit) for unit in libraries for tool in unit.document.tools or []]
    check_options = CheckOptions(
        strict=options.strict,
        single_agent=options.single_agent,
        project_agents=tuple(options.project_agents),
        library_tools={tool.name: tuple(one.name for one in tool.parameters or []) for tool, _ in defined},
        library_places={tool.name: Place(tool, unit) for tool, unit in defined},
        allowed_hosts=tuple(options.allowed_hosts),
        languages=tuple(options.languages),
    )
    context = CheckContext.of_output(compilation.output, check_options, compilation.places)
    for agent in context.agents.values():
        findings.extend(run_checks(agent, context))
    findings.extend(profile_findings(units, context))
    return in_order(without_repeats(findings), [unit.path for unit in units])


def without_repeats(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings with one of each at a place: those of profiles and libraries are found by every agent.

    Where the compiler and the reading of texts report the same fault, the more exact span wins.
    """
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for one in findings:
        key: tuple[object, ...] = (one.code, one.file, one.line, one.message, one.path if one.line is None else None)
        if one.code in _SAID_TWICE and one.line is not None:
            key = (one.code, one.file, one.line)
        elif one.line is not None:
            key = (*key, one.column)
        if key not in kept or _exactness(one) > _exactness(kept[key]):
            kept[key] = one
    return _without_vaguer(list(kept.values()))


def _without_vaguer(findings: list[Diagnostic]) -> list[Diagnostic]:
    """Drop findings that another one at the same place says better; its fix is kept."""
    vague = {_spot(one, _SAID_BETTER[one.code]): one for one in findings if one.code in _SAID_BETTER}
    better = {_spot(one, one.code): one for one in findings if one.code in _SAID_BETTER.values()}
    said = vague.keys() & better.keys()
    if not said:
        return findings
    dropped = {id(vague[spot]) for spot in said}
    mended = {id(better[spot]): replace(better[spot], fix=better[spot].fix or vague[spot].fix) for spot in said}
    return [mended.get(id(one), one) for one in findings if id(one) not in dropped]


def _spot(one: Diagnostic, code: str) -> tuple[object, ...]:
    return (code, one.file, one.line, one.column)


def _exactness(one: Diagnostic) -> tuple[bool, bool]:
    return (one.length > 0, one.fix is not None)


def in_order(findings: Iterable[Diagnostic], files: Sequence[str | None] = ()) -> list[Diagnostic]:
    """Return findings by file (in the given order), then by line and column; those without a line come last."""
    rank = {file: at for at, file in enumerate(files)}

    def key(one: Diagnostic) -> tuple[int, bool, int, int]:
        return (rank.get(one.file, len(rank)), one.line is None, one.line or 0, one.column or 0)

    return sorted(findings, key=key)


def _in_file(findings: Iterable[Diagnostic], unit: Unit) -> Iterable[Diagnostic]:
    return (one if one.file or not unit.path else one.in_file(unit.path) for one in findings)


def _context_of(value: object) -> CheckContext | None:
    """Return the context of a compilation output, None for anything else."""
    if isinstance(value, Mapping) and isinstance(value.get("agents"), Mapping):
        return CheckContext.of_output(dict(value))
    return None


def _named(agents: object) -> dict[str, Any]:
    """Return agents by name, from a mapping or a list."""
    if isinstance(agents, Mapping):
        return {str(name): agent for name, agent in agents.items()}
    named: dict[str, Any] = {}
    if isinstance(agents, Sequence) and not isinstance(agents, str | bytes):
        for at, agent in enumerate(agents):
            metadata = agent.get("metadata") if isinstance(agent, Mapping) else None
            name = metadata.get("name") if isinstance(metadata, Mapping) else None
            named[name if isinstance(name, str) and name else f"agents.{at}"] = agent
    return named
