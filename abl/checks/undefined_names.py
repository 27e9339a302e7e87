"""Whether the names in texts, calls, assignments and passed values exist. Spec: abl-language 6.2, 6.7, 6.8, 13.4.

Conditions are the business of `field_references`; what counts as known is the same. A model may set any name, and a
parent outside of the given text may pass any, so there a name is reported only when it is nearly a known one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts, is_engine_name
from abl.checks.finding import Finding
from abl.checks.names import ENGINE_NAMES, ERROR_NAMES, GUARDRAIL_NAMES, RESULT_NAMES
from abl.checks.reading import rows, text, texts
from abl.checks.report import Check
from abl.checks.suggestions import MAX_GUESSES, listed
from abl.checks.walk import nodes_of
from abl.checks.written import Form, Written, written_in
from abl.compiler.places import Place, Unit
from abl.compiler.plain import given
from abl.diagnostics.suggest import closest
from abl.expressions.analysis import analyse
from abl.expressions.inspection import walk
from abl.expressions.tree import Node as Tree
from abl.expressions.tree import Variable
from abl.syntax.document import Document
from abl.syntax.memory import Store
from abl.templates import analyse_template

MAX_STORE_CHARS = 400
"""Characters in which the fields of a STORE are looked for."""

_SINGLE_BRACES = re.compile(r"(?<!\{)\{([^\W\d]\w*)(?:\.[\w.]+)?\}(?!\})")
_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_SKIPPED = ("behavior_profiles", "messages", "conversation", "legacy", "tool_defaults", "nlu", "lookup_tables")
"""Parts of a document whose names are not those of this agent."""
_AFTER_FAILURE = frozenset({"on_failure", "on_fail", "on_error", "on_result", "on_timeout"})
_OF_OTHERS = frozenset({"handoffs", "delegates", "delegate", "return_handlers"})
_OF_ANSWERS = frozenset({"gather", "attachments", "await_attachment"})
_LITERALS = ("true", "false", "null")
_ANSWER_NAMES = frozenset({"value", "field", "attempt", "attempts", "error", "prompt"})
_QUESTION_NAMES = frozenset({"call", "action"})
_STORED = ("path", "target", "variable")
_LISTED = ("paths", "reads", "writes")
"""Keys of the IR whose values may be paths of what is stored."""
_SAID = frozenset(
    {
        "action_handlers", "complete", "flow", "gather", "goal", "hooks", "instructions", "on_error", "on_start",
        "persona", "templates",
    }
)  # fmt: skip
"""Sections whose texts are for a customer or a model."""
_READ_BY_CUSTOMERS = ("respond", "prompt", "present", "message", "plain_text")
_DATA = ("rich_content", "carousel", "formats", "body", "system_prompt")
"""Texts that may be filled in from somewhere else."""


class Use(NamedTuple):
    """One name that is read: the text, where it stands there, the first name of the path, and the second."""

    written: Written
    start: int
    name: str
    member: str = ""


def undefined_names(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield names in templates, calls, assignments, stored and passed values that nothing gives a value."""
    meant = frozenset(misspelt_fields(facts, context).values())
    guesses = facts.guesses("names")
    for use in _unknown_uses(facts, context):
        if use.name in meant:
            continue
        more = sorted(_also_known(use.written))
        more += _LITERALS if use.written.form is Form.EXPRESSION else ()
        more += sorted(ENGINE_NAMES) if use.name.startswith("_") else ()
        if near := guesses.slip(use.name, chain(facts.candidates, more), tuple(more)):
            yield _finding(use, near, facts)
        elif _is_certain(use, facts, context):
            yield _finding(use, closest(use.name, chain(facts.candidates, more)) or "", facts)


def undefined_members(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield `session.name` and `user.name` that nothing fills, where nothing outside of these texts could fill them.

    What is stored of a user may have been stored by any agent of the project, and by the API where one declares it.
    """
    for use in uses_in(facts, context):
        if not use.member or not _NAME.fullmatch(use.member) or use.written.path.split(".")[0] not in _SAID:
            continue
        if not _is_certain(use, facts, context):
            continue
        if use.name == "session":
            known = facts.known_names | facts.told_names
            is_filled = use.member in known or is_engine_name(use.member)
        elif use.name == "user":
            known = _stored_names(context)
            is_filled = use.member in known
        else:
            continue
        if not is_filled:
            name = f"{use.name}.{use.member}"
            near = closest(use.member, known)
            said = {"name": name, "variable": name, "suggestion": f"{use.name}.{near}" if near else ""}
            block = facts.block(facts.ir)
            yield Finding("UNDEFINED_NAME", block, "", name, "", said, written=use.written, start=use.start)


def _stored_names(context: CheckContext) -> frozenset[str]:
    """Return the names below `user.` that an agent of the project declares, sets or stores, and those of the engine."""
    paths: set[str] = {"user.intent", "user.sentiment"}
    for agent in context.agents.values():
        facts = context.facts(agent)
        paths.update(one.name for one in facts.producers.get("user", ()))
        paths.update(value for block in facts.blocks for key in _STORED if (value := text(block.subject.get(key))))
        paths.update(
            value for block in facts.under("memory") for key in _LISTED for value in texts(block.subject.get(key))
        )
    return frozenset(path.split(".")[1] for path in paths if path.startswith("user."))


def secrets_in_texts(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield secrets in what is said, asked or told to a model: only calls of tools are given them."""
    for use in uses_in(facts, context):
        if use.name == "secrets" and use.member and use.written.path.split(".")[0] in _SAID:
            name = f"secrets.{use.member}"
            said = {"name": name, "variable": name}
            block = facts.block(facts.ir)
            yield Finding("SECRET_IN_TEXT", block, "", name, "", said, written=use.written, start=use.start)


def misspelt_fields(facts: AgentFacts, context: CheckContext) -> dict[str, str]:
    """Return fields of an agent without a model that nothing reads -> the unknown name that is read instead.

    Where a name is read only once it may be that place which is misspelt, unless it is how a tool calls its parameter.
    """
    if facts.reasons or not facts.gather_fields:
        return {}
    found: dict[str, str] | None = facts.remembered.get("misspelt_fields")
    if found is None:
        read = [use.name for use in uses_in(facts, context)]
        read += [one.root for condition in facts.conditions for one in condition.formula.readings]
        parameters = {
            str(one.get("name")) for tool in facts.tools.values() for one in rows(tool.subject.get("parameters"))
        }
        unknown = [
            name
            for name, times in Counter(read).items()
            if name not in facts.known_names and (name in parameters or times > 1)
        ]
        names = [str(block.subject.get("name")) for block in facts.gather_fields]
        sure = {*read, *facts.returned, *facts.passed, *facts.session, *parameters}
        idle = [name for name in dict.fromkeys(names) if name not in sure]
        found = {name: near for name in idle[:MAX_GUESSES] if unknown and (near := closest(name, unknown))}
        facts.remembered["misspelt_fields"] = found
    return found


def read_by_mistake(facts: AgentFacts, context: CheckContext) -> frozenset[str]:
    """Return the known names that unknown names nearly are: they are read, only with a slip of the pen."""
    guesses = facts.guesses("names")
    return frozenset(guesses.slip(use.name, facts.candidates) for use in _unknown_uses(facts, context))


def _finding(use: Use, near: str, facts: AgentFacts) -> Finding:
    said = {"name": use.name, "variable": use.name, "suggestion": near, "known": listed(facts.candidates)}
    if not near and use.name in facts.allowed_values:
        said["suggestion"] = f'A text stands in quotes: "{use.name}".'
        near = f'"{use.name}"' if use.written.form is Form.EXPRESSION else ""
    return Finding(
        "UNDEFINED_NAME", facts.block(facts.ir), "", use.name, near, said, written=use.written, start=use.start
    )


def _unknown_uses(facts: AgentFacts, context: CheckContext) -> Iterator[Use]:
    for use in uses_in(facts, context):
        name = use.name
        if name in facts.known_names or name in facts.spoken_names or is_engine_name(name):
            continue
        if name not in _also_known(use.written) and name not in _known_to_partner(use.written, context):
            yield use


def _is_certain(use: Use, facts: AgentFacts, context: CheckContext) -> bool:
    """Whether nothing could set the name: no model, no other agent outside these. A question must know it."""
    if _is_question(use.written):
        return True
    if facts.reasons or context.options.single_agent or facts.is_supervisor:
        return False
    return not any(part in _DATA for part in use.written.path.split("."))


def _also_known(written: Written) -> frozenset[str]:
    """Return names that are known only at the place of this text."""
    parts = written.path.split(".")
    roots = frozenset(parts)
    names: frozenset[str] = frozenset()
    if roots & _AFTER_FAILURE:
        names |= ERROR_NAMES
    if roots & _OF_OTHERS:
        names |= RESULT_NAMES | ERROR_NAMES
    if roots & _OF_ANSWERS:
        names |= _ANSWER_NAMES
    if "transform" in roots:
        names |= {"item", "this"}
    if parts[0] == "guardrails":
        names |= GUARDRAIL_NAMES
    if parts[0] == "tools":
        names |= _QUESTION_NAMES if _is_question(written) else RESULT_NAMES | ERROR_NAMES
        names |= _parameters(written.place.unit.document, parts)
    return names


def _is_question(written: Written) -> bool:
    """Whether a text is what a tool asks before a call: a name without a value would leave a hole in it."""
    return written.path.startswith("tools.") and written.field == "confirm_message"


def _parameters(document: Document, parts: list[str]) -> frozenset[str]:
    at = int(parts[1]) if len(parts) > 1 and parts[1].isdecimal() else -1
    tools = document.tools or []
    tool = tools[at] if 0 <= at < len(tools) else None
    return frozenset(one.name for one in tool.parameters or []) if tool is not None else frozenset()


def _known_to_partner(written: Written, context: CheckContext) -> frozenset[str]:
    """Return the names of the agent that comes back: what is set at its return may read them."""
    parts = written.path.split(".")
    if "on_return" not in parts or parts[0] != "handoffs" or not parts[1].isdecimal():
        return frozenset()
    handoff = written.place.unit.document.handoffs[int(parts[1])]
    other = context.facts_by_name(handoff.to)
    return other.known_names if other is not None else frozenset()


# -- where names are read ------------------------------------------------------------------------------------------


def uses_in(facts: AgentFacts, context: CheckContext) -> list[Use]:
    """Return the names that the texts of an agent read, conditions left out; an IR without text has none."""
    found = facts.remembered.get("uses")
    if found is None:
        place = context.place(facts.ir)
        known = place is not None and not context.is_numbered(facts.ir)
        found = list(_uses(place.node, place.unit)) if place is not None and known else []
        facts.remembered["uses"] = found
    return list(found)


def _uses(document: object, unit: Unit) -> Iterator[Use]:
    if not isinstance(document, Document):
        return
    for written in written_in(document, unit):
        if written.path.startswith(_SKIPPED):
            continue
        if written.form is Form.TEMPLATE:
            yield from _in_trees(written, analyse_template(written.text).expressions)
        elif written.form is Form.EXPRESSION:
            yield from _in_trees(written, (analyse(written.text, condition=False).node,))
    yield from _passed(document, unit)
    yield from _stored(document, unit)


def _in_trees(written: Written, trees: Iterable[Tree]) -> Iterator[Use]:
    for tree in trees:
        for one in walk(tree):
            if isinstance(one, Variable) and _NAME.fullmatch(one.path[0]) and one.path[0] != "this":
                start = one.start if written.text.startswith(one.path[0], one.start) else -1
                start = start if start >= 0 else max(written.text.find(one.path[0]), 0)
                yield Use(written, start, one.path[0], one.path[1] if len(one.path) > 1 else "")


def _passed(document: Document, unit: Unit) -> Iterator[Use]:
    """Yield the names in `pass` lists and those between single braces of a summary."""
    for at, handoff in enumerate(document.handoffs or []):
        place = Place(handoff, unit)
        for item, name in enumerate(given(handoff, "pass_") or []):
            if _NAME.fullmatch(name):
                written = Written(place, f"pass_.{item}", name, Form.TEMPLATE, f"handoffs.{at}.pass.{item}")
                yield Use(written, 0, name.partition(".")[0])
        if handoff.summary:
            written = Written(place, "summary", handoff.summary, Form.TEMPLATE, f"handoffs.{at}.summary")
            yield from (Use(written, found.start(1), found[1]) for found in _SINGLE_BRACES.finditer(handoff.summary))


def _stored(document: Document, unit: Unit) -> Iterator[Use]:
    """Yield the field names of `STORE: {a, b} -> target`."""
    remembered = document.memory.remember if document.memory is not None else None
    owners = [("memory.remember", one.store) for one in remembered or []]
    owners += [("complete", one.store) for one in document.complete or []]
    for path, store in owners:
        if not isinstance(store, Store) or not store.fields:
            continue
        begin, text = store.pos.offset if store.pos else 0, unit.source.text if unit.source is not None else ""
        shown = text[begin : begin + MAX_STORE_CHARS].split("->")[0] if store.pos else ""
        written = Written(Place(store, unit), "fields", shown, Form.TEMPLATE, f"{path}.store")
        for name in store.fields:
            found = re.search(rf"\b{re.escape(name)}\b", shown)
            if found and _NAME.fullmatch(name):
                yield Use(written, found.start(), name.partition(".")[0])


def names_in_single_braces(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield `{name}` and `${name}` of a variable in what a customer reads, who reads the braces."""
    place = context.place(facts.ir)
    if place is None or context.is_numbered(facts.ir):
        return
    names = frozenset(facts.producers) | frozenset(facts.session) | facts.passed
    for node, path in nodes_of(place.node):
        if path.startswith(_SKIPPED):
            continue
        for field in _READ_BY_CUSTOMERS:
            shown = getattr(node, field, None) if field in node.BY_FIELD else None
            if not isinstance(shown, str) or "{" not in shown:
                continue
            for found in _SINGLE_BRACES.finditer(shown):
                if found[1] in names:
                    begin = found.start() - (shown[: found.start()].endswith("$"))
                    word = shown[begin : found.end()]
                    right = "{" + found[0] + "}"
                    written = Written(Place(node, place.unit), field, shown, Form.TEMPLATE, f"{path}.{field}")
                    said = {"name": found[1], "value": word, "expected": right}
                    block = facts.block(facts.ir)
                    yield Finding("SINGLE_BRACES", block, "", word, right, said, written=written, start=begin)


CHECKS = (
    Check("UNDEFINED_NAME", undefined_names),
    Check("UNDEFINED_NAME", undefined_members),
    Check("SECRET_IN_TEXT", secrets_in_texts),
    Check("SINGLE_BRACES", names_in_single_braces),
)
"""The rules of this family, in the order in which they are checked."""
