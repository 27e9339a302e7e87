"""The lines of a numbered step: one reader per word. Spec: abl-language 5.9, 10.2."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from abl.legacy.lines import ARROW, Block, Line, clipped, closing, rest_of
from abl.parser.values import cut_comment, inline_list, inline_map, split_top, unquote
from abl.syntax.legacy import SIGNALS, LegacyAction, Route
from abl.syntax.steps import Argument, Call

Read: TypeAlias = Callable[[Block, int, Line, str, int], list[LegacyAction] | None]
"""block, index of the line, line, what follows the word, its offset -> actions (ELSE on the same line is a second)."""

MAX_LOOKED_BACK = 50
"""Actions between WAIT_INPUT and a route of it that is not nested under it."""

_WORD = re.compile(r"[A-Za-z_]+")
_CALL = re.compile(r"([\w.\-]+)\s*+")
_ALIAS = re.compile(r"(?:AS\b\s*:?|->|→|=>)\s*+([\w.]+)\s*+\Z", re.IGNORECASE)
_ARGUMENT = re.compile(r"([A-Za-z_]\w*+)\s*+(?::|=(?!=))\s*+")
_ASSIGN = re.compile(r"([\w.\[\]\"']+)\s*+(?:=(?!=)|:(?=\s)|\bTO\b)\s*+", re.IGNORECASE)
_SIGNAL = re.compile(r"([A-Za-z_]+)\s*+[,;]?\s*+(?:(?:WITH\s++)?MESSAGE\b\s*+:?\s*+(.*))?\Z", re.DOTALL | re.IGNORECASE)
_STRING = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
_THEN = re.compile(rf"{_STRING}|(?P<cut>\s(?:THEN\b\s*+:?|->|→|=>)\s*+)")
_ELSE = re.compile(rf"{_STRING}|(?P<cut>\sELSE\b\s*+:?\s*+)")
_COUNT = re.compile(r"\(?\s*+([0-9]{1,6})\s*+\)?\s*+")
_GROUP_OR_LIST = re.compile(r"[(\[]")
_DASH = re.compile(r"-(?!>)\s*+")


def read_action(block: Block, at: int, line: Line) -> list[LegacyAction] | None:
    """Return what one line does; None (with a finding) when it cannot be told."""
    dash = _DASH.match(line.text)
    text = line.text[dash.end() :] if dash else line.text
    offset = line.offset + len(line.text) - len(text)
    word = _WORD.match(text)
    if word is None:
        arrow = ARROW.match(text)
        if arrow:
            return _goto(block, at, line, text[arrow.end() :], offset + arrow.end())
        block.invalid(line.offset, line.text, known=", ".join(_KNOWN))
        return None
    value, place = rest_of(text, word.end(), offset)
    read = WORDS[word[0].upper()]
    made = read(block, at, line, value, place)
    for one in made or ():
        one.pos = block.pos(offset)
    return made


def corrected(block: Block, line: Line) -> Line | None:
    """Return a line whose first word is a known one; None (with a finding) when it cannot be told which was meant."""
    dash = _DASH.match(line.text)
    begin = dash.end() if dash else 0
    word = _WORD.match(line.text, begin)
    if word is None or word[0].upper() in ACTION_WORDS:
        return line
    meant = block.unknown(line.offset + begin, line.text[begin:], word[0], _KNOWN)
    if not meant:
        return None
    return Line(line.indent, meant + line.text[word.end() :], line.offset + word.end() - len(meant))


def read_detail(
    block: Block, at: int, last: LegacyAction | None, line: Line, *, nested: bool, actions: list[LegacyAction]
) -> bool:
    """Read a line that says more of an action before it: a route, AS, WITH or MESSAGE. False when it is none."""
    dash = _DASH.match(line.text)
    text = line.text[dash.end() :] if dash else line.text
    offset = line.offset + len(line.text) - len(text)
    word = _WORD.match(text)
    key = word[0].upper() if word else ""
    end = word.end() if word else 0
    if key in ROUTES or text[:1] == "[":
        waiting = last if nested and last and last.kind in _ASKS else _waiting(block, actions, offset)
        route = _route(block, key or "INTENT", text, end, offset)
        if route is not None:
            route.pos = block.pos(offset)
            waiting.routes.append(route)
        return True
    if last is None:
        return False
    value, place = rest_of(text, end, offset)
    if last.kind == "call_tool" and last.call is not None:
        if key == "AS":
            last.call.as_ = unquote(cut_comment(value))
            return True
        if key == "WITH":
            last.call.with_.update({name: one for name, one, _ in inline_map(cut_comment(value)) or ()})
            return True
        pairs = inline_map(text) if nested and ":" in text and WORDS.get(key) is None else None
        if pairs:
            last.call.with_.update({name: one for name, one, _ in pairs})
            return True
    if key == "MESSAGE" and last.kind == "signal":
        last.text = _said(block, at, value, place)[0]
        return True
    return False


def _waiting(block: Block, actions: list[LegacyAction], offset: int) -> LegacyAction:
    """Return the action that a route belongs to; one is made when none has been written."""
    for action in reversed(actions[-MAX_LOOKED_BACK:]):
        if action.kind in _ASKS:
            return action
    made = LegacyAction(kind="wait_input", pos=block.pos(offset))
    actions.append(made)
    return made


def _route(block: Block, key: str, text: str, end: int, offset: int) -> Route | None:
    """Read `INTENT(a, b) -> t`, `[a, b] -> t`, `PATTERN("…") -> t`, `MAX_ATTEMPTS: n -> t`, `DEFAULT -> t`."""
    made = Route(kind=key.lower())
    rest = text[end:].lstrip()
    if rest[:1] == ":":
        rest = rest[1:].lstrip()
    if key in ("INTENT", "PATTERN") and _GROUP_OR_LIST.match(rest):
        inner, rest = _bracketed(block, text, rest, offset)
        values = [unquote(part) for part, _ in split_top(inner)]
        made.values = [_pattern(inner)] if key == "PATTERN" else values
    elif key == "MAX_ATTEMPTS":
        count = _COUNT.match(rest)
        if count:
            made.count = int(count[1])
            rest = rest[count.end() :]
    elif key in ("INTENT", "PATTERN"):
        arrow = ARROW.search(rest)
        value = rest[: arrow.start()] if arrow else rest.split(" ")[0]
        made.values = [_pattern(value)] if key == "PATTERN" else [one for one, _ in inline_list(value)]
        rest = rest[len(value) :]
    missing = (key in ("INTENT", "PATTERN") and not any(made.values)) or (key == "MAX_ATTEMPTS" and made.count is None)
    if missing:
        what = {"INTENT": "The intents are", "PATTERN": "The pattern is", "MAX_ATTEMPTS": "The number is"}[key]
        block.invalid(offset, text, f"{what} missing after {key}")
        return None
    made.target = _after_arrow(block, text, rest, offset)
    return made if made.target else None


def _bracketed(block: Block, text: str, rest: str, offset: int) -> tuple[str, str]:
    """Return what the bracket at the beginning of `rest` holds, and what follows it; a missing `)` is reported."""
    stop = closing(rest)
    if stop >= 0:
        return rest[1:stop].strip(), rest[stop + 1 :]
    arrow = ARROW.search(rest)
    stop = arrow.start() if arrow else len(rest)
    sign = ")" if rest[0] == "(" else "]"
    edit = (f"write `{sign}`", offset + len(text) - len(rest) + stop, 0, sign)
    block.invalid(offset, text, f"{sign} is missing", edit)
    return rest[1:stop].strip(), rest[stop:]


def _pattern(value: str) -> str:
    """Return a pattern without its quotes, or without the slashes of `/…/flags`; flags stay as `(?flags)`."""
    value = value.strip()
    if len(value) > 1 and value[0] == "/" and "/" in value[1:]:
        body, _, flags = value[1:].rpartition("/")
        return f"(?{flags}){body}" if flags.isalpha() else body
    return unquote(value)


def _after_arrow(block: Block, text: str, rest: str, offset: int) -> str:
    """Return the target after an arrow; a missing arrow is reported and passed over."""
    place = offset + len(text) - len(rest)
    arrow = ARROW.match(rest)
    if arrow:
        return block.target(rest[arrow.end() :], place + arrow.end(), text)[0]
    bare = rest.lstrip(" :")
    place += len(rest) - len(bare)
    if not bare:
        block.invalid(offset, text, "The step to go to is missing")
        return ""
    if ":" not in rest[: len(rest) - len(bare)] and ":" not in text[: len(text) - len(rest)]:
        block.invalid(offset, text, "-> is missing before the step", ("write `->`", place, 0, "-> "))
    return block.target(bare, place, text)[0]


def _call(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    value = unquote(cut_comment(value))
    found = _CALL.match(value)
    if not found:
        block.invalid(line.offset, line.text, "The tool to call is missing")
        return None
    call = Call(tool=found[1], pos=block.pos(offset), at={"tool": offset})
    rest = value[found.end() :]
    place = offset + found.end()
    if rest[:1] == "(":
        stop = closing(rest)
        if stop < 0:
            stop = len(rest)
            edit = ("add the closing `)`", place + stop, 0, ")")
            block.invalid(line.offset, line.text, ") is missing", edit)
        call.arguments = [_argument(part, place + 1 + start) for part, start in split_top(rest[1:stop])]
        rest = rest[stop + 1 :].strip()
    alias = _ALIAS.match(rest)
    if alias:
        call.as_ = alias[1]
    elif rest:
        block.invalid(line.offset, line.text, f"{clipped(rest)} is left over after the call")
    return [LegacyAction(kind="call_tool", call=call)]


def _argument(part: str, offset: int) -> Argument:
    found = _ARGUMENT.match(part)
    if found and found.end() < len(part):
        return Argument(name=found[1], expression=part[found.end() :], at={"expression": offset + found.end()})
    return Argument(expression=part, at={"expression": offset})


def _respond(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    text, place = _said(block, at, value, offset)
    return [LegacyAction(kind="respond", text=text, at={"text": place})]


def _said(block: Block, at: int, value: str, offset: int) -> tuple[str, int]:
    """Return a text on the line or in the `|` block under it."""
    text, place = block.text(value, offset)
    if text in ("|", "|-", "|+", ">"):
        text = block.block_text(at) if block.block_text is not None else ""
    return text, place


def _wait(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    made = LegacyAction(kind="wait_input")
    if arrow := ARROW.match(value):
        target, _ = block.target(value[arrow.end() :], offset + arrow.end(), line.text)
        made.routes = [Route(kind="default", target=target)] if target else []
    else:
        made.variable = block.text(value.rstrip(":"), offset)[0]
    return [made]


def _goto(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    if arrow := ARROW.match(value):
        value, offset = value[arrow.end() :], offset + arrow.end()
    target, place = block.target(value, offset, line.text)
    return [LegacyAction(kind="goto", target=target, at={"target": place})] if target else None


def _signal(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    found = _SIGNAL.match(cut_comment(value))
    if not found:
        block.invalid(line.offset, line.text, "A signal is one word", known=", ".join(SIGNALS))
        return None
    message = _said(block, at, found[2], offset + found.start(2))[0] if found[2] else ""
    name = found[1].upper()
    if name not in SIGNALS:
        meant = block.unknown(offset, found[1], found[1], SIGNALS)
        name = meant or name
    return [LegacyAction(kind="signal", signal=name, text=message)]


def _set(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    value = cut_comment(value)
    found = _ASSIGN.match(value)
    if not found or found.end() == len(value):
        block.invalid(line.offset, line.text, "An assignment is `SET variable = value`")
        return None
    at_expression = {"variable": offset, "expression": offset + found.end()}
    return [
        LegacyAction(kind="set_state", variable=found[1], expression=value[found.end() :].strip(), at=at_expression)
    ]


def _classify(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    return [LegacyAction(kind="classify_intent", variable=block.text(value.rstrip(":"), offset)[0])]


def _outcome(kind: str) -> Read:
    """Return the reader of ON_SUCCESS or ON_FAILURE: a target, an action on the same line, or nested actions."""

    def read(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
        made = LegacyAction(kind=kind)
        arrow = ARROW.match(value)
        if arrow:
            value, offset = value[arrow.end() :], offset + arrow.end()
        if cut_comment(value):
            before = line.text[: len(line.text) - len(value)] if not arrow else "->"
            _result(block, at, line, made, value, offset)
            if made.target and ":" not in before and "->" not in before and "GOTO" not in value.upper():
                block.invalid(line.offset, line.text, "-> is missing before the step", ("write `->`", offset, 0, "-> "))
        return [made]

    return read


def _if(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    value = cut_comment(value)
    then = _cut(_THEN, value)
    condition = (value[: then.start()] if then else value).strip().rstrip(":")
    made = LegacyAction(kind="if", condition=condition, at={"condition": offset})
    if not condition or condition.upper().startswith("THEN "):
        block.invalid(line.offset, line.text, "The condition is missing after IF")
        return None
    if not then:
        return [made]
    rest, place = value[then.end() :], offset + then.end()
    otherwise = _cut(_ELSE, rest)
    _result(block, at, line, made, rest[: otherwise.start()] if otherwise else rest, place)
    if not otherwise:
        return [made]
    second = LegacyAction(kind="else")
    _result(block, at, line, second, rest[otherwise.end() :], place + otherwise.end())
    return [made, second]


def _cut(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the first match that stands outside quotes."""
    return next((found for found in pattern.finditer(text) if found["cut"]), None)


def _else(block: Block, at: int, line: Line, value: str, offset: int) -> list[LegacyAction] | None:
    made = LegacyAction(kind="else")
    if arrow := ARROW.match(value):
        value, offset = value[arrow.end() :], offset + arrow.end()
    if cut_comment(value):
        _result(block, at, line, made, value, offset)
    return [made]


def _result(block: Block, at: int, line: Line, made: LegacyAction, value: str, offset: int) -> None:
    """Read what happens: an action on the same line, or a target."""
    word = _WORD.match(value)
    name = word[0] if word else ""
    if word and name in _INLINE and len(value) > len(name):
        text, place = rest_of(value, word.end(), offset)
        made.actions.extend(WORDS[name](block, at, line, text, place) or ())
        return
    made.target, made.at["target"] = block.target(value, offset, line.text)


_INLINE = ("CALL", "RESPOND", "SIGNAL", "SET", "SAY")
"""Actions that may stand after THEN or ->."""
_ASKS = ("wait_input", "classify_intent")
ROUTES = frozenset({"POSITIVE", "NEGATIVE", "DEFAULT", "PATTERN", "MAX_ATTEMPTS", "INTENT"})
_READERS: dict[str, Read] = {
    "CALL": _call,
    "RESPOND": _respond,
    "WAIT_INPUT": _wait,
    "GOTO": _goto,
    "SIGNAL": _signal,
    "SET": _set,
    "CLASSIFY": _classify,
    "ON_SUCCESS": _outcome("on_success"),
    "ON_FAILURE": _outcome("on_failure"),
    "IF": _if,
    "ELSE": _else,
}
WORDS: dict[str, Read] = _READERS | {"THEN": _goto, "WAIT": _wait, "SAY": _respond, "ON_FAIL": _outcome("on_failure")}
"""First word of a line -> its reader; the words after the first eleven are tolerated."""
ACTION_WORDS = frozenset(WORDS) | ROUTES
_KNOWN = (*_READERS, *sorted(ROUTES))
