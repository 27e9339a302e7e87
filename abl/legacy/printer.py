"""Writes documents of the numbered grammar: `parse_legacy(print_legacy(d)).document == d`. Spec: abl-language 11.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from abl.printer.document import Sections, document_text
from abl.printer.nodes import is_absent, rows_of, write_extras, write_props, write_row
from abl.printer.page import STEP, Page
from abl.printer.scalars import fits_quotes, is_word, quoted
from abl.printer.signature import literal_text, type_text
from abl.syntax.document import Document
from abl.syntax.legacy import (
    AgentRef,
    Contract,
    LegacyAction,
    LegacyAgent,
    LegacyStep,
    LegacySupervisor,
    Route,
    RoutingRule,
)
from abl.syntax.node import Node
from abl.syntax.steps import Argument, Call
from abl.syntax.tools import Parameter

FIRST = ("version", "description", "language", "goal", "persona", "limitations", "identity")
"""Modern sections that stand before those of this grammar."""


def print_legacy(document: Document) -> str:
    """Return the canonical text of a document of the numbered grammar."""
    first = _part(document, lambda name: name in FIRST)
    second = _part(document, lambda name: name not in FIRST)
    legacy = document.legacy
    before, after = Sections(), Sections()
    if isinstance(legacy, LegacyAgent | LegacySupervisor):
        _declared(before, legacy)
        _done(after, legacy)
    head, _, rest = document_text(second).partition("\n")
    parts = [document_text(first), str(before.page), rest.lstrip("\n"), str(after.page)]
    return "\n".join([part for part in parts if part.strip()]) if head else ""


def _part(document: Document, wanted: Callable[[str], bool]) -> Document:
    """Return a document that holds only some of the sections."""
    made = Document(kind=document.kind, name=document.name)
    for row in Document.PROPS:
        if wanted(row.field):
            setattr(made, row.field, getattr(document, row.field))
    if not wanted("version"):
        made.tool_defaults, made.tool_imports, made.extras = (
            document.tool_defaults,
            document.tool_imports,
            document.extras,
        )
    return made


def _declared(sections: Sections, legacy: LegacyAgent | LegacySupervisor) -> None:
    """Write what stands before the modern sections: contract, state, agents and rules."""
    contract = legacy.contract
    if contract is not None:
        sections.add(lambda page: _contract(page, contract))
    if isinstance(legacy, LegacySupervisor):
        _supervisor(sections, legacy)


def _done(sections: Sections, legacy: LegacyAgent | LegacySupervisor) -> None:
    """Write what stands after them: steps, policies, tests."""
    if legacy.steps:
        sections.add(lambda page: _steps(page, legacy.steps, legacy.entry_point))
    for name in ("policies", "communication", "behavior", "tests"):
        row = type(legacy).BY_FIELD.get(name)
        if row is not None and not is_absent(legacy, name):
            sections.add_row(legacy, row)


def _supervisor(sections: Sections, legacy: LegacySupervisor) -> None:
    if legacy.state:
        sections.add(lambda page: _fields(page, "STATE", 0, legacy.state))
    if legacy.agents:
        sections.add(lambda page: _agents(page, legacy.agents))
    if legacy.intents:
        sections.add(lambda page: _rules(page, "INTENTS", legacy.intents))
    if legacy.routing:
        sections.add(lambda page: _rules(page, "ROUTING", legacy.routing))


def _contract(page: Page, contract: Contract) -> None:
    page.put(0, "CONTRACT:")
    if contract.inputs:
        _fields(page, "inputs", STEP, contract.inputs)
    if contract.outputs:
        _fields(page, "outputs", STEP, contract.outputs)


def _fields(page: Page, head: str, indent: int, fields: Sequence[Parameter]) -> None:
    page.put(indent, f"{head}:")
    for one in fields:
        text = f"{one.name}{'?' if one.optional else ''}:"
        if one.type is not None:
            text += f" {type_text(one.type)}"
        if one.default is not None:
            text += f" = {literal_text(one.default)}"
        page.put(indent + STEP, text)
        for row in rows_of(Parameter):
            if row.field not in ("type", "default") and not is_absent(one, row.field):
                write_row(page, indent + 2 * STEP, one, row)
        write_extras(page, indent + 2 * STEP, one)


def _agents(page: Page, agents: Sequence[AgentRef]) -> None:
    page.put(0, "AGENTS:")
    for one in agents:
        if one.description or one.channels or one.when or one.requires_validation is not None or not is_word(one.alias):
            _item(page, one)
            continue
        path = quoted(one.path) if one.path else ""
        can = f"[{', '.join(map(_item_text, one.capabilities))}]" if one.capabilities else ""
        page.put(STEP, f"{one.alias}: {' '.join([text for text in (path, can) if text])}".rstrip())


def _item(page: Page, node: Node) -> None:
    start = len(page.lines)
    write_props(page, 2 * STEP, node)
    page.dash(start, STEP)


def _rules(page: Page, head: str, rules: Sequence[RoutingRule]) -> None:
    page.put(0, f"{head}:")
    for rule in rules:
        short = _short_rule(rule)
        if short and head == "INTENTS":
            listed = "DEFAULT" if rule.otherwise else f"[{', '.join(map(_item_text, rule.intents))}]"
            page.put(STEP, f"{listed} -> {rule.target}")
        elif short:
            page.put(STEP, f"- {short}")
        else:
            _long_rule(page, rule)


def _short_rule(rule: RoutingRule) -> str:
    """Return `INTENT(a, b) -> x` or `DEFAULT -> x`, or nothing when the rule says more."""
    plain = RoutingRule(intents=rule.intents, otherwise=rule.otherwise, target=rule.target, action="route_to")
    if rule != plain or not rule.target or bool(rule.intents) == rule.otherwise:
        return ""
    before = "DEFAULT" if rule.otherwise else f"INTENT({', '.join(map(_item_text, rule.intents))})"
    return f"{before} -> {rule.target}"


def _long_rule(page: Page, rule: RoutingRule) -> None:
    start = len(page.lines)
    when, rule_intents = rule.when, f"({', '.join(map(_item_text, rule.intents))})"
    if rule.name:
        page.put(2 * STEP, f"NAME: {quoted(rule.name)}")
    for row in rows_of(RoutingRule):
        if row.field in ("description", "priority", "flags") and not is_absent(rule, row.field):
            write_row(page, 2 * STEP, rule, row)
    if when or rule.otherwise:
        page.put(2 * STEP, f"WHEN: {when or 'true'}")
    action = rule.action.upper()
    if rule.intents:
        page.put(2 * STEP, f"WHEN: INTENT_MATCH{rule_intents}")
    said = rule.target or (quoted(rule.message) if rule.message else "")
    page.put(2 * STEP, f"THEN: {action} {said}".rstrip())
    page.dash(start, STEP)


def _steps(page: Page, steps: Sequence[LegacyStep], entry_point: str) -> None:
    page.put(0, "STEPS:")
    if entry_point:
        page.put(STEP, f"entry_point: {quoted(entry_point)}")
    for at, step in enumerate(steps, 1):
        number = step.number if step.number is not None else at
        start = len(page.lines)
        for action in step.actions:
            _action(page, 2 * STEP, action)
        if step.name or not step.actions:
            page.lines.insert(start, f"{' ' * STEP}{number}. {step.name}".rstrip())
        else:
            page.lines[start] = f"{' ' * STEP}{number}. {page.lines[start].strip()}"


def _action(page: Page, indent: int, action: LegacyAction) -> None:
    kind = action.kind
    if kind == "call_tool" and action.call is not None:
        _call(page, indent, action.call)
    elif kind == "respond":
        _said(page, indent, "RESPOND", action.text)
    elif kind == "signal":
        page.put(indent, f"SIGNAL: {action.signal}")
        if action.text:
            _said(page, indent + STEP, "MESSAGE:", action.text)
    elif kind == "goto":
        page.put(indent, f"GOTO {action.target}")
    elif kind == "set_state":
        page.put(indent, f"SET {action.variable} = {action.expression}")
    elif kind in ("wait_input", "classify_intent"):
        word = "WAIT_INPUT" if kind == "wait_input" else "CLASSIFY"
        page.put(indent, f"{word} {action.variable}".rstrip())
        for route in action.routes:
            page.put(indent + STEP, _route(route))
    else:
        _outcome(page, indent, action)
        for one in action.actions:
            _action(page, indent + STEP, one)


def _outcome(page: Page, indent: int, action: LegacyAction) -> None:
    """Write ON_SUCCESS, ON_FAILURE, IF or ELSE, with the target if there is one."""
    head = action.kind.upper()
    if action.condition:
        head += f" {action.condition}"
    if action.target:
        arrow = "THEN" if action.kind == "if" else "->"
        page.put(indent, f"{head} {arrow} {action.target}")
    else:
        page.put(indent, f"{head}:")


def _route(route: Route) -> str:
    """Return `INTENT(a, b) -> t` and its kin."""
    head = route.kind.upper()
    if route.kind == "max_attempts":
        head += f": {route.count}"
    elif route.kind == "pattern":
        head += f"({quoted(route.values[0] if route.values else '')})"
    elif route.kind == "intent":
        head += f"({', '.join(map(_item_text, route.values))})"
    return f"{head} -> {route.target}"


def _item_text(text: str) -> str:
    return text if is_word(text) else literal_text(text)


def _said(page: Page, indent: int, head: str, text: str) -> None:
    if fits_quotes(text):
        page.put(indent, f"{head} {quoted(text)}")
    else:
        page.put(indent, f"{head.rstrip(':')}: |")
        page.block(indent + STEP, text)


def _call(page: Page, indent: int, call: Call) -> None:
    text = f"CALL {call.tool}"
    if call.arguments is not None:
        text += f"({', '.join(map(_argument, call.arguments))})"
    if call.as_:
        text += f" AS {call.as_}"
    page.put(indent, text)
    if call.with_:
        page.put(indent + STEP, "WITH: " + ", ".join([f"{name}: {value}" for name, value in call.with_.items()]))


def _argument(argument: Argument) -> str:
    return f"{argument.name}: {argument.expression}" if argument.name else argument.expression
