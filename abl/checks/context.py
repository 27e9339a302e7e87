"""What surrounds an agent while it is checked: the other agents, the places of the text, the options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from abl.checks.exchange import Exchange
from abl.checks.facts import AgentFacts
from abl.checks.reading import Subject, mapping, rows, text
from abl.compiler.places import Place, Places


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How strictly to check, and what is known from elsewhere.

    Attributes:
        strict: Deprecated forms are errors.
        single_agent: The agents are not all there is: references to agents outside are not reported.
        default_model: The deployment has a model for agents that name none.
        project_agents: Names of agents known elsewhere.
        library_tools: Tools that the libraries of the project define: name -> names of the parameters.
        library_places: Where the libraries define them, as far as that is known.
        allowed_hosts: Private hosts that tools may call.
        languages: Tags of languages that the project describes itself.
    """

    strict: bool = False
    single_agent: bool = False
    default_model: bool = False
    project_agents: Iterable[str] = ()
    library_tools: Mapping[str, Collection[str]] = field(default_factory=dict)
    library_places: Mapping[str, Place] = field(default_factory=dict)
    allowed_hosts: Iterable[str] = ()
    languages: Collection[str] = ()


class CheckContext:
    """The agents of one compile.

    Attributes:
        agents: Name -> AgentIR; whatever is no JSON object is skipped.
        options: See `CheckOptions`.
        places: Where the objects came from, None for an IR without text.
        remote: Names of agents that run elsewhere.
        vocabulary: How often words stand in the texts, for the rule that wants to know.
    """

    def __init__(
        self,
        agents: Mapping[str, Any] | None = None,
        options: CheckOptions | None = None,
        places: Places | None = None,
        remote: Iterable[str] = (),
    ) -> None:
        given = agents if isinstance(agents, Mapping) else {}
        self.agents: dict[str, Subject] = {str(name): one for name, one in given.items() if isinstance(one, dict)}
        self.options = options or CheckOptions()
        self.places = places
        self.remote = frozenset(map(str, remote))
        self.vocabulary: Counter[str] | None = None
        self._facts: dict[int, AgentFacts] = {}

    @classmethod
    def of_output(
        cls, output: object, options: CheckOptions | None = None, places: Places | None = None
    ) -> CheckContext:
        """Return the context of a compilation output."""
        whole = mapping(output)
        return cls(mapping(whole.get("agents")), options, places, mapping(whole.get("remote_agents")))

    @cached_property
    def known_agents(self) -> frozenset[str]:
        """Names of all agents that can be handed over to."""
        return frozenset(self.agents) | self.remote | frozenset(self.options.project_agents)

    @cached_property
    def sorted_agents(self) -> list[str]:
        """The known agents by name."""
        return sorted(self.known_agents)

    @cached_property
    def ordered_agents(self) -> dict[str, None]:
        """The known agents by name, to be looked up."""
        return dict.fromkeys(self.sorted_agents)

    @cached_property
    def sorted_library_tools(self) -> list[str]:
        """The tools of the libraries by name."""
        return sorted(self.options.library_tools)

    def facts(self, agent: Subject) -> AgentFacts:
        """Return what is known of an agent; computed once."""
        known = self._facts.get(id(agent))
        if known is None or known.ir is not agent:
            name = self._names.get(id(agent), "")
            imported = self._imported_tools(agent)
            known = AgentFacts(agent, name, exchange=lambda: self.exchange, imported_tools=imported)
            self._facts[id(agent)] = known
        return known

    def facts_by_name(self, name: str) -> AgentFacts | None:
        """Return the facts of an agent of this compile."""
        agent = self.agents.get(name)
        return self.facts(agent) if agent is not None else None

    def place(self, subject: Subject) -> Place | None:
        """Return the node an object was made from."""
        return self.places.find(subject) if self.places is not None else None

    def is_numbered(self, agent: Subject) -> bool:
        """Return whether an agent was written in the numbered grammar.

        Its CONTRACT and STATE declare names in their own way, and a step of it may be a signal and nothing else.
        """
        place = self.place(agent)
        return place is not None and place.unit.document.format == "legacy"

    @cached_property
    def tool_uses(self) -> Counter[str]:
        """Tool -> how often agents declare it or call it."""
        all_facts = [self.facts(agent) for agent in self.agents.values()]
        declared = (name for facts in all_facts for name in {*facts.tools, *facts.imported_tools})
        return Counter(declared) + Counter(call.tool for facts in all_facts for call in facts.calls)

    @cached_property
    def profile_users(self) -> dict[str, list[AgentFacts]]:
        """Profile -> the agents that use it."""
        users: dict[str, list[AgentFacts]] = {}
        for agent in self.agents.values():
            for name in dict.fromkeys(text(one.get("name")) for one in rows(agent.get("behavior_profiles"))):
                users.setdefault(name, []).append(self.facts(agent))
        return users

    @cached_property
    def exchange(self) -> Exchange:
        """What the agents give each other."""
        return Exchange({name: self.facts(agent).blocks for name, agent in self.agents.items()})

    @cached_property
    def _names(self) -> dict[int, str]:
        return {id(agent): name for name, agent in self.agents.items()}

    def _imported_tools(self, agent: Subject) -> list[str]:
        """Return the tools an agent imports by name, whether or not their file was there."""
        place = self.place(agent)
        imports = (place.unit.document.tool_imports if place is not None else None) or []
        return [name for one in imports for name in [*(one.names or []), one.slug] if name]
