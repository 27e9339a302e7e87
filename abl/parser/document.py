"""Parses one text of the modern grammar into a document. Spec: abl-language 2, 3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from abl.diagnostics.model import Edit, Fix
from abl.diagnostics.reporter import finding
from abl.parser import (
    assignments,
    branches,
    content,
    conversation,
    entries,
    failure,
    flow,
    free,
    lists,
    neighbours,
    nodes,
    rules,
    scalars,
    tools,
)
from abl.parser.detect import detect
from abl.parser.final import check_document
from abl.parser.lines import Lines, scan_within_bounds
from abl.parser.prose import drop_prose
from abl.parser.reader import READ, Reader, reads
from abl.parser.sections import Section, cut, mend_opening, read_sections, within_bounds
from abl.parser.values import cut_comment, unquote
from abl.source import Source
from abl.syntax.document import HEADERS, LEGACY_SECTIONS, Document
from abl.syntax.node import Kind, Node, Prop, blank
from abl.syntax.profile import Profile
from abl.syntax.result import ParseResult

FORMS = (
    assignments, branches, content, conversation, entries, failure, flow, free, lists, neighbours, nodes, rules,
    scalars, tools,
)  # fmt: skip
"""The modules that hold the readers of all kinds."""


@dataclass(slots=True)
class Opened:
    """A text that is cut into sections, none of which has been read."""

    reader: Reader
    sections: list[Section]

    @property
    def may_be_numbered(self) -> bool:
        """Whether a section is one that texts of the numbered grammar have (spec 10); others need no closer look."""
        words = [section.word for section in self.sections]
        if not _NUMBERED_ONLY.isdisjoint(words):
            return True
        return not _NUMBERED.isdisjoint(words) and not ("FLOW" in words and "\nFLOW:" in self.reader.source.text)


_NUMBERED_ONLY = frozenset(LEGACY_SECTIONS)
_NUMBERED = frozenset({"STEPS", "INTENTS"})


def open_text(text: str, *, strict: bool = False) -> Opened:
    """Return a text cut into its sections."""
    r = Reader(scan_within_bounds(Source(text)), strict=strict)
    _lexical(r)
    return Opened(r, cut(r, drop_prose(r)))


def parse_text(text: str, kind: str | None = None, *, strict: bool = False) -> ParseResult:
    """Return what an ABL text of the modern grammar says.

    `kind` is a detected type of the table in spec 2.2; None means: look.
    """
    return read_opened(open_text(text, strict=strict), kind)


def read_opened(opened: Opened, kind: str | None = None) -> ParseResult:
    """Return what an opened text says."""
    r, sections = opened.reader, opened.sections
    found = kind or detect(r.source.text)
    opening = mend_opening(r, sections)
    if found == "tools" or (found is None and opening == "TOOLS"):
        document = _tools(r, sections)
    elif opening == "BEHAVIOR_PROFILE":
        document = _profile(r, sections)
    else:
        document = _agent(r, sections)
    if document is not None:
        document.detected_type = found or ""
        _name_agents(r, document)
        check_document(r, document)
    elif found is None and not any(one.code == "UNKNOWN_SECTION" for one in r.findings):
        return ParseResult(None, [finding("UNDETECTED_TYPE", strict=r.strict, line=1, column=1, offset=0)])
    return result(document, r)


LEGACY_LINE_BYTES = 1_000
"""What one line of AGENTS or ROUTING takes: a rule, and what it is lowered to."""
NOT_READ = "What follows is not read"


def result(document: Document | None, r: Reader) -> ParseResult:
    """Return the document with the findings of a reader in text order."""
    left = r.lines.left
    if left >= 0:
        line, column, _ = r.source.pos(left)
        r.findings.append(finding("TEXT_TOO_LARGE", line=line, column=column, offset=left, length=1, detail=NOT_READ))
    if not r.findings:
        return ParseResult(document, [], [])
    if r.lines.tab >= 0:  # what lies askew among tabs has one cause, which is told
        r.findings[:] = [one for one in r.findings if one.code != "MISPLACED_INDENT"]
    ordered = sorted(r.findings, key=lambda one: -1 if one.offset is None else one.offset)
    errors = [one for one in ordered if one.severity == "error"]
    return ParseResult(document, errors, [one for one in ordered if one.severity != "error"])


MAX_TABS = 5_000
"""Tabs that one fix replaces."""
_INDENT = re.compile(r"^[ ]*\t[ \t]*", re.MULTILINE)


def _tabs(text: str) -> Iterator[Edit]:
    """Yield what makes two spaces of each tab in an indent."""
    for found in _INDENT.finditer(text):
        yield from (Edit(at, 1, "  ") for at in range(found.start(), found.end()) if text[at] == "\t")


def _lexical(r: Reader) -> None:
    lines: Lines = r.lines
    if lines.tab >= 0:
        r.report("TAB_INDENT", lines.tab, 1, Fix("indent with spaces", tuple(islice(_tabs(r.source.text), MAX_TABS))))
    for offset in lines.fences[:1]:
        stop = r.source.text.find("\n", offset)
        length = (stop if stop >= 0 else len(r.source.text)) - offset
        r.report("MARKDOWN_FENCE", offset, length, r.edit(offset, length, "", "remove the fence"))


def _agent(r: Reader, sections: list[Section]) -> Document | None:
    document = blank(Document)
    if sections and sections[0].k > 0 and not any(one.code == "TEXT_OUTSIDE_SECTION" for one in r.findings):
        r.report_line("TEXT_OUTSIDE_SECTION", 0, value=r.texts[0])
    read_sections(r, document, sections)
    if "name" not in document.at:
        offset = r.offsets[0] if r.offsets else 0
        length = len(r.texts[0]) if r.texts else 0
        if not any(one.code == "EXPECTED_AGENT" for one in r.findings):
            r.report("MISSING_AGENT", offset, length, r.edit(offset, 0, "AGENT: My_Agent\n", "add `AGENT: Name`"))
        return None
    if document.name == "":
        return None
    if sections[0].word not in HEADERS:
        _content_before(r, document, sections)
    return document


def _content_before(r: Reader, document: Document, sections: list[Section]) -> None:
    """Report a section that stands before the header of its agent."""
    first = sections[0]
    head = next(one for one in sections if one.word in HEADERS or one.k == _line_of(r, document))
    if head.k > first.k:
        r.report_line("CONTENT_BEFORE_AGENT", first.k, name=first.word, section=first.word)


def _line_of(r: Reader, document: Document) -> int:
    return r.offsets.index(document.pos.offset) if document.pos else -1


def _profile(r: Reader, sections: list[Section]) -> Document | None:
    """Read a behaviour profile that is a document of its own."""
    document = Document(kind="profile")
    head = sections[0]
    profile = Profile(name=unquote(cut_comment(head.value)), pos=r.pos(head.k))
    profile.at["name"] = head.offset
    document.name, document.pos, document.at["name"] = profile.name, profile.pos, head.offset
    document.behavior_profiles.append(profile)
    if not profile.name:
        r.report_line("AGENT_NAME_MISSING", head.k, name="BEHAVIOR_PROFILE")
    with within_bounds(r):
        r.props(profile, head.k + 1, head.end)
        for section in sections[1:]:
            _profile_section(r, profile, section)
    return document


def _profile_section(r: Reader, profile: Profile, section: Section) -> None:
    row = Profile.BY_KEY.get(section.word)
    if row is None and section.word != "BEHAVIOR_PROFILE":
        meant = r.near(section.word, [one.key for one in Profile.PROPS])
        fix = r.edit(r.offsets[section.k], len(section.word), meant, f"write `{meant}:`") if meant else None
        r.report(
            "UNKNOWN_SECTION", r.offsets[section.k], len(section.word), fix, name=section.word, section=section.word,
            known=", ".join(one.key for one in Profile.PROPS), suggestion=meant or "",
        )  # fmt: skip
        row = Profile.BY_KEY[meant.upper()] if meant else None
    if row is None or (row.field in profile.at and row.repeat == "error"):
        if row is not None or section.word == "BEHAVIOR_PROFILE":
            line = str(r.source.pos(profile.at[row.field if row else "name"]).line)
            r.report_line("DUPLICATE_SECTION", section.k, name=section.word, section=section.word, first_line=line)
        return
    READ[row.kind](r, profile, row, section.k, section.end, section.value, section.offset)


def _tools(r: Reader, sections: list[Section]) -> Document | None:
    """Read a tool library."""
    document = Document(kind="tools")
    if not sections or sections[0].word != "TOOLS":
        code = "EXPECTED_TOOLS" if sections else "NO_TOOLS_SECTION"
        first = sections[0] if sections else None
        place = r.offsets[first.k] if first else 0
        r.report(code, place, 1, name=first.word if first else "", value=first.word if first else "")
        if not any(section.word == "TOOLS" for section in sections):
            return None
    document.pos = r.pos(0) if len(r.lines) else None
    read_sections(r, document, sections)
    return document


@reads(Kind.PROFILES)
def read_profiles(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read the name of an attached profile."""
    names: list[str] = getattr(node, row.field)
    name = unquote(cut_comment(value))
    if not name:
        r.report_line("EMPTY_SECTION", k, name=row.key, section=row.key)
        return
    node.at[f"{row.field}.{len(names)}"] = off
    node.at.setdefault(row.field, off)
    names.append(name)


@reads(Kind.ANY)
def read_legacy_section(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read AGENTS, which gives agents other names, and ROUTING, lowered to HANDOFF and COMPLETE with one warning."""
    from abl.legacy.agents import read_agents  # noqa: PLC0415 - the two grammars read each other's sections
    from abl.legacy.handoffs import aliases_of, completions_of, handoffs_of  # noqa: PLC0415
    from abl.legacy.routing import read_rules  # noqa: PLC0415

    node.at[row.field] = off
    lines = ((r.indents[j], r.texts[j], r.offsets[j]) for j in range(k + 1, end) if r.affords(LEGACY_LINE_BYTES, j))
    if row.field == "agents":
        r.legacy_agents, faults = read_agents(lines, locate=r.source.pos)
        if isinstance(node, Document):
            node.agents.update(aliases_of(r.legacy_agents))
    elif isinstance(node, Document):
        r.report_line("LEGACY_ROUTING", k, name=row.key, section=row.key)
        rules, faults = read_rules(lines, locate=r.source.pos)
        node.handoffs.extend(handoffs_of(rules, r.legacy_agents))
        node.complete.extend(completions_of(rules))
    else:
        faults = ()
    r.report_faults(list(faults))


def _name_agents(r: Reader, document: Document) -> None:
    """Let a supervisor that only names its agents under AGENTS hand over to them."""
    if r.legacy_agents and document.kind == "supervisor" and not document.handoffs and "routing" not in document.at:
        from abl.legacy.handoffs import handoffs_of  # noqa: PLC0415

        document.handoffs.extend(handoffs_of((), r.legacy_agents))


def not_text(value: object, *, strict: bool = False) -> ParseResult:
    """Return the result for input that is no text."""
    return ParseResult(None, [finding("NOT_TEXT", strict=strict, line=1, column=1, name=type(value).__name__)])
