"""Whether the tools of agents are defined in the project's libraries, and lead out of the network.

Spec: abl-language 2.4, 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import dig, text
from abl.checks.report import Check
from abl.checks.suggestions import listed, unknown
from abl.checks.written import Form, Written
from abl.compiler.destinations import host_of, is_private
from abl.compiler.places import Place
from abl.diagnostics.suggest import closest
from abl.syntax.tools import Tool

MAX_ODD = 50
"""Parameters of one tool for which that of the library is looked for."""

_BINDINGS = ("http_binding", "async_webhook_binding")


def misspelt_tools(facts: AgentFacts, context: CheckContext) -> dict[str, str]:
    """Return tools that an agent declares and nothing defines -> the tool of a library that is probably meant."""
    found = facts.remembered.get("misspelt_tools")
    if found is None:
        libraries = [name for name in context.options.library_tools if name not in facts.tools]
        found = {}
        guesses = facts.guesses("tools of libraries")
        for name, block in facts.tools.items():
            if not libraries or name in context.options.library_tools or block.subject.get("tool_type"):
                continue
            place = context.place(block.subject)
            near = guesses.closest(name, libraries) if place is not None and isinstance(place.node, Tool) else ""
            if near:
                found[name] = near
        facts.remembered["misspelt_tools"] = found
    return dict(found)


def tools_not_in_library(facts: AgentFacts, context: CheckContext) -> Iterator[Finding]:
    """Yield tools without a binding that no library of the project has, when one has a tool of nearly that name.

    Where the agents say the name more than once and never that of the library, it is the library that is misspelt.
    """
    for name, near in misspelt_tools(facts, context).items():
        place = context.options.library_places.get(near)
        if place is not None and context.tool_uses[name] > 1 and not context.tool_uses[near]:
            written = Written(place, "name", near, Form.TEMPLATE, f"tools.{near}")
            said = {"name": near, "tool": near, "value": name, "suggestion": name}
            yield Finding("LIBRARY_TOOL_UNUSED", facts.tools[name], "", near, name, said, written=written)
            continue
        said = {"tool": name, "known": listed(sorted(context.options.library_tools))}
        yield unknown("TOOL_NOT_IN_LIBRARY", facts.tools[name], "name", name, [near], **said)


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
    Check("UNKNOWN_PARAMETER", misspelt_parameters),
    Check("PRIVATE_ENDPOINT", private_endpoints),
)
"""The rules of this family, in the order in which they are checked."""
