"""Whether the tools of agents are defined in the project's libraries, and lead out of the network.

Spec: abl-language 2.4, 3.2.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import dig, text
from abl.checks.report import Check
from abl.checks.suggestions import listed, unknown
from abl.checks.tool_declarations import is_bare
from abl.checks.written import Form, Written
from abl.compiler.destinations import host_of, is_private
from abl.compiler.places import Place
from abl.diagnostics.suggest import closest
from abl.syntax.tools import Tool

MAX_ODD = 50
"""Parameters of one tool for which that of the library is looked for."""

MAX_STEM_CHARS = 6
"""Letters at the beginning of a word that tell it from others: `reserve` is the word of `reserves` and `reserved`."""

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
_BINDINGS = ("http_binding", "async_webhook_binding")


def misspelt_tools(facts: AgentFacts, context: CheckContext) -> dict[str, str]:
    """Return tools that an agent declares and nothing defines -> the tool of a library that is probably meant."""
    found = facts.remembered.get("misspelt_tools")
    if found is None:
        libraries = context.options.library_tools
        found = {}
        guesses = facts.guesses("tools of libraries")
        for name, block in facts.tools.items():
            if not libraries or name in libraries or block.subject.get("tool_type"):
                continue
            place = context.place(block.subject)
            others = (one for one in libraries if one not in facts.tools)
            near = guesses.closest(name, others) if place is not None and isinstance(place.node, Tool) else ""
            if near:
                found[name] = near
        facts.remembered["misspelt_tools"] = found
    return dict(found)


def tools_not_in_library(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield tools without a binding that no library of the project has, when one has a tool of nearly that name.

    Where all speaks for the name that the agents use, it is the library that is misspelt.
    """
    for name, near in misspelt_tools(facts, context).items():
        place = context.options.library_places.get(near)
        if place is not None and _is_meant(name, near, context):
            written = Written(place, "name", near, Form.TEMPLATE, f"tools.{near}")
            said = {"name": near, "tool": near, "value": name, "suggestion": name}
            yield Finding("LIBRARY_TOOL_UNUSED", facts.tools[name], "", near, name, said, written=written)
            continue
        said = {"tool": name, "known": listed(context.sorted_library_tools)}
        yield unknown("TOOL_NOT_IN_LIBRARY", facts.tools[name], "name", name, [near], **said)


def _is_meant(name: str, near: str, context: CheckContext) -> bool:
    """Whether the name that agents use is right, and the near one of a library is a slip of the pen.

    No agent uses that of the library, and either they say the other one more than once, or it consists of words that
    the texts of the project know.
    """
    if context.tool_uses[near]:
        return False
    if context.tool_uses[name] > 1:
        return True
    ours, theirs = set(_words(name)), set(_words(near))
    words = _vocabulary(context)
    return all(words[word] > 1 for word in ours - theirs) and any(words[word] <= 1 for word in theirs - ours)


def _vocabulary(context: CheckContext) -> Counter[str]:
    """Return how often the words of the project stand in its texts; only their beginnings count."""
    if context.vocabulary is None:
        places = [*map(context.place, context.agents.values()), *context.options.library_places.values()]
        units = {id(place.unit): place.unit for place in places if place is not None}
        texts = (unit.source.text for unit in units.values() if unit.source is not None)
        context.vocabulary = Counter(word for one in texts for word in _words(one))
    return context.vocabulary


def _words(name: str) -> Iterator[str]:
    return (found[0][:MAX_STEM_CHARS].lower() for found in _WORD.finditer(name))


def only_named_tools(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield tools of an agent of which its library has nothing but the name: a call could reach nothing."""
    for name, block in facts.tools.items():
        place = context.options.library_places.get(name)
        if place is None or block.subject.get("tool_type") or not isinstance(place.node, Tool):
            continue
        if is_bare(place.node):
            yield Finding("TOOL_NOT_BOUND", block, "name", name, arguments={"name": name, "tool": name})


def misspelt_parameters(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield parameters in the signature of an agent that are nearly one of the library, and none of it."""
    for name, block in facts.tools.items():
        theirs, place = context.options.library_tools.get(name), context.place(block.subject)
        if not theirs or place is None or not isinstance(place.node, Tool) or place.unit.document.kind == "tools":
            continue
        own = {one.name for one in place.node.parameters or [] if "name" in one.at}
        free = [one for one in theirs if one not in own]
        unknown_names = own.difference(theirs)
        odd = [one for one in place.node.parameters or [] if free and one.name in unknown_names]
        for parameter in odd[:MAX_ODD]:
            near = closest(parameter.name, free)
            if near and "name" in parameter.at:
                said = {"name": parameter.name, "tool": name, "known": listed(theirs), "suggestion": near}
                written = Written(Place(parameter, place.unit), "name", parameter.name, Form.TEMPLATE, f"tools.{name}")
                yield Finding("UNKNOWN_PARAMETER", block, "", parameter.name, near, said, written=written)


def private_endpoints(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield tools that call a host inside the network, unless the deployment allows it."""
    allowed = frozenset(context.options.allowed_hosts)
    for name, block in facts.tools.items():
        for key in _BINDINGS:
            host = host_of(text(dig(block.subject, key, "endpoint")))
            if host and is_private(host) and host not in allowed:
                said = {"name": name, "tool": name, "value": host}
                yield Finding("PRIVATE_ENDPOINT", block, "endpoint", host, arguments=said)


CHECKS = (
    Check("TOOL_NOT_IN_LIBRARY", tools_not_in_library),
    Check("TOOL_NOT_BOUND", only_named_tools),
    Check("UNKNOWN_PARAMETER", misspelt_parameters),
    Check("PRIVATE_ENDPOINT", private_endpoints),
)
"""The rules of this family, in the order in which they are checked."""
