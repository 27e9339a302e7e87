"""The document: its sections are the rows of one table, `Document.PROPS`. Spec: abl-language 3.0, 11.1."""

from __future__ import annotations

from typing import Any

from abl.syntax import props as p
from abl.syntax.coordination import Completion, Delegate, Destination, Escalate, Handoff, ReturnHandler
from abl.syntax.execution import Execution
from abl.syntax.flow import Flow
from abl.syntax.gather import Attachment, Gather
from abl.syntax.memory import Memory
from abl.syntax.node import Kind, Node, node
from abl.syntax.profile import Profile
from abl.syntax.rich import Template
from abl.syntax.rules import Constraint, Guardrail
from abl.syntax.steps import ActionHandler, ErrorHandler, Hook, OnStart
from abl.syntax.tools import Tool, ToolDefaults, ToolImport
from abl.syntax.understanding import Entity, Intents, LookupTable, MultiIntent, Nlu


@node
class Identity(Node):
    """Older way to write goal, persona and limitations. Spec: abl-language 3.1."""

    role: str = p.text("role", "What the agent does; the goal when there is no GOAL.")
    goal: str = p.text("goal", "The goal.")
    persona: str = p.text("persona", "How the agent speaks.")
    expertise: list[str] = p.names("expertise", "What the agent knows; added to the persona.")
    limitations: list[str] = p.names("limitations", "What the agent must not do.")


@node
class Document(Node):
    """One parsed text: agent, supervisor, tool library or behaviour profile."""

    kind: str = "agent"
    format: str = "abl"
    detected_type: str = ""
    name: str = ""
    version: str = p.text("VERSION", 'Version of the agent, e.g. "1.0.0".')
    description: str = p.text("DESCRIPTION", "What the agent is for.")
    language: str = p.name("LANGUAGE", 'Default reply language, e.g. "de-DE".')
    goal: str = p.text("GOAL", "What the agent has to reach. Required.")
    persona: str = p.text("PERSONA", "How the agent speaks.")
    instructions: str = p.text("INSTRUCTIONS", "Appended to the goal.", repeat="append")
    limitations: list[str] = p.names("LIMITATIONS", "What the agent must not do.", repeat="replace")
    identity: Identity | None = p.one("IDENTITY", "Older way to write goal, persona, limitations.", "Identity")
    system_prompt: str = p.text("SYSTEM_PROMPT", "Replaces the generated prompt.")
    mode: str = p.name("MODE", "Legacy: reasoning or scripted.", repeat="replace", legacy=True)
    execution: Execution | None = p.one("EXECUTION", "Model and limits.", "Execution")
    conversation: dict[str, Any] | None = p.special(Kind.CONVERSATION, "CONVERSATION", "Conversation behaviour.")
    use_behavior_profiles: list[str] = p.listed(
        Kind.PROFILES, "USE BEHAVIOR_PROFILE", "Attach a profile.", aliases=("USE_BEHAVIOR_PROFILE",), repeat="append"
    )
    behavior_profiles: list[Profile] = p.listed(
        Kind.ANY, "BEHAVIOR_PROFILE", "A profile, inline or as a document of its own.", repeat="append"
    )
    memory: Memory | None = p.one("MEMORY", "State and long-term facts.", "Memory", repeat="merge")
    tool_defaults: ToolDefaults | None = None
    tool_imports: list[ToolImport] | None = None
    tools: list[Tool] = p.listed(Kind.TOOLS, "TOOLS", "Tool signatures.", repeat="merge")
    gather: Gather | None = p.one("GATHER", "Slots to collect.", "Gather", repeat="merge")
    attachments: list[Attachment] = p.entries("ATTACHMENTS", "Files to collect.", "Attachment", repeat="merge")
    entities: list[Entity] = p.entries("ENTITIES", "Kinds of values in messages.", "Entity", repeat="merge")
    intents: Intents | None = p.one("INTENTS", "What users may want.", "Intents", repeat="merge")
    nlu: Nlu | None = p.one("NLU", "Language understanding.", "Nlu")
    lookup_tables: list[LookupTable] = p.entries("LOOKUP_TABLES", "Allowed values.", "LookupTable", repeat="merge")
    multi_intent: MultiIntent | None = p.one("MULTI_INTENT", "Several intents in a message.", "MultiIntent")
    constraints: list[Constraint] = p.listed(Kind.RULES, "CONSTRAINTS", "Rules over state.", repeat="merge")
    guardrails: list[Guardrail] = p.entries("GUARDRAILS", "Checks of content.", "Guardrail", repeat="merge")
    flow: Flow | None = p.special(Kind.FLOW, "FLOW", "Deterministic steps.", aliases=("STEPS",), node="Flow")
    delegates: list[Delegate] = p.entries("DELEGATE", "Sub-tasks for other agents.", "Delegate", "dash", repeat="merge")
    handoffs: list[Handoff] = p.entries(
        "HANDOFF", "Other agents that may take over.", "Handoff", "dash", repeat="merge"
    )
    return_handlers: list[ReturnHandler] = p.entries(
        "RETURN_HANDLERS", "What happens when an agent comes back.", "ReturnHandler", repeat="merge"
    )
    escalate: Escalate | None = p.one("ESCALATE", "Human escalation.", "Escalate")
    destinations: list[Destination] = p.entries("DESTINATIONS", "Outbound endpoints.", "Destination", repeat="merge")
    complete: list[Completion] = p.entries("COMPLETE", "When the agent is done.", "Completion", "dash", repeat="merge")
    on_start: OnStart | None = p.one("ON_START", "First action.", "OnStart")
    hooks: list[Hook] = p.entries("HOOKS", "What runs around agents and turns.", "Hook")
    on_error: list[ErrorHandler] = p.entries("ON_ERROR", "Error handlers.", "ErrorHandler", repeat="merge")
    action_handlers: list[ActionHandler] = p.entries(
        "ACTION_HANDLERS", "What buttons and forms do.", "ActionHandler", repeat="merge"
    )
    templates: list[Template] = p.listed(Kind.TEMPLATES, "TEMPLATES", "Reusable responses.", repeat="merge")
    messages: dict[str, str] = p.mapping("MESSAGES", "Overrides of platform texts.")
    tests: None = p.special(Kind.SKIP, "TESTS", "Not read by the runtime.", repeat="append", legacy=True)
    agents: dict[str, str] = p.named(
        Kind.ANY, "AGENTS", "Other names of agents: `alias: Agent`, or its file.", repeat="append", legacy=True
    )
    routing: None = p.special(Kind.ANY, "ROUTING", "Legacy routing rules; write HANDOFF.", repeat="append", legacy=True)
    model: str = p.text("MODEL", "Belongs into EXECUTION.", legacy=True)
    legacy: Any = None


HEADERS = ("AGENT", "SUPERVISOR")
"""Section words that open an agent document and carry its name."""

SECTIONS = {spelling: row for row in Document.PROPS for spelling in row.spellings}
"""Section word -> its row."""

HOOKS = ("before_agent", "after_agent", "before_turn", "after_turn")
LEGACY_SECTIONS = ("CONTRACT", "STATE", "POLICIES", "COMMUNICATION", "BEHAVIOR")
"""Sections that only the numbered grammar has. Spec: abl-language 2.3, 10."""
