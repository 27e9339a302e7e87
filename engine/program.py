"""The compiled agents of one deployment, with every condition, expression and template compiled once.

Built from the compilation output (spec: abl-language 12.1) and never changed; one program serves all its sessions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from abl.checks.names import ENGINE_NAMES, NAMESPACES
from abl.expressions import Condition, analyse, compile_condition, compile_expression, parse_condition
from abl.expressions import variables as paths_in
from abl.expressions.checks import UNWANTED, read_check
from abl.expressions.environment import Environment, Variables
from abl.expressions.tree import Invalid
from abl.ir import canonical_bytes
from abl.languages import TAGS, Pack, base_tag, load_pack, merged, read_keys, read_pack, tag_named
from abl.templates import CompiledTemplate, analyse_template, compile_template
from domain.errors import InvalidInput
from domain.json_values import JsonObject, JsonValue
from domain.model_calls import ToolSpec
from engine.effects import request_hash
from engine.state import Thread

TIERS = {"local": 0, "model": 1, "llm": 2}
"""Tier of a guardrail -> its place among those of one priority."""

MEMORY_ROOTS = frozenset({"user", "project", "execution_tree"})
"""Roots whose values outlive the session in every agent."""

KNOWN_NAMES = NAMESPACES | ENGINE_NAMES
"""Names that the engine fills."""

_WORD = re.compile(r"[^\W\d]\w*")

MAX_CACHED = 20_000
"""Texts a program compiles and keeps; they come from the IR, so a larger number means a leak."""

Run = Callable[[Variables, Environment | None], JsonValue]


class Texts:
    """Conditions, expressions and templates by their text."""

    def __init__(self) -> None:
        self._conditions: dict[str, Condition] = {}
        self._expressions: dict[str, Run] = {}
        self._templates: dict[str, CompiledTemplate] = {}
        self._roots: dict[str, frozenset[str]] = {}
        self._whole: dict[str, bool] = {}

    def condition(self, text: str) -> Condition:
        """Return a condition, compiled when first asked for."""
        known = self._conditions.get(text)
        if known is None:
            known = compile_condition(text)
            if len(self._conditions) < MAX_CACHED:
                self._conditions[text] = known
        return known

    def expression(self, text: str) -> Run:
        """Return an expression, compiled when first asked for."""
        known = self._expressions.get(text)
        if known is None:
            known = compile_expression(text)
            if len(self._expressions) < MAX_CACHED:
                self._expressions[text] = known
        return known

    def reads_templates(self, text: str) -> bool:
        """Return whether an expression holds its `{{ }}` as values, which stay data whatever they say."""
        known = self._whole.get(text)
        if known is None:
            found = analyse(text, condition=False)
            known = not found.faults and not isinstance(found.node, Invalid) and "{{#" not in text
            if len(self._whole) < MAX_CACHED:
                self._whole[text] = known
        return known

    def roots(self, condition: str) -> frozenset[str]:
        """Return the root names a condition reads."""
        known = self._roots.get(condition)
        if known is None:
            known = frozenset(path.split(".")[0] for path in paths_in(parse_condition(condition)))
            if len(self._roots) < MAX_CACHED:
                self._roots[condition] = known
        return known

    def template(self, text: str) -> CompiledTemplate:
        """Return a template, compiled when first asked for."""
        known = self._templates.get(text)
        if known is None:
            known = compile_template(text)
            if len(self._templates) < MAX_CACHED:
                self._templates[text] = known
        return known


@dataclass(slots=True)
class AgentProgram:
    """One agent: its IR and what is looked up in it often."""

    name: str
    ir: JsonObject
    tools: dict[str, JsonObject] = field(default_factory=dict)
    steps: dict[str, JsonObject] = field(default_factory=dict)
    fields: dict[str, JsonObject] = field(default_factory=dict)
    step_order: tuple[str, ...] = ()
    all_steps: frozenset[str] = frozenset()
    """Names of all steps, those of flows that profiles put in its place too."""
    has_loop: bool = True
    """Whether a model leads the conversation somewhere: the whole agent, or a zone of its flow."""
    memory_roots: frozenset[str] = MEMORY_ROOTS
    """Roots of persistent paths: those of the language, and those the agent declares with a SCOPE of their own."""
    transient: tuple[str, ...] = ()
    """Fields that are dropped after use."""
    preflight: tuple[str, ...] = ()
    """Tools whose consent or sign-in is asked for before the agent does anything."""
    has_sensitive: bool = False
    """Whether a field holds what models and traces must not show."""
    output_rules: tuple[JsonObject, ...] = ()
    """Guardrails of the stage output."""
    checks_responses: bool = False
    """Whether a constraint stands before responding."""
    stages: dict[tuple[str, bool], list[JsonObject]] = field(default_factory=dict)
    """Stage and whether local -> its guardrails in the order they run."""
    open_tools: frozenset[str] = frozenset()
    """Tools whose results a model may read as they are."""
    phases: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Step -> its phases that have something to do, found when first needed."""
    specs: dict[tuple[str, bool], tuple[tuple[ToolSpec, ...], str]] = field(default_factory=dict)
    """Zone and whether a parent waits -> the tools a model sees when nothing changes them, and their hash."""
    prompts: dict[str, str] = field(default_factory=dict)
    """Parts of prompts that depend on nothing but the IR, made when first needed."""

    @property
    def flow(self) -> JsonObject | None:
        """The flow, None without FLOW."""
        found: JsonObject | None = self.ir.get("flow")
        return found

    @property
    def is_supervisor(self) -> bool:
        """Whether the document is a supervisor."""
        return bool(self.ir["metadata"]["type"] == "supervisor")

    @property
    def messages(self) -> dict[str, str]:
        """Platform texts."""
        found: dict[str, str] = self.ir["messages"]
        return found

    @property
    def handoffs(self) -> list[JsonObject]:
        """HANDOFF entries in the order they are tried: ascending priority, then text order."""
        found: list[JsonObject] = self.ir["coordination"]["handoffs"]
        return found


class Program:
    """The agents of a deployment."""

    def __init__(self, output: JsonObject) -> None:
        """Index the compilation output `output`.

        Raises:
            InvalidInput: There is no agent in it.
        """
        agents: dict[str, JsonObject] = output.get("agents") or {}
        if not agents:
            raise InvalidInput("The project has no agents")
        self.output = output
        self.texts = Texts()
        self.agents = {name: _agent(name, ir) for name, ir in agents.items()}
        self.entry_agent: str = output.get("entry_agent") or next(iter(agents))
        if self.entry_agent not in self.agents:
            raise InvalidInput(f"The entry agent {self.entry_agent} is not in the project")
        self.remote_agents: dict[str, JsonObject] = output.get("remote_agents") or {}
        self._stand_ins: dict[str, AgentProgram] = {}
        self.changing: dict[str, bool] = {}
        """Agent -> whether it can change something; see `engine.changing`."""

    @cached_property
    def hash(self) -> str:
        """The hash of everything in the program; sessions are pinned to it."""
        return request_hash(canonical_bytes(self.output).decode())

    @cached_property
    def packs(self) -> dict[str, Pack]:
        """Tag -> the words and sentences of each language, as the project changes them."""
        made = {tag: load_pack(tag) for tag in TAGS}
        for tag, text in (self.output.get("languages") or {}).items():
            path = f"languages/{tag}.yaml"
            made[tag] = merged(made[tag], read_keys(text, path)) if tag in made else read_pack(text, path)
        return made

    def pack(self, language: str) -> Pack | None:
        """Return the pack of a language by its tag or name; None when there is none."""
        return self.packs.get(base_tag(language)) or self.packs.get(tag_named(language))

    def of(self, thread: Thread) -> AgentProgram:
        """Return the program of a thread; of one elsewhere, what stands in for it here."""
        if not thread.remote:
            return self.agents[thread.agent]
        by = str(thread.remote.get("by", ""))
        known = self._stand_ins.get(by)
        if known is None:
            known = self._stand_ins[by] = _stand_in(self.agents[by])
        return known

    def find(self, name: str) -> AgentProgram | None:
        """Return an agent by name, also by a name in another case or the form `<domain>/<agent>`."""
        known = self.agents.get(name)
        if known is not None:
            return known
        wanted = name.rsplit("/", 1)[-1].replace("-", "_").lower()
        return next((one for key, one in self.agents.items() if key.replace("-", "_").lower() == wanted), None)

    @cached_property
    def _words(self) -> frozenset[str]:
        """All words of the agents, apart from their guardrails: a name that is none of them is never filled."""
        found: set[str] = set()
        pending: list[JsonValue] = [one.ir for one in self.agents.values()]
        while pending:
            value = pending.pop()
            if isinstance(value, str):
                found.update(_WORD.findall(value))
            elif isinstance(value, dict):
                pending.extend(one for key, one in value.items() if key != "guardrails")
            elif isinstance(value, list):
                pending.extend(value)
        return frozenset(found)

    def knows(self, name: str, scope: Variables) -> bool:
        """Return whether something fills a name: the engine, what is known by now, or a place in one of the agents."""
        return name in KNOWN_NAMES or name in scope or name in self._words

    def mentioned(self, text: str) -> list[str]:
        """Return the root names a template text mentions."""
        return sorted({path.removeprefix("session.").split(".")[0] for path in analyse_template(text).paths})


def _stand_in(caller: AgentProgram) -> AgentProgram:
    """Return an agent that does nothing itself, with the texts, voice and guardrails of the one that handed over."""
    kept = {key: caller.ir[key] for key in ("ir_version", "execution", "identity", "messages", "error_handling")}
    execution = {key: value for key, value in caller.ir["execution"].items() if key != "pipeline"}
    empty: JsonObject = {
        "metadata": {**caller.ir["metadata"], "type": "agent"},
        "execution": execution,
        "tools": [],
        "gather": {**caller.ir["gather"], "fields": []},
        "attachments": [],
        "memory": {"session": [], "persistent": [], "remember": [], "recall": []},
        "constraints": {"constraints": [], "guardrails": caller.ir["constraints"]["guardrails"]},
        "coordination": {"delegates": [], "handoffs": [], "return_handlers": {}, "escalation": {}},
        "completion": {"conditions": []},
        "hooks": {},
        "action_handlers": [],
        "behavior_profiles": [],
    }
    made = _agent(caller.name, {**kept, **empty})
    made.has_loop = False
    return made


def _rules(written: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """Yield guardrails as they are run: a check in words by a model, a condition beside other checks by itself too.

    The compiler does the same with sentences; deployments that were compiled before it did are read here.
    """
    for rule in written:
        check = read_check(str(rule.get("check") or ""))
        rest = {key: value for key, value in rule.items() if key != "check"}
        if check.sentence:
            said = "\n".join(one for one in (str(rule.get("llmCheck") or ""), UNWANTED + check.sentence) if one)
            yield {**rest, "llmCheck": said, "tier": "model" if rule["tier"] == "model" else "llm"}
        elif check.condition and rule["tier"] != "local":
            yield {**rule, "check": check.condition, "tier": "local"}
            yield rest
        else:
            yield {**rule, "check": check.condition} if check.condition else rule


def _agent(name: str, ir: JsonObject) -> AgentProgram:
    flow: JsonObject = ir.get("flow") or {}
    steps: dict[str, JsonObject] = flow.get("definitions") or {}
    fields = {one["name"]: one for one in ir["gather"]["fields"]}
    for step in steps.values():
        for one in (step.get("gather") or {}).get("fields", ()):
            fields.setdefault(one["name"], one)
    replaced = [one["flow_replace"] for one in ir.get("behavior_profiles", ()) if "flow_replace" in one]
    names = {*steps, *(step for flow_ in replaced for step in flow_.get("definitions", {}))}
    zones = any("reasoning_zone" in step for step in steps.values())
    rules = [*_rules(ir["constraints"]["guardrails"])]
    stages: dict[tuple[str, bool], list[JsonObject]] = {}
    for one in sorted(rules, key=lambda rule: (rule["priority"], TIERS[rule["tier"]])):
        stages.setdefault((one["kind"], one["tier"] == "local"), []).append(one)
    before = [(rule.get("checkpoint") or {}).get("kind") for rule in ir["constraints"]["constraints"]]
    return AgentProgram(
        memory_roots=MEMORY_ROOTS
        | {one["path"].split(".")[0] for one in ir["memory"]["persistent"] if "." in one["path"]},
        transient=tuple(name for name, one in fields.items() if one.get("transient")),
        preflight=tuple(tool["name"] for tool in ir["tools"] if tool.get("consent_mode") == "preflight"),
        has_sensitive=any(one.get("sensitive") or one.get("pii_type") for one in fields.values()),
        output_rules=tuple(one for one in rules if one["kind"] == "output"),
        checks_responses="response" in before,
        stages=stages,
        open_tools=frozenset(tool["name"] for tool in ir["tools"] if tool.get("pii_access") in ("llm", "original")),
        all_steps=frozenset(names),
        has_loop="flow" not in ir or zones or bool(replaced),
        name=name,
        ir=ir,
        tools={tool["name"]: tool for tool in ir["tools"]},
        steps=steps,
        fields=fields,
        step_order=tuple(flow.get("steps", ())),
    )
