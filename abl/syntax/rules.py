"""CONSTRAINTS and GUARDRAILS: rules over state, and checks of content. Spec: abl-language 3.6, 3.7."""

from __future__ import annotations

from typing import ClassVar

from abl.syntax import props as p
from abl.syntax.node import Kind, Node, node

RULE_KINDS = ("require", "warn", "limit", "restrict")
FAIL_ACTIONS = ("respond", "escalate", "handoff", "block", "redact", "continue", "retry")
GUARDRAIL_KINDS = ("input", "output", "both", "tool_input", "tool_output", "handoff")
GUARDRAIL_ACTIONS = ("block", "warn", "redact", "fix", "reask", "filter", "escalate")


@node
class FailAction(Node):
    """What happens when a rule is broken or a call fails: a text, an action word, or a block.

    `type` is empty for a plain text, which is an answer to the user.
    """

    MAIN: ClassVar[str] = "message"
    type: str = p.choice("TYPE", "What happens.", *FAIL_ACTIONS, open=True, aliases=("ACTION",))
    message: str = p.text("RESPOND", "Answer to the user.", aliases=("MESSAGE",))
    target: str = p.name("HANDOFF", "Agent that takes over.", aliases=("TARGET",))
    reason: str = p.text("ESCALATE", "Reason given to the human.", aliases=("REASON",))
    collect_fields: list[str] = p.names("COLLECT", "Fields to clear and ask again.", aliases=("FIELDS",))
    goto: str = p.special(Kind.TARGET, "GOTO", "Step to go to.")
    retry: bool | None = p.boolean("RETRY", "Whether to try the step again.")
    then: str = p.text("THEN", "continue, retry or a step.")
    count: int | None = p.integer("COUNT", "How often to retry.", minimum=0)


@node
class Constraint(Node):
    """One rule over state."""

    kind: str = p.choice("KIND", "Kind of rule.", *RULE_KINDS)
    condition: str = p.condition("CONDITION", "What must (or must not) hold.")
    when: str = p.condition("WHEN", "The rule applies only when this holds.")
    before: str = p.text("BEFORE", "Checkpoint: `calling <tool>` or `returning results`.")
    phase: str = ""
    on_fail: FailAction | None = p.special(Kind.ACTION, "ON_FAIL", "What happens when it is broken.", node="FailAction")
    severity: str = p.choice("SEVERITY", "Whether it blocks.", "error", "warning", open=True)
    text: str = ""
    """Text of a plain item, which is an instruction for the model."""


@node
class Guardrail(Node):
    """One check of content."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    kind: str = p.choice("kind", "What is checked.", *GUARDRAIL_KINDS, aliases=("type",))
    description: str = p.text("description", "What the check is for.")
    check: str = p.condition("check", "Condition; true means violation.")
    llm_check: str = p.text("llm_check", "Sentence that a model judges.", aliases=("llmCheck",))
    provider: str = p.name("provider", "Named classifier.")
    category: str = p.name("category", "Category of the classifier.")
    threshold: float | None = p.number("threshold", "Score from which it is a violation.", minimum=0, maximum=1)
    action: FailAction | None = p.special(Kind.ACTION, "action", "What happens on a violation.", node="FailAction")
    message: str = p.text("message", "Text for the user.", aliases=("msg",))
    priority: int | None = p.integer("priority", "Lower runs first.")
    fix_strategy: str = p.name("fix_strategy", "How `fix` mends the text.")
    fix_expression: str = p.special(Kind.EXPRESSION, "fix_expression", "Expression that gives the mended text.")
    max_reasks: int | None = p.integer("max_reasks", "How often the model is asked again.", minimum=0)
    filter_min_length: int | None = p.integer("filter_min_length", "Shortest text that is filtered.", minimum=0)
    streaming: bool | None = p.boolean("streaming", "Check while the text streams.")
    streaming_interval: str = p.choice("streaming_interval", "How often.", "token", "sentence", "chunk_size", open=True)
