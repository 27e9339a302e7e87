"""The corpus of ABL texts: its cases, what the language makes of each, and the expected results beside it.

A case is one document: a file of `tests/corpus/abl/<area>/`, or one part of a file that holds several agents. Its
expected result stands in `<name>.expected.json`, one line per kind of result. A marker `#! CODE` at the end of a line
says that this finding belongs to this line; markers are cut off before the text is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import abl

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "corpus" / "abl"
SUFFIXES = (".abl", ".yaml")
WHOLE_FILES = ("broken", "checks")
"""Areas whose files are read as they are, even if they hold several headers."""
MARKED = {"broken": "parse", "checks": "checks"}
"""Area -> the kind of result that its markers tell."""
BASELINE = "identity/minimal"
"""The case whose IR is kept whole; of all others only what differs from it."""
BY_HAND = "by_hand"
"""Key of a sidecar that was corrected by hand: why the language is wrong about this text as yet."""

_MARKER = re.compile(r"[ \t]*#! ([A-Z0-9_ ]+)$", re.MULTILINE)

Result = Any


@dataclass(frozen=True)
class Case:
    """One text of the corpus, without its markers."""

    name: str
    area: str
    text: str
    sidecar: Path
    complaints: tuple[tuple[int, str], ...]

    @property
    def strict(self) -> bool:
        """Whether the text is read by the rules of the newest version."""
        return self.area == "strict"

    def __str__(self) -> str:
        """Return the name by which pytest shows the case."""
        return self.name


def cases(root: Path = CORPUS) -> list[Case]:
    """Return all cases of the corpus, in the order of their names."""
    files = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES)
    return [case for path in files for case in _cases_of(path, root)]


def _cases_of(path: Path, root: Path) -> Iterator[Case]:
    written = path.read_bytes().decode("utf-8")
    area = path.parent.name
    name = path.relative_to(root).with_suffix("").as_posix()
    text, complaints = without_markers(written) if area in MARKED else (written, ())
    parts = [text] if area in WHOLE_FILES or path.suffix == ".yaml" else abl.split_documents(text)
    if len(parts) == 1:
        yield Case(name, area, text, path.with_name(f"{path.stem}.expected.json"), complaints)
        return
    for number, part in enumerate(parts, start=1):
        yield Case(f"{name}.{number}", area, part, path.with_name(f"{path.stem}.{number}.expected.json"), ())


def without_markers(text: str) -> tuple[str, tuple[tuple[int, str], ...]]:
    """Return a text without its markers, and (line, code) of each."""
    found = [
        (number, code)
        for number, line in enumerate(text.split("\n"), start=1)
        for marker in _MARKER.finditer(line)
        for code in marker[1].split()
    ]
    return _MARKER.sub("", text), tuple(sorted(found))


# --- what the language makes of a case ------------------------------------------------------------------------------


def parse_findings(case: Case) -> Result:
    """Return [code, line, severity] of what the parser finds."""
    return _findings(abl.parse(case.text, strict=case.strict).findings)


def document(case: Case) -> Result:
    """Return the document as JSON; null when there is none."""
    found = abl.parse(case.text, strict=case.strict).document
    return None if found is None else found.to_dict()


def check_findings(case: Case) -> Result:
    """Return [code, line, severity] of everything that is found in the text on its own."""
    return _findings(abl.validate_abl(case.text, strict=case.strict))


def compiled(case: Case) -> Result:
    """Return agent name -> what its IR has beyond that of the smallest agent; of that agent, all."""
    found = {name: _lasting(ir) for name, ir in _agents(case.text, strict=case.strict).items()}
    if case.name == BASELINE:
        return found
    smallest = next(iter(_agents((CORPUS / f"{BASELINE}.abl").read_text(encoding="utf-8")).values()))
    return {name: difference(ir, _lasting(smallest)) for name, ir in found.items()}


def tokens(case: Case) -> Result:
    """Return one text for each line: `line: Type@column ...`."""
    lines: dict[int, list[str]] = {}
    for token in abl.tokenize(case.text).tokens:
        lines.setdefault(token.line, []).append(f"{token.type}@{token.column}")
    return [f"{line}: {' '.join(found)}" for line, found in lines.items()]


def token_errors(case: Case) -> Result:
    """Return [line, column] of every character that is no token."""
    return [[one.line, one.column] for one in abl.tokenize(case.text).errors]


RESULTS: dict[str, Callable[[Case], Result]] = {
    "parse": parse_findings,
    "checks": check_findings,
    "document": document,
    "ir": compiled,
    "tokens": tokens,
    "token_errors": token_errors,
}
"""Key of a sidecar -> what gives it."""


def _findings(found: list[abl.Diagnostic]) -> Result:
    placed = sorted((one.line or 0, one.code, one.severity) for one in found)
    return [[code, line, severity] for line, code, severity in placed]


def _agents(text: str, *, strict: bool = False) -> dict[str, Any]:
    output = abl.compile_abl_to_ir(text, {"single_agent": True, "strict": strict})
    agents: dict[str, Any] = json.loads(json.dumps(output["agents"]))
    return agents


def _lasting(ir: dict[str, Any]) -> dict[str, Any]:
    """Return an AgentIR without what changes with every touch of the text or the compiler."""
    passing = ("source_hash", "compiler_version")
    return ir | {"metadata": {key: value for key, value in ir["metadata"].items() if key not in passing}}


def difference(value: Any, base: Any) -> Any:
    """Return the members of `value` that `base` has not, or has otherwise; `absent` lists what only `base` has."""
    if not isinstance(value, dict) or not isinstance(base, dict):
        return value
    found = {key: difference(one, base.get(key)) for key, one in value.items() if key not in base or one != base[key]}
    absent = sorted(key for key in base if key not in value)
    return found | {"absent": absent} if absent else found


# --- sidecars -------------------------------------------------------------------------------------------------------


def results(case: Case) -> dict[str, Result]:
    """Return everything the language makes of a case."""
    return {key: give(case) for key, give in RESULTS.items()}


def expected(case: Case) -> dict[str, Result]:
    """Return the expected results of a case; empty when there are none yet."""
    if not case.sidecar.exists():
        return {}
    found: dict[str, Result] = json.loads(case.sidecar.read_text(encoding="utf-8"))
    return found


def written(found: dict[str, Result]) -> str:
    """Return a sidecar's text: one line for each kind of result."""
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
