"""`abl check`: what it prints, and what its exit code says."""

import json
import os

import pytest
from typer.testing import CliRunner

from cli.main import app

CLEAN = "AGENT: Desk\nGOAL: Help\n"
MISSPELT = "AGENT: Desk\nGAOL: Help\n"
OLDER = "AGENT: Desk\nMODE: reasoning\nGOAL: Help\n"
TO_CARDS = CLEAN + "HANDOFF:\n  - TO: Cards\n    WHEN: true\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder, **texts):
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_abl", ".abl").replace("_yaml", ".agent.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def run(*arguments, text=None):
    return CliRunner().invoke(app, ["check", *arguments], input=text)


def report(*arguments, text=None):
    outcome = run("--json", *arguments, text=text)
    return outcome.exit_code, json.loads(outcome.stdout)


def test_a_clean_file_says_so(folder):
    put(folder, desk_abl=CLEAN)
    outcome = run("desk.abl")
    assert (outcome.exit_code, outcome.stdout) == (0, "no problems; 1 file checked\n")


ADVISED = CLEAN + "TOOLS:\n  find(a: string, b: string) -> object\n    description: x\n"


def test_advice_on_style_is_one_line_a_file_unless_it_is_asked_for(folder):
    put(folder, desk_abl=ADVISED)
    outcome = run("desk.abl")
    assert outcome.stdout == (
        "desk.abl: advice on style (2 x MISSING_PARAM_DESCRIPTION); --advice shows it\nno problems; 1 file checked\n"
    )
    asked = run("desk.abl", "--advice")
    assert asked.stdout.count("warning[MISSING_PARAM_DESCRIPTION]") == 2
    assert "2 warnings in 1 file" in asked.stdout
    assert report("desk.abl")[1]["summary"]["warnings"] == 2
    assert "advice" not in run("desk.abl", "--quiet").stdout


def test_an_error_is_shown_with_its_line_and_its_fix(folder):
    put(folder, desk_abl=MISSPELT)
    outcome = run("desk.abl")
    assert outcome.exit_code == 1
    assert "error[UNKNOWN_SECTION]" in outcome.stdout
    assert "--> desk.abl:2:1" in outcome.stdout
    assert "2 + GOAL: Help" in outcome.stdout
    assert outcome.stdout.endswith("1 error in 1 file; 1 file checked\n")
    assert "\x1b[" not in outcome.stdout


def test_warnings_leave_the_exit_code_alone_unless_strict(folder):
    put(folder, desk_abl=OLDER)
    assert run("desk.abl").exit_code == 0
    assert "warning[MODE_DEPRECATED]" in run("desk.abl").stdout
    assert run("--strict", "desk.abl").exit_code == 1
    assert run("--quiet", "desk.abl").stdout == ""


def test_a_folder_is_one_project(folder):
    put(folder, bank__agents__desk_abl=TO_CARDS, bank__agents__cards_abl="AGENT: Cards\nGOAL: Help\n")
    assert run("bank").exit_code == 0
    put(folder, bank__agents__cards_abl="AGENT: Debits\nGOAL: Help\n")
    outcome = run("bank")
    assert outcome.exit_code == 1
    assert "bank/agents/desk.abl:4:9" in outcome.stdout


def test_a_folder_of_projects_is_checked_project_by_project(folder):
    put(folder, all__bank__agents__desk_abl=TO_CARDS, all__clinic__desk_abl="AGENT: Cards\nGOAL: Help\n")
    code, found = report("all")
    assert code == 1
    assert [one["root"] for one in found["projects"]] == ["all/bank", "all/clinic"]
    assert [one["code"] for one in found["diagnostics"]] == ["INVALID_HANDOFF_TARGET"]


def test_what_a_file_by_itself_names_elsewhere_is_not_missed(folder):
    put(folder, desk_abl=TO_CARDS)
    assert run("desk.abl").exit_code == 0
    assert run(".").exit_code == 1


def test_files_named_together_are_one_project(folder):
    put(folder, desk_abl=TO_CARDS + "SUPERVISOR: Other\nGOAL: x\n", cards_abl="AGENT: Cards\nGAOL: Help\n")
    _, found = report("desk.abl", "cards.abl")
    assert [one["files"] for one in found["projects"]] == [["desk.abl", "cards.abl"]]
    assert [(one["file"], one["line"]) for one in found["diagnostics"] if one["severity"] == "error"] == [
        ("cards.abl", 2)
    ]


def test_standard_input_is_a_file(folder):
    outcome = run("-", text=MISSPELT)
    assert outcome.exit_code == 1
    assert "--> <stdin>:2:1" in outcome.stdout


def test_the_json_form_is_one_object_with_all_there_is_to_know(folder):
    put(folder, desk_abl=MISSPELT)
    code, found = report("desk.abl")
    assert code == 1
    assert found["files"] == ["desk.abl"]
    assert found["summary"] == {"files": 1, "projects": 1, "errors": 1, "warnings": 0, "notes": 0, "ok": False}
    error = found["diagnostics"][0]
    assert (error["code"], error["file"], error["line"], error["column"], error["offset"]) == (
        "UNKNOWN_SECTION", "desk.abl", 2, 1, 12,
    )  # fmt: skip
    assert error["fix"]["edits"][0]["text"] == "GOAL"


def test_the_yaml_form_is_checked_by_name_and_other_yaml_is_left_alone(folder):
    put(folder, desk_yaml="agent: Desk\ngoal: Help\n")
    (folder / "compose.yaml").write_text("version: 3\n")
    assert report(".")[1]["files"] == ["desk.agent.yaml"]


def test_hidden_and_made_folders_are_passed_over(folder):
    put(folder, desk_abl=CLEAN, node_modules__x_abl=MISSPELT)
    put(folder, **{".git__x_abl": MISSPELT, ".hidden_abl": MISSPELT})
    assert report(".")[1]["files"] == ["desk.abl"]


def test_effects_are_listed_for_each_project(folder):
    put(folder, bank__desk_abl=TO_CARDS, bank__cards_abl="AGENT: Cards\nGOAL: Help\n")
    outcome = run("--effects", "bank")
    assert "What bank can reach\n\nCards (agent, entry)\n" in outcome.stdout
    assert "  agents   Cards (handoff)\n" in outcome.stdout
    assert report("--effects", "bank")[1]["effects"]["bank"]["agents"]["Desk"]["agents"]["all"] == ["Cards"]


@pytest.mark.parametrize("arguments", [[], ["nowhere"], ["empty"], ["--novel", "x.abl"]])
def test_a_wrong_call_is_no_finding(folder, arguments):
    (folder / "empty").mkdir()
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.stderr


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"AGENT: Desk\nGOAL: caf\xe9\n", "line 2 is not UTF-8 text (byte 0xe9)"),
        (b"\x7fELF\x00\x01", "binary file"),
        ("AGENT: Desk".encode("utf-16"), "binary file"),
    ],
)
def test_a_file_that_is_no_text_is_named_and_the_others_are_checked(folder, raw, reason):
    put(folder, bad_abl=raw, good_abl=MISSPELT)
    outcome = run(".")
    assert outcome.exit_code == 2
    assert "abl: cannot read bad.abl: " in outcome.stderr
    assert reason in outcome.stderr
    assert "good.abl:2:1" in outcome.stdout
    assert report(".")[1]["unreadable"][0]["file"] == "bad.abl"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_read_is_named(folder):
    put(folder, bank__desk_abl=CLEAN)
    (folder / "bank").chmod(0)
    try:
        outcome = run("bank")
    finally:
        (folder / "bank").chmod(0o755)
    assert outcome.exit_code == 2
    assert "permission denied" in outcome.stderr


def test_very_many_findings_are_counted_and_not_all_printed(folder):
    put(folder, desk_abl=CLEAN + "".join(f"GA{chr(65 + at % 26)}{chr(65 + at // 26)}L: x\n" for at in range(300)))
    outcome = run("desk.abl")
    assert "more; --json lists all of them" in outcome.stdout
    assert outcome.stdout.count("note: abl explain") == 200


def test_line_ends_and_byte_order_mark_do_not_move_a_finding(folder):
    put(folder, desk_abl=b"\xef\xbb\xbf" + MISSPELT.replace("\n", "\r\n").encode())
    assert "--> desk.abl:2:1" in run("desk.abl").stdout
