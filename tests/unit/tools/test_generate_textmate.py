"""The TextMate grammar: current, readable by an editor, and complete."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from abl.expressions.interpolation import FILTERS
from abl.expressions.library import FUNCTIONS
from abl.syntax.document import HEADERS, SECTIONS
from abl.syntax.node import NODES
from tools import generate_textmate
from tools.generate_textmate import PATH, grammar, main, text

GRAMMAR = grammar()
PATTERNS = ("match", "begin", "end", "while")


def rules(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if any(key in node for key in (*PATTERNS, "include")):
            yield node
        for one in node.values():
            yield from rules(one)
    elif isinstance(node, list):
        for one in node:
            yield from rules(one)


def matched(name: str, line: str) -> str:
    """Return the scope of the first group that a rule of the repository gives to `line`."""
    for rule in GRAMMAR["repository"][name]["patterns"]:
        found = re.match(rule.get("begin") or rule["match"], line)
        if found:
            scopes = rule.get("beginCaptures") or rule["captures"]
            return next(scopes[str(index)]["name"] for index in (1, 2) if found[index] and found[index].isidentifier())
    return ""


def test_the_written_grammar_is_current() -> None:
    assert PATH.read_text(encoding="utf-8") == text(), "run: python -m tools.generate_textmate"
    assert main(["--check"]) == 0


def test_a_stale_grammar_is_noticed_and_written_anew(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_textmate, "PATH", tmp_path / "textmate" / "abl.tmLanguage.json")
    assert main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().out
    assert main([]) == 0
    assert main(["--check"]) == 0


def test_every_pattern_compiles() -> None:
    found = [rule[key] for rule in rules(json.loads(text())) for key in PATTERNS if key in rule]
    assert len(found) > 40
    for pattern in found:
        re.compile(re.sub(r"\\1", "", pattern) if pattern.startswith(("^(?:\\1", "^(?=\\1")) else pattern)


def test_every_include_leads_somewhere() -> None:
    foreign = {"source.python", "source.js"}
    for rule in rules(GRAMMAR):
        if "include" in rule:
            assert rule["include"] in foreign or rule["include"][1:] in GRAMMAR["repository"]


@pytest.mark.parametrize("word", [*HEADERS, "BEHAVIOR_PROFILE"])
def test_a_header_is_coloured(word: str) -> None:
    assert matched("headers", f"{word}: Desk") == "keyword.control.section.abl"


def test_every_section_word_is_coloured() -> None:
    for word in SECTIONS:
        name = "headers" if word == "BEHAVIOR_PROFILE" else "sections"
        found = matched(name, f"{word}:") if word.isidentifier() else "keyword.control.section.abl"
        assert found == "keyword.control.section.abl", word


def test_every_property_key_is_coloured_in_any_case() -> None:
    keys = {word for cls in NODES.values() if cls.__name__ != "Document" for row in cls.PROPS for word in row.spellings}
    for word in keys:
        for line in (f"  {word}: x", f"    - {word}: x", f"  {word.upper()}: x"):
            scopes = {matched(name, line) for name in ("branches", "formulas", "calls", "properties")} - {""}
            assert scopes, line
            assert scopes <= {"variable.other.property.abl", "keyword.control.conditional.abl"}


def test_functions_and_filters_are_coloured() -> None:
    shown = [rule["match"] for rule in GRAMMAR["repository"]["expression"]["patterns"] if "match" in rule]
    for name in FUNCTIONS:
        assert any(re.match(pattern, f"{name}(x)") for pattern in shown[:2]), name
    for name in FILTERS:
        assert re.search(GRAMMAR["repository"]["templates"]["patterns"][0]["patterns"][1]["match"], f"| {name}")
