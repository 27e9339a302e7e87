"""A workspace: projects, incremental change, findings, and how far names reach."""

from __future__ import annotations

from abl.editor import Workspace, references
from abl.editor.names import Symbol

DESK = "AGENT: Desk\nGOAL: x\nUSE BEHAVIOR_PROFILE: voice\nHANDOFF:\n  - TO: Cards\n    WHEN: true\n    CONTEXT:\n      pass: [code]\nGATHER:\n  code:\n    prompt: a\nFLOW:\n  greet:\n    REASONING: false\n    THEN: COMPLETE\n"
CARDS = "AGENT: Cards\nGOAL: y\nCOMPLETE:\n  - WHEN: code IS SET\n"
PROFILE = "BEHAVIOR_PROFILE: voice\nPRIORITY: 1\nWHEN: code == 1\nFLOW:\n  SKIP: [greet]\n"


def workspace() -> Workspace:
    made = Workspace()
    made.update("p/agents/desk.agent.abl", DESK)
    made.update("p/agents/cards.agent.abl", CARDS)
    made.update("p/profiles/voice.behavior_profile.abl", PROFILE)
    made.update("q/agents/cards.agent.abl", CARDS)
    return made


def codes(made: Workspace, path: str) -> list[str]:
    return [one.code for one in made.diagnostics(path) if one.is_error]


def test_a_project_is_told_by_its_folder() -> None:
    made = workspace()
    assert len(made.project("p/agents/desk.agent.abl")) == 3
    assert [file.path for file in made.project("q/agents/cards.agent.abl")] == ["q/agents/cards.agent.abl"]


def test_a_text_without_a_folder_stands_alone() -> None:
    made = workspace()
    made.update("untitled:1", DESK)
    assert [file.path for file in made.project("untitled:1")] == ["untitled:1"]
    assert sorted(codes(made, "untitled:1")) == ["INVALID_HANDOFF_TARGET", "PROFILE_NOT_FOUND"]


def test_findings_follow_the_other_files() -> None:
    made = workspace()
    assert codes(made, "p/agents/desk.agent.abl") == []
    made.update("p/agents/cards.agent.abl", CARDS.replace("Cards", "Other"))
    assert codes(made, "p/agents/desk.agent.abl") == ["INVALID_HANDOFF_TARGET"]
    made.remove("p/agents/cards.agent.abl")
    assert codes(made, "p/agents/desk.agent.abl") == ["INVALID_HANDOFF_TARGET"]
    made.update("p/agents/cards.agent.abl", CARDS)
    assert codes(made, "p/agents/desk.agent.abl") == []


def test_an_edit_changes_only_its_place() -> None:
    made = workspace()
    path = "p/agents/cards.agent.abl"
    made.edit(path, len("AGENT: "), len("Cards"), "Money")
    file = made.file(path)
    assert file is not None
    assert file.text == CARDS.replace("Cards", "Money")


def test_a_text_is_read_once() -> None:
    made = workspace()
    path = "p/agents/desk.agent.abl"
    file = made.file(path)
    made.update(path, DESK)
    assert made.file(path) is file


def test_unknown_paths_are_empty() -> None:
    made = Workspace()
    assert made.diagnostics("x") == []
    assert made.file("x") is None
    assert list(made.places("x", 0, Symbol.STEP)) == []
    made.remove("x")


def test_steps_and_variables_are_shared_with_the_profiles_in_use() -> None:
    made = workspace()
    path = "p/agents/desk.agent.abl"
    step = references(made, path, DESK.index("greet:"))
    assert [one.path for one in step] == [path, "p/profiles/voice.behavior_profile.abl"]
    assert references(made, "p/profiles/voice.behavior_profile.abl", PROFILE.index("greet")) == step


def test_a_variable_reaches_the_agents_it_is_passed_to() -> None:
    made = workspace()
    found = references(made, "p/agents/desk.agent.abl", DESK.index("  code:") + 2)
    assert sorted({one.path for one in found}) == [
        "p/agents/cards.agent.abl",
        "p/agents/desk.agent.abl",
        "p/profiles/voice.behavior_profile.abl",
    ]


def test_agents_pasted_together_have_steps_of_their_own() -> None:
    made = Workspace()
    text = "AGENT: A\nGOAL: x\nFLOW:\n  s:\n    THEN: s\nAGENT: B\nGOAL: x\nFLOW:\n  s:\n    THEN: s\n"
    made.update("p/both.abl", text)
    second = text.index("AGENT: B")
    assert len(references(made, "p/both.abl", text.index("s:"))) == 2
    assert all(one.offset > second for one in references(made, "p/both.abl", text.rindex("THEN: s") + 6))
    assert set(made.names("p/both.abl", 0, Symbol.AGENT)) == {"A", "B"}
