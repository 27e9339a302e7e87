"""Entries that lack what they cannot do without, and values that do not go together. Spec: abl-language 3."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from abl.diagnostics.reporter import did_you_mean
from abl.parser.reader import Reader
from abl.parser.scalars import WORDS
from abl.syntax.coordination import PRIORITIES, Escalate
from abl.syntax.document import Document
from abl.syntax.memory import Memory
from abl.syntax.node import Node, given
from abl.syntax.steps import ERROR_TYPES, ActionHandler, ErrorHandler
from abl.syntax.understanding import MAX_LOOKUP_VALUES_FUZZY, Intent, LookupTable

_OUTCOME = re.compile(r"(?:COMPLETE|CONTINUE|ESCALATE|HANDOFF(?:\s+to)?\s+[\w-]+)\s*\Z", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][\w-]*\Z")


def check_entries(r: Reader, document: Document) -> None:
    """Report entries that cannot work as they stand."""
    for destination in given(document, "destinations") or ():
        if not destination.url:
            _report(r, destination, "DESTINATION_WITHOUT_URL", destination.name)
    _coordination(r, document)
    if document.memory is not None:
        _memory(r, document.memory)
    for table in given(document, "lookup_tables") or ():
        _lookup_table(r, table)
    if document.intents is not None:
        _intents(r, document.intents.items)
    if document.escalate is not None:
        _escalate(r, document.escalate)
    for handler in given(document, "on_error") or ():
        _error_type(r, handler)
    _names(r, given(document, "attachments") or (), "name")
    if document.gather is not None:
        _names(r, document.gather.fields, "name")
    _handlers(r, given(document, "action_handlers") or ())
    for step in document.flow.steps or () if document.flow else ():
        if "on_action" in step.at:
            _handlers(r, step.on_action)


def _coordination(r: Reader, document: Document) -> None:
    for delegate in given(document, "delegates") or ():
        if not delegate.agent:
            _report(r, delegate, "INVALID_DELEGATE_ENTRY", "", detail="AGENT is missing")
    for handoff in given(document, "handoffs") or ():
        if not handoff.to:
            _report(r, handoff, "INVALID_HANDOFF_ENTRY", "", detail="TO is missing")
        elif " " in handoff.to:
            handoff.to = handoff.to.split()[0]
        back = handoff.on_return
        if back is not None and back.action and back.action not in ("continue", "resume_intent") and not back.handler:
            back.handler, back.action = back.action, ""
            back.at["handler"] = back.at.get("action", 0)


def _report(r: Reader, node: Node, code: str, name: str, **arguments: str) -> None:
    if node.pos is not None:
        r.report(code, node.pos.offset, len(name) or 1, None, name=name, **arguments)


def _names(r: Reader, nodes: Iterable[Node], field: str) -> None:
    for node in nodes:
        name = str(getattr(node, field))
        if name.isidentifier() and name.isascii():
            continue
        if name and not _NAME.match(name) and field in node.at:
            plain = re.sub(r"\W+", "_", name).strip("_")
            fix = r.edit(node.at[field], len(name), plain, f"write `{plain}`") if plain else None
            r.report("INVALID_NAME", node.at[field], len(name), fix, name=name)


def _escalate(r: Reader, escalate: Escalate) -> None:
    for trigger in escalate.triggers:
        word = trigger.priority
        if word and word.lower() not in PRIORITIES and not word.isdigit() and r.near(word, PRIORITIES) is None:
            meant = WORDS.get(word.lower())
            _choice(r, trigger.at.get("priority"), word, "PRIORITY", meant, f"{', '.join(PRIORITIES)} or a number")
    for outcome in escalate.on_human_complete:
        if outcome.action and not _OUTCOME.match(outcome.action):
            offset = outcome.at.get("action")
            meant = r.near(outcome.action.split()[0], ("COMPLETE", "CONTINUE", "ESCALATE"))
            if offset is not None:
                size = len(outcome.action)
                fix = r.edit(offset, size, meant, f"write `{meant}`") if meant else None
                suggestion = did_you_mean(meant)
                r.report("UNKNOWN_OUTCOME", offset, size, fix, name=outcome.action, suggestion=suggestion)


def _choice(r: Reader, offset: int | None, word: str, key: str, meant: str | None, known: str) -> None:
    if offset is not None:
        fix = r.edit(offset, len(word), meant, f"write `{meant}`") if meant else None
        r.report(
            "UNKNOWN_CHOICE", offset, len(word), fix, name=word, value=word, property=key, known=known,
            suggestion=meant or "",
        )  # fmt: skip


def _error_type(r: Reader, handler: ErrorHandler) -> None:
    """Report a kind of error that is nearly one of the known words; other words are kinds of their own."""
    word = handler.type
    if word.lower() == "default":
        handler.type = "DEFAULT"
    elif word and word not in ERROR_TYPES:
        meant = r.near(word, ERROR_TYPES)
        if meant is not None and meant.lower() != word.lower():
            _choice(r, handler.at.get("type"), word, "ON_ERROR", meant, ", ".join(ERROR_TYPES))


def _memory(r: Reader, memory: Memory) -> None:
    for remember in memory.remember:
        if remember.store is None or not remember.store.target:
            _report(r, remember, "REMEMBER_WITHOUT_STORE", "")
    for recall in memory.recall:
        if not recall.event:
            _report(r, recall, "RECALL_WITHOUT_EVENT", "")
    _repeated(r, memory.session, "name")
    _repeated(r, memory.persistent, "path")


def _repeated(r: Reader, nodes: Iterable[Node], field: str) -> None:
    first: dict[str, Node] = {}
    for node in nodes:
        name = str(getattr(node, field))
        known = first.setdefault(name, node)
        if known is not node and node.pos is not None and field in node.at:
            line = str(known.pos.line) if known.pos else ""
            r.report("DUPLICATE_MEMORY_NAME", node.at[field], len(name), name=name, first_line=line)


def _lookup_table(r: Reader, table: LookupTable) -> None:
    source = table.source or "inline"
    detail = ""
    if source == "inline" and not table.values:
        detail = "an inline table needs values"
    elif source in ("collection", "mongodb") and not table.table_name:
        detail = "a collection needs table_name"
    elif source in ("api", "http") and not table.endpoint:
        detail = "an api needs an endpoint"
    elif table.endpoint and "{{" not in table.endpoint and not _is_url(table.endpoint):
        detail = f"{table.endpoint} is no address"
    elif table.timeout is not None and table.timeout <= 0:
        detail = "timeout_ms must be more than 0"
    if detail and not table.extras:
        _report(r, table, "LOOKUP_TABLE_INVALID", table.name, detail=detail)
    if table.fuzzy_match and len(table.values) > MAX_LOOKUP_VALUES_FUZZY:
        _report(r, table, "LOOKUP_TABLE_LARGE", table.name, value=str(len(table.values)))


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _intents(r: Reader, intents: list[Intent]) -> None:
    for intent in intents:
        if not _NAME.match(intent.name):
            _report(r, intent, "INTENT_INVALID", intent.name, value=intent.name)


def _handlers(r: Reader, handlers: Iterable[ActionHandler]) -> None:
    for handler in handlers:
        for call in (handler.call, *[item.call for item in handler.do]):
            if call is not None and not call.as_ and call.pos is not None:
                r.report(
                    "ACTION_CALL_WITHOUT_AS", call.pos.offset, len(call.tool), tool=call.tool, name=handler.action_id
                )
