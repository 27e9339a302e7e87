"""What an entry is called, and what may follow its name on the line. Spec: abl-language 3.3, 3.5, 5.3."""

from __future__ import annotations

import re

from abl.parser.enums import read_enum
from abl.parser.handoff_heads import is_condition
from abl.parser.joining import FLOWING, text_end
from abl.parser.reader import CLOSED, READ, Reader
from abl.parser.values import BOOLEANS, cut_comment, inline_list, split_top, unquote
from abl.syntax.node import Node, Prop

_NOTED = re.compile(r"(\w+)\s*\(([^()]*)\)")
"""`integer (required)`."""
_BOUND = re.compile(r"(?:min|max|minimum|maximum|between|at (?:least|most)|from \d|up to)\b|[<>\d(]", re.IGNORECASE)
"""What limits a value, behind its type."""
_ENUM = re.compile(r"enum\s*+(?:\[[^\[\]]*+\]|\([^()]*+\))", re.IGNORECASE)
_DEFAULTED = re.compile(r"(\w+)\s*=\s*(?=[^=\s])")
"""`count = 3`."""
_OUTCOMES = frozenset({"RETRY", "RETRY_STEP", "BACKTRACK", "ESCALATE", "HANDOFF", "COMPLETE", "CONTINUE"})
"""What may follow the name of an error in place of an answer. Spec: abl-language 3.12."""
_TARGETS = frozenset({"to", "agent"})
"""Main values that are agents: what stands behind one may be the condition under which it is next."""
NAME_KEYS = {"action_id": frozenset({"action", "button", "id", "name", "on"})}
"""Main value -> what people write before it in a list: `- ACTION: open-claim`."""
WORDS = {"required": True, "optional": False}
"""What may stand after a field name instead of properties: `- name: required`. Spec: abl-language 5.3."""


def key_end(text: str) -> int:
    """Return where the colon after a key stands; quotes around the key may hold colons of their own."""
    if text[0] in ('"', "'"):
        close = text.find(text[0], 1)
        return close + 1 if close > 0 and text[close + 1 : close + 2] == ":" else -1
    key, colon, _ = text.partition(":")
    return len(key) if colon else -1


def named(r: Reader, made: Node, row: Prop, k: int, own: int, bare: str, offset: int) -> int:
    """Read `name`, `name: value` or a quoted text as the main value of an entry; return the line after it."""
    main = made.MAIN
    if not main:
        first = made.PROPS[0]
        colon = bare.find(":")
        if colon > 0 and bare[:colon].replace("_", "").isalnum():
            r.line(made, k, own, bare, offset)
        else:
            r.report("EXPECTED_MAP", offset, len(bare), value=bare, property=row.key, expected=first.key)
            made.extras[""] = bare
        return k + 1
    if is_signature(made, bare):
        set_name(made, main, cut_comment(bare), offset)
        return k + 1
    colon = key_end(bare)
    if colon > 0 and (bare[colon + 1 : colon + 2] in ("", " ", "\t")):
        name, rest = bare[:colon].rstrip(), bare[colon + 1 :]
        value = rest.lstrip()
        at = offset + colon + 1 + len(rest) - len(value)
        if (name.lower() == main or name.lower() in NAME_KEYS.get(main, ())) and _is_name(value):
            set_name(made, main, unquote(cut_comment(value)), at + (value[:1] in ('"', "'")))
            return k + 1
        set_name(made, main, unquote(name), offset + (name[:1] in ('"', "'")))
        return after_name(r, made, row, k, own, value, at)
    given = _DEFAULTED.match(bare)
    if given is not None and "default" in made.BY_FIELD:
        set_name(made, main, given[1], offset)
        r.read_field(made, "default", k, k + 1, bare[given.end() :], offset + given.end())
        return k + 1
    found = inline_list(cut_comment(bare)) if bare[0] not in "\"'" and "," not in bare and "[" not in bare else []
    text, shift = found[0] if len(found) == 1 else (unquote(cut_comment(bare)), int(bare[0] in "\"'"))
    set_name(made, main, text, offset + shift)
    return k + 1


def is_signature(made: Node, text: str) -> bool:
    """Return whether an entry that has parameters is written as a signature: `send_sms(to: string) -> object`."""
    return "parameters" in made.BY_FIELD and text.partition("(")[0].isidentifier() and "(" in text


def _is_name(value: str) -> bool:
    """Return whether `- name: value` gives a name, and is not a field called `name` with a short form."""
    word = unquote(cut_comment(value))
    return word.replace("_", "").replace("-", "").isalnum() and word.lower() not in WORDS


def set_name(made: Node, main: str, value: str, offset: int) -> None:
    """Store an entry's name and where it stands; `name?` is a field that may be left out."""
    if value[-1:] == "?" and "required" in made.BY_FIELD:
        made.required = False  # type: ignore[attr-defined]
        value = value[:-1].rstrip()
    setattr(made, main, value)
    made.at[main] = offset


def after_name(r: Reader, made: Node, row: Prop, k: int, own: int, value: str, off: int) -> int:
    """Read what stands after an entry's name: a short form, a map, or the value of its INLINE field.

    The line after what was read comes back.
    """
    last = k + 1
    if "#" in value and k not in r.lines.blocks:
        value = cut_comment(value)
    if not value:
        return last
    if value[0] == "{":
        r.fill(made, row, k, own, value, off)
        return last
    if made.INLINE:
        meant: Prop | None = made.BY_FIELD[made.INLINE]
    elif short_form(r, made, k, value, off):
        return last
    else:
        meant = _meant(made, value)
    if meant is None:
        code = CLOSED.get(type(made).__name__, "EXPECTED_MAP")
        r.report(code, off, len(value), name=value, value=value, property=row.key)
        made.extras[""] = value
        return last
    if own > last and meant.kind in FLOWING:
        last = text_end(r, made, k, own, value)
    READ[meant.kind](r, made, meant, k, last, value, off)
    return last


def _meant(made: Node, value: str) -> Prop | None:
    """Return which property a value right after an entry's name is: a question, an answer, a first value, a type."""
    rows = made.BY_FIELD
    quoted = value[0] in "\"'"
    if "prompt" in rows and (quoted or " " in value):
        return rows["prompt"]
    if made.MAIN in _TARGETS and is_condition(value):
        return rows["when"]
    if made.MAIN == "type":
        return rows["then" if value.split(None, 1)[0].upper() in _OUTCOMES else "respond"]
    first = rows.get("initial_value") or rows.get("default_value")
    if first is not None and (quoted or not value.isidentifier() or value.lower() in BOOLEANS):
        return first
    return (rows.get("type") or rows.get("description")) if "," not in value else None


def short_form(r: Reader, made: Node, k: int, value: str, off: int) -> bool:
    """Read `required`, `optional`, `default=x`, `string, required` after a field's name. True when it was one."""
    required = made.BY_FIELD.get("required")
    if required is None:
        return False
    known = made.BY_FIELD.get("type")
    noted = _NOTED.fullmatch(value)
    if noted is not None and noted[1].lower() != "enum":
        value = noted[1] + ",".ljust(noted.start(2) - noted.end(1)) + noted[2]  # every character in its place
    parts = _short_parts(value[1:-1] if value[0] == "(" and value[-1] == ")" else value, known)
    is_typed = known is not None and parts[0][0].lower().removesuffix("?") in known.choices and value[0] != "("
    for part, at in parts:
        word = part.lower()
        if read_enum(r, made, k, part, off + at):
            is_typed = known is not None
            continue
        if "=" in part and known is not None and (typed := part.partition("="))[0].strip().lower() in known.choices:
            r.line(made, k, k + 1, f"type: {typed[0].strip()}", off + at - len("type: "))
            r.line(made, k, k + 1, f"default: {typed[2].strip()}", off + at + len(part) - len(typed[2].strip()) - 9)
        elif word in WORDS:
            made.required = WORDS[word]  # type: ignore[attr-defined]
            made.at["required"] = off + at
        elif word.startswith("default"):
            rest = part[7:].lstrip(" =:")
            r.line(made, k, k + 1, f"default: {rest}", off + at - 9 + len(part) - len(rest))
        elif known is not None and word in known.choices:
            made.type = word  # type: ignore[attr-defined]
            made.at["type"] = off + at
        elif known is not None and word[-1:] == "?" and word[:-1] in known.choices:
            made.type, made.required = word[:-1], False  # type: ignore[attr-defined]
            made.at["type"] = off + at
        elif is_typed:
            r.report("UNREAD_SHORT_FORM", off + at, len(part), name=getattr(made, made.MAIN), value=part)
            made.extras[""] = part
        else:
            return False
    return True


def _short_parts(value: str, known: Prop | None) -> list[tuple[str, int]]:
    """Return the parts of a short form and where they begin: `number, required`, and `number required` or `date min 3`.

    A type before other words is the begin of a question, unless they are words of a short form or a bound.
    """
    parts = split_top(value)
    if known is None or len(parts) != 1:
        return parts
    enum = _ENUM.match(value)
    first, _, rest = (enum[0], "", value[enum.end() :]) if enum is not None else value.partition(" ")
    rest = rest.lstrip()
    if (enum is None and first.lower().removesuffix("?") not in known.choices) or not (
        rest.lower() in WORDS or _BOUND.match(rest)
    ):
        return parts
    return [(first, 0), (rest, len(value) - len(rest))]
