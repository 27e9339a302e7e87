"""Whether the names in behaviour profiles exist in the agents that use them. Spec: abl-language 3.18, 6.7, 13.4.

A profile may serve several agents: what one of them knows is known. One that no agent uses is held against all agents
of the project. What an agent outside of the given texts knows nobody can tell, so a name is reported only when it is
nearly a known one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice

from abl.checks.anchors import Anchor, fix_of
from abl.checks.context import CheckContext
from abl.checks.document_report import found_at
from abl.checks.facts import AgentFacts, is_engine_name
from abl.checks.names import ENGINE_NAMES, ERROR_NAMES, NAMESPACES, RESULT_NAMES
from abl.checks.reading import text
from abl.checks.spans import span
from abl.checks.suggestions import Guesses, distinct, listed
from abl.checks.walk import nodes_of
from abl.checks.written import Form, Written, written_in
from abl.compiler.places import Place, Unit
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.expressions.analysis import analyse
from abl.expressions.inspection import walk
from abl.expressions.tree import Variable
from abl.syntax.flow import TERMINALS, Flow
from abl.syntax.node import Kind, Node
from abl.syntax.profile import AddedTool, FieldOverride, Profile, StepOverride
from abl.syntax.steps import Assignment, Call, DelegateCall
from abl.templates import analyse_template

MAX_FINDINGS = 200
"""Most findings in one profile."""

_GIVEN = ("as_", "target", "item_var", "collect", "name")
"""Fields of nodes that name what gets a value."""


class Known:
    """What the agents that a profile serves know.

    Attributes:
        guesses: The near names found so far, in all profiles that serve these agents.
    """

    def __init__(self, agents: Iterable[AgentFacts]) -> None:
        self.agents = tuple(agents)
        self.guesses = Guesses()

    @cached_property
    def names(self) -> dict[str, None]:
        """The names of values, those of the authors first."""
        own = sorted({name for agent in self.agents for name in agent.candidates} - ENGINE_NAMES - NAMESPACES)
        return dict.fromkeys([*own, *sorted(ENGINE_NAMES | NAMESPACES)])

    @cached_property
    def told(self) -> frozenset[str]:
        """The names that the texts of agents with a model speak of."""
        return frozenset().union(*(agent.spoken_names for agent in self.agents))

    @cached_property
    def fields(self) -> dict[str, None]:
        """The names of gather fields."""
        return dict.fromkeys(text(block.subject.get("name")) for one in self.agents for block in one.gather_fields)

    @cached_property
    def tools(self) -> dict[str, None]:
        """The tools that may be called."""
        names = sorted({name for agent in self.agents for name in agent.known_tools})
        return dict.fromkeys(name for name in names if name and not name.startswith("__"))

    @cached_property
    def steps(self) -> dict[str, None]:
        """The steps of the flows."""
        return dict.fromkeys(step for agent in self.agents for step in agent.steps)


class ProfileNames:
    """The names in one profile, held against what its agents know."""

    def __init__(self, profile: Profile, unit: Unit, known: Known, context: CheckContext) -> None:
        self.profile = profile
        self.unit = unit
        self.known = known
        self.context = context
        self.guesses = known.guesses

    def findings(self) -> Iterator[Diagnostic]:
        """Yield what is misspelt."""
        yield from self.values()
        for node, path in self.nodes:
            if isinstance(node, FieldOverride):
                yield from self.misspelt("PROFILE_UNKNOWN_FIELD", node, "name", node.name, path, self.known.fields)
            elif isinstance(node, Call):
                tools = (self.known.tools, self.added_tools)
                yield from self.misspelt("UNDEFINED_TOOL_CALL", node, "tool", node.tool, path, *tools)
            elif isinstance(node, DelegateCall):
                agents = self.context.ordered_agents
                yield from self.misspelt("INVALID_DELEGATE_TARGET", node, "agent", node.agent, path, agents)
            elif isinstance(node, StepOverride):
                steps = self.known.steps
                yield from self.misspelt("DANGLING_STEP_REF", node, "transition", node.transition, path, steps)
            yield from self.handoff(node, path)
        yield from self.replaced_flows()

    @cached_property
    def nodes(self) -> list[tuple[Node, str]]:
        """All nodes of the profile with their paths."""
        return list(nodes_of(self.profile))

    @cached_property
    def added_tools(self) -> dict[str, None]:
        """The tools that the profile brings along."""
        return {node.name: None for node, _ in self.nodes if isinstance(node, AddedTool)}

    def handoff(self, node: Node, path: str) -> Iterator[Diagnostic]:
        """Yield the agent of a HANDOFF line that does not exist."""
        agent = getattr(node, "handoff", "")
        if isinstance(agent, str) and agent:
            agents = self.context.ordered_agents
            yield from self.misspelt("INVALID_HANDOFF_TARGET", node, "handoff", agent, path, agents)

    def misspelt(
        self, code: str, node: Node, field: str, word: str, path: str, *known: Mapping[str, None]
    ) -> Iterator[Diagnostic]:
        """Yield the finding that `word` is no known name, when it is nearly one."""
        if not word or any(word in names for names in known) or word.upper() in TERMINALS:
            return
        near = self.guesses.slip(word, chain(*known), (code, self.profile.name))
        if near:
            names = listed(distinct(chain(*known)))
            said = {"name": word, "known": names, "value": self.profile.name, "property": field.upper()}
            yield found_at(code, Place(node, self.unit), field, word, near, path, tool=word, **said)

    def replaced_flows(self) -> Iterator[Diagnostic]:
        """Yield targets within a whole other flow that are none of its steps.

        Of a profile that an agent uses, the check of that agent's flows tells them.
        """
        if any(self.profile.name in agent.profile_names for agent in self.known.agents):
            return
        for flow, path in self.nodes:
            if not isinstance(flow, Flow):
                continue
            steps = dict.fromkeys(step.name for step in flow.steps or [])
            for node, inner in nodes_of(flow):
                for row in node.PROPS:
                    if row.kind is Kind.TARGET:
                        name = getattr(node, row.field, "")
                        where = f"{path}.{inner}" if inner else path
                        yield from self.misspelt("DANGLING_STEP_REF", node, row.field, name, where, steps)

    # -- values ----------------------------------------------------------------------------------------------------

    def values(self) -> Iterator[Diagnostic]:
        """Yield the names in conditions, expressions and templates that are nearly a known one."""
        names = self.known.names
        known = (names, self.known.told, self.given, ERROR_NAMES, RESULT_NAMES)
        for written in written_in(self.profile, self.unit):
            for one in _variables(written):
                name = one.path[0]
                if any(name in some for some in known) or is_engine_name(name) or name == "this":
                    continue
                near = self.guesses.slip(name, names)
                if near:
                    yield self.value(written, one, near, names)

    def value(self, written: Written, one: Variable, near: str, names: Iterable[str]) -> Diagnostic:
        """Return the finding about one variable in a text."""
        name = one.path[0]
        start = one.start if written.text.startswith(name, one.start) else max(written.text.find(name), 0)
        where = span(written, start, len(name))
        fix = fix_of(Anchor(written.place, written.field, ""), where, name, near)
        condition = written.form in (Form.CONDITION, Form.JUDGED)
        said = {"name": name, "variable": name, "known": listed(names), "suggestion": near, "property": "WHEN"}
        code = "UNDEFINED_CONDITION_VAR" if condition else "UNDEFINED_NAME"
        return finding(code, fix=fix, path=written.path, **where, **said)  # type: ignore[arg-type]

    @cached_property
    def given(self) -> frozenset[str]:
        """The names that the profile itself gives a value."""
        found = {node.variable for node, _ in self.nodes if isinstance(node, Assignment)}
        for node, _ in self.nodes:
            if isinstance(node, FieldOverride | StepOverride):
                continue
            values = (getattr(node, field, "") for field in _GIVEN)
            found.update(value for value in values if isinstance(value, str))
        return frozenset(name.partition(".")[0] for name in found)


def profile_findings(units: Iterable[Unit], context: CheckContext) -> Iterator[Diagnostic]:
    """Yield the misspelt names in the profiles of all documents."""
    everyone = [context.facts(agent) for agent in context.agents.values()]
    known: dict[tuple[int, ...], Known] = {}
    for unit in units:
        for profile in unit.document.behavior_profiles or []:
            users = _users(profile, unit, context, everyone)
            if users:
                key = tuple(map(id, users)) if users is not everyone else ()
                served = known.setdefault(key, Known(users))
                yield from islice(ProfileNames(profile, unit, served, context).findings(), MAX_FINDINGS)


def _users(profile: Profile, unit: Unit, context: CheckContext, everyone: list[AgentFacts]) -> list[AgentFacts]:
    """Return the agents that a profile serves: all of them when none says that it uses it."""
    if unit.document.kind == "profile":
        return context.profile_users.get(profile.name) or everyone
    own = context.facts_by_name(unit.document.name)
    return [own] if own is not None else []


def _variables(written: Written) -> Iterator[Variable]:
    if written.form is Form.TEMPLATE:
        trees = analyse_template(written.text).expressions
    else:
        condition = written.form in (Form.CONDITION, Form.JUDGED)
        trees = (analyse(written.text, condition=condition, allow_text=condition).node,)
    for tree in trees:
        yield from (one for one in walk(tree) if isinstance(one, Variable))
