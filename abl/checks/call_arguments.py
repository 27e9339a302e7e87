"""Whether calls give their tools the arguments these declare. Spec: abl-language 3.2, 5.4."""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import mapping, rows, text, texts
from abl.checks.report import Check
from abl.checks.suggestions import unknown
from abl.checks.written import Form, Written
from abl.compiler.places import Place
from abl.syntax.steps import Call

MAX_SHOWN = 60
MAX_SPACE = 80
"""Characters between the name of an argument and its colon."""
MAX_PLACES = 1_000
"""Places of a line that are looked at for the name of an argument."""


def unknown_arguments(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield arguments given by a name that no parameter has."""
    for block, tool in _calls(facts, context):
        names = _parameters(tool, facts)
        given = mapping(block.subject.get("with"))
        place = context.place(block.subject)
        for name in given:
            if name not in names:
                free = [one for one in names if one not in given]
                said = {"tool": text(tool.get("name")), "known": ", ".join(names)}
                found = unknown("UNKNOWN_CALL_ARGUMENT", block, f"with.{name}", name, free, **said)
                yield _at_argument(found, place, name)


def wrong_number(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield calls with more arguments than parameters, and those that leave out a required one.

    Without parentheses the arguments are taken from the state, so none is missing; where an argument has an unknown
    name, the missing one is probably meant by it.
    """
    for block, tool in _calls(facts, context):
        names, given = _parameters(tool, facts), mapping(block.subject.get("with"))
        surplus = texts(block.subject.get("args"))
        free = bool(block.subject.get("from_state")) or not all(name in names for name in given)
        if not surplus and (free or _required(tool, facts) <= given.keys()):
            continue
        said = {"name": text(tool.get("name")), "tool": text(tool.get("name")), "known": ", ".join(names)}
        if surplus:
            counted = str(len(given) + len(surplus))
            said |= {"value": surplus[0][:MAX_SHOWN], "expected": _count(len(names)), "detail": f"{counted} are given"}
            yield _at_surplus(Finding("CALL_ARITY", block, "tool", arguments=said), context, surplus[0])
        else:
            missing = [name for name, required in names.items() if required and name not in given]
            said |= {"expected": _count(len(names)), "detail": f"{', '.join(missing)} is missing"}
            yield Finding("CALL_ARITY", block, "tool", arguments=said)


def _count(number: int) -> str:
    return {0: "no arguments", 1: "one argument"}.get(number, f"{number} arguments")


def _calls(facts: AgentFacts, context: CheckContext) -> Iterator[tuple[Block, dict[str, object]]]:
    """Yield the calls of tools whose parameters are known."""
    if context.is_numbered(facts.ir):
        return
    for block in facts.blocks:
        if block.role != "call_spec" or block.section == "behavior_profiles":
            continue
        tool = facts.tools.get(text(block.subject.get("tool")))
        if tool is None or tool.subject.get("system") is True or _is_stub(tool, facts, context):
            continue
        yield block, tool.subject


def _is_stub(tool: Block, facts: AgentFacts, context: CheckContext) -> bool:
    """Whether nothing is known of the parameters: an import from a file that was not given, a bare name."""
    if tool.subject.get("parameters"):
        return False
    place = context.place(tool.subject)
    in_yaml = place is not None and place.unit.document.format == "yaml"
    return in_yaml or text(tool.subject.get("name")) in facts.imported_tools


def _parameters(tool: dict[str, object], facts: AgentFacts) -> dict[str, bool]:
    """Return the names of the parameters -> whether they must be given; computed once per tool."""
    key = f"parameters of {text(tool.get('name'))}"
    found: dict[str, bool] | None = facts.remembered.get(key)
    if found is None:
        found = {}
        for one in rows(tool.get("parameters")):
            required = one.get("required", True) is not False and one.get("default") is None
            found[text(one.get("name"))] = required
        facts.remembered[key] = found
    return found


def _required(tool: dict[str, object], facts: AgentFacts) -> frozenset[str]:
    """Return the names of the parameters that must be given; computed once per tool."""
    key = f"required by {text(tool.get('name'))}"
    found: frozenset[str] | None = facts.remembered.get(key)
    if found is None:
        found = frozenset(name for name, required in _parameters(tool, facts).items() if required)
        facts.remembered[key] = found
    return found


def _at_argument(found: Finding, place: Place | None, name: str) -> Finding:
    """Return the finding at the name of an argument in parentheses; that of a WITH is found by its key."""
    if place is None or not isinstance(place.node, Call) or name in mapping(place.node.with_):
        return found
    written = _line_of_call(place)
    if written is None:
        return found
    at = _word_before_value(written.text, name)
    return _with_text(found, written, at, name) if at >= 0 else found


def _at_surplus(found: Finding, context: CheckContext, expression: str) -> Finding:
    place = context.place(found.block.subject)
    node = place.node if place is not None else None
    if place is None or not isinstance(node, Call):
        return found
    for at, one in enumerate(node.arguments or []):
        if one.expression == expression:
            path = f"{found.block.path}.args.{at}"
            written = Written(Place(one, place.unit), "expression", expression, Form.EXPRESSION, path)
            return _with_text(found, written, 0, expression)
    return found


def _with_text(found: Finding, written: Written, start: int, word: str) -> Finding:
    return Finding(
        found.code, found.block, found.field, word, found.replacement, found.arguments, written=written, start=start
    )


def _line_of_call(place: Place) -> Written | None:
    """Return the rest of the line from the name of the tool on."""
    source, begin = place.unit.source, place.node.at.get("tool")
    if source is None or begin is None:
        return None
    end = source.text.find("\n", begin)
    line = source.text[begin : end if end >= 0 else len(source.text)]
    return Written(place, "tool", line, Form.EXPRESSION, "call.with")


def _word_before_value(line: str, name: str) -> int:
    at = line.find(name)
    for _ in range(MAX_PLACES):
        if at < 0:
            break
        end = at + len(name)
        after = line[end : end + MAX_SPACE].lstrip()
        if not line[at - 1 : at].isalnum() and (after.startswith(":") or (after[:1] == "=" and after[1:2] != "=")):
            return at
        at = line.find(name, at + 1)
    return -1


CHECKS = (
    Check("UNKNOWN_CALL_ARGUMENT", unknown_arguments),
    Check("CALL_ARITY", wrong_number),
)
"""The rules of this family, in the order in which they are checked."""
