"""FLOW: deterministic steps and reasoning zones. Spec: abl-language 5."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.gather import GatherField, StepGather
from abl.syntax.node import Kind, Node, node
from abl.syntax.rules import Constraint
from abl.syntax.steps import ActionHandler, Actions, Branch, DelegateCall, Do, ErrorHandler, Outcome

TERMINALS = ("COMPLETE", "ESCALATE")
"""Targets that are no steps: the agent is done, or a human takes over."""


@node
class Transform(Node):
    """`source AS item INTO target` with FILTER, MAP, SORT_BY, LIMIT."""

    source: str = ""
    item_var: str = ""
    target: str = ""
    filter: str = p.condition("FILTER", "Elements to keep.")
    map: dict[str, str] = p.mapping("MAP", "Fields of the new elements; values are expressions.", formula=True)
    sort_by: str = p.text("SORT_BY", "Field to sort by, with ASC or DESC.")
    limit: str = p.special(Kind.EXPRESSION, "LIMIT", "Most elements to keep: a number, or what gives one.")


@node
class Digression(Actions):
    """A side question that interrupts a step. Spec: abl-language 5.6."""

    MAIN: ClassVar[str] = "intent"
    intent: str = p.name("INTENT", "Intent that starts it.")
    keywords: list[str] = p.names("KEYWORDS", "Words that start it.")
    condition: str = p.condition("CONDITION", "It starts only when this holds.", aliases=("WHEN", "IF"))
    do: list[Do] = p.entries("DO", "Ordered list of single actions.", "Do", "dash")
    goto: str = p.target("GOTO", "Step to go to.", aliases=("THEN",))
    delegate: DelegateCall | None = p.special(Kind.NODE, "DELEGATE", "Agent that does a sub-task.", node="DelegateCall")
    resume: bool = p.flag("RESUME", "Go back to the interrupted step.")


@node
class AwaitAttachment(Node):
    """Wait for a file."""

    MAIN: ClassVar[str] = "name"
    name: str = p.name("NAME", "Variable that receives the file.", aliases=("VARIABLE",))
    prompt: str = p.text("PROMPT", "Question to the user.")
    category: str = p.choice("CATEGORY", "Kind of file.", "image", "document", "audio", "video")
    required: bool | None = p.boolean("REQUIRED", "Whether the step may go on without it.")
    timeout: float | None = p.duration("TIMEOUT", "Seconds to wait.", "s")
    on_timeout: str = p.target("ON_TIMEOUT", "Step to go to then.")


@node
class HumanApproval(Node):
    """Wait for a human's yes or no."""

    MAIN: ClassVar[str] = "prompt"
    prompt: str = p.text("PROMPT", "What the human decides.")
    assignee: str = p.text("ASSIGNEE", "Who decides.")
    timeout: float | None = p.duration("TIMEOUT", "Seconds to wait.", "s")
    on_approve: str = p.target("ON_APPROVE", "Step after a yes.")
    on_reject: str = p.target("ON_REJECT", "Step after a no.")
    on_timeout: str = p.target("ON_TIMEOUT", "Step when nobody answers.")


@node
class Step(Actions):
    """One step. Spec: abl-language 5.2."""

    name: str = ""
    reasoning: bool | None = p.boolean("REASONING", "false: deterministic step; true: the model drives.")
    goal: str = p.text("GOAL", "Goal of a reasoning zone.")
    behavior: str = p.text("BEHAVIOR", "How the model should behave here.")
    available_tools: list[str] | None = p.special(Kind.LIST, "AVAILABLE_TOOLS", "Tools visible in the zone.")
    exit_when: str = p.condition("EXIT_WHEN", "The zone ends when this holds.")
    max_turns: int | None = p.integer("MAX_TURNS", "User turns in the zone.", minimum=1)
    step_constraints: list[Constraint] = p.listed(Kind.RULES, "STEP_CONSTRAINTS", "Rules only in this step.")
    when: str = p.condition("WHEN", "Entry guard; false skips to THEN.")
    max_attempts: int | None = p.integer("MAX_ATTEMPTS", "Most entries into the step.", minimum=1)
    on_exhausted: str = p.target("ON_EXHAUSTED", "Step after the last attempt.")
    gather: StepGather | None = p.special(Kind.STEP_GATHER, "GATHER", "Fields to collect.", node="StepGather")
    present: str = p.text("PRESENT", "Shown while fields are open.")
    corrections: bool | None = p.boolean("CORRECTIONS", "The user may correct earlier fields here.")
    complete_when: str = p.condition("COMPLETE_WHEN", "The gather is complete when this holds.")
    transform: Transform | None = p.special(Kind.TRANSFORM, "TRANSFORM", "List processing.", node="Transform")
    check: str = p.condition("CHECK", "False goes to ON_FAIL.")
    do: list[Do] = p.entries("DO", "Actions in their order; before the call when they stand above it.", "Do", "dash")
    do_after: list[Do] = p.entries("DO_AFTER", "More actions, after the call below DO.", "Do", "dash")
    on_action: list[ActionHandler] = p.entries("ON_ACTION", "Handlers for buttons in this step.", "ActionHandler")
    await_attachment: AwaitAttachment | None = p.one("AWAIT_ATTACHMENT", "Wait for a file.", "AwaitAttachment")
    on_success: Outcome | None = p.one("ON_SUCCESS", "After a call that worked.", "Outcome")
    on_failure: Outcome | None = p.one("ON_FAILURE", "After a call that failed.", "Outcome")
    on_fail: Outcome | None = p.one("ON_FAIL", "After a failed check, gather or call.", "Outcome")
    on_result: list[Branch] = p.listed(Kind.BRANCHES, "ON_RESULT", "Branches after a call; first match.")
    on_input: list[Branch] = p.listed(Kind.BRANCHES, "ON_INPUT", "Branches on the next user message; first match.")
    on_error: list[ErrorHandler] = p.entries("ON_ERROR", "Error handlers of this step.", "ErrorHandler", "dash")
    digressions: list[Digression] = p.entries("DIGRESSIONS", "Side questions of this step.", "Digression", "dash")
    sub_intents: list[Digression] = p.entries("SUB_INTENTS", "Small questions; the step stays.", "Digression", "dash")
    then: str = p.target("THEN", "Default transition.", aliases=("GOTO", "TRANSITION"))
    collect: StepGather | None = p.special(
        Kind.STEP_GATHER, "COLLECT", "Older spelling of GATHER.", node="StepGather", legacy=True
    )
    prompt: str = p.text("PROMPT", "Question of COLLECT.", legacy=True)
    human_approval: HumanApproval | None = p.one("HUMAN_APPROVAL", "Wait for a human's decision.", "HumanApproval")
    success_when: str = p.condition("SUCCESS_WHEN", "The step counts as successful when this holds.")
    checks_first: bool = False
    """CHECK stands above CALL and guards it. Decision: 0080."""
    says_last: bool = False
    """The answer stands below CALL: it is for a call that has worked. Decision: 0080."""
    does_first: int = 0
    """How many of DO stand above CALL and are done before it; all of them, nested CHECKs too. Decision: 0088."""
    transforms_last: bool = False
    """TRANSFORM stands below CALL and works on its result. Decision: 0080."""


def gathering(step: Step) -> StepGather | None:
    """Return what a step gathers: its GATHER and, after those fields, its COLLECT with PROMPT; None for neither."""
    own = step.gather if isinstance(step.gather, StepGather) else None
    older = step.collect if isinstance(step.collect, StepGather) else None
    if older is None:
        return own
    made = copy(own or older)
    fields = [copy(one) for one in _fields(older)]
    if step.prompt and len(fields) == 1:
        fields[0].prompt = fields[0].prompt or step.prompt
    elif step.prompt:
        made.prompt = made.prompt or step.prompt
    kept = _fields(own) if own is not None else []
    made.fields = [*kept, *(one for one in fields if all(one.name != other.name for other in kept))]
    return made


def _fields(gather: StepGather) -> list[GatherField]:
    """Return the fields of a gather; a tree that was built by hand may hold anything there."""
    fields: Any = gather.fields
    return [one for one in fields if isinstance(one, GatherField)] if isinstance(fields, list) else []


@node
class Flow(Node):
    """The steps of an agent. Spec: abl-language 5.1."""

    entry_point: str = p.target("entry_point", "First step.")
    order: list[str] = p.names("steps", "Order of the steps.")
    sequences: list[list[str]] | None = None
    steps: list[Step] | None = None
    global_digressions: list[Digression] = p.entries(
        "global_digressions", "Side questions of the whole flow.", "Digression", "dash"
    )
