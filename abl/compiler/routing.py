"""Makes the routing table of supervisors and of agents that hand over. Spec: abl-language 7.6, 12.2."""

from __future__ import annotations

from collections.abc import Mapping

from abl.compiler.conditions import facts_of, is_always
from abl.compiler.plain import Json, only, text
from abl.compiler.scope import Scope
from abl.compiler.understanding import intents_of, lexical_fallback
from abl.syntax.coordination import Handoff

MIN_CONFIDENCE = 0.5
STANDARD_CATEGORIES = (
    ("greeting", "The user says hello"),
    ("farewell", "The user says goodbye"),
    ("escalation", "The user wants to speak to a human"),
)


def lower_routing(scope: Scope, agent: Json) -> Json | None:
    """Return rules, default agent and intent categories; None for an agent without HANDOFF."""
    handoffs = agent["coordination"]["handoffs"]
    is_supervisor = scope.document.kind == "supervisor"
    if not handoffs and not is_supervisor:
        return None
    ir: Json = {
        "rules": [
            _rule(at, handoff, node, scope)
            for at, (handoff, node) in enumerate(zip(handoffs, only(Handoff, scope.document.handoffs), strict=True), 1)
        ],
        "intent_classification": _classification(scope, handoffs),
        "direct_response_allowed": not is_supervisor or _may_answer(scope, agent),
    }
    if default := _default_agent(handoffs, is_supervisor=is_supervisor):
        ir["default_agent"] = default
    return ir


def available_agents(coordination: Json) -> list[str]:
    """Return the names reachable by handoff and delegate, each once, in the order of the text."""
    names = [one["to"] for one in coordination["handoffs"]] + [one["agent"] for one in coordination["delegates"]]
    return list(dict.fromkeys(name for name in names if name))


def _rule(at: int, handoff: Json, node: Handoff, scope: Scope) -> Json:
    ir: Json = {
        "to": handoff["to"],
        "description": handoff["context"].get("summary") or handoff.get("description") or f"Route to {handoff['to']}",
        "priority": handoff.get("priority", at),
        "return": handoff["return"],
    }
    if "when" in handoff:
        ir["when"] = handoff["when"]
    return scope.record(ir, node)


def _default_agent(handoffs: list[Json], *, is_supervisor: bool) -> str:
    """Return the target of the rule that always holds; for a supervisor else the last rule without a condition."""
    for handoff in handoffs:
        if "when" in handoff and is_always(handoff["when"]):
            return text(handoff["to"])
    if is_supervisor:
        for handoff in reversed(handoffs):
            if "when" not in handoff:
                return text(handoff["to"])
    return ""


def _classification(scope: Scope, handoffs: list[Json]) -> Json:
    declared = intents_of(scope)
    categories: dict[str, str] = {}
    if declared:
        for intent in declared:
            categories.setdefault(text(intent.name), text(intent.description))
    else:
        for handoff in handoffs:
            when = handoff.get("when", "")
            for name in facts_of(when).intents if "intent" in when else ():
                summary = handoff["context"].get("summary") or f"Requests for {handoff['to']}"
                categories.setdefault(name, summary)
    for name, description in STANDARD_CATEGORIES:
        categories.setdefault(name, description)
    return {
        "categories": [{"name": name, "description": description} for name, description in categories.items()],
        "min_confidence": MIN_CONFIDENCE,
        "source": "explicit" if declared else "inferred",
        "lexical_fallback": lexical_fallback(scope),
    }


def _may_answer(scope: Scope, agent: Json) -> bool:
    """Whether a supervisor answers by itself: the old BEHAVIOR says so, or it has tools or a flow."""
    legacy = scope.document.legacy
    behavior = legacy.get("behavior") if isinstance(legacy, Mapping) else getattr(legacy, "behavior", None)
    allowed = (
        behavior.get("can_respond_directly")
        if isinstance(behavior, Mapping)
        else getattr(behavior, "can_respond_directly", None)
    )
    return allowed is True or "flow" in agent or any(not tool["system"] for tool in agent["tools"])
