"""Parses agents and supervisors of the numbered grammar (G1). Spec: abl-language 10.2, 10.3.

Only the sections that this grammar alone has are read here; all others are read by the modern parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from abl.legacy.declarations import read_contract, read_fields
from abl.legacy.routing import read_agents, read_rules
from abl.legacy.steps import read_steps
from abl.parser import document as modern
from abl.parser.detect import detect
from abl.parser.lines import scan_within_bounds
from abl.parser.reader import READ, Reader
from abl.parser.sections import Section, cut, read_sections, within_bounds
from abl.source import Source
from abl.syntax.document import HEADERS, SECTIONS, Document
from abl.syntax.legacy import LegacyAgent, LegacySupervisor
from abl.syntax.node import Node
from abl.syntax.result import ParseResult

ENTRY_BYTES = 1_100
"""What is read from a line of STEPS, AGENTS, INTENTS or ROUTING takes, about; a call with arguments twice that."""

ReadSection: TypeAlias = Callable[[Reader, LegacySupervisor, Section], None]

_ARROW = re.compile(r"->|→|=>")
_NUMBERED = re.compile(r"(?:-\s*)?(?:step\s+)?\d+\s*[.):]", re.IGNORECASE)
_HEADER = re.compile(r"([A-Za-z_]+)\s*:\s*")


def parse_legacy(text: str, *, strict: bool = False) -> ParseResult:
    """Return what a text of the numbered grammar says; `document.legacy` holds what only that grammar has.

    >>> parse_legacy("AGENT: Old\\nSTEPS:\\n  1. End\\n    SIGNAL: COMPLETE\\n").document.legacy.steps[0].name
    'End'
    """
    value: object = text
    if not isinstance(value, str):
        return modern.not_text(value, strict=strict)
    r = Reader(scan_within_bounds(Source(text)), strict=strict)
    sections = _own_sections(r, cut(r))
    document = Document(format="legacy")
    read_sections(r, document, [one for one in sections if not _is_own(r, one)])
    document.detected_type = detect(r.source.text) or document.kind
    legacy = LegacySupervisor()
    _read_own(r, legacy, sections)
    document.legacy = legacy if document.kind == "supervisor" else _agent_part(legacy)
    if not document.name:
        if "name" not in document.at:
            r.report("MISSING_AGENT", r.offsets[0] if r.offsets else 0, 1)
        return modern.result(None, r)
    return modern.result(document, r)


def _read_own(r: Reader, legacy: LegacySupervisor, sections: list[Section]) -> None:
    """Read the sections of this grammar, or as much of them as one document may hold."""
    first: dict[str, int] = {}
    with within_bounds(r):
        for section in sections:
            if _is_own(r, section) and not _is_repeated(r, section, first):
                OWN[section.word](r, legacy, section)


def _agent_part(legacy: LegacySupervisor) -> Node:
    """Return an agent's part, unless an agent has sections of a supervisor."""
    fields = set(LegacyAgent.FIELDS)
    if any(name not in fields for name, _ in legacy.written()):
        return legacy
    return LegacyAgent(**{name: getattr(legacy, name) for name in LegacyAgent.FIELDS})


def _is_repeated(r: Reader, section: Section, first: dict[str, int]) -> bool:
    if section.word not in first:
        first[section.word] = section.k
        return False
    line = str(r.numbers[first[section.word]])
    r.report("DUPLICATE_SECTION", r.offsets[section.k], len(section.word), name=section.word, first_line=line)
    return True


def _is_own(r: Reader, section: Section) -> bool:
    """Return whether a section is of this grammar alone; INTENTS and STEPS are when their lines have its form."""
    lines = r.texts[section.k + 1 : section.end]
    if section.word == "INTENTS":
        return any(map(_ARROW.search, lines)) and not any(line.endswith(":") for line in lines)
    if section.word == "STEPS":
        return any(map(_NUMBERED.match, lines)) or not any(line.endswith(":") for line in lines)
    return section.word in OWN


def _own_sections(r: Reader, sections: list[Section]) -> list[Section]:
    """Return the sections as this grammar cuts them.

    Actions at the start of a line belong to STEPS; headers of its own may be misspelt or in the wrong case.
    """
    found: list[Section] = []
    for section in sections:
        if found and found[-1].word == "STEPS" and section.word in STEP_WORDS:
            found[-1].end = section.end
            continue
        _mend_word(r, section)
        found.append(section)
        if section.word not in ("FLOW", "TOOLS"):
            found.extend(_wrong_case(r, section))
    return found


def _mend_word(r: Reader, section: Section) -> None:
    word = section.word
    if word in OWN or word in SECTIONS or word in HEADERS or word in ("TEMPLATE", "IMPORT", "BEHAVIOR_PROFILE"):
        return
    meant = r.near(word, [*OWN, *SECTIONS, *HEADERS])
    if meant in OWN and meant not in SECTIONS:
        fix = r.edit(r.offsets[section.k], len(word), meant, f"write `{meant}:`")
        r.report("UNKNOWN_SECTION", r.offsets[section.k], len(word), fix, name=word, suggestion=meant)
        section.word = meant


def _wrong_case(r: Reader, section: Section) -> list[Section]:
    """Cut a section before unindented headers of this grammar that are not written in capitals."""
    found: list[Section] = []
    end = section.end
    for k in range(section.k + 1, end):
        if r.indents[k]:
            continue
        head = _HEADER.match(r.texts[k])
        word = head[1].upper() if head else ""
        if head is None or word not in OWN or word in SECTIONS:
            continue
        fix = r.edit(r.offsets[k], len(word), word, f"write `{word}:`")
        r.report("WRONG_CASE_SECTION", r.offsets[k], len(word), fix, name=head[1], expected=word)
        (found[-1] if found else section).end = k
        found.append(Section(word, k, end, r.texts[k][head.end() :], r.offsets[k] + head.end()))
    return found


def _lines(r: Reader, section: Section) -> Iterator[tuple[int, str, int]]:
    """Yield the lines of a section, or as many of them as there is room for."""
    for k in range(section.k + 1, section.end):
        text = r.texts[k]
        if not r.affords(ENTRY_BYTES * (2 if "(" in text else 1), k):
            return
        yield r.indents[k], text, r.offsets[k]


def _contract(r: Reader, legacy: LegacySupervisor, section: Section) -> None:
    legacy.contract = read_contract(r, section.k + 1, section.end)


def _steps(r: Reader, legacy: LegacySupervisor, section: Section) -> None:
    first = section.k + 1

    def block_text(at: int) -> str:
        return r.lines.block_text(first + at) if first + at in r.lines.blocks else ""

    steps, entry, faults = read_steps(_lines(r, section), block_text=block_text, locate=r.source.pos)
    legacy.steps, legacy.entry_point = steps, entry
    r.report_faults(list(faults))


def _state(r: Reader, legacy: LegacySupervisor, section: Section) -> None:
    read_fields(r, legacy.state, section.k + 1, section.end)


def _agents(r: Reader, legacy: LegacySupervisor, section: Section) -> None:
    legacy.agents, faults = read_agents(_lines(r, section), locate=r.source.pos)
    if any(line.startswith("- ") for line in r.texts[section.k + 1 : section.end]):
        r.report_line("LEGACY_ROUTING", section.k, name="AGENTS", section="AGENTS")
    r.report_faults(list(faults))


def _intents(r: Reader, legacy: LegacySupervisor, section: Section) -> None:
    legacy.intents, faults = read_rules(_lines(r, section), locate=r.source.pos)
    r.report_faults(list(faults))


def _routing(r: Reader, legacy: LegacySupervisor, section: Section) -> None:
    r.report_line("LEGACY_ROUTING", section.k, name="ROUTING", section="ROUTING")
    legacy.routing, faults = read_rules(_lines(r, section), locate=r.source.pos)
    r.report_faults(list(faults))


def _by_row(r: Reader, legacy: LegacySupervisor, section: Section) -> None:
    """Read a section that is described by a row of the node's own table."""
    row = LegacySupervisor.BY_KEY[section.word]
    READ[row.kind](r, legacy, row, section.k, section.end, section.value, section.offset)


OWN: dict[str, ReadSection] = {
    "CONTRACT": _contract,
    "STEPS": _steps,
    "TESTS": _by_row,
    "STATE": _state,
    "AGENTS": _agents,
    "INTENTS": _intents,
    "ROUTING": _routing,
    "POLICIES": _by_row,
    "COMMUNICATION": _by_row,
    "BEHAVIOR": _by_row,
}
"""Section of this grammar -> its reader."""
STEP_WORDS = frozenset({"SIGNAL", "MESSAGE", "GOTO", "RESPOND", "CALL", "SET", "CLASSIFY", "ON_SUCCESS", "ON_FAILURE",
                        "MAX_ATTEMPTS", "DEFAULT", "WAIT_INPUT", "IF", "ELSE"})  # fmt: skip
"""Words that look like sections when a step's lines are not indented."""
