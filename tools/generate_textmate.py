"""Writes the TextMate grammar of the language from its keyword tables; `--check` exits 1 when the file is out of date.

Sections, property keys, choices, operators, functions and filters are taken from the schema, so a new word of the
language is coloured without anybody thinking of it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import abl.syntax
from abl.expressions.interpolation import FILTERS
from abl.expressions.library import FUNCTIONS
from abl.expressions.words import CONSTANTS, STATE_WORDS, SYMBOLS, WORDS
from abl.syntax.conversation import FIELDS, Shape
from abl.syntax.document import HEADERS, HOOKS, LEGACY_SECTIONS, SECTIONS
from abl.syntax.node import NODES, Kind, Prop
from abl.syntax.rich import FORMAT_KEYS
from abl.syntax.rules import FAIL_ACTIONS, GUARDRAIL_ACTIONS, RULE_KINDS
from abl.syntax.tools import BASE_TYPES

PATH = Path(__file__).resolve().parent.parent / "editors" / "textmate" / "abl.tmLanguage.json"
SCOPE = "source.abl"
Rule = dict[str, Any]

DASH = r"(?:(-)\s+)?"
START = rf"^\s*{DASH}"
FORMULA_KINDS = (Kind.CONDITION, Kind.EXPRESSION)


def one_of(words: Iterable[str], *, fold: bool = False) -> str:
    """Return a pattern that matches any of `words`, longer ones first."""
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    return f"(?{'i' if fold else ''}:{'|'.join(map(re.escape, ordered))})"


for _module in iter_modules(abl.syntax.__path__, "abl.syntax."):
    import_module(_module.name)  # a node class is in NODES once its module is loaded


def rows() -> list[Prop]:
    """Return the properties of all node classes."""
    return [row for cls in NODES.values() if cls.__name__ != "Document" for row in cls.PROPS]


def section_words() -> list[str]:
    """Return all words that open a section, apart from those that carry a name."""
    return [*(word for word in SECTIONS if word != "BEHAVIOR_PROFILE"), *LEGACY_SECTIONS]


def property_keys() -> list[str]:
    """Return all spellings of all properties, those of YAML-like bodies included."""
    formats = [word.upper() for word in (*FORMAT_KEYS, *FORMAT_KEYS.values())]
    return [*(word for row in rows() for word in row.spellings), *_shape_keys(FIELDS), *HOOKS, *formats]


def _shape_keys(shape: Shape) -> list[str]:
    return [
        word for key, want in shape.items() for word in (key, *(_shape_keys(want) if isinstance(want, dict) else ()))
    ]


def formula_keys() -> list[str]:
    """Return the spellings of properties whose value is a condition or an expression."""
    return [word for row in rows() if row.kind in FORMULA_KINDS for word in row.spellings]


def choices() -> list[str]:
    """Return all words that a property can choose from."""
    found = [word for row in rows() for word in row.choices]
    return [*found, *FAIL_ACTIONS, *GUARDRAIL_ACTIONS, *BASE_TYPES, "true", "false", "yes", "no", "null"]


def captures(**scopes: str) -> Rule:
    """Return capture scopes: `c1="keyword"` names group 1."""
    return {key[1:]: {"name": f"{scope}.abl"} for key, scope in scopes.items()}


def include(*names: str) -> list[Rule]:
    """Return rules that stand in the repository."""
    return [{"include": f"#{name}"} for name in names]


def grammar() -> Rule:
    """Return the grammar."""
    return {
        "name": "ABL",
        "scopeName": SCOPE,
        "fileTypes": ["abl"],
        "comment": "Made by tools/generate_textmate.py from the tables of the language; do not edit.",
        "patterns": include("comments", "headers", "sections", "body"),
        "repository": {
            "comments": {"patterns": _comments()},
            "headers": {"patterns": _headers()},
            "sections": {"patterns": _sections()},
            "body": {"patterns": include("code", "blocks", "branches", "formulas", "calls", "properties", "lines")},
            "code": {"patterns": _code()},
            "blocks": {"patterns": _blocks()},
            "branches": {"patterns": _branches()},
            "formulas": {"patterns": [_formula_line(formula_keys())]},
            "calls": {"patterns": [_call_line()]},
            "properties": {"patterns": [_property_line()]},
            "lines": {"patterns": _lines()},
            "values": {"patterns": _values()},
            "strings": {"patterns": _strings()},
            "templates": {"patterns": [_template()]},
            "expression": {"patterns": _expression()},
        },
    }


def _comments() -> list[Rule]:
    return [
        {"name": "comment.line.number-sign.abl", "match": r"^\s*#.*$"},
        {"name": "comment.line.double-slash.abl", "match": r"^\s*//.*$"},
        {"name": "comment.block.abl", "begin": r"^\s*/\*", "end": r"\*/"},
    ]


def _headers() -> list[Rule]:
    named = captures(c1="keyword.control.section", c2="punctuation.separator", c3="entity.name.type")
    template = captures(c1="keyword.control.section", c2="entity.name.function", c3="punctuation.separator")
    return [
        {
            "match": rf'^{_group(one_of([*HEADERS, "BEHAVIOR_PROFILE"]))}\s*(:)\s*"?([\w-]*)"?',
            "captures": named,
        },
        {"match": r"^(TEMPLATE)\s+([\w-]+)\s*(:)", "captures": template},
        {
            "match": r"^\s*(FROM)\s+(\"[^\"]*\"|'[^']*')\s+(USE)\s*(:)",
            "captures": captures(
                c1="keyword.control.import", c2="string.quoted", c3="keyword.control.import", c4="punctuation.separator"
            ),
        },
    ]


def _group(pattern: str) -> str:
    return f"({pattern})"


def _sections() -> list[Rule]:
    words = _group(one_of(section_words()))
    scopes = captures(c1="keyword.control.section", c2="punctuation.separator", c3="keyword.operator.block")
    return [
        {**_block_rule(rf"^(){words}\s*(:)\s*([|>][-+]?)\s*$", "keyword.control.section"), "contentName": TEXT_SCOPE},
        {"begin": rf"^{words}\s*(:)", "beginCaptures": scopes, "end": "$", "patterns": include("values")},
    ]


TEXT_SCOPE = "string.unquoted.block.abl"


def _block_rule(begin: str, key: str) -> Rule:
    """Return a rule for a key whose block text follows; group 1 is the indent, 2 the key, 3 the colon, 4 the sign."""
    return {
        "begin": begin,
        "beginCaptures": captures(c2=key, c3="punctuation.separator", c4="keyword.operator.block"),
        "while": r"^(?:\1\s+(?=\S)|\s*$)",
        "patterns": include("templates"),
    }


def _code() -> list[Rule]:
    keys = [word for row in rows() if row.field == "code" for word in row.spellings]
    begin = rf"^(\s*){_group(one_of(keys))}\s*(:)\s*([|>][-+]?)\s*$"
    python = _embedded(begin, "source.python", "python")
    script = _embedded(begin, "source.js", "javascript")
    within = {
        "begin": r"^(\s+)(runtime)\s*(:)\s*[\"']?(python)[\"']?\s*$",
        "beginCaptures": captures(c2="variable.other.property", c3="punctuation.separator", c4="constant.language"),
        "while": r"^(?=\1\S|\1\s|\s*$)",
        "patterns": [python, *include("comments", "body")],
    }
    return [within, script]


def _embedded(begin: str, scope: str, language: str) -> Rule:
    rule = _block_rule(begin, "variable.other.property")
    return {**rule, "contentName": f"meta.embedded.block.{language}", "patterns": [{"include": scope}]}


def _blocks() -> list[Rule]:
    key = r"((?:-\s+)?[A-Za-z_][\w ./-]*?)"
    return [
        {
            **_block_rule(rf"^(\s*){key}\s*(:)\s*([|>][-+]?)\s*(?:#.*)?$", "variable.other.property"),
            "contentName": TEXT_SCOPE,
        }
    ]


def _branches() -> list[Rule]:
    kinds = one_of(word.upper() for word in RULE_KINDS)
    scopes = captures(c1="punctuation.definition.list", c2="keyword.control.conditional", c3="punctuation.separator")
    return [
        {
            "begin": rf"^\s*(?:(-)\s*)?({kinds}|IF|ELIF|ELSE IF|ELSE)\b\s*(:)?",
            "beginCaptures": scopes,
            "end": "$",
            "patterns": include("expression"),
        }
    ]


def _formula_line(keys: list[str]) -> Rule:
    scopes = captures(c1="punctuation.definition.list", c2="variable.other.property", c3="punctuation.separator")
    words = _group(one_of([*keys, "SET"], fold=True))
    return {"begin": rf"{START}{words}\s*(:)", "beginCaptures": scopes, "end": "$", "patterns": include("expression")}


def _call_line() -> Rule:
    words = [word for row in rows() if row.kind is Kind.CALL for word in row.spellings]
    scopes = captures(
        c1="punctuation.definition.list", c2="variable.other.property", c3="punctuation.separator",
        c4="entity.name.function",
    )  # fmt: skip
    begin = rf"{START}{_group(one_of(words))}\s*(:)\s*([\w.-]+)?"
    return {"begin": begin, "beginCaptures": scopes, "end": "$", "patterns": include("expression")}


def _property_line() -> Rule:
    scopes = captures(c1="punctuation.definition.list", c2="variable.other.property", c3="punctuation.separator")
    words = _group(one_of(property_keys(), fold=True))
    return {"begin": rf"{START}{words}\s*(:)", "beginCaptures": scopes, "end": "$", "patterns": include("values")}


def _lines() -> list[Rule]:
    tool = captures(c1="punctuation.definition.list", c2="entity.name.function")
    name = captures(c1="punctuation.definition.list", c2="entity.name.tag", c3="punctuation.separator")
    return [
        {
            "begin": rf"{START}([A-Za-z_]\w*)(?=\()",
            "beginCaptures": tool,
            "end": "$",
            "patterns": include("expression"),
        },
        {
            "begin": rf"{START}([A-Za-z_][\w.-]*)\s*(:)",
            "beginCaptures": name,
            "end": "$",
            "patterns": include("values"),
        },
        {"match": r"^\s*(-)(?=\s)", "captures": captures(c1="punctuation.definition.list")},
        *include("values"),
    ]


def _values() -> list[Rule]:
    return [
        *include("strings", "templates"),
        {"name": "comment.line.number-sign.abl", "match": r"(?<=\s)#.*$"},
        {
            "name": "constant.language.target.abl",
            "match": r"\b(?:COMPLETE|ESCALATE|CONTINUE|RETRY|BLOCK|REDACT)\b(?=\s*$)",
        },
        {
            "match": r"\b(TEMPLATE)(\()([\w-]+)(\))",
            "captures": captures(c1="support.function", c3="entity.name.function"),
        },
        {"name": "constant.language.abl", "match": rf"(?<![\w.-]){one_of(choices())}(?=\s*(?:$|[,\]}})#]))"},
        {"name": "constant.numeric.abl", "match": r"(?<![\w.-])-?\d+(?:\.\d+)?(?:ms|s|m|h|d)?(?![\w.-])"},
        {"name": "keyword.operator.arrow.abl", "match": r"->|→"},
    ]


def _strings() -> list[Rule]:
    escapes = {"name": "constant.character.escape.abl", "match": r"\\."}
    inside = [escapes, *include("templates")]
    return [
        {"name": "string.quoted.double.abl", "begin": '"', "end": '"|$', "patterns": inside},
        {"name": "string.quoted.single.abl", "begin": r"(?<![\w])'", "end": "'|$", "patterns": inside},
    ]


def _template() -> Rule:
    words = _group(r"#\s*(?:if|each)|/\s*(?:if|each)|#?\s*else(?:\s+if)?")
    return {
        "name": "meta.template.abl",
        "begin": r"\{\{",
        "beginCaptures": {"0": {"name": "punctuation.definition.template.begin.abl"}},
        "end": r"\}\}|$",
        "endCaptures": {"0": {"name": "punctuation.definition.template.end.abl"}},
        "patterns": [
            {"match": rf"(?<=\{{\{{)\s*{words}", "captures": captures(c1="keyword.control.template")},
            {
                "match": rf"(\|)\s*{_group(one_of(FILTERS))}\b",
                "captures": captures(c1="keyword.operator.filter", c2="support.function.filter"),
            },
            *include("expression"),
        ],
    }


def _expression() -> list[Rule]:
    functions = [word for entry in FUNCTIONS.values() for word in (entry.name, f"abl.{entry.name}")]
    return [
        *include("strings", "templates"),
        {"name": "comment.line.number-sign.abl", "match": r"(?<=\s)#.*$"},
        {"name": "support.function.abl", "match": rf"(?<![\w.]){one_of(functions, fold=True)}(?=\s*\()"},
        {
            "name": "keyword.operator.word.abl",
            "match": rf"(?<![\w.]){one_of([*WORDS, 'NOT', 'IS', 'AS', *STATE_WORDS, 'WHEN', 'BEFORE'])}(?!\w)",
        },
        {"name": "keyword.operator.abl", "match": f"{one_of([*SYMBOLS, '!', '?', '->', '→'])}"},
        {"name": "constant.language.abl", "match": rf"(?<![\w.]){one_of(CONSTANTS, fold=True)}(?!\w)"},
        {"name": "constant.numeric.abl", "match": r"(?<![\w.])\d+(?:\.\d+)?(?!\w)"},
        {"name": "support.type.abl", "match": rf"(?<=:)\s*{one_of(BASE_TYPES)}(?!\w)"},
        {"name": "variable.other.abl", "match": r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"},
    ]


def text() -> str:
    """Return the grammar as it is written to disk."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the grammar, or with `--check` say whether the written one is current; return the exit code."""
    made = text()
    written = PATH.read_text(encoding="utf-8") if PATH.exists() else ""
    if "--check" in arguments:
        if made != written:
            print(f"{PATH.name} is out of date; run: python -m tools.generate_textmate")
        return int(made != written)
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
