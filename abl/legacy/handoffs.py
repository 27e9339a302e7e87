"""Routing rules -> modern HANDOFF and COMPLETE entries. Spec: abl-language 10.3."""

from __future__ import annotations

from collections.abc import Sequence

from abl.legacy.flow import text_list
from abl.syntax.coordination import Completion, Handoff
from abl.syntax.legacy import AgentRef, RoutingRule
from abl.syntax.node import blank, given


def handoffs_of(rules: Sequence[RoutingRule], agents: Sequence[AgentRef] = ()) -> list[Handoff]:
    """Return rules as HANDOFF rules in their order, then agents that no rule names, DEFAULT last."""
    known = {agent.alias: agent for agent in agents}
    routes = [rule for rule in rules if rule.action in ("route_to", "intent_match") and rule.target]
    named = {rule.target for rule in routes}
    routes.extend(RoutingRule(target=alias, pos=agent.pos) for alias, agent in known.items() if alias not in named)
    routes.sort(key=lambda rule: rule.otherwise)
    return [_handoff(rule, known.get(rule.target)) for rule in routes]


def aliases_of(agents: Sequence[AgentRef]) -> dict[str, str]:
    """Return alias -> the agent or file it stands for, of the entries that give both."""
    return {one.alias: one.path for one in agents if one.alias and one.path and one.path != one.alias}


def completions_of(rules: Sequence[RoutingRule]) -> list[Completion]:
    """Return the rules that end the conversation, or only answer, as entries of COMPLETE."""
    return [
        Completion(when=when_of(rule), respond=rule.message or Completion.DEFAULTS["respond"], pos=rule.pos)
        for rule in rules
        if rule.action in ("end_conversation", "route_to_user")
    ]


def when_of(rule: RoutingRule) -> str:
    """Return the condition under which a rule applies; `true` for DEFAULT."""
    parts = [rule.when] if rule.when else []
    if intents := given(rule, "intents"):
        parts.append(f"intent.category IN {text_list(intents)}")
    if len(parts) == 2:
        parts[0] = f"({parts[0]})"
    return " AND ".join(parts) or ("true" if rule.otherwise else "")


def _handoff(rule: RoutingRule, agent: AgentRef | None) -> Handoff:
    made = blank(Handoff, rule.pos)
    made.to, made.when = rule.target, when_of(rule)
    if rule.priority is not None:
        made.priority = rule.priority
    if rule.description:
        made.description = rule.description
    if "priority" in rule.at:
        made.at["priority"] = rule.at["priority"]
    if "target" in rule.at:
        made.at["to"] = rule.at["target"]
    if "silent" in (given(rule, "flags") or ()):
        made.experience_mode = "silent_delegate"
    if agent is not None:
        can = f"Can do: {', '.join(agent.capabilities)}" if agent.capabilities else ""
        made.description = made.description or ". ".join([text for text in (agent.description, can) if text])
        channels = f"channel IN {text_list(agent.channels)}" if agent.channels else ""
        for own in (agent.when, channels):
            if own:
                made.when = f"({made.when}) AND {own}" if made.when not in ("", "true") else own
    return made
