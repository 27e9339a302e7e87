"""`abl fmt`: it writes what is laid out better, and never what says something else."""

import stat

import pytest
from typer.testing import CliRunner

import cli.fmt
from cli.main import app

UNTIDY = "AGENT:   Desk\nGOAL:  Help\nLIMITATIONS:\n      - never guess\n"
TIDY = "AGENT: Desk\nGOAL: Help\n\nLIMITATIONS:\n  - never guess\n"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "desk.abl"
    path.write_text(UNTIDY)
    return path


def run(*arguments, text=None):
    return CliRunner().invoke(app, ["fmt", *arguments], input=text)


def laid_out(text):
    return run("-", text=text).stdout


def test_a_file_is_written_in_place_and_then_already_fine(desk):
    outcome = run("desk.abl")
    assert outcome.exit_code == 0
    assert outcome.stderr == "1 file formatted\n"
    assert desk.read_text() == laid_out(UNTIDY) != UNTIDY
    before = desk.stat().st_mtime_ns
    assert run("desk.abl").stderr == "1 file already fine\n"
    assert desk.stat().st_mtime_ns == before


def test_without_a_path_this_folder_is_meant(desk):
    assert run().exit_code == 0
    assert desk.read_text() != UNTIDY


def test_check_writes_nothing_and_exits_with_1(desk):
    outcome = run("--check", ".")
    assert outcome.exit_code == 1
    assert outcome.stdout == "would format desk.abl\n"
    assert desk.read_text() == UNTIDY
    run()
    assert run("--check", ".").exit_code == 0


def test_diff_writes_nothing_and_shows_what_would_change(desk):
    outcome = run("--diff", "desk.abl")
    assert outcome.exit_code == 0
    assert "-AGENT:   Desk\n" in outcome.stdout
    assert "+AGENT: Desk\n" in outcome.stdout
    assert desk.read_text() == UNTIDY
    assert run("--diff", "--check", "desk.abl").exit_code == 1


def test_standard_input_goes_to_standard_output(desk):
    outcome = run("-", text=UNTIDY)
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("AGENT: Desk\n")
    assert outcome.stderr == ""


def test_line_ends_and_byte_order_mark_are_kept(desk):
    desk.write_bytes(b"\xef\xbb\xbf" + UNTIDY.replace("\n", "\r\n").encode())
    run("desk.abl")
    raw = desk.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfAGENT: Desk\r\n")
    assert raw.count(b"\r\n") == raw.count(b"\n")
    assert run("--check", "desk.abl").exit_code == 0


def test_permissions_and_links_are_kept_and_nothing_is_left_behind(desk):
    desk.chmod(0o640)
    link = desk.with_name("link.abl")
    link.symlink_to(desk.name)
    run("link.abl")
    assert link.is_symlink()
    assert desk.read_text() != UNTIDY
    assert stat.S_IMODE(desk.stat().st_mode) == 0o640
    assert sorted(one.name for one in desk.parent.iterdir()) == ["desk.abl", "link.abl"]


def test_a_layout_that_would_change_what_is_said_is_refused(desk, monkeypatch):
    monkeypatch.setattr(cli.fmt, "format_text", lambda text: text.replace("Help", "Hinder"))
    outcome = run("desk.abl")
    assert outcome.exit_code == 1
    assert "left as it is" in outcome.stderr
    assert desk.read_text() == UNTIDY


def test_a_file_with_errors_is_laid_out_without_losing_anything(desk):
    desk.write_text("AGENT:   Desk\nGAOL:  Help\n\n# a comment\n")
    assert run("desk.abl").exit_code == 0
    assert "GAOL:" in desk.read_text()
    assert "# a comment" in desk.read_text()


def test_what_cannot_be_read_is_named_and_the_others_are_formatted(desk):
    desk.with_name("bad.abl").write_bytes(b"AGENT: \xff\n")
    outcome = run(".", "nowhere")
    assert outcome.exit_code == 2
    assert "cannot read bad.abl" in outcome.stderr
    assert "cannot read nowhere: no such file" in outcome.stderr
    assert desk.read_text() != UNTIDY


def test_nothing_to_format_is_a_wrong_call(tmp_path):
    outcome = run(str(tmp_path))
    assert outcome.exit_code == 2
    assert "nothing to format" in outcome.stderr


def test_yaml_is_left_to_its_author_and_said_so(desk):
    yaml = desk.with_name("desk.agent.yaml")
    yaml.write_text("agent: Desk   \ngoal:   Help\n")
    outcome = run(".")
    assert outcome.exit_code == 0
    assert outcome.stderr == "1 file formatted, 1 file not formatted: YAML\n"
    assert yaml.read_text() == "agent: Desk   \ngoal:   Help\n"
    assert run("--check", str(yaml)).exit_code == 0
    assert run("-", text="agent: Desk   \n").stdout == "agent: Desk   \n"


@pytest.mark.parametrize("text", ["Dear all,  \n\n\n\nbye\n", "", '{"a": 1}   \n'])
def test_what_is_no_abl_is_neither_written_nor_counted(desk, text):
    other = desk.with_name("other.txt")
    other.write_text(text)
    outcome = run("desk.abl", "other.txt")
    assert other.read_text() == text
    assert outcome.stderr == "abl: other.txt is not formatted: it holds no ABL document\n1 file formatted\n"
    assert run("-", text=text).stdout == text
