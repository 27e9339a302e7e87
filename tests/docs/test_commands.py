"""Every command that a page shows works as pasted, in a shell where nothing was activated."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from benchmarks.ports import free_port
from cli.main import app
from tests.support.repository import ROOT
from tests.support.served import until

pytestmark = pytest.mark.xdist_group("commands")

PAGES = sorted(
    path
    for pattern in ("README.md", "docs/*.md", "docs/*/*/README.md", "editors/*.md", "examples/*.md", "examples/*/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "spec-map.md"
)
FENCE = re.compile(r"^\s*```(\S*)")
SHELLS = ("", "bash", "sh", "console")
INLINE = re.compile(r"`([^`\n]+)`")
OURS = ".venv/bin/abl"
COMMAND = re.compile(rf"(?:^|[ |]){re.escape(OURS)}(?= |$)")
BARE = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*abl [a-z]")
PLACEHOLDER = re.compile(r"\b(?!ABL_)[A-Z][A-Z_]+\b(?!=)|[\[|<]|\.\.\.|\\\|")
SERVES = ("serve", "dev", "lsp", "mcp", "chat")
"""Commands that go on until they are ended, or until nobody types any more."""
BY_NETWORK = ("models pull", "serve --pull-model", "serve --address")
"""Commands that need more than this machine."""
ELSEWHERE = (
    "models remove",
    "tenants limit",
    "tenants list",
    "dev pizza",
    "serve --project pizza",
    "replay all",
    "scrub",
    "token",
)
"""Commands that need what the reader has made before: a database, a folder of agents."""
MENTIONED = ("convert", "replay", "deploy", "export", "import", "mcp", "check", "dev", "chat")
"""Commands that a page speaks of without what they need."""
FAULTY = (0, 1)
"""`abl check` and `abl doctor` may find something."""
WITHIN_S = 120.0


def shown() -> Iterator[tuple[str, str, bool]]:
    """Yield each page, each line of a shell's block or piece of inline code on it, and whether it is of a block."""
    for page in PAGES:
        language: str | None = None
        for line in page.read_text(encoding="utf-8").splitlines():
            fence = FENCE.match(line)
            if fence:
                language = fence[1] if language is None else None
            elif language in SHELLS:
                yield page.relative_to(ROOT).as_posix(), line, True
            elif language is None:
                yield from ((page.relative_to(ROOT).as_posix(), piece, False) for piece in INLINE.findall(line))


def commands() -> list[str]:
    """Return the commands of this program on all pages, once each, without a prompt and without a remark."""
    found = (re.sub(r"\s+#.*", "", line.removeprefix("$ ")) for _, line, _ in shown() if COMMAND.search(line))
    return list(dict.fromkeys(found))


def arguments_of(command: str) -> list[str]:
    """Return the words after the program's name."""
    return shlex.split(command.split(OURS, 1)[1].replace("\\|", "|"))


def test_no_page_shows_a_command_that_needs_an_activated_environment() -> None:
    bare = [f"{page}: {line}" for page, line, _ in shown() if BARE.match(line)]
    assert len(commands()) > 30
    assert not bare


@pytest.mark.parametrize("command", commands())
def test_a_command_and_its_options_are_there(command: str) -> None:
    words, at = arguments_of(command), typer.main.get_command(app)
    options = {name for one in at.params for name in one.opts}
    for choice in (words[0] if words else "").split("|")[:1] + words[1:2]:
        known = getattr(at, "commands", {})
        if choice.split("|")[0] in known:
            at = known[choice.split("|")[0]]
            options |= {name for one in at.params for name in (*one.opts, *one.secondary_opts)}
        elif known:
            pytest.fail(f"there is no command {choice!r} in: {command}")
    unknown = [word for word in words if word.startswith("--") and word.split("=")[0] not in options]
    assert not unknown, command


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository as a reader has it, with its environment."""
    place = tmp_path_factory.mktemp("clone")
    for name in ("examples", "docs", "editors"):
        shutil.copytree(ROOT / name, place / name)
    (place / ".venv").mkdir()
    (place / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    return place


def environment(clone: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(clone),
        "ABL_EMBEDDED_MODEL": "off",
        "ABL_PORT": str(free_port()),
        "ABL_RUNTIME": "local",
        "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
    }


def runs(command: str) -> bool:
    """Return whether a reader can paste the command as it stands."""
    said = command.split(OURS, 1)[1].strip()
    if said in MENTIONED:
        return False
    others = (*BY_NETWORK, *ELSEWHERE)
    return bool(said) and not PLACEHOLDER.search(command) and not said.startswith(others)


ENDING = [one for one in commands() if runs(one) and ("printf" in one or arguments_of(one)[0] not in SERVES)]
SERVING = [
    one for one in commands() if runs(one) and arguments_of(one)[0] == "serve" and "=" not in one.split("--")[-1]
]


@pytest.mark.parametrize("command", ENDING)
def test_a_pasted_command_ends_well(command: str, clone: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=clone,
        env=environment(clone),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode in FAULTY, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "not found" not in done.stderr


@pytest.mark.parametrize("command", SERVING)
def test_a_pasted_command_serves(command: str, clone: Path, tmp_path: Path) -> None:
    if "--runtime" not in command:
        command = f"{command} --runtime local"  # Ray's own start is the business of tests/cluster
    log = tmp_path / "log"

    async def story() -> None:
        with log.open("wb") as out:
            server = await asyncio.create_subprocess_exec(
                *("bash", "-c", f"exec env {command} --data-dir {tmp_path}/data"),
                cwd=clone,
                env=environment(clone),
                stdout=out,
                stderr=out,
            )
        try:
            await until(lambda: "Try:" in log.read_text() or server.returncode is not None, "it serves")
        finally:
            if server.returncode is None:
                server.terminate()
            async with asyncio.timeout(WITHIN_S):
                status = await server.wait()
        assert "Try:" in log.read_text(), log.read_text()
        assert status == 0

    asyncio.run(story())
