"""`compile_abl_to_ir`: whatever a caller has at hand -> the compilation output. Spec: abl-language 2.4, 12.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl.compiler import CompileOptions, Unit, add_findings, compile_documents
from abl.diagnostics.model import Diagnostic
from abl.frontend import parse
from abl.project import Project, compile_project
from abl.source import Source
from abl.syntax.document import Document

Given = str | Document | list[str | Document] | tuple[str | Document, ...] | Mapping[str, str]
"""What can be compiled: a text, a document, several of these, or path -> text of a project."""


def compile_abl_to_ir(source: Given, options: Mapping[str, Any] | CompileOptions | None = None) -> dict[str, Any]:
    """Return the compilation output of spec 12.1; faults of the source stand in `compilation_errors`.

    A mapping of paths to texts is a project: tool libraries and behaviour profiles in it are found. The options are
    those of `CompileOptions`, as such or as a mapping.

    Raises:
        TypeError: A name in `options` is no option, for instance because it is misspelt.

    >>> output = compile_abl_to_ir("AGENT: Parcel_Desk\\nGOAL: Help people find their parcels\\n")
    >>> list(output["agents"]), output["agents"]["Parcel_Desk"]["identity"]["goal"]
    (['Parcel_Desk'], 'Help people find their parcels')
    >>> compile_abl_to_ir({"a.abl": "AGENT: A\\nGAOL: x\\n"})["compilation_errors"][0]["code"]
    'UNKNOWN_SECTION'
    """
    known = CompileOptions.read(options)
    given: object = source
    if isinstance(given, Mapping):
        texts = {str(path): text for path, text in given.items() if isinstance(text, str)}
        output = compile_project(Project.from_files(texts, strict=known.strict), known).output
        add_findings(output, [_not_text(path, text) for path, text in given.items() if not isinstance(text, str)])
        return output
    units: list[Unit] = []
    errors: list[Diagnostic] = []
    for one in given if isinstance(given, list | tuple) else (given,):
        if isinstance(one, Document):
            units.append(Unit(one))
            continue
        result = parse(one, strict=known.strict)
        errors.extend(result.errors)
        if result.document is not None:
            units.append(Unit(result.document, Source(one)))
    output = compile_documents(units, known).output
    add_findings(output, errors)
    return output


def _not_text(path: object, value: object) -> Diagnostic:
    return parse(value).errors[0].in_file(str(path))  # type: ignore[arg-type] # what is no text gives its own error
