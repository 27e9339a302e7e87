"""What only the numbered grammar (G1) has: contract, steps, state, policies. Spec: abl-language 10.2, 10.3.

Sections that the modern grammar has as well (identity, tools, guardrails ...) stand in the document itself.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.node import Node, node
from abl.syntax.steps import Call
from abl.syntax.tools import Parameter

SIGNALS = ("CONTINUE", "COMPLETE", "HANDOFF_READY", "ESCALATE")
ROUTE_KINDS = ("positive", "negative", "default", "pattern", "max_attempts", "intent")
ACTION_KINDS = (
    "call_tool", "respond", "wait_input", "goto", "signal", "set_state", "classify_intent", "on_success", "on_failure",
    "if", "else",
)  # fmt: skip
RULE_ACTIONS = ("route_to", "route_to_user", "route_to_variable", "intent_match", "end_conversation")


@node
class Contract(Node):
    """What an agent takes and gives; each field is `name: type[?] [= literal]`."""

    inputs: list[Parameter] = field(default_factory=list)
    outputs: list[Parameter] = field(default_factory=list)


@node
class Route(Node):
    """One answer to WAIT_INPUT or CLASSIFY: `INTENT(a, b) -> target`.

    `kind` is one of ROUTE_KINDS; `values` holds the intents, or the one pattern; `count` belongs to max_attempts.
    """

    kind: str = ""
    values: list[str] = field(default_factory=list)
    count: int | None = None
    target: str = ""


@node
class LegacyAction(Node):
    """One line of a numbered step, with what is nested under it.

    `kind` is one of ACTION_KINDS. `target` is a step's number or name; `text` what is said; `variable` and
    `expression` belong to set_state, classify_intent and wait_input.
    """

    kind: str = ""
    call: Call | None = None
    text: str = ""
    target: str = ""
    signal: str = ""
    variable: str = ""
    expression: str = ""
    condition: str = ""
    routes: list[Route] = field(default_factory=list)
    actions: list[LegacyAction] = field(default_factory=list)


@node
class LegacyStep(Node):
    """`1. Name` and its actions in the order in which they are written."""

    number: int | None = None
    name: str = ""
    actions: list[LegacyAction] = field(default_factory=list)


@node
class LegacyTest(Node):
    """A test kept in the document; it is not compiled."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    input: Any = p.free("input", "What the user says.")
    expected: Any = p.free("expected", "What the agent should do.")


@node
class AgentRef(Node):
    """An agent that a supervisor knows: `alias: "path" [capability, …]`."""

    MAIN: ClassVar[str] = "alias"
    alias: str = p.name("ALIAS", "Name by which rules refer to the agent.", aliases=("NAME", "AGENT"))
    path: str = p.code("REF", "Where the agent is.", aliases=("PATH",))
    description: str = p.text("DESCRIPTION", "What the agent is for.")
    capabilities: list[str] = p.names("CAPABILITIES", "What the agent can do.")
    channels: list[str] = p.names("CHANNELS", "Channels on which it is used.")
    when: str = p.condition("WHEN", "When control moves to it.", aliases=("IF", "CONDITION"))
    requires_validation: bool | None = p.boolean("REQUIRES_VALIDATION", "The user must be known first.")


@node
class RoutingRule(Node):
    """Which agent is next: `INTENT(a, b) -> alias`, `DEFAULT -> alias`, or a rule with WHEN and THEN.

    `action` is one of RULE_ACTIONS; `intents` are those of the short form and of INTENT_MATCH.
    """

    MAIN: ClassVar[str] = "name"
    name: str = p.name("NAME", "Name of the rule.")
    description: str = p.text("DESCRIPTION", "What the rule is for.")
    priority: int | None = p.integer("PRIORITY", "Lower is tried first.")
    when: str = p.condition("WHEN", "When the rule applies.", aliases=("IF",))
    action: str = ""
    intents: list[str] = field(default_factory=list)
    otherwise: bool = False
    target: str = ""
    message: str = ""
    flags: list[str] = p.names("FLAGS", "set_active, silent, no_log, priority_boost.")


@node
class Policy(Node):
    """When something is allowed."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    allowed_when: str = p.condition("allowed_when", "It is allowed only when this holds.")
    forbidden_when: str = p.condition("forbidden_when", "It is forbidden when this holds.")
    trigger_signal: str = p.name("trigger_signal", "Signal that is sent when the policy is broken.")


@node
class Communication(Node):
    """How a supervisor speaks."""

    language: str = p.name("language", "Language of replies.")
    formality: str = p.text("formality", "How formal replies are.")
    constraints: list[str] = p.names("constraints", "What replies must keep to.")


@node
class Behavior(Node):
    """What a supervisor may do itself."""

    can_respond_directly: bool | None = p.boolean("can_respond_directly", "It may answer the user itself.")
    allowed_actions: list[str] = p.names("allowed_actions", "What it may do.")
    forbidden_actions: list[str] = p.names("forbidden_actions", "What it must not do.")


@node
class LegacyAgent(Node):
    """The parts of a G1 agent that the modern document has no place for."""

    contract: Contract | None = None
    entry_point: str = ""
    steps: list[LegacyStep] = field(default_factory=list)
    tests: list[LegacyTest] = p.entries("TESTS", "Tests; not compiled.", "LegacyTest")


@node
class LegacySupervisor(Node):
    """The parts of a G1 supervisor that the modern document has no place for; it may have those of an agent, too."""

    contract: Contract | None = None
    entry_point: str = ""
    steps: list[LegacyStep] = field(default_factory=list)
    tests: list[LegacyTest] = p.entries("TESTS", "Tests; not compiled.", "LegacyTest")
    state: list[Parameter] = field(default_factory=list)
    agents: list[AgentRef] = field(default_factory=list)
    intents: list[RoutingRule] = field(default_factory=list)
    routing: list[RoutingRule] = field(default_factory=list)
    policies: list[Policy] = p.entries("POLICIES", "What is allowed when.", "Policy")
    communication: Communication | None = p.one("COMMUNICATION", "How it speaks.", "Communication")
    behavior: Behavior | None = p.one("BEHAVIOR", "What it may do itself.", "Behavior")
