"""Whether recall rules wait for events that can happen. Spec: abl-language 3.5, 13.1.

Old names and `tool:...:before` are reported by the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge
from itertools import islice

from abl.checks.blocks import Block
from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import dig, rows, text
from abl.checks.report import Check
from abl.checks.suggestions import MAX_LISTED, distinct, unknown
from abl.diagnostics.suggest import closest

FORMS = (
    "session:start", "session:end", "agent:NAME:before", "agent:NAME:after", "tool:NAME:after",
    "entity:FIELD:extracted", "step:enter:STEP", "step:exit:STEP",
)  # fmt: skip
"""The events there are."""

_OTHER_WORDS = {
    "session:begin": "session:start",
    "session:open": "session:start",
    "session:stop": "session:end",
    "session:finish": "session:end",
    "session:close": "session:end",
}

ANY = "*"

_EVENT = re.compile(
    r"session:(?:start|end)"
    r"|agent:(?P<agent>[\w*./-]+):(?:before|after)"
    r"|tool:(?P<tool>[\w*.-]+):(?:after|before)"
    r"|entity:(?P<entity>[\w*.-]+):extracted"
    r"|step:(?:enter|exit):(?P<step>[\w*-]+)"
)
_OLD_NAME = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")


def unknown_events(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield events that do not exist, and events of steps and fields that do not exist."""
    names: dict[str, Collection[str]] = {"step": facts.steps, "entity": _entities(facts)}
    for block, event in _events(facts):
        found = _EVENT.fullmatch(event)
        if found is None:
            if not _OLD_NAME.fullmatch(event):
                near = _OTHER_WORDS.get(event.lower()) or closest(event, FORMS[:2]) or ""
                said = {"value": event, "known": ", ".join(FORMS), "suggestion": near}
                yield Finding("UNKNOWN_RECALL_EVENT", block, "event", event, near, said)
            continue
        for part, known in names.items():
            name = found[part]
            if name and name != ANY and name not in known:
                yield _unknown_part(block, event, name, known)


def _unknown_part(block: Block, event: str, name: str, known: Collection[str]) -> Finding:
    """Return the finding for `step:enter:x` and its like; the known events are those of the known names."""
    forms = [event.replace(name, one, 1) for one in islice(known, MAX_LISTED)]
    near = closest(name, known) or ""
    suggestion = event.replace(name, near, 1) if near else ""
    said = {"value": event, "known": ", ".join(forms), "suggestion": suggestion}
    return Finding("UNKNOWN_RECALL_EVENT", block, "event", event, suggestion, said)


def unknown_tools(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield events of tools that are not declared."""
    known = sorted(name for name in facts.known_tools if not name.startswith("__"))
    yield from _unknown("UNKNOWN_RECALL_TOOL", "tool", lambda: known, facts, facts.known_tools.__contains__)


def unknown_agents(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield events of agents that are not known.

    Of a single text only a near miss of an agent it names is reported: others may be in files that were not given.
    """
    if next(_events(facts), None) is None:
        return
    own = sorted(facts.partners | {facts.name})
    guesses = facts.guesses("recalled agents")

    def known() -> Iterator[str]:
        return distinct(filter(None, merge(own, context.sorted_agents)))

    def accepts(name: str) -> bool:
        if name in facts.partners or name == facts.name or name in context.known_agents:
            return True
        return context.options.single_agent and not guesses.closest(name, known())

    yield from _unknown("UNKNOWN_RECALL_AGENT", "agent", known, facts, accepts)


def _unknown(
    code: str, part: str, known: Callable[[], Iterable[str]], facts: AgentFacts, accepts: Callable[[str], bool]
) -> Iterator[Finding]:
    for block, event in _events(facts):
        found = _EVENT.fullmatch(event)
        name = found[part] if found is not None else None
        if name and name != ANY and not accepts(name):
            yield unknown(code, block, "event", name, known(), value=event)


def _entities(facts: AgentFacts) -> Collection[str]:
    fields = [text(block.subject.get("name")) for block in facts.gather_fields]
    return dict.fromkeys([*fields, *(text(one.get("name")) for one in rows(facts.ir.get("entities")))])


def _events(facts: AgentFacts) -> Iterator[tuple[Block, str]]:
    for rule in rows(dig(facts.ir, "memory", "recall")):
        event = text(rule.get("event")).strip()
        if event:
            yield facts.block(rule), event


CHECKS = (
    Check("UNKNOWN_RECALL_TOOL", unknown_tools),
    Check("UNKNOWN_RECALL_AGENT", unknown_agents),
    Check("UNKNOWN_RECALL_EVENT", unknown_events),
)
"""The rules of this family, in the order in which they are checked."""
