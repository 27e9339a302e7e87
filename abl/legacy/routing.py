"""AGENTS, INTENTS and ROUTING of older supervisors: read, and lowered to HANDOFF rules. Spec: abl-language 10.3."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from abl.diagnostics.suggest import closest
from abl.legacy.flow import text_list
from abl.legacy.lines import ARROW, Block, Line, Locate, as_lines, closing, rest_of
from abl.parser.faults import Fault
from abl.parser.values import BOOLEANS, cut_comment, inline_list, number, split_top, unquote
from abl.syntax.coordination import Completion, Handoff
from abl.syntax.legacy import AgentRef, RoutingRule
from abl.syntax.node import Kind, Node

_ALIAS = re.compile(r"""["']?([\w.\-]++(?:\x20++[\w.\-]++)*+)["']?\s*+:\s*+""")
_SHORT = re.compile(r"(?:(INTENT(?:_MATCH)?|DEFAULT|ELSE|OTHERWISE)\b|(?=[\[*]))\s*+:?\s*+", re.IGNORECASE)
_ACTION = re.compile(r"(ROUTE_TO_USER|ROUTE_TO_VARIABLE|ROUTE_TO|INTENT_MATCH|END_CONVERSATION|HANDOFF(?: TO)?|GOTO)\b[\s:]*+", re.I)
_PROPERTY = re.compile(r"([A-Za-z_]+)\s*+:\s*+")
_NAME = re.compile(r"[\w.\-]+")
_CALLED = re.compile(r"([A-Z_]+)\s*+(?=\(|\[)")
_SEPARATOR = re.compile(r"\|?[\s:|\-]+\|?")
_COLUMNS = ("alias", "path", "capabilities", "description")
_RULE_KEYS = (*(row.key for row in RoutingRule.PROPS), "THEN")
_HEADINGS = {
    "alias": "alias", "name": "alias", "agent": "alias", "ref": "path", "path": "path", "file": "path",
    "capabilities": "capabilities", "capability": "capabilities", "skills": "capabilities",
    "channels": "channels", "description": "description", "purpose": "description",
}  # fmt: skip


def read_agents(
    lines: Iterable[tuple[int, str, int]], *, locate: Locate | None = None
) -> tuple[list[AgentRef], tuple[Fault, ...]]:
    """Return the agents that the lines of an AGENTS section name, and what is wrong with them.

    Read are `alias: "path" [capability, …]`, items with REF, ALIAS, CAPABILITIES …, plain names, and tables.
    """
    block = Block(as_lines(lines), [], None, locate)
    found: list[AgentRef] = []
    heading: list[str] = []
    at = 0
    while at < len(block.lines):
        end = block.end(at)
        line = block.lines[at]
        if line.text[:1] == "|":
            _table_row(line, heading, found)
            end = at + 1
        else:
            _agent(block, at, end, found)
        at = end
    return found, tuple(block.faults)


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


def handoffs_of(rules: Sequence[RoutingRule], agents: Sequence[AgentRef] = ()) -> list[Handoff]:
    """Return rules as HANDOFF rules, in their order; agents that no rule names follow without a condition."""
    known = {agent.alias: agent for agent in agents}
    made = [
        _handoff(rule, known.pop(rule.target, None) or _known(agents, rule.target))
        for rule in rules
        if rule.action in ("route_to", "intent_match") and rule.target
    ]
    made.extend(_handoff(RoutingRule(target=agent.alias), agent) for agent in known.values())
    return made


def completions_of(rules: Sequence[RoutingRule]) -> list[Completion]:
    """Return the rules that end the conversation, or only answer, as entries of COMPLETE."""
    return [
        Completion(when=when_of(rule), respond=rule.message, pos=rule.pos)
        for rule in rules
        if rule.action in ("end_conversation", "route_to_user")
    ]


def when_of(rule: RoutingRule) -> str:
    """Return the condition under which a rule applies; `true` for DEFAULT."""
    parts = [rule.when] if rule.when else []
    if rule.intents:
        parts.append(f"intent.category IN {text_list(rule.intents)}")
    if len(parts) == 2:
        parts[0] = f"({parts[0]})"
    return " AND ".join(parts) or ("true" if rule.otherwise else "")


def _known(agents: Sequence[AgentRef], alias: str) -> AgentRef | None:
    return next((agent for agent in agents[:200] if agent.alias == alias), None)


def _handoff(rule: RoutingRule, agent: AgentRef | None) -> Handoff:
    made = Handoff(to=rule.target, when=when_of(rule), priority=rule.priority, description=rule.description, pos=rule.pos)
    made.at.update({field: place for field, place in rule.at.items() if field == "priority"})
    if "target" in rule.at:
        made.at["to"] = rule.at["target"]
    if "silent" in rule.flags:
        made.experience_mode = "silent_delegate"
    if agent is not None:
        can = f"Can do: {', '.join(agent.capabilities)}" if agent.capabilities else ""
        made.description = made.description or ". ".join([text for text in (agent.description, can) if text])
        if agent.channels:
            channel = f"channel IN {text_list(agent.channels)}"
            made.when = f"({made.when}) AND {channel}" if made.when not in ("", "true") else channel
    return made


def _agent(block: Block, at: int, end: int, found: list[AgentRef]) -> None:
    """Read one entry of AGENTS."""
    line = block.lines[at]
    bare, offset = _undashed(line)
    made = AgentRef(pos=block.pos(line.offset))
    entry = _PROPERTY.match(bare)
    key = entry[1] if entry else ""
    slip = line.text[:1] == "-" and key.isupper() and closest(key, [row.key for row in AgentRef.PROPS])
    if entry and (AgentRef.BY_KEY.get(key.upper()) or slip) and (line.text[:1] == "-" or found):
        if line.text[:1] == "-":
            found.append(made)
        else:
            made = found[-1]
        _property(block, made, at, end, bare, offset)
        at += 1
    else:
        found.append(made)
        at += _agent_head(block, made, line, bare, offset)
    while at < end:
        stop = min(block.end(at), end)
        text, place = _undashed(block.lines[at]) if block.lines[at].text[:1] == "-" else block.lines[at][1:]
        _property(block, made, at, stop, text, place)
        at = stop
    if not made.alias:
        made.alias = re.sub(r"\.(?:agent|supervisor)?\.?(?:abl|yaml)\Z", "", made.path.rsplit("/", 1)[-1])
    if not made.alias:
        block.invalid(line.offset, line.text, "The agent has no name")
        found.pop()


def _agent_head(block: Block, made: AgentRef, line: Line, bare: str, offset: int) -> int:
    """Read `alias: "path" [capability, …]`, `alias` or `"path"`; return 1, the number of lines read."""
    head = _ALIAS.match(bare)
    value = cut_comment(bare[head.end() :] if head else bare)
    opening = value.find("[")
    if opening >= 0:
        if closing(value[opening:]) < 0:
            edit = ("write `]`", offset + len(bare), 0, "]")
            block.invalid(line.offset, line.text, "] is missing", edit)
        made.capabilities = [one for one, _ in inline_list(value[opening:])]
        value = value[:opening].strip().rstrip(",")
    if head:
        made.alias = head[1].strip()
        made.at["alias"] = offset + head.start(1)
        if value:
            made.path = block.text(value, offset + head.end())[0]
    else:
        text = block.text(value, offset)[0]
        if _NAME.fullmatch(text):
            made.alias, made.at["alias"] = text, offset
        elif "/" in text or value[:1] in "\"'":
            made.path = text
    return 1


def _table_row(line: Line, heading: list[str], found: list[AgentRef]) -> None:
    """Read one row of a table; a first row of known headings names the columns."""
    if _SEPARATOR.fullmatch(line.text):
        return
    cells = [cell.strip() for cell in line.text.strip().strip("|").split("|")]
    if not heading:
        known = [_HEADINGS.get(cell.lower(), "") for cell in cells]
        if any(known):
            heading.extend(known)
            return
        heading.extend(_COLUMNS)
    made = AgentRef()
    for field, cell in zip(heading, cells, strict=False):
        if field in ("capabilities", "channels"):
            setattr(made, field, [one for one, _ in inline_list(cell)])
        elif field:
            setattr(made, field, unquote(cell))
    if made.alias:
        found.append(made)


def _rule(block: Block, at: int, end: int, found: list[RoutingRule]) -> None:
    """Read one entry of INTENTS or ROUTING."""
    line = block.lines[at]
    bare, offset = _undashed(line)
    made = RoutingRule(pos=block.pos(line.offset))
    if (call := _CALLED.match(bare)) and not _SHORT.match(bare):
        bare = (block.unknown(offset, bare, call[1], ("INTENT",)) or call[1]) + bare[call.end(1) :]
    short = _SHORT.match(bare)
    if short and (ARROW.search(bare) or closing(bare[short.end() :]) >= 0):
        if _short_rule(block, line, made, bare, offset, (short[1] or "").upper(), bare[short.end() :]):
            found.append(made)
        return
    entry = _PROPERTY.match(bare)
    known = entry is not None and (entry[1].upper() in RoutingRule.BY_KEY or entry[1].upper() in ("THEN", "RULE"))
    if known and line.text[:1] != "-" and found:
        made = found[-1]
    elif known or (entry and end > at + 1):
        found.append(made)
    elif ARROW.search(bare) and not known:
        found.append(made)
        _arrow_rule(block, made, line, bare, offset)
        return
    else:
        _odd_rule(block, line, at, end, bare, offset, found)
        return
    if known:
        _rule_property(block, made, at, end, bare, offset)
    else:
        made.name = entry[1] if entry else ""
    _rule_body(block, made, at + 1, end)
    if not made.action:
        block.invalid(line.offset, line.text, "The rule says nothing under THEN")
        if found[-1] is made:
            found.pop()


def _odd_rule(
    block: Block, line: Line, at: int, end: int, bare: str, offset: int, found: list[RoutingRule]
) -> None:
    """Read a line of an unknown kind as what was probably meant."""
    word = bare.split(" ")[0].partition(":")[0]
    meant = closest(word, [*_RULE_KEYS, "INTENT", "DEFAULT"]) if ":" in bare or "(" in bare else None
    if not meant or meant in ("INTENT", "DEFAULT"):
        block.unknown(offset, bare, word, ("INTENT", "DEFAULT", *_RULE_KEYS))
        return
    if line.text[:1] == "-" or not found:
        found.append(RoutingRule(pos=block.pos(line.offset)))
    block.unknown(offset, bare, word, _RULE_KEYS)
    _rule_property(block, found[-1], at, end, meant + bare[len(word) :], offset)
    _rule_body(block, found[-1], at + 1, end)


def _rule_body(block: Block, made: RoutingRule, at: int, end: int) -> None:
    while at < end:
        stop = min(block.end(at), end)
        line = block.lines[at]
        bare, offset = _undashed(line)
        if _ACTION.match(bare):
            _then(block, made, bare, offset)
        else:
            _rule_property(block, made, at, stop, bare, offset)
        at = stop


def _short_rule(
    block: Block, line: Line, made: RoutingRule, bare: str, offset: int, word: str, rest: str
) -> bool:
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
    elif word in ("DEFAULT", "ELSE", "OTHERWISE") or rest[:1] == "*":
        made.otherwise = True
        rest = rest[1:] if rest[:1] == "*" else rest
    else:
        value = rest[: arrow.start()] if (arrow := ARROW.search(rest)) else ""
        made.intents = [one for one, _ in inline_list(value)]
        rest = rest[len(value) :]
    arrow = ARROW.match(rest)
    place = offset + len(bare) - len(rest) + (arrow.end() if arrow else 0)
    value = rest[arrow.end() :] if arrow else rest.lstrip(" :")
    if not arrow and value:
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
    name = _NAME.match(text)
    if name is None:
        block.invalid(line.offset, line.text, "The agent after -> is missing")
        return False
    made.target, made.at["target"] = name[0], place
    return True


def _rule_property(block: Block, made: RoutingRule, at: int, end: int, bare: str, offset: int) -> None:
    entry = _PROPERTY.match(bare)
    key = entry[1].upper() if entry else ""
    if key in ("THEN", "ACTION", "DO"):
        value, place = rest_of(bare, len(entry[1]) if entry else 0, offset)
        if value:
            _then(block, made, value, place)
        else:
            _rule_body(block, made, at + 1, end) if end - at < MAX_THEN_LINES else None
        return
    if key == "RULE":
        made.name = block.text(bare[entry.end() if entry else 0 :], offset)[0]
        return
    _property(block, made, at, end, bare, offset)


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
    if word == "end_conversation":
        made.message = block.text(rest, place)[0]
    elif word == "route_to_user":
        made.message = block.text(rest, place)[0]
    else:
        name = _NAME.match(unquote(rest.strip()))
        made.target = name[0] if name else ""
        if not name:
            block.invalid(offset, value, "The agent is missing")
        else:
            made.at["target"] = place


def _property(block: Block, made: Node, at: int, end: int, bare: str, offset: int) -> None:
    """Read `KEY: value` with the items nested under it into a node, by the node's own table."""
    entry = _PROPERTY.match(bare)
    row = made.BY_KEY.get(entry[1].upper()) if entry else None
    if entry is None or row is None:
        word = entry[1] if entry else bare.split(" ")[0]
        meant = block.unknown(offset, bare, word, [one.key for one in made.PROPS])
        row = made.BY_KEY.get(meant.upper()) if meant and entry else None
        if row is None or entry is None:
            return
    value, place = cut_comment(bare[entry.end() :]), offset + entry.end()
    _READERS.get(row.kind, _text)(block, made, row.field, value, place)
    made.at[row.field] = place
    if row.kind is Kind.LIST and not value:
        items = [_undashed(line) for line in block.lines[at + 1 : end]]
        setattr(made, row.field, [block.text(text, start)[0] for text, start in items])


def _text(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    setattr(made, field, block.text(value, offset)[0])


def _condition(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    match = re.fullmatch(r"INTENT(?:_MATCH)?\s*(\(.*\)|\[.*\])", value)
    if match and isinstance(made, RoutingRule):
        made.intents = [unquote(part) for part, _ in split_top(match[1][1:-1])]
    else:
        setattr(made, field, value)


def _list(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    setattr(made, field, [one for one, _ in inline_list(value)])


def _integer(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    found = number(unquote(value))
    if found is None:
        block.invalid(offset, value, "A whole number is expected")
    else:
        setattr(made, field, int(found))


def _boolean(block: Block, made: Node, field: str, value: str, offset: int) -> None:
    found = BOOLEANS.get(unquote(value).lower())
    if found is None:
        block.invalid(offset, value, "true or false is expected")
    else:
        setattr(made, field, found)


_READERS: dict[Kind, Callable[[Block, Node, str, str, int], None]] = {
    Kind.LIST: _list,
    Kind.INTEGER: _integer,
    Kind.BOOL: _boolean,
    Kind.CONDITION: _condition,
}


def _undashed(line: Line) -> tuple[str, int]:
    """Return a line without the dash of a list item, and its offset."""
    text = line.text
    if text[:1] != "-" or text[:2] == "->":
        return text, line.offset
    bare = text[1:].lstrip()
    return bare, line.offset + len(text) - len(bare)


