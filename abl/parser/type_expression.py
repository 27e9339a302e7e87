"""Types and lists of typed names: `string[]`, `{a: number, b?: date}`, `enum(x, y)`. Spec: abl-language 3.2.

An object type has base `object` and `fields`, an array `array` and `items`, an enum `string` and `values`.
A type that cannot be taken apart keeps its text as base, so nothing written is lost.
"""

from __future__ import annotations

import re

from abl.diagnostics.suggest import closest
from abl.parser.faults import Fault, one_edit
from abl.parser.reading import MAX_FAULTS, PAIRS, Reading, clipped, good_name, group_end, skip, unclosed
from abl.parser.type_nodes import TYPE_WORDS, arrays, of_base, plain_members
from abl.parser.values import literal, unquote
from abl.syntax.node import blank, new_object
from abl.syntax.tools import BASE_TYPES, Parameter, TypeExpr

MAX_TYPE_NESTING = 16
_NAME = re.compile(r"[A-Za-z_]\w*+", re.ASCII)
_WRONG_NAME = re.compile(r"""[^\s:,;?=(){}\[\]<>"'|#]++""")
_WORD = re.compile(r"[A-Za-z_][\w.]*+", re.ASCII)
_QUOTED = re.compile(r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""")
_JUNK = re.compile(r"[^\s,;(){}\[\]]*+")
_SUFFIX = re.compile(r"\s*+\[\s*+\]")
_PLAIN = re.compile(
    r"\s*+([A-Za-z_]\w*+)\s*+(\??+)\s*+"
    r"(?::\s*+([A-Za-z]\w*+)(?:\(([\w, ]++)\))?+\s*+((?:\[\s*+\]\s*+)*+)(\??+)\s*+)?"
    r"(?:=\s*+(\"[^\"\\\n]*+\"|-?[\w.]++)\s*+)?([,)}])",
    re.ASCII,
)
"""The usual members: a name, perhaps a type word with `[]` or an enum's words, a short default; and what ends it."""
COLON_AT_END = "A signature does not end with a colon"
_WHAT = {")": "parameter", "}": "field"}


def read_type(text: str, offset: int = 0) -> tuple[TypeExpr, tuple[Fault, ...]]:
    """Return the type that the whole of `text` is, and what is wrong with it; text without a type is a string."""
    reading = Reading(text, offset)
    return whole_type(reading) or TypeExpr(), tuple(reading.faults)


def read_declaration(text: str, offset: int = 0) -> tuple[Parameter, tuple[Fault, ...]]:
    """Return the parameter without a name that `type[?] [= literal]` declares. Spec: abl-language 10.2."""
    reading = Reading(text, offset)
    made = Parameter()
    _value_part(reading, made, ")", 0)
    if reading.space():
        rest = reading.text[reading.at :].strip()
        reading.wrong(reading.at, len(rest), f"{clipped(rest)} is left over after the type")
    return made, tuple(reading.faults)


def whole_type(reading: Reading) -> TypeExpr | None:
    """Read a type up to the end of the text; anything after it makes the text as a whole the type's name."""
    if not reading.space():
        return None
    start, known = reading.at, len(reading.faults)
    made = type_at(reading, 0)
    if reading.at == len(reading.text):
        return made
    sign = reading.space()
    if sign == ":" and not reading.text[reading.at + 1 :].strip():
        reading.wrong(reading.at, 1, COLON_AT_END, ("remove `:`", reading.at, 1, ""))
        reading.at += 1
    if not reading.space():
        return made
    if any(one.code != "UNKNOWN_TYPE" for one in reading.faults[known:]):
        reading.at = len(reading.text)
        return made
    del reading.faults[known:]
    rest = reading.text[start:].strip()
    reading.at = len(reading.text)
    reading.fault("UNKNOWN_TYPE", start, len(rest), name=clipped(rest), known=", ".join(BASE_TYPES))
    return TypeExpr(base=" ".join(rest.split()))


def members(reading: Reading, closer: str, depth: int) -> list[Parameter]:
    """Read parameters or fields up to and including `closer`."""
    found: list[Parameter] = []
    seen: set[str] = set()
    if plain_members(reading, closer, seen, found):
        return found
    text, base = reading.text, reading.base
    plain, words = _PLAIN.match, TYPE_WORDS
    while True:
        match = plain(text, reading.at)
        if match is not None:
            name, optional, word, values, suffix, marked, default, end = match.groups()
            kind = words.get(word)
            if (kind is not None or not word) and (end == "," or end == closer) and (values is None or word == "enum"):
                start = match.start(1)
                made = new_object(Parameter)
                made.name = name
                if kind is None:
                    made.at = {"name": base + start}
                else:
                    made.at = {"name": base + start, "type": base + match.start(3)}
                    made.type = of_base(kind)
                    if values is not None:
                        _of_values(made.type, values)
                    if suffix:
                        made.type = arrays(made.type, suffix.count("["))
                if optional or marked:
                    made.optional = True
                if default is not None:
                    _set_default(made, default, base + match.start(7))
                reading.at = match.end()
                if name in seen:
                    _repeated(reading, name, start, closer)
                seen.add(name)
                found.append(made)
                if end == closer:
                    return found
                continue
        if not _member(reading, closer, depth, seen, found):
            return found


def _of_values(made: TypeExpr, values: str) -> None:
    """Make an enum of a type, of the words between commas."""
    made.values = [word for one in values.split(",") if (word := one.strip())]


def _repeated(reading: Reading, name: str, start: int, closer: str) -> None:
    if closer == ")":
        reading.fault("DUPLICATE_PARAMETER", start, len(name), name=name, tool=reading.tool)
    else:
        reading.fault("DUPLICATE_NAME", start, len(name), name=name)


def _member(reading: Reading, closer: str, depth: int, seen: set[str], found: list[Parameter]) -> bool:
    """Read one parameter of any form and the separator after it; return whether more may follow."""
    sign = reading.space()
    if not sign or reading.text.startswith(("->", "→"), reading.at):
        return unclosed(reading, closer)
    if sign == closer:
        reading.at += 1
        return False
    if sign in ",;":
        reading.wrong(reading.at, 1, "There is a comma too many", ("remove the comma", reading.at, 1, ""))
        reading.at += 1
        return True
    if closer == "}" and reading.text.startswith("...", reading.at):
        reading.at += 3
        return _separator(reading, closer)
    start = reading.at
    name = _member_name(reading, closer)
    if not name:
        skip(reading, closer)
        junk = reading.text[start : reading.last_ink(reading.at)]
        reading.wrong(start, len(junk), f"{clipped(junk)} is not a {_WHAT[closer]}")
        return _separator(reading, closer)
    made = blank(Parameter)
    made.name, made.at["name"] = name, reading.base + start + (reading.text[start] in "\"'")
    if reading.space() == "?":
        made.optional = True
        reading.at += 1
    sign = reading.space()
    if sign == ":":
        reading.at += 1
        _value_part(reading, made, closer, depth)
    elif sign == "=":
        _default(reading, made, closer)
    elif sign and (word := _WORD.match(reading.text, reading.at)) and word[0].lower() in TYPE_WORDS:
        end = reading.last_ink(reading.at)
        reading.wrong(start, word.end() - start, f"A colon is missing after {name}", ("write a colon", end, 0, ":"))
        _value_part(reading, made, closer, depth)
    if name in seen:
        _repeated(reading, name, start, closer)
    seen.add(name)
    found.append(made)
    return _separator(reading, closer)


def _member_name(reading: Reading, closer: str) -> str:
    text, start = reading.text, reading.at
    name = _NAME.match(text, start)
    wrong = _WRONG_NAME.match(text, start)
    if name and wrong and wrong.end() == name.end():
        reading.at = name.end()
        return name[0]
    if quoted := _QUOTED.match(text, start):
        reading.at = quoted.end()
        return quoted[0][1:-1]
    if not wrong or not any(map(str.isalnum, wrong[0])):
        return ""
    reading.at = wrong.end()
    if closer == ")":
        better = good_name(wrong[0])
        fix = (f"write `{better}`", start, len(wrong[0]), better)
        reading.wrong(start, len(wrong[0]), f"{wrong[0]} is not a name of a parameter", fix)
    return wrong[0]


def _value_part(reading: Reading, made: Parameter, closer: str, depth: int) -> None:
    """Read `type[?] [= literal]` into `made`."""
    sign = reading.space()
    if sign and sign not in ",=" + closer:
        made.at["type"] = reading.base + reading.at
        reading.nullable = False
        made.type = type_at(reading, depth)
        if reading.space() == "?":
            reading.at += 1
            reading.nullable = True
        if reading.nullable:
            made.optional = True
    if reading.space() == "=":
        _default(reading, made, closer)


def _default(reading: Reading, made: Parameter, closer: str) -> None:
    """Read `= literal`, up to the comma or bracket that ends it; null says only that the value may be left out."""
    reading.at += 1
    reading.space()
    start = reading.at
    skip(reading, closer)
    value = reading.text[start : reading.at].strip()
    if not value:
        reading.wrong(start - 1, 1, "The default is missing after =")
        return
    _set_default(made, value, reading.base + start)


def _set_default(made: Parameter, value: str, offset: int) -> None:
    made.default = literal(value)
    made.at["default"] = offset + (value[0] in "\"'")
    if made.default is None:
        made.optional = True


def _separator(reading: Reading, closer: str) -> bool:
    """Pass over the comma after a member, or the bracket that ends the list; return whether more may follow."""
    sign = reading.space()
    text, at = reading.text, reading.at
    if sign == closer or sign == "," or (sign == ";" and closer == "}"):
        reading.at += 1
        return sign != closer
    if not sign or text.startswith(("->", "→"), at) or sign in ")}]>":
        return unclosed(reading, closer)
    if sign == ";":
        reading.wrong(at, 1, "A comma separates parameters", ("write a comma", at, 1, ","))
        reading.at += 1
        return True
    if _NAME.match(text, at) or (closer == "}" and _QUOTED.match(text, at)):
        end = reading.last_ink(at)
        word = _WRONG_NAME.match(text, at)
        length = len(word[0]) if word else 1
        before = f"A comma is missing before {clipped(text[at : at + length])}"
        reading.wrong(at, length, before, ("write a comma", end, 0, ","))
        return True
    skip(reading, closer)
    junk = text[at : reading.last_ink(reading.at)] or sign
    shown = clipped(junk)
    reading.at = max(reading.at, at + 1)
    reading.wrong(at, len(junk), f"{shown} cannot be read here", (f"remove `{shown}`", at, len(junk), ""))
    return _separator(reading, closer)


def type_at(reading: Reading, depth: int) -> TypeExpr:
    """Read one type with its `[]` and its `| other` alternatives."""
    start = reading.at
    made = _single(reading, depth)
    if reading.at == len(reading.text) or reading.space() != "|" or reading.text.startswith("||", reading.at):
        return made
    kinds = [made]
    while reading.space() == "|":
        reading.at += 1
        reading.space()
        kinds.append(_single(reading, depth))
    wanted = [kind for kind in kinds if kind.base != "any"]
    reading.nullable = len(wanted) < len(kinds)
    if wanted and all(kind.values is not None for kind in wanted):
        return TypeExpr(values=[value for kind in wanted for value in kind.values or ()])
    if len(wanted) == 1:
        return wanted[0]
    return TypeExpr(base=" ".join(reading.text[start : reading.last_ink(reading.at)].split()))


def _single(reading: Reading, depth: int) -> TypeExpr:
    sign = reading.space()
    start = reading.at
    if depth >= MAX_TYPE_NESTING:
        _too_deep(reading)
        return TypeExpr(base="any")
    if sign == "{":
        reading.at += 1
        made = of_base("object")
        made.fields = members(reading, "}", depth + 1)
        if reading.at == len(reading.text):
            return made
    elif quoted := _QUOTED.match(reading.text, start):
        reading.at = quoted.end()
        made = TypeExpr(values=[quoted[0][1:-1]])
    elif sign == "(":
        made = _grouped(reading, depth)
    elif word := _WORD.match(reading.text, start):
        reading.at = word.end()
        made = _worded(reading, word[0], depth)
    else:
        junk = match[0] if (match := _JUNK.match(reading.text, start)) else ""
        reading.at += len(junk)
        if not junk:
            reading.wrong(start, 1, "A type is missing here")
            return TypeExpr()
        made = _named(reading, junk, start)
    count = 0
    while suffix := _SUFFIX.match(reading.text, reading.at):
        count += 1
        reading.at = suffix.end()
    return arrays(made, count) if count else made


def _grouped(reading: Reading, depth: int) -> TypeExpr:
    reading.at += 1
    reading.space()
    made = type_at(reading, depth + 1)
    if reading.space() == ")":
        reading.at += 1
    else:
        unclosed(reading, ")")
    return made


def _worded(reading: Reading, word: str, depth: int) -> TypeExpr:
    """Read what follows a type word: `enum(...)`, `array<T>`, `object {…}` or nothing."""
    start = reading.at - len(word)
    lowered = word.lower()
    after = reading.text[reading.at : reading.at + 1]
    base = TYPE_WORDS.get(lowered)
    if lowered == "enum" and reading.space() in ("(", "[", "<", "{"):
        return TypeExpr(values=_values(reading))
    if base == "object" and reading.space() == "{":
        return _single(reading, depth)
    if base == "array" and (after == "<" or (after == "[" and not _SUFFIX.match(reading.text, reading.at))):
        reading.at += 1
        made = TypeExpr(base="array", items=type_at(reading, depth + 1))
        closer = PAIRS[after]
        if reading.space() == closer:
            reading.at += 1
        else:
            unclosed(reading, closer)
        return made
    if after == "<":
        group_end(reading)
        return _named(reading, reading.text[start : reading.at], start)
    return of_base(base) if base else _named(reading, word, start)


def _values(reading: Reading) -> list[str]:
    """Read the values of an enum, from its opening bracket to the closing one."""
    start = reading.at + 1
    closer = PAIRS[reading.text[reading.at]]
    found: list[str] = []
    reading.at += 1
    while True:
        reading.space()
        begin = reading.at
        skip(reading, closer)
        value = reading.text[begin : reading.at].strip()
        if value:
            found.append(unquote(value))
        sign = reading.text[reading.at : reading.at + 1]
        if sign != ",":
            break
        reading.at += 1
    if sign == closer or (sign and closer == ">"):
        reading.at += 1
    else:
        unclosed(reading, closer)
    if not found:
        reading.wrong(start, 0, "The values of enum are missing")
    return found


def _too_deep(reading: Reading) -> None:
    start = reading.at
    if not any(one.code == "NESTING_TOO_DEEP" for one in reading.faults):
        reading.fault("NESTING_TOO_DEEP", start, 1, expected=str(MAX_TYPE_NESTING))
    if reading.text[start : start + 1] in PAIRS:
        group_end(reading)
    else:
        skip(reading, ")")
    if reading.at == start:
        reading.at += 1


def _named(reading: Reading, word: str, start: int) -> TypeExpr:
    """Return a type that is a name of the author's own, with a warning; a misspelt word counts as the one meant."""
    near = closest(word, TYPE_WORDS) if len(reading.faults) < MAX_FAULTS else None
    near = TYPE_WORDS[near] if near else None
    fix = one_edit(f"write `{near}`", reading.base + start, len(word), near) if near else None
    known = ", ".join(BASE_TYPES)
    reading.fault("UNKNOWN_TYPE", start, len(word), fix, name=clipped(word), suggestion=near or "", known=known)
    return TypeExpr(base=near or " ".join(word.split()))
