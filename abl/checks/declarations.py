"""Whether hooks, models, guardrails, memory and error handlers are written so that they can work.

Spec: abl-language 3.5, 3.7, 3.11, 3.12, 3.15.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.checks.document_report import found_at, unknown_at
from abl.checks.reading import mapping
from abl.checks.suggestions import Guesses, listed
from abl.checks.tool_declarations import tool_findings
from abl.checks.walk import nodes_of
from abl.compiler.default_messages import default_messages
from abl.compiler.places import Place, Unit
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.suggest import closest
from abl.expressions.checks import read_check
from abl.syntax.document import HOOKS, Document
from abl.syntax.execution import OPERATIONS
from abl.syntax.memory import Memory
from abl.syntax.steps import ErrorHandler

_TIME = r"(?:ms|s|m|h|d|w|y|milli\w*|sec\w*|min\w*|hours?|hrs?|days?|weeks?|months?|years?)"
_TTL = re.compile(rf"\d+(?:\.\d+)?\s*{_TIME}?|P[\dTYMWDHS.]+|never|forever|session|\{{\{{.*\}}\}}", re.IGNORECASE)
_USER_TEXT = frozenset({"input", "user_input", "user_message"})
ERROR_ACTIONS = ("RETRY_STEP", "BACKTRACK", "ESCALATE", "HANDOFF", "COMPLETE", "CONTINUE")
"""What THEN of an error handler may be. Spec: abl-language 3.12."""
_ERROR_ACTION = re.compile(rf"\b(?:{'|'.join(ERROR_ACTIONS)}|RETRY)\b", re.IGNORECASE)


def declaration_findings(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what is said of the declarations of a document; the numbered grammar has its own."""
    document = unit.document
    yield from guardrail_checks(document, unit)
    if document.format == "legacy":
        return
    yield from tool_findings(unit)
    yield from unknown_hooks(document, unit)
    yield from unknown_operations(document, unit)
    yield from unknown_messages(document, unit)
    yield from guardrails_without_check(document, unit)
    yield from guardrails_by_default(document, unit)
    yield from unknown_error_actions(document, unit)
    yield from backtracks_without_target(document, unit)
    if document.memory is not None:
        yield from invalid_ttl(document.memory, unit)
        yield from unknown_memory_paths(document, document.memory, unit)


def unknown_hooks(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield hooks that are never run, because their name is none of the four."""
    written = [hook.name.lower() for hook in document.hooks or []]
    for hook in document.hooks or []:
        if hook.name and hook.name.lower() not in HOOKS:
            free = [name for name in HOOKS if name not in written]
            known = listed(HOOKS)
            yield unknown_at("UNKNOWN_HOOK", Place(hook, unit), "name", hook.name, free, path="hooks", known=known)


def unknown_operations(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield models for operations that there are not."""
    execution = document.execution
    for name in (execution.models if execution is not None else None) or {}:
        if execution is not None and name not in OPERATIONS:
            place = Place(execution, unit)
            path = f"execution.models.{name}"
            yield unknown_at("UNKNOWN_MODEL_OPERATION", place, f"models.{name}", name, list(OPERATIONS), path=path)


def unknown_messages(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield texts of MESSAGES that are never said: they replace none of the platform, and no MESSAGE_KEY names them.

    A profile may name one from its own document: an agent that uses profiles is only told what is nearly a known one.
    """
    known = default_messages()
    named = {str(getattr(node, "message_key", "") or "").lower() for node, _ in nodes_of(document)}
    uses_profiles = bool(document.use_behavior_profiles)
    for key in document.messages or {}:
        name = key.lower()
        if name not in known and name not in named and (not uses_profiles or closest(name, known)):
            path = f"messages.{key}"
            yield unknown_at("UNKNOWN_MESSAGE", Place(document, unit), path, key, list(known), path=path)


def unknown_error_actions(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield THENs of error handlers that name neither what they do next nor a step."""
    steps = frozenset(step.name for step in (document.flow.steps if document.flow is not None else None) or [])
    for node, path in nodes_of(document):
        if isinstance(node, ErrorHandler) and node.then and node.then.strip() not in steps:
            if _ERROR_ACTION.search(node.then):
                continue
            near = closest(node.then, (*ERROR_ACTIONS, *steps)) or ""
            said = {"value": node.then, "name": node.then, "known": ", ".join(ERROR_ACTIONS)}
            yield found_at("UNKNOWN_ERROR_ACTION", Place(node, unit), "then", node.then, near, path=path, **said)


def guardrails_without_check(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield guardrails that look at nothing."""
    for one in document.guardrails or []:
        if one.name and not (one.check or one.llm_check or one.provider):
            yield found_at(
                "GUARDRAIL_WITHOUT_CHECK", Place(one, unit), "name", one.name, path="guardrails", name=one.name
            )


def guardrails_by_default(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield guardrails that do less than they seem to, as the default counts where something is left out."""
    if document.format == "yaml":
        return  # there the defaults are `input` and `block`
    for one in document.guardrails or []:
        said = {"path": "guardrails", "name": one.name}
        has_kind = one.kind or not {"kind", "type"}.isdisjoint(mapping(one.extras))
        if not has_kind and _USER_TEXT & {path[0] for path in read_check(one.check).paths}:
            does = "looks at what the agent says, not at what the user says"
            yield found_at(
                "GUARDRAIL_BY_DEFAULT", Place(one, unit), "name", one.name, detail=does, property="kind", **said
            )
        if one.action is None and one.message:
            does = "only warns in the trace, and its message is never said"
            yield found_at(
                "GUARDRAIL_BY_DEFAULT", Place(one, unit), "name", one.name, detail=does, property="action", **said
            )


def guardrail_checks(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield checks of guardrails that are sentences, which a model judges."""
    for one in document.guardrails or []:
        if read_check(one.check).sentence:
            said = {"path": "guardrails", "name": one.name}
            yield found_at("GUARDRAIL_CHECK_IS_SENTENCE", Place(one, unit), "check", **said)


def backtracks_without_target(document: Document, unit: Unit) -> Iterator[Diagnostic]:
    """Yield error handlers that go back without saying where to."""
    for node, path in nodes_of(document):
        if isinstance(node, ErrorHandler) and node.then.upper().split()[-1:] == ["BACKTRACK"] and not node.backtrack_to:
            yield found_at("BACKTRACK_WITHOUT_TARGET", Place(node, unit), "then", path=path, name=node.type)


def invalid_ttl(memory: Memory, unit: Unit) -> Iterator[Diagnostic]:
    """Yield lifetimes that are no duration."""
    for at, one in enumerate(memory.remember or []):
        if one.ttl and not _TTL.fullmatch(one.ttl.strip()):
            path = f"memory.remember.{at}.ttl"
            yield found_at("INVALID_TTL", Place(one, unit), "ttl", one.ttl, path=path, value=one.ttl)


def unknown_memory_paths(document: Document, memory: Memory, unit: Unit) -> Iterator[Diagnostic]:
    """Yield paths that are loaded or lent and are nearly a declared one."""
    known = [one.path for one in memory.persistent or []]
    known += [*(memory.reads or []), *(memory.writes or [])]
    known += [one.store.target for one in memory.remember or [] if one.store is not None]
    declared, guesses = dict.fromkeys(filter(None, known)), Guesses()
    for place, field, path in _paths(document, memory, unit):
        near = guesses.slip(path, declared) if path not in declared else ""
        if near:
            yield unknown_at("UNKNOWN_MEMORY_PATH", place, field, path, [near])


def _paths(document: Document, memory: Memory, unit: Unit) -> Iterator[tuple[Place, str, str]]:
    for rule in memory.recall or []:
        yield from ((Place(rule, unit), f"paths.{at}", path) for at, path in enumerate(rule.paths or []))
    for handoff in document.handoffs or []:
        yield from ((Place(grant, unit), "path", grant.path) for grant in handoff.memory_grants or [])
