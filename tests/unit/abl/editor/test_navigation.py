"""Definition, references and rename."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl.diagnostics.model import Fix
from abl.editor import Workspace, definition, references, renamable, rename
from tests.support.cursor_texts import HEAD, PATH, scene
from tests.support.repository import ROOT

LIBRARY = "TOOLS:\n  find(code: string) -> object\n"
CARDS = "AGENT: Cards\nGOAL: y\nMEMORY:\n  session:\n    - NAME: status\nFLOW:\n  s:\n    REASONING: false\n    SET: status = 1\n    THEN: COMPLETE\n"
TEXT = HEAD + (
    "TOOLS:\n  find(code: string) -> object\nHANDOFF:\n  - TO: Cards\n    WHEN: true\n    RETURN: true\n    ON_RETURN:\n      MAP:\n"
    "        status: card_status\nFLOW:\n  s -> t\n  s:\n    REASONING: false\n    CALL: find\n    THEN: t\n  t:\n    REASONING: false\n    THEN: s\n"
)  # fmt: skip
OTHERS = {"tools/lib.tools.abl": LIBRARY, "agents/cards.agent.abl": CARDS}


def at(before: str) -> tuple[Workspace, str, int]:
    """Return the project with the cursor behind `before`."""
    place = TEXT.index(before) + len(before)
    return scene(TEXT[:place] + "^" + TEXT[place:], OTHERS)


def shown(places: list) -> list[tuple[str, str]]:
    texts = {PATH: TEXT, **{f"desk/{name}": text for name, text in OTHERS.items()}}
    return [
        (one.path.rpartition("/")[2].split(".")[0], texts[one.path][one.offset : one.offset + one.length])
        for one in places
    ]


def test_a_step_leads_to_its_header() -> None:
    assert shown(definition(*at("    THEN: "))) == [("desk", "t")]


def test_a_tool_leads_to_every_signature() -> None:
    assert shown(definition(*at("CALL: f"))) == [("desk", "find"), ("lib", "find")]


def test_an_agent_leads_to_its_file() -> None:
    assert shown(definition(*at("TO: "))) == [("cards", "Cards")]


def test_references_can_leave_declarations_out() -> None:
    assert len(references(*at("CALL: f"))) == 3
    assert len(references(*at("CALL: f"), declarations=False)) == 1


def test_a_value_of_a_child_is_the_childs_variable() -> None:
    assert shown(definition(*at("        sta"))) == [("cards", "status")]
    assert len(references(*at("        sta"))) == 3


def test_nothing_leads_nowhere() -> None:
    assert definition(*at("GOAL: x")) == []
    assert references(*at("GOAL: x")) == []
    assert definition(Workspace(), "nowhere", 3) == []


def test_rename_touches_every_place_once() -> None:
    made = rename(*at("    THEN: "), "last")
    assert Fix("", tuple(made.edits[PATH])).apply(TEXT) == (
        TEXT.replace("s -> t", "s -> last").replace("THEN: t", "THEN: last").replace("  t:", "  last:")
    )


@pytest.mark.parametrize(
    ("before", "new", "reason"),
    [
        ("    THEN: ", "two words", "is not a name"),
        ("    THEN: ", "1st", "is not a name"),
        ("    THEN: ", "t", "already"),
        ("    THEN: ", "s", "There is already a step called s."),
        ("    THEN: ", "complete", "word of the language"),
        ("    THEN: ", "THEN", "word of the language"),
        ("CALL: f", "__find", "reserved"),
        ("TO: Car", "Desk", "There is already an agent called Desk."),
        ("        sta", "and", "word of the language"),
        ("GOAL: x", "y", "There is no name here"),
    ],
)
def test_a_bad_name_is_refused_with_a_reason(before: str, new: str, reason: str) -> None:
    made = rename(*at(before), new)
    assert made.edits == {}
    assert reason in made.reason


def test_what_is_declared_nowhere_cannot_be_renamed() -> None:
    workspace, path, offset = scene(HEAD + "COMPLETE:\n  - WHEN: in^put == 1\n")
    assert renamable(workspace, path, offset) == (None, "input is not declared in this project.")


def changed(workspace: Workspace, made: dict, paths: list[str]) -> Workspace:
    other = Workspace()
    for path in paths:
        file = workspace.file(path)
        assert file is not None
        other.update(path, Fix("", tuple(made.get(path, ()))).apply(file.text))
    return other


@pytest.mark.parametrize(
    "project", sorted(path.parent for path in (ROOT / "examples").glob("*/agents")), ids=lambda path: path.name
)
def test_any_name_of_an_example_can_be_renamed_without_a_new_finding(project: Path) -> None:
    workspace = Workspace()
    for path in sorted([*project.rglob("*.abl"), *project.rglob("*.agent.yaml")]):
        workspace.update(path.relative_to(project.parent).as_posix(), path.read_text(encoding="utf-8"))
    paths = workspace.paths
    before = {path: [(one.code, one.line) for one in workspace.diagnostics(path)] for path in paths}
    tried = 0
    for path in paths:
        file = workspace.file(path)
        assert file is not None
        for symbol, name in sorted({(one.symbol, one.name) for one in file.occurrences})[::3]:
            one = next(one for one in file.occurrences if (one.symbol, one.name) == (symbol, name))
            made = rename(workspace, path, one.offset, f"{name}_renamed")
            if made.reason:
                continue
            tried += 1
            after = changed(workspace, made.edits, paths)
            assert {p: [(one.code, one.line) for one in after.diagnostics(p)] for p in paths} == before, (symbol, name)
    assert tried
