"""The files of the repository, as the architecture tests walk them."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = sorted(path for path in (ROOT / "examples").iterdir() if (path / "agents").is_dir())
"""The examples that are projects written in ABL; the others are pages that talk to one of them."""
MADE = frozenset({".git", ".venv", ".cache", "build", "dist", "node_modules", "__pycache__"})


def repository_files(suffix: str = "") -> list[Path]:
    """Return the files git keeps or would keep; without git, all that nothing here makes."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not MADE.intersection(path.relative_to(ROOT).parts)]
    return sorted(path for path in paths if path.is_file() and path.name.endswith(suffix))
