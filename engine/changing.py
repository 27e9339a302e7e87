"""What an agent may change outside: whether it can at all, and what a turn is known to have changed.

An agent can change something when it, or an agent that it can reach, has a tool with side effects. What has changed
something is not asked for again, and what may have is told to whoever asked. Spec: abl-language 3.2, 7.3, 14.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from domain.json_values import JsonObject
from engine.program import AgentProgram, Program
from engine.run import Run

MADE, UNKNOWN = "made", "unknown"
"""What a turn has changed outside: something, or nobody can tell; nothing is an empty word."""
IN_DOUBT = frozenset({"outcome_unknown", "expired", "tool_timeout"})
"""Failures after which a call may have been made all the same."""
_TARGETS = ("on_failure_target", "on_timeout_target")


def has_side_effects(tool: JsonObject) -> bool:
    """Return whether a call of a tool changes something; one that does not say so does."""
    return bool((tool.get("hints") or {}).get("side_effects", True))


def asks_each_time(tool: JsonObject) -> bool:
    """Return whether every call of a tool needs a yes of its own. Spec: abl-language 3.2 (confirm)."""
    require = (tool.get("confirmation") or {}).get("require", "never")
    says_so = bool((tool.get("hints") or {}).get("side_effects"))
    return require == "always" or (require == "when_side_effects" and says_so)


def can_change(program: Program, name: str) -> bool:
    """Return whether an agent, or one it hands over or delegates to, can change something; one elsewhere can.

    Each agent of the program is looked at once, so that agents that name each other come to an end.
    """
    known = program.changing.get(name)
    if known is None:
        known = program.changing[name] = _reaches_a_change(program, name)
    return known


def note(run: Run, what: str) -> None:
    """Remember what the turn has changed; that nobody can tell stays, whatever comes after it."""
    turn = run.state.turn
    if what and turn.changes != UNKNOWN:
        turn.changes = what


def _reaches_a_change(program: Program, name: str) -> bool:
    seen: set[str] = set()
    left = [name]
    while left:
        target = left.pop()
        agent = program.find(target)
        if agent is None and target in program.remote_agents:
            return True
        if agent is None or agent.name in seen:
            continue
        seen.add(agent.name)
        if any(has_side_effects(tool) for tool in _tools(agent)) or any(one.get("remote") for one in _rules(agent)):
            return True
        left.extend(_targets(_rules(agent)))
    return False


def _tools(agent: AgentProgram) -> Iterator[JsonObject]:
    """Yield the tools of an agent, those its profiles add too; those of the platform change nothing by themselves."""
    yield from (tool for tool in agent.tools.values() if not tool.get("system"))
    for profile in agent.ir["behavior_profiles"]:
        yield from profile.get("tools_add", ())


def _rules(agent: AgentProgram) -> list[JsonObject]:
    coordination = agent.ir["coordination"]
    return [*coordination["handoffs"], *coordination["delegates"]]


def _targets(rules: Iterable[JsonObject]) -> Iterator[str]:
    for rule in rules:
        yield str(rule.get("to") or rule.get("agent"))
        yield from (str(rule[key]) for key in _TARGETS if rule.get(key))
