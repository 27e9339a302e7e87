"""AGENTS of older supervisors: `alias: "path" [capability, …]`, items, tables. Spec: abl-language 10.3."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abl.diagnostics.suggest import closest
from abl.legacy.lines import Block, Line, Locate, as_lines, closing
from abl.legacy.properties import NAME, PROPERTY, read_property, undashed
from abl.parser.faults import Fault
from abl.parser.values import cut_comment, inline_list, unquote
from abl.syntax.legacy import AgentRef

_ALIAS = re.compile(r"""["']?([\w.\-]++(?:\x20++[\w.\-]++)*+)["']?\s*+:\s*+""")
_SEPARATOR = re.compile(r"\|?[\s:|\-]+\|?")
_COLUMNS = ("alias", "path", "capabilities", "description")
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


def _agent(block: Block, at: int, end: int, found: list[AgentRef]) -> None:
    """Read one entry of AGENTS."""
    line = block.lines[at]
    bare, offset = undashed(line)
    made = AgentRef(pos=block.pos(line.offset))
    entry = PROPERTY.match(bare)
    key = entry[1] if entry else ""
    slip = line.text[:1] == "-" and key.isupper() and closest(key, [row.key for row in AgentRef.PROPS])
    if entry and (AgentRef.BY_KEY.get(key.upper()) or slip) and (line.text[:1] == "-" or found):
        if line.text[:1] == "-":
            found.append(made)
        else:
            made = found[-1]
        read_property(block, made, at, end, bare, offset)
        at += 1
    else:
        found.append(made)
        at += _agent_head(block, made, line, bare, offset)
    while at < end:
        stop = min(block.end(at), end)
        text, place = undashed(block.lines[at]) if block.lines[at].text[:1] == "-" else block.lines[at][1:]
        read_property(block, made, at, stop, text, place)
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
        if NAME.fullmatch(text):
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
