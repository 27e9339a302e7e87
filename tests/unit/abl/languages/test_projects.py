"""LANGUAGE without a pack is found, and a project describes languages of its own. Spec: abl-language 3.1, 5.7."""

from __future__ import annotations

import pytest

from abl.folders import group_projects, is_project_path
from abl.languages import TAGS
from abl.project import Project, check_project, compile_project
from engine.program import Program
from engine.testing import Conversation, program_of

DESK = """AGENT: Desk
LANGUAGE: {language}
GOAL: "Take a name"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      name:
        type: string
        required: true
    THEN: COMPLETE
"""


def found(language: str, **files: str) -> list[str]:
    texts = {"desk.abl": DESK.format(language=language), **files}
    told = check_project(Project.from_files(texts))
    return [f"{one.code} {one.file}:{one.line}" for one in told if "LANGUAGE" in one.code]


@pytest.mark.parametrize("language", ["xx", "Klingon", "sv-SE"])
def test_a_language_without_a_pack_is_found(language: str) -> None:
    assert found(language) == ["LANGUAGE_WITHOUT_PACK desk.abl:2"]


@pytest.mark.parametrize("language", ["de", "de-AT", "German", "Deutsch", "pt_BR", '"日本語"'])
def test_a_language_with_a_pack_is_not(language: str) -> None:
    assert found(language) == []


def test_a_name_is_mended_to_its_tag() -> None:
    for written, tag in (("German", "de"), ("français", "fr"), ("de-AT", "de-AT"), ("Klingon", "Klingon")):
        output = compile_project(Project.from_files({"desk.abl": DESK.format(language=written)})).output
        assert output["agents"]["Desk"]["identity"]["language"] == tag


def test_a_project_changes_words_and_sentences_of_a_language() -> None:
    files = {
        "agents/desk.abl": DESK.format(language="de"),
        "languages/de.yaml": 'sentences:\n  gather_prompt: "Na, {{fields}}?"\n',
    }
    assert Conversation(program_of(files)).begin() == "Na, name?"


def test_what_is_wrong_in_a_file_of_a_language_names_file_and_line() -> None:
    assert found("de", **{"languages/de.yaml": "yes: jo\nyess: jo\n"}) == ["INVALID_LANGUAGE_FILE languages/de.yaml:2"]


def test_a_language_of_the_project_needs_every_key_and_is_no_finding_then() -> None:
    assert "INVALID_LANGUAGE_FILE languages/xx.yaml:1" in found("xx", **{"languages/xx.yaml": "tag: xx\n"})
    whole = _text_of("en").replace("tag: en", "tag: xx").replace("Please tell me", "Blip")
    assert found("xx", **{"languages/xx.yaml": whole}) == []
    talk = Conversation(program_of({"desk.abl": DESK.format(language="xx"), "languages/xx.yaml": whole}))
    assert talk.begin() == "Blip: name."


def test_the_files_of_languages_belong_to_their_project() -> None:
    assert is_project_path("bank/languages/de.yaml")
    assert not is_project_path("bank/compose.yaml")
    paths = ["bank/agents/desk.abl", "bank/languages/de.yaml", "clinic/desk.abl"]
    assert group_projects(paths) == [paths[:2], paths[2:]]


def test_two_programs_differ_by_their_languages() -> None:
    files = {"desk.abl": DESK.format(language="de")}
    plain = Program(compile_project(Project.from_files(files)).output)
    other = Program(compile_project(Project.from_files({**files, "languages/de.yaml": "yes: jo mei\n"})).output)
    assert plain.hash != other.hash
    assert "jo mei" in other.packs["de"].yes
    assert set(other.packs) == set(TAGS)


def _text_of(tag: str) -> str:
    from importlib.resources import files

    return files("abl.languages").joinpath(f"{tag}.yaml").read_text(encoding="utf-8")
