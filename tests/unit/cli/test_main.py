"""The program as a whole, run as users run it."""

import os
import subprocess
import sys

import pytest

from tests.support.repository import ROOT

ENTRY = "import sys; sys.argv[0] = 'abl'; from cli.main import run; run()"
HEAVY = ("rich", "pydantic", "pygls", "asyncio", "abl.effects", "abl.conversion", "abl.formatter", "abl.yaml_form")
COMMANDS = ("check", "fmt", "ir", "tokens", "explain", "convert", "lsp", "models")


def abl(*arguments, code=ENTRY, text="", **environment):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_help_lists_every_command():
    finished = abl("--help")
    assert finished.returncode == 0
    assert "Usage: abl [OPTIONS] COMMAND" in finished.stdout
    assert all(f"  {name} " in finished.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name):
    finished = abl(name, "--help")
    assert finished.returncode == 0
    assert f"Usage: abl {name}" in finished.stdout


def test_the_version_is_that_of_the_project():
    assert f'version = "{abl("--version").stdout.split()[1]}"' in (ROOT / "pyproject.toml").read_text()


def test_no_command_at_all_shows_the_help():
    finished = abl()
    assert finished.returncode == 2
    assert "Commands:" in finished.stdout + finished.stderr


def test_checking_loads_neither_the_terminal_library_nor_the_validator():
    code = ENTRY.replace(
        "run()", "\nfrom cli.main import app\ntry:\n    app(prog_name='abl')\nfinally:\n    print(*sys.modules)"
    )
    finished = abl("check", "-", code=code, text="AGENT: Desk\nGOAL: Help\n")
    loaded = finished.stdout.split()
    assert "abl.validation" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_the_help_loads_nothing_of_the_language():
    code = ENTRY.replace(
        "run()", "\nfrom cli.main import app\ntry:\n    app(prog_name='abl')\nfinally:\n    print(*sys.modules)"
    )
    assert [name for name in abl("--help", code=code).stdout.split() if name.startswith("abl.")] == []


def test_a_reader_that_goes_away_is_no_fault():
    code = f"{ENTRY}"
    with subprocess.Popen(
        [sys.executable, "-c", code, "explain"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


def test_text_that_the_terminal_cannot_show_is_escaped():
    finished = abl("check", "-", text="AGENT: Desk\nGÄOL: Help\n", PYTHONIOENCODING="ascii:strict", PYTHONUTF8="0")
    assert "Traceback" not in finished.stderr
    assert finished.returncode in (0, 1)


def test_colours_need_a_terminal():
    assert "\x1b[" not in abl("check", "-", text="GOAL x").stdout


def test_the_language_server_says_what_it_needs():
    block = "import sys\nsys.modules['pygls'] = None\nsys.modules['lsprotocol'] = None\n"
    finished = abl("lsp", code=block + ENTRY)
    assert finished.returncode == 2
    assert "abl-runtime[lsp]" in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ([], {}, True),
        (["--no-color"], {}, False),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"TERM": "dumb"}, False),
    ],
)
def test_a_terminal_gets_colours_unless_it_is_asked_not_to(tmp_path, arguments, environment, coloured):
    (tmp_path / "desk.abl").write_text("AGENT: Desk\nGAOL: Help\n")
    ours, theirs = os.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    try:
        subprocess.run(
            [sys.executable, "-c", ENTRY, "check", str(tmp_path / "desk.abl"), *arguments],
            cwd=ROOT,
            stdout=theirs,
            check=False,
            timeout=60,
            env={**plain, "TERM": "xterm", **environment},
        )
        shown = os.read(ours, 100_000)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (b"\x1b[" in shown) is coloured
