"""Cuts the lines of an agent text into sections and reads each. Spec: abl-language 1.2, 3.0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from abl.parser.bounds import Full
from abl.parser.content import template
from abl.parser.lines import unindented
from abl.parser.reader import READ, Reader
from abl.parser.values import cut_comment, unquote
from abl.syntax.document import HEADERS, SECTIONS, Document
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.profile import Profile

HEADER = re.compile(r"([A-Z][A-Z_]*(?: [A-Z_]+)?)\s*:")
_TEMPLATE = re.compile(r"TEMPLATE\s+([\w-]+)\s*:\s*")
_IMPORT = re.compile(r"(?:FROM\s+[\"']|USE[ _]TOOL\s*:)", re.IGNORECASE)
_USE_PROFILE = re.compile(r"USE[ _]BEHAVIOR_PROFILE\s*:", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_WORD = re.compile(r"([A-Za-z][A-Za-z_0-9]*)(?=\s|:|$)")
FLOWS = ("FLOW", "STEPS")
"""Sections in which an unindented word may be a step."""
NO_COLON = re.compile(r"([A-Z][A-Z_]+)(?:\s+(?=[\"|\[])|\s*$)")
OPENINGS = (*HEADERS, "TOOLS", "BEHAVIOR_PROFILE")
_WORDS = frozenset({*SECTIONS, *OPENINGS})
PROFILE_KEYS = frozenset({"PRIORITY", "WHEN", "INSTRUCTIONS", "CONVERSATION"})
"""What an inline profile may hold. Spec: abl-language 3.18."""


@dataclass(slots=True)
class Section:
    """A run of lines that belongs to one unindented header."""

    word: str
    k: int
    end: int
    value: str
    offset: int


def cut(r: Reader, roots: list[int] | None = None) -> list[Section]:
    """Return the sections of the text; what is wrong with their headers is reported. `roots`: the unindented lines."""
    sections: list[Section] = []
    texts, offsets = r.texts, r.offsets
    last: Section | None = None
    for k in unindented(r.ends) if roots is None else roots:
        text = texts[k]
        word, colon, rest = text.partition(":")
        found: Section | None
        if colon and word in _WORDS:
            value = rest.lstrip()
            found = Section(word, k, k + 1, value, offsets[k] + len(text) - len(value))
        else:
            found = _header(r, k, text, sections)
        if found is not None:
            if last is not None:
                last.end = k
            sections.append(found)
            last = found
    if last is not None:
        last.end = len(texts)
    return sections


def _header(r: Reader, k: int, text: str, sections: list[Section]) -> Section | None:
    head = text[0]
    if head == "-":
        return None
    if head in "FUfu" and _IMPORT.match(text):
        return None if sections and sections[-1].word == "TOOLS" else Section("IMPORT", k, k + 1, text, r.offsets[k])
    if "A" <= head <= "Z":
        found = HEADER.match(text)
        if found:
            return _make(r, k, found[1], found.end())
        if _TEMPLATE.match(text):
            return Section("TEMPLATE", k, k + 1, text, r.offsets[k])
    if _USE_PROFILE.match(text):
        return _make(r, k, "USE BEHAVIOR_PROFILE", text.index(":") + 1)
    return _odd_header(r, k, text, sections)


def has_digit(word: str) -> bool:
    """Return whether a digit has slipped into a word, as in `GOAL0`."""
    return any(sign.isdigit() for sign in word)


def _make(r: Reader, k: int, word: str, at: int) -> Section:
    text = r.texts[k]
    rest = text[at:]
    value = rest.lstrip()
    return Section(word, k, k + 1, value, r.offsets[k] + at + len(rest) - len(value))


def _odd_header(r: Reader, k: int, text: str, sections: list[Section]) -> Section | None:
    """Return the section of a header in the wrong case or without a colon; None for a line of the current section."""
    found = _WORD.match(text)
    if not found:
        return None
    word = found[1]
    upper = word.upper()
    known = upper in SECTIONS or upper in HEADERS
    if word == upper and not word.isalpha() and has_digit(word) and sections and sections[-1].word not in FLOWS:
        return _make(r, k, word, text.index(":") + 1) if ":" in text else None
    has_colon = text[found.end() :].lstrip()[:1] == ":"
    if known and has_colon and word != upper and not _is_local(r, k, upper, sections):
        fix = r.edit(r.offsets[k], len(word), upper, f"write `{upper}:`")
        r.report("WRONG_CASE_SECTION", r.offsets[k], len(word), fix, name=word, expected=upper)
        return _make(r, k, upper, text.index(":") + 1)
    if known and word == upper and not has_colon and NO_COLON.match(text):
        fix = r.edit(r.offsets[k] + len(word), 0, ":", f"write `{word}:`")
        r.report("MISSING_COLON", r.offsets[k], len(word), fix, name=word, section=word)
        return _make(r, k, word, len(word))
    if known and not has_colon and upper in HEADERS and not sections:
        fix = r.edit(r.offsets[k], len(word), f"{upper}:", f"write `{upper}:`")
        r.report("MISSING_COLON", r.offsets[k], len(word), fix, name=upper, section=upper)
        return _make(r, k, upper, len(word))
    return None


def _is_local(r: Reader, k: int, upper: str, sections: list[Section]) -> bool:
    """Return whether a lower-case `name:` at the start of a line belongs to the section before it."""
    if not sections:
        return False
    last = sections[-1]
    if last.word in ("FLOW", "STEPS"):
        first = last.k + 1
        return not (first < k and r.indents[first] > 0)
    row: Prop | None = SECTIONS.get(last.word)
    cls = NODES.get(row.node) if row is not None and row.node else None
    if row is not None and row.kind is Kind.TOOLS:
        return upper in ("DESCRIPTION", "VERSION") and k > last.k + 1
    return cls is not None and upper in cls.BY_KEY


def mend_opening(r: Reader, sections: list[Section]) -> str:
    """Return the word that opens the text; a misspelt one is reported and read as the one that was meant."""
    if not sections:
        return ""
    first = sections[0]
    if first.word not in SECTIONS and first.word not in HEADERS:
        meant = r.near(first.word, OPENINGS)
        if meant is not None:
            fix = r.edit(r.offsets[first.k], len(first.word), meant, f"write `{meant}:`")
            r.report(
                "UNKNOWN_SECTION", r.offsets[first.k], len(first.word), fix, name=first.word, section=first.word,
                suggestion=meant, known=", ".join(OPENINGS),
            )  # fmt: skip
            first.word = meant
    return first.word


def read_sections(r: Reader, document: Document, sections: list[Section]) -> None:
    """Read all sections into `document`, or as much of them as one document may hold."""
    try:
        _read_all(r, document, sections)
    except Full:
        r.lines.left = r.offsets[r.reached]


@contextmanager
def within_bounds(r: Reader) -> Iterator[None]:
    """Read up to the line at which the document holds as much as it may."""
    try:
        yield
    except Full:
        r.lines.left = r.offsets[r.reached]


def _read_all(r: Reader, document: Document, sections: list[Section]) -> None:
    first: dict[str, int] = {}
    profile: Profile | None = None
    for section in sections:
        word = section.word
        if profile is not None and word in PROFILE_KEYS and not _has(profile, word):
            _property(r, profile, Profile.BY_KEY[word], section)
            continue
        profile = None
        if word in HEADERS:
            _agent_header(r, document, section, first)
        elif word == "BEHAVIOR_PROFILE":
            profile = inline_profile(r, section)
            document.behavior_profiles.append(profile)
        elif (row := SECTIONS.get(word)) is not None and row.key not in first:
            first[row.key] = section.k
            READ[row.kind](r, document, row, section.k, section.end, section.value, section.offset)
        else:
            _one(r, document, section, first)


def _has(profile: Profile, word: str) -> bool:
    return Profile.BY_KEY[word].field in profile.at


def inline_profile(r: Reader, section: Section) -> Profile:
    """Return the profile whose header a section is; nested lines are its properties."""
    profile = r.new(Profile, section.k)
    profile.name = unquote(cut_comment(section.value))
    profile.at["name"] = section.offset
    r.props(profile, section.k + 1, section.end)
    return profile


def _agent_header(r: Reader, document: Document, section: Section, first: dict[str, int]) -> None:
    if "AGENT" in first:
        line = str(r.numbers[first["AGENT"]])
        r.report("DUPLICATE_SECTION", r.offsets[section.k], len(section.word), name=section.word, first_line=line)
        return
    first["AGENT"] = section.k
    document.kind = "supervisor" if section.word == "SUPERVISOR" else "agent"
    name = unquote(cut_comment(section.value)).strip()
    document.name = name
    document.pos = r.pos(section.k)
    document.at["name"] = section.offset + (section.value[:1] in "\"'" and bool(section.value))
    if not name:
        r.report("AGENT_NAME_MISSING", r.offsets[section.k], len(section.word) + 1, name=section.word)
    elif not _NAME.fullmatch(name):
        plain = re.sub(r"\W+", "_", name).strip("_")
        fix = r.edit(document.at["name"], len(name), plain, f"write `{plain}`") if plain else None
        r.report("AGENT_NAME_STYLE", document.at["name"], len(name), fix, name=name, agent=name)
    if section.end > section.k + 1:
        _stray(r, document, section.k + 1, section.end)


def _stray(r: Reader, document: Document, k: int, end: int) -> None:
    """Read lines indented under the header: sections that were indented, or text that belongs nowhere."""
    reported = False
    while k < end:
        stop = r.ends[k] if r.ends[k] < end else end
        text = r.texts[k]
        found = HEADER.match(text)
        row = SECTIONS.get(found[1]) if found else None
        if row is not None and found is not None:
            if not reported:
                r.report_line("MISPLACED_INDENT", k, r.indent_fix(k, stop, 0), name=row.key, property="AGENT")
            reported = True
            _property(r, document, row, _section_at(r, k, stop, found))
        elif not reported:
            r.report_line("TEXT_OUTSIDE_SECTION", k, value=text)
            reported = True
        k = stop


def _section_at(r: Reader, k: int, stop: int, found: re.Match[str]) -> Section:
    section = _make(r, k, found[1], found.end())
    section.end = stop
    return section


def _one(r: Reader, document: Document, section: Section, first: dict[str, int]) -> None:
    word = section.word
    single = _TEMPLATE.match(section.value) if word == "TEMPLATE" else None
    if single is not None:
        value, off = section.value[single.end() :], section.offset + single.end()
        document.templates.append(template(r, single[1], section.k, section.end, value, off))
        return
    if word == "IMPORT":
        tools = SECTIONS["TOOLS"]
        READ[tools.kind](r, document, tools, section.k - 1, section.end, "", r.offsets[section.k])
        return
    known = SECTIONS.get(word) or SECTIONS.get(word.replace(" ", "_"))
    row = known if known is not None else _unknown(r, document, section, first)
    if row is None:
        return
    key = row.key
    if key in first and row.repeat == "error":
        line = str(r.numbers[first[key]])
        fix = r.removal(section.k, int(line)) if section.end == section.k + 1 else None
        r.report("DUPLICATE_SECTION", r.offsets[section.k], len(word), fix, name=word, section=word, first_line=line)
        return
    first.setdefault(key, section.k)
    _property(r, document, row, section)


def _property(r: Reader, node: Node, row: Prop, section: Section) -> None:
    READ[row.kind](r, node, row, section.k, section.end, section.value, section.offset)


def _unknown(r: Reader, document: Document, section: Section, first: dict[str, int]) -> Prop | None:
    """Report an unknown section; return the row of the one that was probably meant."""
    word = section.word
    if word in PROFILE_KEYS:
        r.report("PROFILE_INLINE_SECTION", r.offsets[section.k], len(word), name=word, section=word)
        return None
    known = [name for name, row in SECTIONS.items() if not row.legacy and name == row.key]
    meant = r.near(word, [*known, *HEADERS])
    fix = r.edit(r.offsets[section.k], len(word), meant, f"write `{meant}:`") if meant else None
    r.report(
        "UNKNOWN_SECTION", r.offsets[section.k], len(word), fix, name=word, section=word, suggestion=meant or "",
        known=", ".join(["AGENT", "SUPERVISOR", *known]),
    )  # fmt: skip
    if meant in HEADERS:
        if "AGENT" not in first:
            _agent_header(r, document, section, first)
        return None
    return SECTIONS[meant] if meant else None
