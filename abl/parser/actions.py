"""SET, CALL, branches, failure actions, STORE, TRANSFORM and human outcomes. Spec: abl-language 3.5 to 3.10, 5.4, 5.5, 6.2."""

from __future__ import annotations

import re

from abl.parser.kinds import READ_MAIN, fill, joined, map_pairs, scalar, text_value
from abl.parser.reader import Reader, reads, set_text
from abl.parser.values import cut_comment, inline_list, number, split_top, unquote
from abl.source import Pos
from abl.syntax.coordination import History, HumanOutcome
from abl.syntax.flow import Transform
from abl.syntax.memory import Store
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rules import FailAction
from abl.syntax.steps import Argument, Assignment, Branch, Call

_ASSIGN = re.compile(r"([\w.\[\]\"'-]+)\s*(?:=(?!=)|:(?=\s|$))\s*")
_CALL = re.compile(r"([\w.\-]+)\s*")
_ALIAS = re.compile(r"(?:AS\b:?|->|\u2192)\s*([\w.]*)\s*\Z", re.IGNORECASE)
_ARGUMENT = re.compile(r"([A-Za-z_]\w*)\s*(?::(?!:)|=(?!=))\s*")
_ACTION = re.compile(r"(BLOCK|RESPOND|REDACT|ESCALATE|HANDOFF|CONTINUE|RETRY|WARN|FIX|REASK|FILTER|GOTO)\b[:\s(]*")
_TRANSFORM = re.compile(r"(.+?)\s+AS\s+(\w+)\s+INTO\s+([\w.]+)\s*\Z", re.IGNORECASE)
_HUMAN = re.compile(r"(?:IF|WHEN)?\b:?\s*(.+?)\s*(?::|->|\bTHEN\b)\s*((?:COMPLETE|HANDOFF|CONTINUE|ESCALATE)\b.*)\Z", re.I)
_HISTORY = re.compile(r"last_(\d+)\Z", re.IGNORECASE)


@reads(Kind.SET)
def read_set(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `a = 1`, `a = 1, b = 2`, or nested lines of assignments."""
    found: list[Assignment] = getattr(node, row.field)
    node.at.setdefault(row.field, off)
    if value:
        text = cut_comment((joined(r, k, end, value) if end > k + 1 else None) or value)
        found.extend(assignments(r, text, off, r.numbers[k], off - r.offsets[k] + r.columns[k] + 1))
        if end > k + 1 and text == cut_comment(value):
            for j in r.under_scalar(node, k, end, owner=row.key):
                found.extend(_assignment_line(r, j))
        return
    j = k + 1
    while j < end:
        found.extend(_assignment_line(r, j, min(r.ends[j], end)))
        j = min(r.ends[j], end)


def _assignment_line(r: Reader, j: int, end: int = 0) -> list[Assignment]:
    text = r.texts[j]
    bare = text[1:].lstrip() if text[0] == "-" else text
    shift = len(text) - len(bare)
    if j in r.lines.blocks:
        bare = bare.rstrip("|>-+ ") + " " + r.lines.block_text(j).replace("\n", " ")
    elif end > j + 1:
        bare = " ".join([bare, *r.texts[j + 1 : end]])
    return assignments(r, cut_comment(bare), r.offsets[j] + shift, r.numbers[j], r.columns[j] + shift + 1)


def assignments(r: Reader, text: str, off: int, line: int, column: int) -> list[Assignment]:
    """Return the assignments of one text; commas separate them only where another `name =` follows."""
    if "," not in text:
        return _one_assignment(r, text, off, line, column)
    made: list[Assignment] = []
    parts = split_top(text)
    begin = 0
    for index in range(1, len(parts) + 1):
        if index == len(parts) or _ASSIGN.match(parts[index][0]) and "=" in parts[index][0]:
            start, last = parts[begin][1], parts[index - 1]
            made.extend(_one_assignment(r, text[start : last[1] + len(last[0])], off + start, line, column + start))
            begin = index
    return made


def _one_assignment(r: Reader, text: str, off: int, line: int, column: int) -> list[Assignment]:
    found = _ASSIGN.match(text)
    if not found or not text[found.end() :].strip():
        r.report("INVALID_SET", off, max(len(text), 1), value=text)
        return [Assignment(variable="", expression=text, pos=Pos(line, column, off))] if text else []
    start = found.end()
    return [
        Assignment(
            variable=found[1].strip("\"'"),
            expression=text[start:].strip(),
            pos=Pos(line, column, off),
            at={"variable": off, "expression": off + start},
        )
    ]


@reads(Kind.CALL)
def read_call(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `tool(args) AS var`, with WITH and AS nested under it."""
    call = Call(pos=Pos(r.numbers[k], off - r.offsets[k] + r.columns[k] + 1, off))
    set_text(node, row, call, off)
    nested_from = k + 1
    if value and end > k + 1:
        whole = joined(r, k, end, value)
        if whole is not None:
            value, nested_from = whole, end
    read_call_text(r, call, cut_comment(value), off)
    j = nested_from
    while j < end:
        stop = min(r.ends[j], end)
        text = r.texts[j]
        key = text.partition(":")[0].strip().upper()
        r.line(call if key in ("WITH", "AS") else node, j, stop, text, r.offsets[j])
        j = stop


def read_call_text(r: Reader, call: Call, text: str, off: int) -> None:
    """Fill `call` from `tool(args) AS var`."""
    text = unquote(text)
    found = _CALL.match(text)
    if not found:
        r.report("INVALID_CALL", off, max(len(text), 1), value=text)
        return
    call.tool = found[1]
    call.at["tool"] = off
    rest_at = found.end()
    if text[rest_at : rest_at + 1] == "(":
        close = _closing(text, rest_at)
        if close < 0:
            r.report(
                "INVALID_CALL", off, len(text), r.edit(off + len(text), 0, ")", "add the closing `)`"), value=text
            )
            close = len(text)
        call.arguments = [_argument(part, off + rest_at + 1 + at) for part, at in split_top(text[rest_at + 1 : close])]
        rest_at = close + 1
    rest = text[rest_at:].strip()
    if not rest:
        return
    alias = _ALIAS.match(rest)
    if alias and alias[1]:
        call.as_ = alias[1]
        call.at["as_"] = off + text.rindex(alias[1])
    elif not (rest.upper().startswith("WITH") and _inline_with(call, rest)):
        r.report("INVALID_CALL", off, len(text), value=text)


def _inline_with(call: Call, rest: str) -> bool:
    pairs = map_pairs_text(rest[4:].lstrip(" :"))
    if pairs is None:
        return False
    call.with_ = dict(pairs)
    return True


def map_pairs_text(text: str) -> list[tuple[str, str]] | None:
    """Return key and raw value of an inline map."""
    from abl.parser.values import inline_map

    pairs = inline_map(text)
    return None if pairs is None else [(key, value) for key, value, _ in pairs]


def _closing(text: str, at: int) -> int:
    depth = 0
    quote = ""
    for index in range(at, len(text)):
        sign = text[index]
        if quote:
            if sign == quote and text[index - 1] != "\\":
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                return index
    return -1


def _argument(part: str, off: int) -> Argument:
    found = _ARGUMENT.match(part)
    if found and found.end() < len(part):
        return Argument(name=found[1], expression=part[found.end() :], at={"expression": off + found.end()})
    return Argument(expression=part, at={"expression": off})


@reads(Kind.BRANCHES)
def read_branches(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read IF and ELSE items, with or without dashes."""
    branches: list[Branch] = getattr(node, row.field)
    node.at[row.field] = off
    if not r.deeper(k):
        return
    if value:
        branch = Branch(pos=Pos(r.numbers[k], off - r.offsets[k] + r.columns[k] + 1, off), then=value)
        branch.at["then"] = off
        branch.otherwise = True
        branches.append(branch)
    j = k + 1
    while j < end:
        stop = min(r.ends[j], end)
        text = r.texts[j]
        bare = text[1:].lstrip() if text[0] == "-" else text
        if text[0] != "-" and branches and not _starts_branch(bare):
            r.line(branches[-1], j, stop, text, r.offsets[j])
        else:
            read_branch(r, branches, row, j, stop, bare, r.offsets[j] + len(text) - len(bare))
        j = stop
    r.leave()
    _after_else(r, branches)


def _starts_branch(text: str) -> bool:
    word = text[:5].upper()
    return word.startswith(("IF ", "IF:", "ELSE", "WHEN", "ELIF"))


def read_branch(r: Reader, branches: list[Branch], row: Prop, j: int, stop: int, bare: str, offset: int) -> None:
    """Read one branch that begins on line `j` with text `bare`."""
    branch = Branch(pos=r.pos(j))
    branches.append(branch)
    word, rest = _head(bare)
    place = offset + len(bare) - len(rest)
    if word == "ELSE" and not rest.upper().startswith("IF"):
        branch.otherwise = True
        branch.at["otherwise"] = offset
        if rest:
            r.line(branch, j, j + 1, rest, place)
        r.props(branch, j + 1, stop)
    elif word in ("IF", "WHEN", "CONDITION", "ELIF", "ELSE"):
        if word == "ELSE":
            rest = rest[2:].lstrip(" :")
            place = offset + len(bare) - len(rest)
        condition = branch.BY_FIELD["condition"]
        if not rest:
            r.report("BRANCH_WITHOUT_CONDITION", offset, len(bare), property=row.key)
        READ_MAIN(r, branch, condition, j, stop if j in r.lines.blocks else j + 1, rest, place)
        r.props(branch, j + 1, stop)
    else:
        r.line(branch, j, j + 1, bare, offset)
        r.props(branch, j + 1, stop)
        if not branch.condition and not branch.otherwise:
            branch.otherwise = True
            r.report("BRANCH_WITHOUT_CONDITION", offset, len(bare), property=row.key)


def _head(text: str) -> tuple[str, str]:
    word = re.match(r"[A-Za-z_]+", text)
    if not word:
        return "", text
    rest = text[word.end() :]
    return word[0].upper(), rest.lstrip(" \t:") if rest[:1] in ("", ":", " ", "\t") else rest


def _after_else(r: Reader, branches: list[Branch]) -> None:
    for index, branch in enumerate(branches[:-1]):
        if branch.otherwise and not branch.condition:
            after = branches[index + 1]
            if after.pos:
                r.report("UNREACHABLE_BRANCH", after.pos.offset, 2)
            return


@reads(Kind.ACTION)
def read_action(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read a text, an action word with its argument, or a block of both."""
    made = FailAction(pos=r.pos(k))
    set_text(node, row, made, off)
    if k in r.lines.blocks or (not value and end > k + 1):
        if k in r.lines.blocks:
            made.message, place = text_value(r, made, row, k, end, value, off)
            made.at["message"] = place
            return
        fill(r, made, row, k, end, "", off)
        _type_from_keys(made)
        return
    plain, end_scalar = cut_comment(value), k + 1
    if plain[:1] == "{":
        fill(r, made, row, k, end, plain, off)
        _type_from_keys(made)
        return
    _action_text(r, made, plain, off, words=row.field == "action")
    if end > end_scalar:
        for j in r.under_scalar(made, k, end, owner=row.key):
            r.report_line("UNEXPECTED_NESTING", j, property=row.key)


def _type_from_keys(made: FailAction) -> None:
    if not made.type:
        if "reason" in made.at:
            made.type = "escalate"
        elif "target" in made.at:
            made.type = "handoff"


def _action_text(r: Reader, made: FailAction, value: str, off: int, *, words: bool) -> None:
    """Fill an action from one line; `words` says that lower-case action words count too (guardrails)."""
    if not value:
        return
    lone = value.strip('"').lower()
    found = _ACTION.match(value.upper() if words or lone in _LONE else value)
    if not found or value[0] == '"' and lone not in _LONE:
        made.message, place = scalar(r, value, off)
        made.at["message"] = place
        if words:
            made.type, made.message = made.message, ""
            made.at["type"] = place
        return
    made.type = found[1].lower()
    made.at["type"] = off
    rest = value[found.end() :].strip().rstrip(")") if "(" in found[0] else value[found.end() :].strip()
    if not rest:
        return
    place = off + value.rindex(rest) if rest in value else off
    field = {"handoff": "target", "escalate": "reason", "retry": "count", "goto": "goto"}.get(made.type, "message")
    if field == "count":
        made.count = int(rest) if rest.isdigit() else None
    elif field == "target":
        made.target = unquote(rest.removeprefix("TO ").removeprefix("to ").strip())
    else:
        setattr(made, field, unquote(rest) if field == "goto" else scalar(r, rest, place)[0])
    made.at[field] = place + (rest[0] == '"')


_LONE = frozenset(
    {"block", "redact", "escalate", "continue", "retry", "warn", "fix", "reask", "filter", "handoff", "respond"}
)


@reads(Kind.STORE)
def read_store(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `value -> target`, `{a, b} -> target`, or a block `value:` / `target:`."""
    store = Store(pos=r.pos(k))
    set_text(node, row, store, off)
    if not value:
        fill(r, store, row, k, end, "", off)
        return
    text = cut_comment(value)
    if len(text) > 1 and text[0] == '"' == text[-1] and "->" in text:
        text, off = text[1:-1], off + 1
    left, arrow, right = text.rpartition("->")
    if not arrow:
        left, arrow, right = text.rpartition("\u2192")
    if not arrow:
        left, right = text, ""
    right = unquote(right.strip())
    store.target = right
    store.at["target"] = off + len(text) - len(right)
    left = left.strip()
    store.at["value"] = off
    if left[:1] == "{" and left[-1:] == "}" and ":" not in left and not left.startswith("{{"):
        store.fields = [name for name, _ in inline_list(left[1:-1])]
    else:
        store.value = left


@reads(Kind.TRANSFORM)
def read_transform(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `source AS item INTO target` with its nested FILTER, MAP, SORT_BY, LIMIT."""
    made = Transform(pos=r.pos(k))
    set_text(node, row, made, off)
    found = _TRANSFORM.match(cut_comment(value))
    if found:
        made.source, made.item_var, made.target = found[1], found[2], found[3]
        made.at.update(source=off, item_var=off + found.start(2), target=off + found.start(3))
    else:
        r.report("INVALID_TRANSFORM", off, max(len(value), 1), value=value)
        made.source = value
    r.props(made, k + 1, end)


@reads(Kind.HISTORY)
def read_history(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `auto`, `none`, `summary_only`, `full`, `last_4`, or a block `mode:` / `count:`."""
    made = History(pos=r.pos(k))
    set_text(node, row, made, off)
    text = unquote(cut_comment(value))
    last = _HISTORY.match(text)
    if last:
        made.mode, made.count = "last_n", number(last[1])  # type: ignore[assignment]
        made.at["mode"] = off
    elif text and text[0] != "{":
        READ_MAIN(r, made, made.BY_FIELD["mode"], k, k + 1, value, off)
        if not made.mode and "mode" in made.extras:
            r.findings.pop()
            r.report("INVALID_HISTORY", off, len(text), value=text, known=", ".join(made.BY_FIELD["mode"].choices))
    else:
        fill(r, made, row, k, end, value, off)
    if made.mode == "last_n" and made.count is None:
        r.report("INVALID_HISTORY", off, max(len(value), 1), value=text or "last_n", detail="last_n needs a count")


@reads(Kind.HUMAN)
def read_human(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read `- IF condition: ACTION` items."""
    outcomes: list[HumanOutcome] = getattr(node, row.field)
    node.at[row.field] = off
    j = k + 1
    while j < end:
        stop = min(r.ends[j], end)
        text = r.texts[j]
        bare = text[1:].lstrip() if text[0] == "-" else text
        offset = r.offsets[j] + len(text) - len(bare)
        made = HumanOutcome(pos=r.pos(j))
        outcomes.append(made)
        found = _HUMAN.match(cut_comment(bare))
        if found:
            made.condition, made.action = found[1], found[2].strip()
            made.at.update(condition=offset + found.start(1), action=offset + found.start(2))
        elif bare.upper() in ("COMPLETE", "CONTINUE", "ESCALATE") or bare.upper().startswith("HANDOFF"):
            made.action = bare
            made.at["action"] = offset
        else:
            word, rest = _head(bare)
            if word == "IF":
                READ_MAIN(r, made, made.BY_FIELD["condition"], j, j + 1, rest.rstrip(":"), offset + len(bare) - len(rest))
            elif word == "ELSE" and rest:
                made.action = rest
            else:
                r.line(made, j, j + 1, bare, offset)
        _human_action(r, made, j + 1, stop)
        j = stop


def _human_action(r: Reader, made: HumanOutcome, j: int, stop: int) -> None:
    while j < stop:
        text = r.texts[j]
        if made.BY_KEY.get(text.partition(":")[0].upper()):
            r.line(made, j, min(r.ends[j], stop), text, r.offsets[j])
        else:
            made.action = text.rstrip(":")
            made.at["action"] = r.offsets[j]
        j = min(r.ends[j], stop)


_ = map_pairs
