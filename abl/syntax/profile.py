"""Behaviour profiles. Spec: abl-language 3.18."""

from __future__ import annotations

from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.flow import Flow
from abl.syntax.gather import Validation
from abl.syntax.node import Kind, Node, node
from abl.syntax.rich import Voice
from abl.syntax.tools import Parameter, TypeExpr


@node
class ResponseRules(Node):
    """Limits of answers under a profile."""

    max_buttons: int | None = p.integer("max_buttons", "Most buttons under an answer.", minimum=0)
    fallback_format: str = p.choice("fallback_format", "Format on a poor channel.", "plain_text", "markdown", "html")
    media_types: list[str] = p.names("media_types", "Media that may be sent.")
    max_response_length: int | None = p.integer("max_response_length", "Characters of an answer.", minimum=1)


@node
class AddedTool(Node):
    """A tool that exists only under a profile."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    description: str = p.text("description", "What the tool does.")
    returns: TypeExpr | None = p.special(Kind.TYPE, "returns", "Type of the result.")
    parameters: list[Parameter] = p.entries("PARAMETERS", "Parameters.", "Parameter")


@node
class ToolChanges(Node):
    """Tools that come and go under a profile."""

    hide: list[str] = p.names("HIDE", "Tools the model does not see.")
    add: list[AddedTool] = p.entries("ADD", "Tools that exist only here.", "AddedTool")


@node
class FieldOverride(Node):
    """How one slot differs under a profile."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    prompt: str = p.text("prompt", "Question to the user.")
    skip: bool | None = p.boolean("skip", "The field is not asked.")
    required: bool | None = p.boolean("required", "Whether the agent may go on without it.")
    validation: Validation | None = p.one(
        "validation", "How the value is checked.", "Validation", aliases=("validate",)
    )
    extraction_hints: list[str] = p.names("extraction_hints", "Words that help to find the value.")


@node
class GatherChanges(Node):
    """How gathering differs under a profile."""

    validation_style: str = p.choice("validation_style", "How strict checks are.", "strict", "lenient")
    confirmation: str = p.choice("confirmation", "When values are confirmed.", "always", "never", "on_change")
    field_overrides: list[FieldOverride] = p.entries("FIELD_OVERRIDES", "Fields that differ.", "FieldOverride")


@node
class StepOverride(Node):
    """How one step differs under a profile."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    respond: str = p.text("respond", "Text sent to the user.")
    transition: str = p.target("transition", "Step to go to.", aliases=("THEN",))
    voice_config: Voice | None = p.one("VOICE", "What is spoken.", "Voice")
    rich_content: dict[str, Any] | None = p.special(
        Kind.FORMATS, "RICH_CONTENT", "The answer in other formats.", aliases=("FORMATS",)
    )


@node
class Insertion(Node):
    """A step that is put before or after another."""

    before: str = p.name("BEFORE", "Step it comes before.")
    after: str = p.name("AFTER", "Step it comes after.")
    step: str = p.name("STEP", "Step that is put there.")


@node
class FlowChanges(Node):
    """How the flow differs under a profile."""

    skip: list[str] = p.names("SKIP", "Steps that are passed over.")
    replace: Flow | None = p.special(Kind.FLOW, "REPLACE", "A whole other flow.", node="Flow")
    overrides: list[StepOverride] = p.entries("OVERRIDES", "Steps that differ.", "StepOverride", aliases=("OVERRIDE",))
    insertions: list[Insertion] = p.entries("INSERTIONS", "Steps that are added.", "Insertion", "dash")


@node
class Profile(Node):
    """One behaviour profile, as a document of its own or inside an agent."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    priority: int | None = p.integer("PRIORITY", "Higher wins.", minimum=0)
    when: str = p.condition("WHEN", "The profile applies while this holds.")
    instructions: str = p.text("INSTRUCTIONS", "Added to the prompt.", repeat="append")
    constraints: list[str] = p.names("CONSTRAINTS", "Rules in words.", repeat="merge")
    response: ResponseRules | None = p.one(
        "RESPONSE", "Limits of answers.", "ResponseRules", aliases=("RESPONSE_RULES",)
    )
    voice: Voice | None = p.one("VOICE", "How to speak.", "Voice")
    tools: ToolChanges | None = p.one("TOOLS", "Tools that come and go.", "ToolChanges")
    tools_hide: list[str] = p.names("TOOLS_HIDE", "Short for TOOLS: HIDE.", repeat="merge")
    tools_add: list[AddedTool] = p.entries("TOOLS_ADD", "Short for TOOLS: ADD.", "AddedTool", repeat="merge")
    gather: GatherChanges | None = p.one(
        "GATHER", "How gathering differs.", "GatherChanges", aliases=("GATHER_OVERRIDES",)
    )
    flow: FlowChanges | None = p.one("FLOW", "How the flow differs.", "FlowChanges", aliases=("FLOW_MODIFICATIONS",))
    flow_replace: Flow | None = p.special(Kind.FLOW, "FLOW_REPLACE", "A whole other flow.", node="Flow")
    conversation: dict[str, Any] | None = p.special(Kind.CONVERSATION, "CONVERSATION", "Conversation behaviour.")
    description: str = p.text("DESCRIPTION", "What the profile is for.")
    version: str = p.text("VERSION", "Version of the profile.")
