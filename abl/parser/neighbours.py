"""Keys that stand beside the property they belong to, as older files write them. Spec: abl-language 3.8, 5.2."""

from __future__ import annotations

from abl.parser.entries import lines
from abl.parser.reader import ANY_KEY, LASTING, Reader, neighbour
from abl.parser.scalars import scalar
from abl.parser.signature import read_type
from abl.syntax.coordination import Escalate, EscalationTrigger, Handoff, OnReturn
from abl.syntax.memory import Memory
from abl.syntax.rules import Constraint
from abl.syntax.steps import Actions
from abl.syntax.tools import Tool

ACTORS = ("Step", "Branch", "Outcome", "Hook", "OnStart", "Do", "ActionHandler", "Digression")
STRICT_ACTORS = frozenset({"Step", "Branch", "Outcome"})
"""Where WITH and AS have to be nested under CALL; elsewhere both places are right."""


@neighbour(*ACTORS, keys=("WITH", "AS"))
def with_beside_call(
    r: Reader, node: Actions, k: int, end: int, key: str, value: str, offset: int, value_offset: int
) -> None:
    """Attach WITH or AS to the call before it."""
    call = node.call
    if call is None or type(node).__name__ in STRICT_ACTORS:
        fix = r.indent_fix(k, end, r.columns[k] + 2) if call is not None else None
        r.report("WITH_OUTSIDE_CALL", offset, len(key), fix, name=key, property=key)
    if call is None:
        node.extras[key] = r.raw_value(k, end, value)
    else:
        row = call.BY_KEY[key.upper()]
        r.read_field(call, row.field, k, end, value, value_offset)


@neighbour("Handoff", keys=("MAP", "ACTION", "HANDLER"))
def part_of_on_return(
    r: Reader, node: Handoff, k: int, end: int, key: str, value: str, offset: int, value_offset: int
) -> None:
    """Read a part of ON_RETURN that was written beside it."""
    r.report("MISPLACED_ON_RETURN", offset, len(key), r.indent_fix(k, end, r.columns[k] + 2), name=key, property=key)
    if node.on_return is None:
        node.on_return = r.new(OnReturn, k)
    r.read_field(node.on_return, OnReturn.BY_KEY[key.upper()].field, k, end, value, value_offset)


@neighbour("Escalate", keys=tuple(EscalationTrigger.BY_KEY))
def trigger_of_escalate(
    r: Reader, node: Escalate, k: int, end: int, key: str, value: str, offset: int, value_offset: int
) -> None:
    """Read what belongs to a trigger and stands directly under ESCALATE: WHEN begins the next one."""
    row = EscalationTrigger.BY_KEY[key.upper()]
    if not node.triggers or row.field in node.triggers[-1].at:
        node.triggers.append(r.new(EscalationTrigger, k))
        node.at.setdefault("triggers", offset)
    r.read_field(node.triggers[-1], row.field, k, end, value, value_offset)


@neighbour("Memory", keys=(ANY_KEY,))
def variable_of_memory(
    r: Reader, node: Memory, k: int, end: int, key: str, value: str, offset: int, value_offset: int
) -> None:
    """Read a name that stands directly under MEMORY as what it declares: a variable, or a path that lasts."""
    field = "persistent" if key.startswith(LASTING) else "session"
    node.at.setdefault(field, offset)
    lines(r, node, Memory.BY_FIELD[field], k, end, getattr(node, field))


@neighbour("Handoff", keys=("GRANT_MEMORY",))
def grant_memory(
    r: Reader, node: Handoff, k: int, end: int, key: str, value: str, offset: int, value_offset: int
) -> None:
    """Read the old name of memory_grants."""
    fix = r.edit(offset, len(key), "memory_grants", "write `memory_grants`")
    r.report("GRANT_MEMORY_RENAMED", offset, len(key), fix, name=key)
    r.read_field(node, "memory_grants", k, end, value, value_offset)


@neighbour("Constraint", keys=("RESPOND", "COLLECT", "GOTO", "RETRY", "THEN"))
def part_of_on_fail(
    r: Reader, node: Constraint, k: int, end: int, key: str, value: str, offset: int, value_offset: int
) -> None:
    """Read what stands below ON_FAIL, but not under it, as a part of it."""
    if node.on_fail is None:
        r.report("UNKNOWN_PROPERTY", offset, len(key), name=key, section="Constraint")
        node.extras[key] = r.raw_value(k, end, value)
    else:
        r.read_field(node.on_fail, node.on_fail.BY_KEY[key.upper()].field, k, end, value, value_offset)


@neighbour("Tool", keys=("RETURNS",))
def returns_below(
    r: Reader, node: Tool, k: int, end: int, key: str, value: str, offset: int, value_offset: int
) -> None:
    """Read the type of the result where it stands below the signature."""
    text, place = scalar(r, value, value_offset)
    made, faults = read_type(text, place)
    r.report_faults(list(faults))
    node.returns = made
