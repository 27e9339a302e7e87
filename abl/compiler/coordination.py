"""Lowers DELEGATE, HANDOFF, RETURN_HANDLERS, ESCALATE and COMPLETE. Spec: abl-language 3.8 to 3.10, 12.5."""

from __future__ import annotations

from typing import Any

from abl.compiler.declared import passed
from abl.compiler.lowering import Changes, lower, shape, shape_of
from abl.compiler.memory import lower_store
from abl.compiler.plain import Json, given, mapping, number, one, only, text, texts
from abl.compiler.scope import Scope
from abl.syntax.coordination import (
    Completion,
    Delegate,
    Escalate,
    EscalationTrigger,
    Handoff,
    History,
    HumanOutcome,
    HumanRouting,
    MemoryGrant,
    OnReturn,
    Remote,
    ReturnHandler,
)  # fmt: skip
from abl.syntax.node import Node
from abl.syntax.rules import FailAction

HISTORY = "auto"
PROTOCOL = "a2a"
PRIORITY = "medium"
RETURN_WORDS = frozenset({"continue", "resume_intent"})
_REMOTE_FIELDS = ("experience_mode", "location", "endpoint", "protocol")

_DELEGATE = shape(Delegate, Changes(skip=("on_failure", *_REMOTE_FIELDS)))
_HANDOFF = shape(
    Handoff,
    Changes(
        skip=(
            "pass_", "summary", "memory_grants", "history", "set", "on_return", "on_failure", "on_timeout", "timeout",
            *_REMOTE_FIELDS,
        ),
        defaults={"return": False},
    ),
)  # fmt: skip
_RETURN_HANDLER = shape(ReturnHandler, Changes(skip=("name",)))


def _priority(value: Any, _scope: Scope, _node: Node) -> Any:
    written = text(value).strip()
    return int(written) if written.isdecimal() and len(written) < 10 else written


def _tags(value: Any, _scope: Scope, _node: Node) -> list[str]:
    return texts(value)


_TRIGGER = shape(
    EscalationTrigger, Changes(use={"priority": _priority, "tags": _tags}, defaults={"priority": PRIORITY})
)
_COMPLETION = shape(Completion, Changes(use={"store": lower_store}))


def lower_coordination(scope: Scope) -> Json:
    """Return delegates, handoffs, return_handlers, escalation."""
    document = scope.document
    handoffs = only(Handoff, document.handoffs)
    known = scope.declared if any(given(node, "pass_") for node in handoffs) else {}
    handlers: Json = {}
    for node in only(ReturnHandler, document.return_handlers):
        handlers.setdefault(text(node.name), lower(node, scope, _RETURN_HANDLER))
    return {
        "delegates": [_delegate(node, scope) for node in only(Delegate, document.delegates)],
        "handoffs": [_handoff(node, scope, known) for node in handoffs],
        "return_handlers": handlers,
        "escalation": _escalation(scope),
    }


def lower_completion(scope: Scope) -> Json:
    """Return `{conditions}` of COMPLETE; an item without WHEN is only for a completion that something else asks for."""
    return {"conditions": [lower(node, scope, _COMPLETION) for node in only(Completion, scope.document.complete)]}


def first_word(name: object) -> str:
    """Return an agent's name without what some authors write behind it."""
    words = text(name).split(None, 1)
    return words[0] if words else ""


def _delegate(node: Delegate, scope: Scope) -> Json:
    ir = lower(node, scope, _DELEGATE)
    ir["agent"] = first_word(node.agent)
    ir.setdefault("when", "true")
    _add_failure(ir, "on_failure", node.on_failure, "failure_message", "continue")
    _add_remote(ir, node)
    return ir


def _handoff(node: Handoff, scope: Scope, known: dict[str, tuple[str, str]]) -> Json:
    ir = lower(node, scope, _HANDOFF)
    ir["to"] = first_word(node.to)
    context: Json = {"pass": passed(texts(given(node, "pass_")), known), "history": lower_history(node.history)}
    if summary := text(node.summary):
        context["summary"] = summary
    if grants := [_grant(grant, scope) for grant in only(MemoryGrant, given(node, "memory_grants"))]:
        context["memory_grants"] = grants
    if values := mapping(given(node, "set")):
        context["set"] = values
    ir["context"] = scope.record(context, node)
    _add_failure(ir, "on_failure", node.on_failure, "failure_message", "continue")
    if (returning := _on_return(node.on_return, scope)) is not None:
        ir["on_return"] = returning
    if (timeout := number(node.timeout)) is not None:
        ir["asyncTimeout"] = timeout
    if node.on_timeout is not None:
        _add_failure(ir, "on_timeout", node.on_timeout, "timeout_message", "continue")
    _add_remote(ir, node)
    return ir


def _grant(node: MemoryGrant, scope: Scope) -> Json:
    return scope.record({"path": text(node.path), "access": text(node.access) or "read"}, node)


def lower_history(value: object) -> str | Json:
    """Return how much of the conversation is passed: a word, or `{mode: "last_n", count}`."""
    node = one(History, value)
    if node is None:
        return HISTORY
    if text(node.mode) == "last_n":
        return {"mode": "last_n", "count": number(node.count) or 0}
    return text(node.mode) or HISTORY


def _on_return(value: object, scope: Scope) -> Json | None:
    """Return `{action, handler, map, set, resume_with}`; an action that is no action word names the handler."""
    node = one(OnReturn, value)
    if node is None:
        return None
    ir: Json = {}
    action, handler = text(node.action), text(node.handler)
    if action.lower() in RETURN_WORDS:
        ir["action"] = action.lower()
    else:
        handler = handler or action
    if handler:
        ir["handler"] = handler
    for key in ("map", "set"):
        if values := mapping(given(node, key)):
            ir[key] = values
    if node.resume_with:
        ir["resume_with"] = text(node.resume_with)
    return scope.record(ir, node)


def _add_failure(ir: Json, key: str, value: object, message_key: str, default: str) -> None:
    """Add what happens on a failure: a word, with its text, target or count beside it."""
    node = one(FailAction, value)
    if node is None:
        ir.setdefault(key, default)
        return
    message = text(node.message)
    kind = text(node.type).lower() or ("handoff" if node.target else "respond" if message else default)
    ir[key] = kind
    if message:
        ir.setdefault(message_key, message)
    if node.target:
        ir[f"{key}_target"] = first_word(node.target)
    if node.reason:
        ir[f"{key}_reason"] = text(node.reason)
    if kind == "retry":
        ir["retry_count"] = number(node.count) or 1


def _add_remote(ir: Json, node: Remote) -> None:
    if node.location == "remote" or node.endpoint:
        ir["remote"] = {"endpoint": text(node.endpoint), "protocol": text(node.protocol) or PROTOCOL}
    if mode := text(node.experience_mode):
        ir["experienceMode"] = mode


def _escalation(scope: Scope) -> Json:
    node = one(Escalate, scope.document.escalate)
    if node is None:
        return {}
    ir: Json = {
        "triggers": [lower(trigger, scope, _TRIGGER) for trigger in only(EscalationTrigger, node.triggers)],
        "context_for_human": texts(node.context_for_human),
        "on_human_complete": [
            lower(outcome, scope, shape_of("HumanOutcome")) for outcome in only(HumanOutcome, node.on_human_complete)
        ],
    }
    routing = one(HumanRouting, node.routing)
    if routing is not None:
        ir["routing"] = lower(routing, scope, shape_of("HumanRouting"))
    if action := text(node.connector_action):
        ir["connector_action"] = action
    return scope.record(ir, node)


def remote_agents(coordination: Json) -> dict[str, Json]:
    """Return name -> {endpoint, protocol} of the agents that run elsewhere."""
    found: dict[str, Json] = {}
    for key, name in (("handoffs", "to"), ("delegates", "agent")):
        for ir in coordination[key]:
            if "remote" in ir:
                found.setdefault(ir[name], dict(ir["remote"]))
    return found
