"""Write `engine/zone_rules.py` from the time zone database of this machine: zone -> the rule it follows now.

python tools/update_zones.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import wrap

TARGET = Path(__file__).resolve().parents[1] / "engine" / "zone_rules.py"
SYSTEM = Path("/usr/share/zoneinfo")
HEAD = '''"""IANA time zones -> the rule they follow, as POSIX writes it. Made by `tools/update_zones.py`; do not edit.

A table instead of the system's files: the same facts fold to the same bytes on every machine. Decision: 0011.
"""

from __future__ import annotations

VERSION = "{version}"
"""Of the time zone database the rules are from."""

TABLE = """
{table}
"""
"""One rule a line, then the zones that follow it; a line that begins with a blank goes on."""

RULES: dict[str, str] = {{
    name: line.split("|")[0]
    for line in TABLE.replace("\\n ", " ").strip().splitlines()
    for name in line.split("|")[1].split()
}}
'''


def rules() -> dict[str, list[str]]:
    """Return rule -> zones."""
    found: dict[str, list[str]] = {}
    for path in sorted(SYSTEM.rglob("*")):
        name = str(path.relative_to(SYSTEM))
        if not path.is_file() or name.startswith(("posix", "right")) or not name[0].isupper():
            continue
        raw = path.read_bytes()
        if raw[:4] != b"TZif" or raw[4:5] < b"2":
            continue
        found.setdefault(raw.rstrip(b"\n").rsplit(b"\n", 1)[-1].decode("ascii"), []).append(name)
    return {rule: names for rule, names in sorted(found.items()) if rule}


def text() -> str:
    """Return the module's text."""
    version = next(
        (path.read_text("ascii").split()[-1] for path in (SYSTEM / "tzdata.zi",) if path.exists()), "unknown"
    )
    if (SYSTEM / "tzdata.zi").exists():
        version = (SYSTEM / "tzdata.zi").read_text("ascii").split("\n", 1)[0].removeprefix("# version ")
    lines = []
    for rule, names in rules().items():
        lines += wrap(
            f"{rule}|{' '.join(names)}", 118, subsequent_indent=" ", break_on_hyphens=False, break_long_words=False
        )
    return HEAD.format(version=version, table="\n".join(lines))


if __name__ == "__main__":
    made = text()
    if "--check" in sys.argv:
        sys.exit(int(TARGET.read_text("utf-8") != made))
    TARGET.write_text(made, "utf-8")
