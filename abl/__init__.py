"""ABL, the Agent Blueprint Language: parse, check, print and compile agents.

Everything here is pure: texts go in, documents, findings and IR come out. Whatever a text says, nothing raises: faults
are findings. What is no text is the finding NOT_TEXT where a function gives findings; those that give texts
(`serialize`, `format_text`, `split_documents`) raise a TypeError for a value of a wrong type, as does an option of the
compiler that does not exist, or a ValueError for a `type` or `format` that does not exist. The names are loaded on
first use, so importing the package costs next to nothing. Spec: abl-language 2.4.

>>> import abl
>>> result = abl.parse("AGENT: Parcel_Desk\\nGOAL: Help people find their parcels\\n")
>>> abl.compile_abl_to_ir(result.document)["entry_agent"]
'Parcel_Desk'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abl.compilation import compile_abl_to_ir
    from abl.compiler import CompileOptions
    from abl.diagnostics.model import Diagnostic
    from abl.diagnostics.model import Diagnostic as ParseError
    from abl.diagnostics.model import Diagnostic as ValidationDiagnostic
    from abl.expressions import expression_to_python, parse_condition, parse_expression
    from abl.formatter import format_text
    from abl.frontend import (
        is_valid,
        parse,
        parse_agent,
        parse_agent_based_abl,
        parse_supervisor,
        parse_yaml_abl,
        validate,
    )
    from abl.parser.detect import is_yaml_format, split_documents
    from abl.printer import serialize
    from abl.syntax.document import Document
    from abl.syntax.result import ParseResult
    from abl.tokens import TokenizeResult, tokenize
    from abl.validation import validate_abl, validate_cross_agent_refs, validate_field_references, validate_ir

_HOMES = {
    "abl.compilation": ("compile_abl_to_ir",),
    "abl.compiler": ("CompileOptions",),
    "abl.diagnostics.model": ("Diagnostic",),
    "abl.expressions": ("expression_to_python", "parse_condition", "parse_expression"),
    "abl.formatter": ("format_text",),
    "abl.frontend": (
        "is_valid", "parse", "parse_agent", "parse_agent_based_abl", "parse_supervisor", "parse_yaml_abl", "validate",
    ),
    "abl.parser.detect": ("is_yaml_format", "split_documents"),
    "abl.printer": ("serialize",),
    "abl.syntax.document": ("Document",),
    "abl.syntax.result": ("ParseResult",),
    "abl.tokens": ("TokenizeResult", "tokenize"),
    "abl.validation": ("validate_abl", "validate_cross_agent_refs", "validate_field_references", "validate_ir"),
}  # fmt: skip
_ALIASES = {"ParseError": "Diagnostic", "ValidationDiagnostic": "Diagnostic"}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "CompileOptions",
    "Diagnostic",
    "Document",
    "ParseError",
    "ParseResult",
    "TokenizeResult",
    "ValidationDiagnostic",
    "compile_abl_to_ir",
    "expression_to_python",
    "format_text",
    "is_valid",
    "is_yaml_format",
    "parse",
    "parse_agent",
    "parse_agent_based_abl",
    "parse_condition",
    "parse_expression",
    "parse_supervisor",
    "parse_yaml_abl",
    "serialize",
    "split_documents",
    "tokenize",
    "validate",
    "validate_abl",
    "validate_cross_agent_refs",
    "validate_field_references",
    "validate_ir",
]


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    wanted = _ALIASES.get(name, name)
    if wanted not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOME_OF[wanted]), wanted)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
