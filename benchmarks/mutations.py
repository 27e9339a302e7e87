"""Single mistakes, as people make them, put into correct ABL files. Used by the diagnostics benchmark and its test.

Every rule looks for lines it can spoil and gives back the spoilt line; the file is otherwise untouched, so the right
answer of the checker is known: one complaint, on that line, with a fix that restores what stood there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from abl.syntax.document import SECTIONS
from abl.syntax.node import NODES, Kind

SECTION_WORDS = tuple(key for key, row in SECTIONS.items() if " " not in key and not row.legacy)
PROPERTY_WORDS = frozenset(
    spelling.upper() for cls in NODES.values() for row in cls.PROPS for spelling in row.spellings if not row.legacy
)
BOOLEANS = frozenset(row.key.upper() for cls in NODES.values() for row in cls.PROPS if row.kind is Kind.BOOL)
NUMBERS = frozenset(
    row.key.upper() for cls in NODES.values() for row in cls.PROPS if row.kind in (Kind.INTEGER, Kind.NUMBER)
)
CHOICES = {
    row.key.upper(): row.choices
    for cls in NODES.values()
    for row in cls.PROPS
    if row.kind is Kind.CHOICE and not row.open
}
_PROPERTY = re.compile(r"(\s+(?:- )?)([A-Za-z_]{4,})(:)(\s.*|)\Z")
_CONDITION = re.compile(r"(.*\b(?:IF|WHEN|REQUIRE|RESTRICT|LIMIT|EXIT_WHEN|CHECK|COMPLETE_WHEN):? )(.+)\Z")


@dataclass(frozen=True, slots=True)
class Mutation:
    """One spoilt file: which rule did it, the file, the text before and after, and the 1-based lines of the mistake.

    Two lines when one is a repeat of the other; for a line that was left out, that of the construct it belonged to.
    """

    rule: str
    path: str
    before: str
    after: str
    lines: tuple[int, ...]

    @property
    def line(self) -> int:
        """The line to show."""
        return self.lines[-1]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a rule may strike: the lines of the file, the 0-based index of one, and a source of chance."""

    lines: list[str]
    index: int
    chance: random.Random

    @property
    def line(self) -> str:
        """The line itself."""
        return self.lines[self.index]

    @property
    def owner(self) -> int:
        """Index of the nearest line above that is indented less, -1 when there is none."""
        above = (at for at in range(self.index - 1, -1, -1) if self.lines[at].strip())
        return next((at for at in above if _indent(self.lines[at]) < _indent(self.line)), -1)

    @property
    def is_library(self) -> bool:
        """Whether the file is a tool library."""
        return next((line for line in self.lines if line.strip() and line[0] != "#"), "").startswith("TOOLS:")


DELETED = "\0"
"""What a rule gives back for a line that shall be left out."""

YAML_RULES = frozenset(
    {
        "misspelt_property", "boolean_as_word", "number_as_word", "unknown_choice", "unknown_variable",
        "single_equals", "template_name", "unknown_filter",
    }
)  # fmt: skip
"""Rules that strike YAML files too."""

BLOCK_RULES = frozenset({"template_name", "unknown_filter"})
"""Rules that strike within block texts: braces mean the same there."""

Rule = Callable[[Spot], str | None]
RULES: dict[str, Rule] = {}


def rule(function: Rule) -> Rule:
    """Register a rule under its name."""
    RULES[function.__name__] = function
    return function


def misspell(word: str, chance: random.Random) -> str:
    """Return `word` with one letter dropped, doubled, swapped with the next, or replaced by a neighbour."""
    at = chance.randrange(1, len(word) - 1)
    kind = chance.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    if kind == 2 and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    letter = "x" if word[at].islower() else "X"
    return word[:at] + letter + word[at + 1 :]


def _section(line: str) -> str | None:
    found = re.match(r"([A-Z_]{4,}):", line)
    return found[1] if found and found[1] in SECTION_WORDS else None


@rule
def misspelt_section(spot: Spot) -> str | None:
    """`GATHER:` -> `GAHTER:`."""
    word = _section(spot.line)
    return misspell(word, spot.chance) + spot.line[len(word) :] if word else None


@rule
def section_without_colon(spot: Spot) -> str | None:
    """`GATHER:` -> `GATHER`."""
    word = _section(spot.line)
    return spot.line.replace(":", "", 1) if word else None


@rule
def section_in_lower_case(spot: Spot) -> str | None:
    """`GATHER:` -> `gather:`."""
    word = _section(spot.line)
    return word.lower() + spot.line[len(word) :] if word else None


@rule
def duplicate_section(spot: Spot) -> str | None:
    """A singleton section a second time, on the next line."""
    word = _section(spot.line)
    if word is None or SECTIONS[word].repeat != "error" or spot.line.rstrip().endswith((":", "|")):
        return None
    return f"{spot.line}\n{spot.line}"


@rule
def misspelt_property(spot: Spot) -> str | None:
    """`prompt:` -> `promt:`."""
    found = _PROPERTY.match(spot.line)
    if not found or found[2].upper() not in PROPERTY_WORDS or len(found[2]) < 5:
        return None
    return found[1] + misspell(found[2], spot.chance) + found[3] + found[4]


@rule
def property_without_colon(spot: Spot) -> str | None:
    """`prompt: "x"` -> `prompt "x"`."""
    found = _PROPERTY.match(spot.line)
    if not found or found[2].upper() not in PROPERTY_WORDS or not found[4].strip():
        return None
    return found[1] + found[2] + found[4]


@rule
def property_too_deep(spot: Spot) -> str | None:
    """A property indented two more than its neighbour above, which is a plain value."""
    found = _PROPERTY.match(spot.line)
    above = _PROPERTY.match(spot.lines[spot.index - 1]) if spot.index else None
    if not found or not above or found[1] != above[1] or "-" in found[1] or not above[4].strip():
        return None
    if found[2].upper() not in PROPERTY_WORDS or above[4].strip()[0] in "|>[{" or above[2].upper() == "CALL":
        return None
    return "  " + spot.line


@rule
def duplicate_property(spot: Spot) -> str | None:
    """The same property twice."""
    found = _PROPERTY.match(spot.line)
    if not found or "-" in found[1] or found[2].upper() not in PROPERTY_WORDS or not found[4].strip():
        return None
    if found[4].strip()[0] in "|>[{" or found[2].upper() in ("SET", "CLEAR", "INSTRUCTIONS", "CALL", "DESCRIPTION"):
        return None
    if spot.index + 1 < len(spot.lines) and _indent(spot.lines[spot.index + 1]) > _indent(spot.line):
        return None
    return f"{spot.line}\n{spot.line}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 0


@rule
def boolean_as_word(spot: Spot) -> str | None:
    """`required: true` -> `required: treu`."""
    found = re.match(r"(\s+([A-Za-z_]+): )(true|false)\Z", spot.line)
    return found[1] + misspell(found[3], spot.chance) if found and found[2].upper() in BOOLEANS else None


@rule
def number_as_word(spot: Spot) -> str | None:
    """`max_retries: 3` -> `max_retries: three`."""
    found = re.match(r"(\s+([A-Za-z_]+): )([1-9])\Z", spot.line)
    if not found or found[2].upper() not in NUMBERS:
        return None
    return found[1] + "zero one two three four five six seven eight nine".split()[int(found[3])]


@rule
def unknown_choice(spot: Spot) -> str | None:
    """`method: POST` -> `method: POTS`."""
    found = re.match(r"(\s+([A-Za-z_]+): )([A-Za-z_]{4,})\Z", spot.line)
    if not found or found[3] not in CHOICES.get(found[2].upper(), ()):
        return None
    return found[1] + misspell(found[3], spot.chance)


@rule
def unknown_step(spot: Spot) -> str | None:
    """`THEN: collect` -> `THEN: colect`."""
    found = re.match(r"(\s+(?:THEN|GOTO|TRANSITION): )([a-z_]{4,})\Z", spot.line)
    if not found or f"{found[2]}:" not in [line.strip() for line in spot.lines]:
        return None
    return found[1] + misspell(found[2], spot.chance)


@rule
def unknown_tool(spot: Spot) -> str | None:
    """`CALL: find_parcel(code)` -> `CALL: find_parcl(code)`."""
    found = re.match(r"(\s+(?:- )?CALL: )([a-z_]{5,})(\(.*|\Z)", spot.line)
    return found[1] + misspell(found[2], spot.chance) + found[3] if found else None


@rule
def unknown_agent(spot: Spot) -> str | None:
    """`- TO: Claims_Desk` -> `- TO: Claims_Dsk`."""
    found = re.match(r"(\s+- (?:TO|AGENT): )([A-Za-z_]{5,})\Z", spot.line)
    return found[1] + misspell(found[2], spot.chance) if found else None


@rule
def unknown_variable(spot: Spot) -> str | None:
    """A name in a condition misspelt."""
    found = _CONDITION.match(spot.line)
    words = list(re.finditer(r"(?<![\w.\"'])([a-z_]{6,})(?![\w(.\"'])", found[2])) if found else []
    words = [one for one in words if found and found[2].count('"', 0, one.start()) % 2 == 0]
    words = [one for one in words if one[1] not in ("turn_count", "channel", "session_id", "intent")]
    if not found or not words or found[2].startswith('"') or "{{" in found[2] or found[2].count('"') > 2:
        return None
    word = words[0]
    return found[1] + found[2][: word.start()] + misspell(word[1], spot.chance) + found[2][word.end() :]


@rule
def single_equals(spot: Spot) -> str | None:
    """`==` -> `=` in a condition."""
    found = _CONDITION.match(spot.line)
    return found[1] + found[2].replace("==", "=", 1) if found and "==" in found[2] else None


@rule
def triple_equals(spot: Spot) -> str | None:
    """`==` -> `===` in a condition."""
    found = _CONDITION.match(spot.line)
    return found[1] + found[2].replace("==", "===", 1) if found and "==" in found[2] else None


@rule
def open_quote_in_condition(spot: Spot) -> str | None:
    """The last quote of a condition left out."""
    found = _CONDITION.match(spot.line)
    if not found or not found[2].endswith('"') or found[2].startswith('"'):
        return None
    return spot.line[:-1]


@rule
def dangling_operator(spot: Spot) -> str | None:
    """A condition that ends with AND."""
    found = _CONDITION.match(spot.line)
    if not found or found[2][0] in "\"'" or found[2] in ("true", "false") or " BEFORE " in found[2]:
        return None
    return spot.line + " AND"


@rule
def open_string(spot: Spot) -> str | None:
    """The closing quote of a text left out."""
    found = re.match(r'(\s+[A-Za-z_]+: "[^"{}]+)"\Z', spot.line)
    if not found or (spot.index + 1 < len(spot.lines) and _indent(spot.lines[spot.index + 1]) > _indent(spot.line)):
        return None
    return found[1]


@rule
def open_list(spot: Spot) -> str | None:
    """The closing bracket of a list left out."""
    found = re.match(r"(\s+[A-Za-z_]+: \[[^\]{}]+)\]\Z", spot.line)
    return found[1] if found else None


@rule
def typographic_quotes(spot: Spot) -> str | None:
    """Quotes as a word processor makes them."""
    found = re.match(r'(\s+[A-Za-z_]+: )"([^"]+)"\Z', spot.line)
    return f"{found[1]}\u201c{found[2]}\u201d" if found else None


@rule
def open_signature(spot: Spot) -> str | None:
    """The closing parenthesis of a tool signature left out."""
    found = re.match(r"(  [a-z_]+\([^()]*)\)( -> .+)?\Z", spot.line)
    return found[1] + (found[2] or "") if found else None


@rule
def unknown_type(spot: Spot) -> str | None:
    """`code: string` -> `code: strng` in a signature."""
    found = re.match(r"(  [a-z_]+\(\w+\??: )(string|number|integer|boolean)(.*)\Z", spot.line)
    return found[1] + misspell(found[2], spot.chance) + found[3] if found else None


@rule
def open_template(spot: Spot) -> str | None:
    """`{{name}}` -> `{{name}` in a text."""
    found = re.match(r'(\s+(?:- )?RESPOND: ".*\{\{[\w.]+\})\}([^{}]*")\Z', spot.line)
    return found[1] + found[2] if found else None


@rule
def missing_header(spot: Spot) -> str | None:
    """`AGENT: Name` without its colon."""
    found = re.match(r"(AGENT|SUPERVISOR):( .+)\Z", spot.line)
    return found[1] + found[2] if found else None


@rule
def duplicate_definition(spot: Spot) -> str | None:
    """A tool signature written twice."""
    found = re.match(r"  [a-z_]+\(.*\) -> .+\Z", spot.line)
    return f"{spot.line}\n{spot.line}" if found else None


def mutations(files: dict[str, str], count: int, seed: int = 1) -> Iterator[Mutation]:
    """Yield `count` mistakes spread evenly over the rules; the same for the same arguments."""
    chance = random.Random(seed)
    spots = {name: list(_spots(files, name, one, chance)) for name, one in RULES.items()}
    for found in spots.values():
        chance.shuffle(found)
    given = 0
    while given < count and any(spots.values()):
        for found in spots.values():
            if found and given < count:
                given += 1
                yield found.pop()


def _spots(files: dict[str, str], name: str, one: Rule, chance: random.Random) -> Iterator[Mutation]:
    for path, text in files.items():
        lines = text.split("\n")
        blocks = _block_lines(lines)
        if not path.endswith(".abl") and name not in YAML_RULES:
            continue
        for index, line in enumerate(lines):
            if (index in blocks and name not in BLOCK_RULES) or line.lstrip().startswith("#") or not line.strip():
                continue
            spot = Spot(lines, index, chance)
            spoilt = one(spot)
            if spoilt is None or spoilt == line:
                continue
            here = (spot.owner + 1,) if spoilt == DELETED else tuple(range(index + 1, index + 2 + spoilt.count("\n")))
            now = [] if spoilt == DELETED else [spoilt]
            yield Mutation(name, path, text, "\n".join([*lines[:index], *now, *lines[index + 1 :]]), here)


def _block_lines(lines: list[str]) -> set[int]:
    """Return the indexes of lines inside block texts, where nothing is a keyword."""
    inside: set[int] = set()
    base = -1
    for index, line in enumerate(lines):
        if base >= 0 and (not line.strip() or _indent(line) > base):
            inside.add(index)
            continue
        base = _indent(line) if line.rstrip().endswith(("|", "|-")) else -1
    return inside
