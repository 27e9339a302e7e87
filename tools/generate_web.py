"""Builds what the gateway serves of `web/` into `gateway/assets/sdk`; with `--check` elsewhere, and fails on one byte.

Beside the files stands a manifest: bytes and SHA-384 of each, as a page's `integrity` wants it, and the name of the
whole, which changes with any of them. What is built is committed, so only who changes it needs Node. Decision: 0078.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tools.node import ROOT, WEB, find_node, is_current, modules_of

ASSETS: Final = ROOT / "gateway" / "assets" / "sdk"
MANIFEST: Final = "manifest.json"
PACKAGE: Final = ROOT / WEB / "packages" / "web-sdk"
NAME_DIGITS: Final = 8
NO_NODE: Final = "skipped: Node and the packages of web/ are not here (`make setup` installs them, and said why not)"


def build(node: Path, folder: Path) -> None:
    """Check the types and build into a folder, the manifest included. Raises SystemExit with what was said."""
    compiler = modules_of(WEB) / "typescript" / "bin" / "tsc"
    for command in ((node, compiler, "-p", PACKAGE), (node, ROOT / WEB / "build.mjs", folder)):
        done = subprocess.run(command, cwd=ROOT / WEB, check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"web: {(done.stdout + done.stderr).strip()}")
    files = {path.name: _described(path.read_bytes()) for path in sorted(folder.iterdir())}
    version = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))["version"]
    whole = hashlib.sha384(json.dumps(files).encode()).hexdigest()[:NAME_DIGITS]
    manifest = {"version": f"{version}-{whole}", "files": files}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _described(content: bytes) -> dict[str, int | str]:
    digest = base64.b64encode(hashlib.sha384(content).digest()).decode()
    return {"bytes": len(content), "integrity": f"sha384-{digest}"}


def differences(built: Path, kept: Path) -> list[str]:
    """Return the names of files that are not the same, byte for byte, in two folders."""
    one, other = ({path.name: path.read_bytes() for path in folder.glob("*")} for folder in (built, kept))
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def main(arguments: list[str]) -> None:
    """Build into the gateway, or with `--check` fail when that would change anything."""
    node = find_node()
    if node is None or not is_current(WEB):
        if "--check" not in arguments:
            raise SystemExit(NO_NODE)
        print(NO_NODE)
        return
    with tempfile.TemporaryDirectory() as elsewhere:
        built = Path(elsewhere)
        build(node.node, built)
        changed = differences(built, ASSETS)
        if "--check" in arguments:
            if changed:
                raise SystemExit(f"gateway/assets/sdk is not what web/ builds ({', '.join(changed)}): run `make web`")
            return
        ASSETS.mkdir(parents=True, exist_ok=True)
        for name in changed:
            (ASSETS / name).unlink(missing_ok=True)
            if (built / name).exists():
                (ASSETS / name).write_bytes((built / name).read_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
