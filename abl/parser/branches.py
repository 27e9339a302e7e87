"""IF and ELSE items, and what happens after a human has answered. Spec: abl-language 3.9, 5.5."""

from __future__ import annotations

import re
from itertools import pairwise

from abl.parser.joining import FLOWING, in_one_line, text_end
from abl.parser.reader import BRANCH_HEAD, Reader, is_lost, reads
from abl.parser.values import cut_comment, without_comment
from abl.source import Pos
from abl.syntax.coordination import HumanOutcome
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.steps import Branch

_THEN = re.compile(r"(?:\s(?:THEN|GOTO)\b\s*+:?|(?<!\s)\s*+(?:->|\u2192|=>))\s*+([A-Za-z_][\w-]*+)\s*+(?:#.*)?\Z")
_AFTER_COLON = re.compile(r"(?<=[^\s:]):\s++([A-Za-z_][\w-]*+)\s*+(?:#.*)?\Z")
"""The step of `IF condition: step`; after `IF:` a second colon belongs to the condition."""
_WORD = re.compile(r"[A-Za-z_]+")
ELSE_IF = re.compile(r"EL(?:SE?[ \t_:-]*+)?IF\b", re.IGNORECASE)
"""ELSE IF as people write it: ELSEIF, ELSIF, ELIF, ELSE_IF."""
LAST = frozenset({"ELSE", "DEFAULT", "OTHERWISE"})
"""Heads of the branch that always matches."""
_ARROW = re.compile(r"(?:->|\u2192|=>)\s*+")
_HUMAN = re.compile(
    r"(?:IF|WHEN)?\b:?\s*+(.+?)(?<!\s)\s*+(?::|->|\bTHEN\b)\s*+((?:COMPLETE|HANDOFF|CONTINUE|ESCALATE)\b.*)\Z",
    re.IGNORECASE,
)


_KEY = re.compile(r"[A-Za-z_][\w-]*")
_DONE = re.compile(r"(?:COMPLETE|CONTINUE|ESCALATE|HANDOFF(?:\s++TO)?\s++[\w-]++)", re.IGNORECASE)
_HANDOFF = re.compile(r"HANDOFF(?:\s++TO)?\s*+:\s*+([\w-]++)", re.IGNORECASE)
_OTHERWISE = frozenset({"DEFAULT", "OTHERWISE", "OTHER", "ELSE"})
_OTHER = re.compile(r"(?:IF|WHEN)\b:?\s*+(.+?)(?<!\s)\s*+:\s*+([A-Z]\w*+(?:\s++\w++)*+)\Z")
"""An outcome whose action is none of the known words."""


@reads(Kind.BRANCHES)
def read_branches(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read IF and ELSE items, with or without dashes."""
    branches: list[Branch] = getattr(node, row.field)
    known = len(branches)
    node.at[row.field] = off
    if not r.deeper(k):
        return
    value = cut_comment(value)
    if value:
        r.spend(Branch.COST, k)
        branch = Branch(pos=Pos(r.numbers[k], off - r.offsets[k] + r.columns[k] + 1, off), then=value)
        branch.at["then"] = off
        branch.otherwise = True
        branches.append(branch)
    j = k + 1
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        bare = text[1:].lstrip() if text[0] == "-" else text
        if text[0] != "-" and branches and not _starts_branch(bare):
            r.line(branches[-1], j, stop, text, r.offsets[j])
        else:
            read_branch(r, branches, row, j, stop, bare, r.offsets[j] + len(text) - len(bare))
        j = stop
    r.leave()
    _after_else(r, branches, known)


def _starts_branch(text: str) -> bool:
    return BRANCH_HEAD.match(text) is not None or text[:4].upper() == "WHEN"


def read_branch(r: Reader, branches: list[Branch], row: Prop, j: int, stop: int, bare: str, offset: int) -> None:
    """Read one branch that begins on line `j` with text `bare`."""
    branch = r.new(Branch, j)
    branches.append(branch)
    word, rest = _head(bare)
    if (else_if := ELSE_IF.match(bare)) is not None:
        word, rest = else_if[0], bare[else_if.end() :].lstrip(" \t:")
    place = offset + len(bare) - len(rest)
    if word in LAST:
        branch.otherwise = True
        branch.at["otherwise"] = offset
        arrow = _ARROW.match(rest)
        if arrow is not None:
            rest, place = rest[arrow.end() :], place + arrow.end()
        rest = cut_comment(rest)
        if rest.replace("_", "").replace("-", "").isalnum():
            branch.then, branch.at["then"] = rest, place
        elif rest:
            r.line(branch, j, j + 1, rest, place)
        r.props(branch, j + 1, stop)
    elif else_if is not None or word in ("IF", "WHEN", "CONDITION"):
        last = text_end(r, branch, j, stop, rest) if stop > j + 1 else stop
        rest = in_one_line(r, j, last, rest)
        rest = _inline_then(
            branch, rest.removesuffix(":").rstrip(), place, is_bare=bare[len(word) : len(word) + 1] != ":"
        )
        if not rest:
            r.report("BRANCH_WITHOUT_CONDITION", offset, len(bare), property=row.key)
        r.read_field(branch, "condition", j, stop if j in r.lines.blocks else j + 1, rest, place)
        r.props(branch, last, stop)
    else:
        last = _value_end(r, branch, j, stop, bare) if stop > j + 1 else stop
        r.line(branch, j, last, bare, offset)
        unknown = next(iter(branch.extras), "")
        r.props(branch, last, stop)
        if not branch.condition and not branch.otherwise:
            branch.otherwise = True
            if unknown and not is_lost(branch, unknown.upper()):
                r.report("UNKNOWN_BRANCH", offset, len(unknown), name=unknown)
            else:
                r.report("BRANCH_WITHOUT_CONDITION", offset, len(bare), property=row.key)


def _value_end(r: Reader, branch: Branch, j: int, stop: int, bare: str) -> int:
    """Return the line after the value of the property with which a branch begins."""
    key, _, value = bare.partition(":")
    entry = r.find_row(branch, key)
    return text_end(r, branch, j, stop, value.strip()) if entry is not None and entry[1].kind in FLOWING else j + 1


def _inline_then(branch: Branch, rest: str, place: int, *, is_bare: bool) -> str:
    """Read `condition THEN: step` or `condition -> step` on one line; return the condition.

    `is_bare` says that no colon follows the IF, so that one may follow the condition.
    """
    found = _THEN.search(rest) or (_AFTER_COLON.search(rest) if is_bare else None)
    if found is None or rest[: found.start()].count('"') % 2:
        return rest
    branch.then, branch.at["then"] = found[1], place + found.start(1)
    return rest[: found.start()].rstrip()


def _head(text: str) -> tuple[str, str]:
    word = _WORD.match(text)
    if not word:
        return "", text
    rest = text[word.end() :]
    return word[0].upper(), rest.lstrip(" \t:") if rest[:1] in ("", ":", " ", "\t") else rest


def _after_else(r: Reader, branches: list[Branch], known: int) -> None:
    """Report the first branch behind one that always matches; the first `known` branches were looked at before."""
    for branch, after in pairwise(branches[max(known - 1, 0) :]):
        if not branch.condition:
            if after.pos:
                r.report("UNREACHABLE_BRANCH", after.pos.offset, 2)
            return


@reads(Kind.HUMAN)
def read_human(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `- IF condition: ACTION` items."""
    outcomes: list[HumanOutcome] = getattr(node, row.field)
    node.at[row.field] = off
    j = k + 1
    if value:
        outcomes.append(r.new(HumanOutcome, k))
        outcomes[-1].action, outcomes[-1].at["action"] = without_comment(value), off
    elif j < end and (known := _key_at(r, j, end)) is not None:
        j = _human_block(r, outcomes, j, end, known)
    while j < end:
        stop = r.ends[j] if r.ends[j] < end else end
        text = r.texts[j]
        bare = text[1:].lstrip() if text[0] == "-" else text
        offset = r.offsets[j] + len(text) - len(bare)
        made = r.new(HumanOutcome, j)
        outcomes.append(made)
        bare = without_comment(bare)
        found = _HUMAN.match(bare) if _head(bare)[0] != "ELSE" and not _human_key(bare) else None
        found = found or _OTHER.match(bare)
        if found:
            made.condition, made.action = found[1], found[2].strip()
            made.at.update(condition=offset + found.start(1), action=offset + found.start(2))
        elif bare.upper() in ("COMPLETE", "CONTINUE", "ESCALATE") or bare.upper().startswith("HANDOFF"):
            made.action = bare
            made.at["action"] = offset
        else:
            word, rest = _head(bare)
            if word == "IF":
                r.read_field(made, "condition", j, j + 1, rest.rstrip(":"), offset + len(bare) - len(rest))
            elif word == "ELSE":
                made.action = rest
            else:
                r.line(made, j, j + 1, bare, offset)
        _human_action(r, made, j + 1, stop)
        j = stop


def _human_key(text: str, *, is_block: bool = False) -> str | None:
    """Return the property that a line is, empty for `resolution: ACTION` or a block of one, None for any other line."""
    key, colon, value = text.partition(":")
    if not colon or not _KEY.fullmatch(key) or key.upper() == "ELSE":
        return None
    row = HumanOutcome.BY_KEY.get(key.upper())
    if row is not None:
        return None if row.field == "condition" and _HUMAN.match(text) else row.field
    value = without_comment(value.strip())
    return "" if _DONE.fullmatch(value) or (is_block and not value) else None


def _human_block(r: Reader, outcomes: list[HumanOutcome], j: int, end: int, known: str | None) -> int:
    """Read the properties of one entry without a dash, or `resolution: ACTION` lines; return the line after them."""
    made: HumanOutcome | None = None
    last: list[HumanOutcome] = []
    while j < end and known is not None:
        stop = min(r.ends[j], end)
        if made is None or not known or known in made.at:
            made = r.new(HumanOutcome, j)
            outcomes.append(made)
        if known:
            r.line(made, j, stop, r.texts[j], r.offsets[j])
        else:
            key, _, value = r.texts[j].partition(":")
            made.condition = resolved_as(key)
            made.at["condition"] = r.offsets[j]
            if action := without_comment(value.strip()):
                made.action, made.at["action"] = action, r.offsets[j]
            condition = made.condition
            _human_action(r, made, j + 1, stop)
            if made.condition != condition:
                r.report("UNKNOWN_OUTCOME", r.offsets[j], len(key), name=f"IF below {key}")
            if not condition:
                last.append(outcomes.pop())
        j = stop
        known = _key_at(r, j, end)
    outcomes.extend(last)
    return j


def _key_at(r: Reader, j: int, end: int) -> str | None:
    return _human_key(r.texts[j], is_block=r.ends[j] > j + 1) if j < end else None


def resolved_as(word: str) -> str:
    """Return the condition of `resolution:`; DEFAULT and its like are for all that no other entry takes."""
    return "" if word.upper() in _OTHERWISE else f'resolution == "{word}"'


def _human_action(r: Reader, made: HumanOutcome, j: int, stop: int) -> None:
    while j < stop:
        text = r.texts[j]
        if (handoff := _HANDOFF.fullmatch(without_comment(text))) is not None:
            made.action, made.at["action"] = f"HANDOFF to {handoff[1]}", r.offsets[j]
        elif ":" in text.rstrip(":"):
            r.line(made, j, min(r.ends[j], stop), text, r.offsets[j])
        else:
            made.action = text.rstrip(":")
            made.at["action"] = r.offsets[j]
        j = min(r.ends[j], stop)
