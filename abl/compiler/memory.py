"""Lowers MEMORY: variables, persistent paths, remember and recall. Spec: abl-language 3.5, 12.2."""

from __future__ import annotations

import re
from typing import Any

from abl.compiler.gather import lower_mask
from abl.compiler.lowering import Changes, lower, shape
from abl.compiler.plain import Json, given, one, only, text, texts
from abl.compiler.scope import Scope
from abl.syntax.memory import Memory, PersistentPath, Recall, Remember, SessionVariable, Store
from abl.syntax.node import Node

LEGACY_EVENTS = {
    "on_start": "session:start",
    "session_start": "session:start",
    "on_session_start": "session:start",
    "start": "session:start",
    "on_end": "session:end",
    "session_end": "session:end",
    "on_session_end": "session:end",
    "end": "session:end",
    "agent_enter": "agent:*:before",
    "on_agent_enter": "agent:*:before",
    "agent_exit": "agent:*:after",
    "on_agent_exit": "agent:*:after",
    "delegate_complete": "agent:*:after",
    "on_delegate_complete": "agent:*:after",
    "handoff_complete": "agent:*:after",
    "on_search": "tool:*:after",
    "tool_complete": "tool:*:after",
    "on_tool_complete": "tool:*:after",
    "tool_result": "tool:*:after",
    "after_tool": "tool:*:after",
    "entity_extracted": "entity:*:extracted",
    "on_entity": "entity:*:extracted",
    "step_enter": "step:enter:*",
    "step_exit": "step:exit:*",
}
"""Old event name (lowercase) -> today's."""

_TOOL_BEFORE = re.compile(r"tool:([^:]*):before")


def lower_store(value: Any, scope: Scope, _node: Node | None = None) -> Json | None:
    """Return `{value, target}`; a record `{a, b}` has its names under `fields` as well."""
    node = one(Store, value)
    if node is None:
        return None
    names = texts(node.fields)
    ir: Json = {"value": text(node.value) or ("{" + ", ".join(names) + "}" if names else "")}
    if names:
        ir["fields"] = names
    ir["target"] = text(node.target)
    return scope.record(ir, node)


def _mask(value: Any, _scope: Scope, _node: Node) -> Json:
    return lower_mask(value)


_VARIABLE = shape(SessionVariable, Changes(defaults={"reset": "per_session"}))
_PATH = shape(PersistentPath, Changes(use={"mask_config": _mask}, defaults={"scope": "user", "access": "readwrite"}))
_REMEMBER = shape(Remember, Changes(use={"store": lower_store}))
_RECALL = shape(Recall, Changes(skip=("event", "action")))


def lower_memory(scope: Scope) -> Json:
    """Return session, persistent, remember and recall."""
    node = one(Memory, scope.document.memory)
    if node is None:
        return {"session": [], "persistent": [], "remember": [], "recall": []}
    recalls = [_recall(recall, scope) for recall in only(Recall, node.recall)]
    return scope.record(
        {
            "session": [lower(one_, scope, _VARIABLE) for one_ in only(SessionVariable, node.session)],
            "persistent": _persistent(node, scope),
            "remember": [lower(one_, scope, _REMEMBER) for one_ in only(Remember, node.remember)],
            "recall": [recall for recall in recalls if recall is not None],
        },
        node,
    )


def _persistent(node: Memory, scope: Scope) -> list[Json]:
    """Return the persistent paths; READS and WRITES add those that are not declared."""
    found = [lower(one_, scope, _PATH) for one_ in only(PersistentPath, node.persistent)]
    by_path = {ir.get("path"): ir for ir in found}
    added: dict[str, Json] = {}
    for names, access in ((texts(node.reads), "read"), (texts(node.writes), "write")):
        for name in names:
            if name in added and added[name]["access"] != access:
                added[name]["access"] = "readwrite"
            elif name not in by_path and name not in added:
                added[name] = scope.record({"path": name, "scope": "user", "access": access}, node)
    return [*found, *added.values()]


def _action_of(node: Recall) -> str:
    """Return what an event does that names no action."""
    if given(node, "paths"):
        return "inject_context"
    return "load_memory" if node.domain else "prompt_llm" if node.instruction else ""


def _recall(node: Recall, scope: Scope) -> Json | None:
    """Return one recall with today's event name; None for an event that cannot be."""
    event = text(node.event).strip()
    blocked = _TOOL_BEFORE.fullmatch(event)
    if blocked is not None:
        expected = f"tool:{blocked[1]}:after"
        scope.report("BLOCKED_RECALL_TOOL_BEFORE_EVENT", node, "event", value=event, expected=expected)
        return None
    today = LEGACY_EVENTS.get(event.lower())
    if today is not None:
        scope.report("LEGACY_RECALL_EVENT_ALIAS", node, "event", value=event, expected=today)
    action = text(node.action) or _action_of(node)
    ir: Json = {"event": today or event}
    if action:
        ir["action"] = action
    ir.update(lower(node, scope, _RECALL))
    return scope.record(ir, node)
