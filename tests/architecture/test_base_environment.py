"""`abl-runtime` without extras is enough for the language and its command line.

The imports run in a process in which every distribution that the four base dependencies do not bring is blocked,
so the answer is the same in the small environment of the tests and in the full one of the server.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

import pytest

from cli.main import app
from tests.support.repository import ROOT
from tools.lock import distribution

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BASE = {"google-re2", "pyyaml", "rich", "typer"}
OWN = {"abl-runtime"}

BLOCK = """
import sys

class Blocked:
    names = frozenset(sys.argv[1].split(","))

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in cls.names:
            raise ModuleNotFoundError(f"{name} is not a base dependency", name=name)

sys.meta_path.insert(0, Blocked)
"""


def brought_by(names: set[str]) -> set[str]:
    """Return `names` and all they need, extras left aside."""
    known: set[str] = set()
    pending = set(names)
    while pending:
        name = pending.pop()
        known.add(name)
        try:
            needs = requires(name) or []
        except PackageNotFoundError:  # needed on another system or Python only
            continue
        pending |= {distribution(need) for need in needs if "extra ==" not in need} - known
    return known


def blocked_modules() -> set[str]:
    """Return the import names of all installed distributions that the base does not bring, and of the extras."""
    allowed = brought_by(BASE) | OWN
    installed = {
        module
        for module, owners in packages_distributions().items()
        if not allowed.intersection(map(distribution, owners))
    }
    return installed | {
        "aiohttp",
        "aiortc",
        "asyncpg",
        "fastapi",
        "msgspec",
        "numpy",
        "pygls",
        "ray",
        "redis",
        "uvicorn",
    }


def run_blocked(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BLOCK + code, ",".join(sorted(blocked_modules()))]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


def test_the_base_is_exactly_four_distributions() -> None:
    assert {distribution(requirement) for requirement in PROJECT["dependencies"]} == BASE


def test_the_server_and_the_editor_support_are_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    assert {"ray", "fastapi", "asyncpg"} <= {distribution(requirement) for requirement in extras["server"]}
    assert {distribution(requirement) for requirement in extras["lsp"]} == {"pygls"}


def test_what_is_heavy_is_really_blocked() -> None:
    assert "not a base dependency" in run_blocked("import pytest").stderr


@pytest.mark.parametrize("module", ["abl", "cli.main"])
def test_a_package_is_imported_with_the_base_alone(module: str) -> None:
    finished = run_blocked(f"import {module}")
    assert finished.returncode == 0, finished.stderr


COMMANDS = {
    "help": (["--help"], "convert"),
    "check": (["check", "examples/parcel-desk"], "no problems"),
    "check --effects": (["check", "--effects", "examples/parcel-desk"], "trace_parcel"),
    "fmt": (["fmt", "--check", "examples/parcel-desk"], "already fine"),
    "ir": (["ir", "examples/parcel-desk"], '"ir_version"'),
    "tokens": (["tokens", "tests/corpus/abl/legacy/agent.abl"], "AgentKeyword"),
    "explain": (["explain", "UNKNOWN_SECTION"], "Wrong:"),
    "convert to yaml": (["convert", "examples/parcel-desk/agents/parcel_desk.agent.abl", "--to", "yaml"], "agent:"),
    "convert to modern": (["convert", "tests/corpus/abl/legacy/supervisor.abl"], "SUPERVISOR: "),
}


def run_command(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return run_blocked(f"sys.argv = ['abl', *{arguments!r}]\nfrom cli.main import run\nrun()")


@pytest.mark.parametrize(("arguments", "said"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_works_with_the_base_alone(arguments: list[str], said: str) -> None:
    finished = run_command(arguments)
    assert finished.returncode == 0, finished.stderr
    assert said in finished.stdout + finished.stderr


def test_the_language_server_says_which_extra_it_needs() -> None:
    finished = run_command(["lsp"])
    assert finished.returncode == 2
    assert finished.stderr == "abl: the language server needs pygls; install it with: pip install 'abl-runtime[lsp]'\n"


def test_every_command_of_the_language_is_tried() -> None:
    of_the_server = {
        "serve", "replay", "chat", "eval", "keys", "models", "migrate", "doctor", "mcp", "token", "dev", "export",
        "import", "deploy", "openapi", "scrub",
    }  # fmt: skip
    tried = {name.split()[0] for name in COMMANDS} - {"help"} | {"lsp"}
    named = {one.name or one.callback.__name__ for one in app.registered_commands if one.callback is not None}
    assert named - of_the_server == tried
