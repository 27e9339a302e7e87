"""INTENTS and ROUTING of older supervisors: which agent is next. Spec: abl-language 10.3."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abl.diagnostics.suggest import closest
from abl.legacy.agents import read_agents
from abl.legacy.handoffs import handoffs_of
from abl.legacy.lines import ARROW, Block, Line, Locate, as_lines, closing, rest_of
from abl.legacy.properties import NAME, PROPERTY, read_property, undashed
from abl.parser.faults import Fault
from abl.parser.values import inline_list, split_top, unquote
from abl.syntax.coordination import Handoff
from abl.syntax.legacy import RoutingRule

__all__ = ["read_agents", "read_routing", "read_rules"]

_SHORT = re.compile(r"(?:(INTENT(?:_MATCH)?|DEFAULT|ELSE|OTHERWISE)\b|(?=[\[*]))\s*+:?\s*+", re.IGNORECASE)
_ACTION = re.compile(
    r"(ROUTE_TO_USER|ROUTE_TO_VARIABLE|ROUTE_TO|INTENT_MATCH|END_CONVERSATION|HANDOFF(?: TO)?|GOTO)\b[\s:]*+",
    re.IGNORECASE,
)
_DEFAULTS = ("DEFAULT", "ELSE", "OTHERWISE")
_CALLED = re.compile(r"([A-Z_]+)\s*+(?=\(|\[)")
_RULE_KEYS = (*(row.key for row in RoutingRule.PROPS), "THEN")
_TARGETS = frozenset({"THEN", "ACTION", "DO", "TO", "TARGET"})
"""Keys after which stands what a rule does."""
_KEYS = frozenset(RoutingRule.BY_KEY) | _TARGETS | {"RULE"}


def read_rules(
    lines: Iterable[tuple[int, str, int]], *, locate: Locate | None = None
) -> tuple[list[RoutingRule], tuple[Fault, ...]]:
    """Return the rules of an INTENTS or ROUTING section, and what is wrong with them."""
    block = Block(as_lines(lines), [], None, locate)
    found: list[RoutingRule] = []
    at = 0
    while at < len(block.lines):
        line = block.lines[at]
        if line.text.lower().rstrip(": ") in ("rules", "routes"):
            at += 1
            continue
        end = block.end(at)
        _rule(block, at, end, found)
        at = end
    return found, tuple(block.faults)


def read_routing(
    lines: Iterable[tuple[int, str, int]], *, locate: Locate | None = None
) -> tuple[list[Handoff], tuple[Fault, ...]]:
    """Return the rules of a ROUTING section as HANDOFF rules; those that hand over to no agent are reported."""
    rules, faults = read_rules(lines, locate=locate)
    lost = [
        Fault(
            "LEGACY_INVALID_LINE",
            rule.at.get("action", 0),
            max(len(rule.action), 1),
            {"value": rule.action.upper(), "detail": "It hands over to no agent; write it under COMPLETE or ESCALATE"},
        )
        for rule in rules
        if rule.action not in ("route_to", "intent_match")
    ]
    return handoffs_of(rules), (*faults, *lost)


def _rule(block: Block, at: int, end: int, found: list[RoutingRule]) -> None:
    """Read one entry of INTENTS or ROUTING."""
    line = block.lines[at]
    bare, offset = undashed(line)
    bare = _mended(block, bare, offset)
    made = RoutingRule(pos=block.pos(line.offset))
    short = _SHORT.match(bare)
    entry = PROPERTY.match(bare)
    known = entry is not None and entry[1].upper() in _KEYS
    named = short is not None and _is_default(short) and NAME.fullmatch(bare[short.end() :].strip()) is not None
    if short and (named or ARROW.search(bare) or closing(bare[short.end() :]) >= 0):
        if _short_rule(block, line, made, bare, offset, (short[1] or "").upper(), bare[short.end() :]):
            found.append(made)
        return
    if not known and (entry is None or end == at + 1):
        if ARROW.search(bare):
            found.append(made)
            _arrow_rule(block, made, line, bare, offset)
        else:
            block.unknown(offset, bare, bare.split(" ")[0], ("INTENT", "DEFAULT", *_RULE_KEYS))
        return
    if known and line.text[:1] != "-" and found:
        made = found[-1]
    else:
        found.append(made)
    if known:
        _rule_property(block, made, at, end, bare, offset)
    elif entry is not None:
        made.name = entry[1]
    _rule_body(block, made, at + 1, end)
    if not made.action:
        block.invalid(line.offset, line.text, "The rule says nothing under THEN")
        found.pop()


def _is_default(short: re.Match[str]) -> bool:
    """Return whether a rule is `DEFAULT: agent`, without an arrow."""
    return (short[1] or "").upper() in _DEFAULTS and ":" in short[0]


def _mended(block: Block, bare: str, offset: int) -> str:
    """Return a line whose misspelt first word, reported here, is replaced by the one that was meant."""
    call, entry = _CALLED.match(bare), PROPERTY.match(bare)
    if call and not _SHORT.match(bare):
        meant = block.unknown(offset, bare, call[1], ("INTENT",))
        return meant + bare[call.end(1) :] if meant else bare
    if entry and entry[1].isupper() and entry[1] not in _KEYS and closest(entry[1], _RULE_KEYS):
        meant = block.unknown(offset, bare, entry[1], _RULE_KEYS)
        return meant + bare[entry.end(1) :] if meant else bare
    return bare


def _rule_body(block: Block, made: RoutingRule, at: int, end: int) -> None:
    while at < end:
        stop = min(block.end(at), end)
        line = block.lines[at]
        bare, offset = undashed(line)
        if _ACTION.match(bare):
            _then(block, made, bare, offset)
        else:
            _rule_property(block, made, at, stop, bare, offset)
        at = stop


def _short_rule(block: Block, line: Line, made: RoutingRule, bare: str, offset: int, word: str, rest: str) -> bool:
    """Read `INTENT(a, b) -> x`, `[a, b] -> x`, `DEFAULT -> x`, `* -> x`."""
    made.action = "route_to"
    if rest[:1] in ("(", "["):
        stop = closing(rest)
        arrow = ARROW.search(rest)
        if stop < 0:
            stop = arrow.start() if arrow else len(rest)
            sign = ")" if rest[0] == "(" else "]"
            place = offset + len(bare) - len(rest) + stop
            block.invalid(line.offset, line.text, f"{sign} is missing", (f"write `{sign}`", place, 0, sign))
            made.intents = [unquote(part) for part, _ in split_top(rest[1:stop])]
            rest = rest[stop:]
        else:
            made.intents = [unquote(part) for part, _ in split_top(rest[1:stop])]
            rest = rest[stop + 1 :]
    elif word in _DEFAULTS or rest[:1] == "*":
        made.otherwise = True
        rest = rest[1:] if rest[:1] == "*" else rest
    else:
        value = rest[: arrow.start()] if (arrow := ARROW.search(rest)) else ""
        made.intents = [one for one, _ in inline_list(value)]
        rest = rest[len(value) :]
    arrow = ARROW.match(rest)
    place = offset + len(bare) - len(rest) + (arrow.end() if arrow else 0)
    value = rest[arrow.end() :] if arrow else rest.lstrip(" :")
    if not arrow and value and not (word in _DEFAULTS and ":" in bare):
        start = offset + len(bare) - len(value)
        block.invalid(line.offset, line.text, "-> is missing before the agent", ("write `->`", start, 0, "-> "))
    if not (made.intents or made.otherwise):
        block.invalid(line.offset, line.text, "The intents are missing")
        return False
    return _agent_name(block, made, value, place, line)


def _arrow_rule(block: Block, made: RoutingRule, line: Line, bare: str, offset: int) -> None:
    """Read `some_intent -> x` or `condition -> x`."""
    arrow = ARROW.search(bare)
    if arrow is None:
        return
    before = bare[: arrow.start()].strip()
    made.action = "route_to"
    if re.fullmatch(r"""[\w\-]+|"[^"]*"(?:\s*,.*)?|[\w\-]+(?:\s*,\s*[\w\-]+)+""", before):
        made.intents = [one for one, _ in inline_list(before)]
    else:
        made.when = before.removeprefix("WHEN ").removeprefix("IF ").strip()
    _agent_name(block, made, bare[arrow.end() :], offset + arrow.end(), line)


def _agent_name(block: Block, made: RoutingRule, value: str, offset: int, line: Line) -> bool:
    """Read the agent after an arrow; an action such as ROUTE_TO may stand there too."""
    if _ACTION.match(value):
        _then(block, made, value, offset)
        return True
    text, place = block.text(value, offset)
    name = NAME.match(text)
    if name is None:
        block.invalid(line.offset, line.text, "The agent after -> is missing")
        return False
    made.target, made.at["target"] = name[0], place
    return True


def _rule_property(block: Block, made: RoutingRule, at: int, end: int, bare: str, offset: int) -> None:
    entry = PROPERTY.match(bare)
    key = entry[1].upper() if entry else ""
    if key in _TARGETS:
        value, place = rest_of(bare, len(entry[1]) if entry else 0, offset)
        if value:
            _then(block, made, value, place)
        else:
            _rule_body(block, made, at + 1, end) if end - at < MAX_THEN_LINES else None
        return
    if key == "RULE":
        made.name = block.text(bare[entry.end() if entry else 0 :], offset)[0]
        return
    read_property(block, made, at, end, bare, offset)


MAX_THEN_LINES = 50
"""Lines nested under THEN."""


def _then(block: Block, made: RoutingRule, value: str, offset: int) -> None:
    """Read what a rule does: `ROUTE_TO x`, `ROUTE_TO_USER "m"`, `INTENT_MATCH(a, b) -> x` and so on."""
    found = _ACTION.match(value)
    word = found[1].lower() if found else "route_to"
    rest = value[found.end() :] if found else value
    place = offset + len(value) - len(rest)
    made.at["action"] = offset
    if word in ("handoff", "handoff to", "goto"):
        word = "route_to"
    made.action = word
    if rest[:1] == "(":
        stop = closing(rest)
        inner, after = (rest[1:stop], rest[stop + 1 :]) if stop > 0 else (rest[1:], "")
        if word == "intent_match":
            made.intents = [unquote(part) for part, _ in split_top(inner)]
            arrow = ARROW.match(after)
            rest = after[arrow.end() :] if arrow else after
        else:
            rest = inner
    if word == "end_conversation" or word == "route_to_user":
        made.message = block.text(rest, place)[0]
    else:
        name = NAME.match(unquote(rest.strip()))
        made.target = name[0] if name else ""
        if not name:
            block.invalid(offset, value, "The agent is missing")
        else:
            made.at["target"] = place
