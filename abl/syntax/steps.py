"""What a step, branch, handler or hook can do: SET, CLEAR, CALL, RESPOND. Spec: abl-language 3.11, 5.4, 5.5."""

from __future__ import annotations

from typing import ClassVar

from abl.syntax import props as p
from abl.syntax.gather import StepGather
from abl.syntax.node import Kind, Node, node
from abl.syntax.rich import Rich

ERROR_TYPES = (
    "tool_timeout", "tool_error", "invalid_input", "validation_error", "api_error", "llm_error", "llm_timeout",
    "routing_failure", "delegation_error", "handoff_error", "constraint_violation", "unknown_error", "DEFAULT",
)  # fmt: skip
"""Kinds of errors that ON_ERROR knows by name; any other word is allowed. Spec: abl-language 3.12."""


@node
class Assignment(Node):
    """`variable = expression`; the expression is kept as written. Spec: abl-language 6.2."""

    variable: str = ""
    expression: str = ""


@node
class Argument(Node):
    """One argument of a CALL; `name` is empty for a positional one."""

    name: str = ""
    expression: str = ""


@node
class Call(Node):
    """`tool(args) AS var` with WITH. Spec: abl-language 5.4."""

    tool: str = ""
    arguments: list[Argument] | None = None
    with_: dict[str, str] = p.mapping("WITH", "Parameters of the tool by name; values are expressions.", formula=True)
    as_: str = p.name("AS", "Variable that receives the result.")
    set: list[Assignment] = p.listed(Kind.SET, "SET", "Assignments after a call that worked.", repeat="append")


@node
class Actions(Rich):
    """Mixin of everything that can act: assignments, calls and answers."""

    set: list[Assignment] = p.listed(Kind.SET, "SET", "Assignments `variable = expression`.", repeat="append")
    clear: list[str] = p.names("CLEAR", "Variables to unset.", repeat="append")
    call: Call | None = p.special(Kind.CALL, "CALL", "Tool to call, e.g. `find_parcel(code) AS parcel`.", node="Call")
    message_key: str = p.name("MESSAGE_KEY", "Key into MESSAGES whose text is sent instead of RESPOND.")
    clears_last: bool = False
    """CLEAR stands below all that is called and said here, and is done after it. Decision: 0070."""
    says_first: bool = False
    """The answer stands above CALL, in a block that is no step: it says nothing of the call. Decision: 0089."""


@node
class DelegateCall(Node):
    """DELEGATE written inside a handler, digression or branch: an agent and what comes back."""

    MAIN: ClassVar[str] = "agent"
    agent: str = p.name("AGENT", "Agent that does the work.", aliases=("TO", "TARGET"))
    return_: bool | None = p.boolean("RETURN", "Must be true: the caller goes on when the work is done.")
    map: dict[str, str] = p.mapping("MAP", "Values of the child -> variables here.", group="ON_RETURN")
    input: dict[str, str] = p.mapping(
        "INPUT", "Parameters for the child; values are expressions.", aliases=("PASS",), formula=True
    )
    on_return: None = p.special(Kind.FLAT, "ON_RETURN", "What to do with the child's values.")


@node
class Do(Actions):
    """One item of a DO list: a single key, or a CHECK with what it leads to. Spec: abl-language 3.13, 5.5, 5.6."""

    goto: str = p.target("GOTO", "Step to go to.", aliases=("THEN", "TRANSITION"))
    handoff: str = p.name("HANDOFF", "Agent that takes over.")
    delegate: DelegateCall | None = p.special(Kind.NODE, "DELEGATE", "Agent that does a sub-task.", node="DelegateCall")
    resume: bool = p.flag("RESUME", "Go back to the interrupted step.")
    complete: bool = p.flag("COMPLETE", "The agent is done.")
    escalate: bool = p.flag("ESCALATE", "Hand the conversation to a human.")
    check: str = p.condition("CHECK", "The DO below it is done only when this holds.")
    do: list[Do] = p.entries("DO", "Actions in their order.", "Do", "dash")
    on_fail: Outcome | None = p.one("ON_FAIL", "What is done when the check does not hold.", "Outcome")


@node
class Branch(Actions):
    """One IF or ELSE; an empty condition is ELSE. Spec: abl-language 5.5."""

    condition: str = p.condition("IF", "Condition of the branch.", aliases=("WHEN", "CONDITION"))
    otherwise: bool = p.flag("ELSE", "The branch that always matches.")
    gather: StepGather | None = p.special(
        Kind.STEP_GATHER, "GATHER", "Fields to collect before the flow goes on.", node="StepGather"
    )
    then: str = p.target("THEN", "Step to go to.", aliases=("GOTO", "TRANSITION"))
    handoff: str = p.name("HANDOFF", "Agent that takes over.")
    delegate: DelegateCall | None = p.special(Kind.NODE, "DELEGATE", "Agent that does a sub-task.", node="DelegateCall")


@node
class Outcome(Actions):
    """ON_SUCCESS, ON_FAILURE or ON_FAIL: direct actions, then branches. Spec: abl-language 5.2."""

    MAIN: ClassVar[str] = "then"
    collect: list[str] = p.names("COLLECT", "Fields to clear and ask again.")
    retry: bool | None = p.boolean("RETRY", "Whether to try the step again.")
    then: str = p.target("THEN", "Step to go to.", aliases=("GOTO", "TRANSITION"))
    handoff: str = p.name("HANDOFF", "Agent that takes over.")
    delegate: DelegateCall | None = p.special(Kind.NODE, "DELEGATE", "Agent that does a sub-task.", node="DelegateCall")
    branches: list[Branch] = p.listed(Kind.BRANCHES, "BRANCHES", "IF and ELSE items, after the direct actions.")


@node
class OnStart(Actions):
    """First action of an agent; an inline value is what it says. Spec: abl-language 3.11."""

    MAIN: ClassVar[str] = "respond"
    delegate: DelegateCall | None = p.special(Kind.NODE, "DELEGATE", "Agent that does a sub-task.", node="DelegateCall")


@node
class Hook(Actions):
    """What runs around an agent or a turn. Spec: abl-language 3.11."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    critical: bool = p.boolean("CRITICAL", "Whether a failure fails the turn.", default=False)


@node
class ActionHandler(Actions):
    """What a button or form does. Spec: abl-language 3.13."""

    MAIN: ClassVar[str] = "action_id"
    action_id: str = ""
    condition: str = p.condition("CONDITION", "The handler runs only when this holds.", aliases=("WHEN", "IF"))
    transition: str = p.target("TRANSITION", "Step to go to.", aliases=("THEN", "GOTO"))
    handoff: str = p.name("HANDOFF", "Agent that takes over; must be declared in HANDOFF.")
    delegate: DelegateCall | None = p.special(
        Kind.NODE, "DELEGATE", "Agent that does a sub-task; must be declared in DELEGATE.", node="DelegateCall"
    )
    complete: bool = p.flag("COMPLETE", "The agent is done.")
    do: list[Do] = p.entries("DO", "Ordered list of single actions.", "Do", "dash")


@node
class ErrorHandler(Rich):
    """What happens on a kind of error. Spec: abl-language 3.12, 12.8."""

    MAIN: ClassVar[str] = "type"
    type: str = p.name("TYPE", "Kind of error, e.g. tool_timeout; DEFAULT for all others.")
    subtypes: list[str] = p.names("SUBTYPES", "Tool names or codes this handler is for.", aliases=("SUBTYPE",))
    retry: int | None = p.integer("RETRY", "How often to try again.", minimum=0, maximum=10)
    retry_delay: float | None = p.special(
        Kind.DURATION, "RETRY_DELAY", "Milliseconds before the first retry.", unit="ms"
    )
    retry_backoff: str = p.special(
        Kind.CHOICE,
        "RETRY_BACKOFF",
        "How the delay grows.",
        choices=("fixed", "exponential", "linear"),
    )
    retry_max_delay: float | None = p.special(
        Kind.DURATION, "RETRY_MAX_DELAY", "Longest delay in milliseconds.", unit="ms"
    )
    then: str = p.text("THEN", "RETRY_STEP, BACKTRACK, ESCALATE, HANDOFF agent, COMPLETE, CONTINUE or a step.")
    backtrack_to: str = p.target("BACKTRACK_TO", "Step to go back to.")
