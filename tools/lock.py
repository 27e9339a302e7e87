"""Writes the lock files under `requirements/`: every distribution pinned, with the hashes of its files.

The wanted dependencies stand in `pyproject.toml` alone. Locks name no index and no path, so that they can be
installed from any mirror. `make lock` keeps the pins that still fit; `make lock UPGRADE=1` takes the newest.
Decision: 0001.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Each lock contains the one before it, with the same pins, so an environment can grow from one to the next.
LOCKS: Mapping[str, tuple[str, ...]] = {
    "base": (),
    "test": ("lsp", "dev"),
    "all": ("lsp", "dev", "server", "mcp"),
}
OPTIONAL: Mapping[str, tuple[str, ...]] = {"embedded": ("embedded",)}
"""Locks beside them, with the same pins: what has no wheel for some machines, and which nothing else needs."""
APART: Mapping[str, tuple[str, ...]] = {"generator": ("generator",), "node": ("node",)}
"""Locks of folders beside the environment, with pins of their own: what wants other versions than the product."""
FLAGS = (
    "--quiet",
    "--generate-hashes",
    "--allow-unsafe",  # pins setuptools and pip too, which some of the tools need
    "--strip-extras",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
)
HEADER = "# Made by `make lock` from pyproject.toml; do not edit."


def lock_path(name: str) -> Path:
    """Return where the lock `name` is kept."""
    return ROOT / "requirements" / f"{name}.txt"


def distribution(requirement: str) -> str:
    """Return the name a requirement or pin is about, in the one spelling that registries compare."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()


def wanted(pyproject: Mapping[str, object], extras: tuple[str, ...]) -> list[str]:
    """Return the requirements of the project with `extras`, and those of its build."""
    match pyproject:
        case {
            "build-system": {"requires": [*build]},
            "project": {"dependencies": [*direct], "optional-dependencies": dict(optional)},
        }:
            chosen = [requirement for extra in extras for requirement in optional[extra]]
            return [str(requirement) for requirement in (*build, *direct, *chosen)]
    raise SystemExit("pyproject.toml lacks build-system.requires, project.dependencies or optional-dependencies")


def wanted_of_extras(pyproject: Mapping[str, object], extras: tuple[str, ...]) -> list[str]:
    """Return the requirements of `extras` alone."""
    without = wanted(pyproject, ())
    return [one for one in wanted(pyproject, extras) if one not in without]


def main(arguments: list[str]) -> None:
    """Write the locks from largest to smallest; the pins of each constrain the next."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    larger: Path | None = None
    for name, extras in reversed(tuple(LOCKS.items())):
        larger = write_lock(name, wanted(pyproject, extras), arguments if larger is None else [], larger)
    for name, extras in OPTIONAL.items():
        write_lock(name, wanted_of_extras(pyproject, extras), arguments, lock_path(next(reversed(tuple(LOCKS)))))
    for name, extras in APART.items():
        write_lock(name, wanted_of_extras(pyproject, extras), arguments, None)


def write_lock(name: str, requirements: list[str], arguments: list[str], larger: Path | None) -> Path:
    """Write one lock, its pins constrained by those of a larger one; return its path."""
    path = lock_path(name)
    constraint = [f"-c {larger}"] if larger is not None else []
    subprocess.run(
        [sys.executable, "-m", "piptools", "compile", *FLAGS, *arguments, "--output-file", str(path), "-"],
        input="\n".join([*requirements, *constraint]),
        text=True,
        check=True,
        cwd=ROOT,
    )
    pins = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    path.write_text("\n".join([HEADER, *pins, ""]), encoding="utf-8")
    return path


if __name__ == "__main__":
    main(sys.argv[1:])
