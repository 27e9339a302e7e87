"""`abl ir`, `abl tokens`, `abl explain`, `abl convert`."""

import json

import pytest
from typer.testing import CliRunner

from abl import parse
from abl.diagnostics.catalogue import RULES
from cli.main import app

DESK = "AGENT: Desk\nGOAL: Help\n"
NUMBERED = 'AGENT: Desk\nSTEPS:\n  1. RESPOND "Hello"\n'
SCRIPTED = "AGENT: Desk\nMODE: scripted\nIDENTITY:\n  role: Help\nFLOW:\n  ask:\n    COLLECT: city\n    PROMPT: Where?\n    THEN: COMPLETE\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "desk.abl").write_text(DESK)
    return tmp_path


def run(*arguments, text=None):
    return CliRunner().invoke(app, list(arguments), input=text)


def test_the_compiled_form_is_printed_as_json(folder):
    outcome = run("ir", "desk.abl")
    assert outcome.exit_code == 0
    assert json.loads(outcome.stdout)["entry_agent"] == "Desk"
    assert json.loads(run("ir", ".", "--agent", "Desk").stdout)["metadata"]["name"] == "Desk"


def test_an_agent_nobody_knows_is_a_wrong_call_with_a_suggestion(folder):
    outcome = run("ir", "desk.abl", "--agent", "Dask")
    assert outcome.exit_code == 2
    assert "Did you mean Desk?" in outcome.stderr


def test_errors_of_a_compile_go_to_standard_error(folder):
    (folder / "desk.abl").write_text("AGENT: Desk\nGAOL: Help\n")
    outcome = run("ir", "desk.abl")
    assert outcome.exit_code == 1
    assert "desk.abl:2: Unknown section" in outcome.stderr
    assert json.loads(outcome.stdout)["agents"]["Desk"]


def test_several_projects_are_not_one_program(folder):
    (folder / "all" / "a").mkdir(parents=True)
    (folder / "all" / "b").mkdir()
    for name in "ab":
        (folder / "all" / name / "x.abl").write_text(DESK)
    outcome = run("ir", "all")
    assert outcome.exit_code == 2
    assert "several projects: all/a, all/b" in outcome.stderr
    assert run("ir", "nowhere").exit_code == 2


def test_tokens_are_listed_with_their_places(folder):
    outcome = run("tokens", "desk.abl")
    assert outcome.exit_code == 0
    assert outcome.stdout.split("\n")[0].split() == ["1:1", "AgentKeyword", "'AGENT:'"]
    assert json.loads(run("tokens", "--json", "desk.abl").stdout)["tokens"][0]["type"] == "AgentKeyword"
    assert run("tokens", "-", text="§").exit_code == 1


def test_a_code_is_explained_in_any_case():
    outcome = run("explain", "unknown_section")
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("UNKNOWN_SECTION (error)")
    assert "Wrong:" in outcome.stdout


def test_a_code_nobody_knows_is_a_wrong_call_with_a_suggestion():
    outcome = run("explain", "UNKNOWN_SEKTION")
    assert outcome.exit_code == 2
    assert "Did you mean UNKNOWN_SECTION?" in outcome.stderr


def test_without_a_code_all_are_listed():
    lines = run("explain").stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(RULES)


def test_a_text_becomes_yaml_and_text_again(folder):
    outcome = run("convert", "desk.abl", "--to", "yaml", "-o", "desk.agent.yaml")
    assert outcome.exit_code == 0
    assert outcome.stdout == ""
    assert parse((folder / "desk.agent.yaml").read_text()).document.format == "yaml"
    again = run("convert", "desk.agent.yaml", "--to", "abl").stdout
    assert parse(again).document == parse(DESK).document


def test_an_older_text_becomes_a_modern_one(folder):
    modern = run("convert", "-", text=NUMBERED).stdout
    assert parse(modern).document.format == "abl"
    assert parse(modern).document.flow.steps
    modern = run("convert", "-", text=SCRIPTED).stdout
    assert parse(modern, strict=True).errors == []
    assert "REASONING: false" in modern
    assert "MODE" not in modern


def test_agents_pasted_together_are_converted_one_by_one(folder):
    modern = run("convert", "-", text=SCRIPTED + SCRIPTED.replace("Desk", "Other")).stdout
    assert modern.count("AGENT: ") == 2


def test_what_has_errors_is_not_converted(folder):
    (folder / "bad.abl").write_text("AGENT: Desk\nGAOL: Help\n")
    outcome = run("convert", "bad.abl", "--to", "yaml", "-o", "out.yaml")
    assert outcome.exit_code == 1
    assert "bad.abl:2:1" in outcome.stdout
    assert not (folder / "out.yaml").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["desk.abl", "--to", "xml"],
        ["nowhere.abl"],
        ["."],
        ["desk.abl", "-o", "no/such/folder.abl"],
    ],
)
def test_a_wrong_call_of_convert_writes_nothing(folder, arguments):
    outcome = run("convert", *arguments)
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("abl: ")


BOUND = NUMBERED + 'TOOLS:\n  find(code: string) -> object\n    type: http\n    endpoint: "https://x.example/{code}"\n'


def test_what_a_conversion_did_and_left_to_do_is_said(folder):
    outcome = run("convert", "-", text=BOUND)
    assert outcome.exit_code == 0
    assert 'note: made up for Desk, which has none: GOAL: "Follow the steps"' in outcome.stderr
    assert "still refuses (E720)" in outcome.stderr
    assert "--tools FILE.tools.abl" in outcome.stderr
    assert "note:" not in outcome.stdout


def test_bindings_can_be_put_beside_and_the_rest_is_then_strict(folder):
    (folder / "desk.abl").unlink()
    outcome = run("convert", "-", "--tools", "desk.tools.abl", "-o", "desk.agent.abl", text=BOUND)
    assert outcome.exit_code == 0
    assert "E720" not in outcome.stderr
    assert "endpoint" in (folder / "desk.tools.abl").read_text()
    checked = run("check", "--strict", "--json", ".")
    assert checked.exit_code == 0, checked.stdout


def test_a_library_that_would_be_empty_is_not_written(folder):
    outcome = run("convert", "desk.abl", "--tools", "desk.tools.abl")
    assert "no tool has a binding, so desk.tools.abl is not written" in outcome.stderr
    assert not (folder / "desk.tools.abl").exists()
    assert run("convert", "desk.abl", "--to", "yaml", "--tools", "x").exit_code == 2


def test_a_place_that_cannot_be_written_is_named(folder):
    outcome = run("convert", "desk.abl", "-o", "nowhere/desk.abl")
    assert outcome.exit_code == 2
    assert outcome.stderr == "abl: cannot write nowhere/desk.abl: no such file or directory\n"
