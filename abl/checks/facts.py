"""What the rules want to know of one agent, computed once and only when a rule asks. Spec: abl-language 12.2, 13.4."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from abl.checks.blocks import Block, blocks_of
from abl.checks.exchange import Exchange
from abl.checks.formulas import Formula, formula_of
from abl.checks.names import CHECKPOINT_NAMES, ENGINE_NAMES, HUMAN_NAMES, NAMESPACES
from abl.checks.producers import Producer, producers_of
from abl.checks.reading import Subject, dig, mapping, root, rows, text, texts
from abl.checks.suggestions import Guesses
from abl.compiler.identities import Identities

CONDITION_KEYS = (
    "applies_when", "when", "condition", "check", "exit_when", "complete_when", "success_when", "filter"
)  # fmt: skip
"""Keys of the IR whose text is a condition; that of a lowered rule repeats its `applies_when`."""

CONDITION_SECTIONS = frozenset(
    {
        "flow", "constraints", "coordination", "completion", "memory", "gather", "action_handlers", "on_start",
        "hooks", "error_handling", "tools",
    }
)  # fmt: skip
"""Sections whose conditions read the state of this agent; `routing` repeats those of the handoffs."""

_TAG = re.compile(r"\{\{[^{}]*\}\}")
_WORD = re.compile(r"[^\W\d]\w*")
_MAX_DATA_NESTING = 64
_MAX_VALUES = 2_000_000


class Condition(NamedTuple):
    """One condition of the agent: where it stands, its text, and the text as it was read."""

    block: Block
    field: str
    text: str
    formula: Formula


class Call(NamedTuple):
    """One place that calls a tool, or offers it to the model."""

    block: Block
    field: str
    tool: str


class AgentFacts:
    """One agent of the IR.

    Attributes:
        ir: The agent as handed in; may be any JSON object.
        name: Its name, empty when it has none.
        imported_tools: Tools it imports from files that were not given.
        remembered: What rules want to compute once per agent, by a name of their own.
    """

    def __init__(
        self,
        ir: Subject,
        name: str = "",
        *,
        exchange: Callable[[], Exchange] = Exchange,
        imported_tools: Iterable[str] = (),
    ) -> None:
        self.ir = ir
        self.name = name or text(dig(ir, "metadata", "name"))
        self.imported_tools = frozenset(imported_tools)
        self._exchange = exchange
        self.remembered: dict[str, Any] = {}

    def guesses(self, rule: str) -> Guesses:
        """Return the near names that a rule has found so far."""
        known: Guesses = self.remembered.setdefault(f"guesses of {rule}", Guesses())
        return known

    @cached_property
    def passed(self) -> frozenset[str]:
        """Names that other agents of the same compile give it at a handoff or delegation."""
        return frozenset(self._exchange().passed.get(self.name, ()))

    @cached_property
    def returned(self) -> frozenset[str]:
        """Names that other agents of the same compile read from it when it comes back."""
        return frozenset(self._exchange().returned.get(self.name, ()))

    @cached_property
    def is_supervisor(self) -> bool:
        """Whether the agent is a supervisor."""
        return text(dig(self.ir, "metadata", "type")) == "supervisor"

    @cached_property
    def blocks(self) -> list[Block]:
        """Every object of the agent."""
        return blocks_of(self.ir)

    @cached_property
    def _positions(self) -> Identities:
        return Identities([block.subject for block in self.blocks])

    def block(self, subject: Subject) -> Block:
        """Return the block of an object of this agent."""
        at = self._positions.position(subject)
        return self.blocks[at] if at >= 0 else Block(subject)

    def under(self, *sections: str) -> Iterator[Block]:
        """Yield the blocks of some sections."""
        wanted = frozenset(sections)
        return (block for block in self.blocks if block.section in wanted)

    # -- parts -------------------------------------------------------------------------------------------------

    @cached_property
    def flow(self) -> Subject | None:
        """The FLOW, None without one."""
        flow = self.ir.get("flow")
        return flow if isinstance(flow, dict) else None

    @cached_property
    def profile_names(self) -> frozenset[str]:
        """The names of the profiles that the agent uses."""
        return frozenset(text(one.get("name")) for one in rows(self.ir.get("behavior_profiles")))

    @cached_property
    def with_other_flows(self) -> list[AgentFacts]:
        """The agent as it is under each profile that replaces its FLOW."""
        flows = (one.get("flow_replace") for one in rows(self.ir.get("behavior_profiles")))
        return [AgentFacts({**self.ir, "flow": flow}, self.name) for flow in flows if isinstance(flow, dict)]

    @cached_property
    def steps(self) -> dict[str, Block]:
        """The steps by name, in definition order."""
        definitions = dig(self.flow, "definitions")
        if isinstance(definitions, dict):
            found = {str(name): one for name, one in definitions.items() if isinstance(one, dict)}
        else:
            found = {text(one.get("name")): one for one in rows(definitions)}
        return {name: self.block(one) for name, one in found.items()}

    @cached_property
    def zones(self) -> list[Block]:
        """The steps that the model drives."""
        return [step for step in self.steps.values() if isinstance(step.subject.get("reasoning_zone"), dict)]

    @cached_property
    def reasons(self) -> bool:
        """Whether a model drives the agent somewhere: it has no FLOW, or a reasoning zone."""
        return self.flow is None or bool(self.zones)

    @cached_property
    def tools(self) -> dict[str, Block]:
        """The declared tools by name, the built-in ones too."""
        return {text(one.get("name")): self.block(one) for one in rows(self.ir.get("tools")) if text(one.get("name"))}

    @cached_property
    def known_tools(self) -> frozenset[str]:
        """All tool names that may be called."""
        added = (tool for one in rows(self.ir.get("behavior_profiles")) for tool in rows(one.get("tools_add")))
        return frozenset(self.tools) | self.imported_tools | {text(tool.get("name")) for tool in added}

    @cached_property
    def gather_fields(self) -> list[Block]:
        """All gather fields, those of the agent first, then those of the steps."""
        found = [block for block in self.under("gather", "flow") if block.role == "fields" and _is_gather(block)]
        return sorted(found, key=lambda block: block.section != "gather")

    @cached_property
    def handoffs(self) -> list[Block]:
        """The HANDOFF entries."""
        return [self.block(one) for one in rows(dig(self.ir, "coordination", "handoffs"))]

    @cached_property
    def handoff_to(self) -> dict[str, Block]:
        """The first HANDOFF entry for each target."""
        return {text(one.subject.get("to")): one for one in reversed(self.handoffs)}

    @cached_property
    def delegates(self) -> list[Block]:
        """The DELEGATE entries."""
        return [self.block(one) for one in rows(dig(self.ir, "coordination", "delegates"))]

    @cached_property
    def partners(self) -> frozenset[str]:
        """The agents this one hands over or delegates to."""
        to = {text(one.subject.get("to")) for one in self.handoffs}
        return frozenset((to | {text(one.subject.get("agent")) for one in self.delegates}) - {""})

    # -- names -------------------------------------------------------------------------------------------------

    @cached_property
    def producers(self) -> dict[str, list[Producer]]:
        """What fills each variable, by the first name of its path."""
        found: dict[str, list[Producer]] = {}
        for one in producers_of(self.blocks):
            found.setdefault(_bare_root(one.name), []).append(one)
        return found

    @cached_property
    def session(self) -> dict[str, Block]:
        """The declared session variables by name."""
        entries = rows(dig(self.ir, "memory", "session"))
        return {text(one.get("name")): self.block(one) for one in entries if text(one.get("name"))}

    @cached_property
    def known_names(self) -> frozenset[str]:
        """First names of all paths that a condition may read. Spec: abl-language 13.4."""
        names = set(NAMESPACES | ENGINE_NAMES)
        names.update(self.producers)
        names.update(root(name) for name in self.session)
        names.update(root(name) for name in self.passed)
        names.update(self.intents)
        names.update(self.human_names)
        return frozenset(names)

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """All words of its texts: what they name, a model may fill."""
        apart = ("metadata", "messages", "behavior_profiles")
        return frozenset(words_of([value for key, value in self.ir.items() if key not in apart]))

    @cached_property
    def produced(self) -> list[str]:
        """Names that it can give back."""
        return sorted({*self.producers, *self.session} - {""})

    @cached_property
    def accepted(self) -> list[str]:
        """Names that it does something with, so that another agent may give them to it."""
        own = (name for name in self.known_names if name not in self.passed or name in self.mentioned)
        return sorted({*own, *self.session})

    @cached_property
    def agent_fields(self) -> dict[str, None]:
        """The names of the gather fields of the agent itself, in order."""
        return dict.fromkeys(text(block.subject.get("name")) for block in self.gather_fields if not block.step)

    @cached_property
    def candidates(self) -> list[str]:
        """Names that an unknown name may mean: those of the author first, then those of the engine."""
        built_in = NAMESPACES | ENGINE_NAMES
        engine = (name for name in sorted(built_in) if not name.startswith("_"))
        return [*(name for name in sorted(self.known_names) if name not in built_in), *engine]

    @cached_property
    def intents(self) -> frozenset[str]:
        """Names of intents, wherever they are declared."""
        found = {text(one.get("name")) for one in rows(dig(self.ir, "routing", "intent_classification", "categories"))}
        for section in ("nlu", "intent_handling"):
            intents = dig(self.ir, section, "intents")
            found.update(str(name) for name in mapping(intents))
            found.update(text(one.get("name")) for one in rows(intents))
        found.update(text(block.subject.get("intent")) for block in self.under("flow"))
        return frozenset(found - {""})

    @cached_property
    def human_names(self) -> frozenset[str]:
        """Fields of a finished human task; which ones there are is decided by the help desk."""
        escalation = mapping(dig(self.ir, "coordination", "escalation"))
        names = {
            reading.root
            for one in rows(escalation.get("on_human_complete"))
            for reading in formula_of(text(one.get("condition"))).readings
        }
        return frozenset(names | HUMAN_NAMES) if escalation or self._asks_humans else frozenset()

    @cached_property
    def _asks_humans(self) -> bool:
        return any("human_approval" in step.subject for step in self.steps.values())

    @cached_property
    def told_names(self) -> frozenset[str]:
        """Words of the goal, persona and limitations of an agent with a model: what they name, the model may set."""
        if not self.reasons:
            return frozenset()
        goals = [[dig(zone.subject, "reasoning_zone", key) for key in ("goal", "behavior")] for zone in self.zones]
        return frozenset(words_of([self.ir.get("identity"), goals]))

    @cached_property
    def spoken_names(self) -> frozenset[str]:
        """The `told_names` outside of braces: what stands in them is read and not told."""
        if not self.reasons:
            return frozenset()
        goals = [[dig(zone.subject, "reasoning_zone", key) for key in ("goal", "behavior")] for zone in self.zones]
        told = _TAG.sub(" ", " ".join(texts_of([self.ir.get("identity"), goals])))
        return frozenset(_WORD.findall(told))

    @cached_property
    def allowed_values(self) -> frozenset[str]:
        """Values of fields and entities, which authors like to write without quotes."""
        found: set[str] = set()
        for block in self.gather_fields:
            found.update(texts(block.subject.get("enum_values")))
        for entity in rows(self.ir.get("entities")):
            found.update(texts(entity.get("values")))
        return frozenset(found)

    # -- uses --------------------------------------------------------------------------------------------------

    @cached_property
    def conditions(self) -> list[Condition]:
        """Every condition over the state of this agent."""
        return [
            Condition(block, key, block.subject[key], formula_of(block.subject[key]))
            for block in self.blocks
            if block.section in CONDITION_SECTIONS
            for key in CONDITION_KEYS
            if isinstance(block.subject.get(key), str) and block.subject[key].strip()
        ]

    @cached_property
    def calls(self) -> list[Call]:
        """Every CALL and every tool offered to a reasoning zone."""
        return [one for block in self.blocks for one in _calls_in(block) if one.tool]


def is_engine_name(name: str) -> bool:
    """Return whether `name` is filled by the engine or put into conditions by the compiler."""
    return name in ENGINE_NAMES or name.startswith((CHECKPOINT_NAMES, "@"))


def words_of(value: Any) -> Iterator[str]:
    """Yield the words of all texts in a JSON value."""
    for one in texts_of(value):
        yield from _WORD.findall(one)


def texts_of(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value."""
    pending = [(value, 0)]
    for _ in range(_MAX_VALUES):
        if not pending:
            return
        current, depth = pending.pop()
        if isinstance(current, str):
            yield current
        elif depth < _MAX_DATA_NESTING and isinstance(current, dict):
            pending.extend((one, depth + 1) for one in current.values())
        elif depth < _MAX_DATA_NESTING and isinstance(current, list):
            pending.extend((one, depth + 1) for one in current)


def _calls_in(block: Block) -> Iterator[Call]:
    if block.section in ("metadata", "execution", "behavior_profiles", "identity", "nlu", "messages"):
        return
    if block.role == "call_spec":
        yield Call(block, "tool", _tool_name(block.subject.get("tool")))
    elif "call" in block.subject and not isinstance(block.subject.get("call_spec"), dict):
        call = block.subject["call"]
        yield Call(block, "call", _tool_name(call.get("tool") if isinstance(call, dict) else call))
    if block.role == "reasoning_zone":
        for at, tool in enumerate(texts(block.subject.get("available_tools"))):
            yield Call(block, f"available_tools.{at}", _tool_name(tool))


def _tool_name(call: object) -> str:
    """Return the name in `tool(arguments)`."""
    return text(call).partition("(")[0].strip()


def _is_gather(block: Block) -> bool:
    return block.parent is not None and block.parent.role == "gather"


def _bare_root(name: str) -> str:
    """Return the first name of a path, without the namespace `session.` that means the same state."""
    plain = name.removeprefix("session.")
    return root(plain)
