"""A project: texts that belong together, their documents, and what is found in them as a whole.

A file may hold several agents pasted together; each is read on its own, and what is found in it is said of the file.
Spec: abl-language 2.1, 2.4, 3.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from abl.compiler import Compilation, CompileOptions, Unit, add_findings, compile_documents
from abl.diagnostics.model import Diagnostic, Edit, Fix
from abl.folders import group_projects, is_project_file, language_of_file
from abl.frontend import parse
from abl.languages import TAGS, PackError, load_pack, merged, read_keys, read_pack
from abl.parser.detect import split_documents
from abl.source import Source
from abl.validation import check_units, in_order, in_yaml_words, without_repeats

__all__ = ["Part", "Project", "check_project", "compile_project", "group_projects", "is_project_file"]


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file.

    Attributes:
        file: Path of the file.
        source: The text of this part alone; its path is the file's, with a number behind it from the second part on.
        unit: The document; None when none could be read.
        findings: What reading found, in places of the part.
        line, offset: Lines and characters of the file before the part.
    """

    file: str
    source: Source
    unit: Unit | None
    findings: list[Diagnostic]
    line: int = 0
    offset: int = 0

    def in_file(self, one: Diagnostic) -> Diagnostic:
        """Return a finding about this part as one about its file."""
        fix = one.fix
        if fix is not None and self.offset:
            edits = tuple(Edit(edit.offset + self.offset, edit.length, edit.text) for edit in fix.edits)
            fix = Fix(fix.title, edits)
        line = one.line + self.line if one.line is not None else None
        offset = one.offset + self.offset if one.offset is not None else None
        return replace(one, file=self.file, line=line, offset=offset, fix=fix)


@dataclass(slots=True)
class Project:
    """Texts that are compiled and checked together.

    Attributes:
        files: Path -> text.
        parts: The documents of the files, in the order of the files.
        strict: Older forms are errors.
        languages: Tag -> text of the files that change what a language means and how it is said.
        language_findings: What is wrong in them.
    """

    files: dict[str, Source] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    strict: bool = False
    languages: dict[str, str] = field(default_factory=dict)
    language_findings: list[Diagnostic] = field(default_factory=list)

    @classmethod
    def from_files(cls, files: Mapping[str, str], *, strict: bool = False) -> Project:
        """Return the project of these texts; what a file holds is told by its content, not by its name.

        >>> files = {"a.abl": "AGENT: A\\nGOAL: x\\nAGENT: B\\nGOAL: y\\n", "t.abl": "TOOLS:\\n  find() -> object\\n"}
        >>> project = Project.from_files(files)
        >>> list(project.agents), list(project.libraries)
        (['A', 'B'], ['t.abl'])
        """
        project = cls(strict=strict)
        for path, text in files.items():
            project.files[path] = Source(text, path)
            if tag := language_of_file(path):
                project.languages[tag] = text
                project.language_findings.extend(_language_findings(tag, path, text))
                continue
            project.parts.extend(_parts(path, text, strict))
        return project

    @property
    def units(self) -> list[Unit]:
        """All documents."""
        return [part.unit for part in self.parts if part.unit is not None]

    @property
    def agents(self) -> dict[str, Unit]:
        """Agents and supervisors by name; the first of a name counts."""
        return self._by_name("agent", "supervisor")

    @property
    def profiles(self) -> dict[str, Unit]:
        """Behaviour profiles by name; the first of a name counts."""
        return self._by_name("profile")

    @property
    def libraries(self) -> dict[str, Unit]:
        """Tool libraries by path."""
        return {unit.path or "": unit for unit in self.units if unit.document.kind == "tools"}

    @property
    def findings(self) -> list[Diagnostic]:
        """What reading the files found."""
        return [*self.language_findings, *(part.in_file(one) for part in self.parts for one in part.findings)]

    def _by_name(self, *kinds: str) -> dict[str, Unit]:
        found: dict[str, Unit] = {}
        for unit in self.units:
            if unit.document.kind in kinds:
                found.setdefault(unit.document.name, unit)
        return found


def _language_findings(tag: str, path: str, text: str) -> Iterator[Diagnostic]:
    """Yield what is wrong with a language file; one of a language that is not shipped needs every key."""
    try:
        merged(load_pack(tag), read_keys(text, path)) if tag in TAGS else read_pack(text, path)
    except PackError as error:
        for one in error.problems:
            message = f"{one.key}: {one.message}"
            yield Diagnostic("INVALID_LANGUAGE_FILE", message, "error", line=one.line, column=1, file=path)


def _parts(path: str, text: str, strict: bool) -> Iterator[Part]:
    line = offset = 0
    for number, piece in enumerate(split_documents(text), start=1):
        source = Source(piece, path if number == 1 else f"{path}#{number}")
        result = parse(piece, strict=strict)
        unit = Unit(result.document, source, source.path) if result.document is not None else None
        yield Part(path, source, unit, result.findings, line, offset)
        line += source.text.count("\n")
        offset += len(source.text)


def compile_project(project: Project, options: CompileOptions | None = None) -> Compilation:
    """Return the compiled project; errors of reading stand in the output beside those of the compile."""
    compilation = compile_documents(project.units, _options(project, options))
    if project.languages:
        compilation.output["languages"] = dict(sorted(project.languages.items()))
    found = _placed(project, compilation.findings)
    for key in ("compilation_errors", "compilation_warnings", "errors", "warnings"):
        compilation.output.pop(key, None)
    add_findings(compilation.output, [*(one for one in project.findings if one.is_error), *found])
    return replace(compilation, findings=found)


def check_project(project: Project, options: CompileOptions | None = None) -> list[Diagnostic]:
    """Return everything found in the files of a project, by file and line; `file` is set wherever it is known.

    >>> text = "AGENT: Desk\\nGOAL: Help\\nHANDOFF:\\n  - TO: Cards\\n    WHEN: true\\n"
    >>> project = Project.from_files({"desk.abl": text})
    >>> [(one.file, one.line, one.code) for one in check_project(project) if one.is_error]
    [('desk.abl', 4, 'INVALID_HANDOFF_TARGET')]
    """
    found = check_units(project.units, _options(project, options))
    placed = without_repeats([*project.findings, *_placed(project, found)])
    return in_order(_in_their_words(project, placed), list(project.files))


def _in_their_words(project: Project, findings: list[Diagnostic]) -> list[Diagnostic]:
    """Return findings with those about YAML texts naming properties as these write them."""
    yaml = {unit.path for unit in project.units if unit.document.format == "yaml"}
    if not yaml:
        return findings
    by_file: dict[str | None, list[Diagnostic]] = {}
    for one in findings:
        by_file.setdefault(one.file, []).append(one)
    for path, source in project.files.items():
        if path in yaml and path in by_file:
            by_file[path] = in_yaml_words(by_file[path], source.text)
    return [one for found in by_file.values() for one in found]


def _placed(project: Project, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings with the file they are about: the one they name, else that of their agent."""
    parts = {part.source.path: part for part in project.parts}
    by_agent = {name: parts[unit.path] for name, unit in project.agents.items()}
    placed = []
    for one in findings:
        part = parts.get(one.file) or by_agent.get(one.agent or "")
        placed.append(part.in_file(one) if part is not None else one)
    return placed


def _options(project: Project, options: CompileOptions | None) -> CompileOptions:
    options = options or CompileOptions()
    return replace(options, strict=project.strict, languages=(*options.languages, *project.languages))
