"""DELEGATE, HANDOFF, RETURN_HANDLERS, ESCALATE, COMPLETE, DESTINATIONS. Spec: abl-language 3.4, 3.8 to 3.10."""

from __future__ import annotations

from typing import ClassVar

from abl.syntax import props as p
from abl.syntax.memory import Store
from abl.syntax.node import Kind, Node, node
from abl.syntax.rich import Rich
from abl.syntax.rules import FailAction

EXPERIENCE_MODES = ("shared_voice_handoff", "visible_handoff", "silent_delegate", "human_escalation")
HISTORY_MODES = ("auto", "none", "summary_only", "full", "last_n")
PRIORITIES = ("low", "medium", "high", "critical")


@node
class Remote(Node):
    """Mixin: where the other agent runs and how its work is shown."""

    experience_mode: str = p.choice("EXPERIENCE_MODE", "How the change is shown to the user.", *EXPERIENCE_MODES)
    location: str = p.choice("LOCATION", "Where the agent runs.", "local", "remote")
    endpoint: str = p.code("ENDPOINT", "Address of a remote agent.")
    protocol: str = p.choice("PROTOCOL", "Protocol of a remote agent.", "a2a", "rest")


@node
class Delegate(Remote):
    """A sub-task for another agent; the caller keeps control."""

    MAIN: ClassVar[str] = "agent"
    agent: str = p.name("AGENT", "Agent that does the work.", aliases=("TO", "TARGET"))
    when: str = p.condition("WHEN", "When the sub-task is started.", aliases=("IF",))
    purpose: str = p.text("PURPOSE", "What the sub-task is for.", aliases=("SUMMARY",))
    input: dict[str, str] = p.mapping(
        "INPUT", "Parameters for the child; values are expressions.", aliases=("PASS",), formula=True
    )
    returns: dict[str, str] = p.mapping("RETURNS", "Values of the child -> variables here.", aliases=("RETURN",))
    use_result: str = p.text("USE_RESULT", "What the model should do with the result.")
    timeout: float | None = p.duration("TIMEOUT", "Seconds until the child is given up.", "s")
    on_failure: FailAction | None = p.special(
        Kind.ACTION, "ON_FAILURE", 'CONTINUE, ESCALATE or RESPOND "text".', node="FailAction"
    )
    failure_message: str = p.text("FAILURE_MESSAGE", "Text for the user when the child fails.")


@node
class MemoryGrant(Node):
    """A persistent path the target may use."""

    MAIN: ClassVar[str] = "path"
    path: str = p.name("path", "Persistent path.")
    access: str = p.choice("access", "What the target may do with it.", "read", "readwrite")


@node
class History(Node):
    """How much of the conversation the target sees."""

    mode: str = p.choice("mode", "How much is passed.", *HISTORY_MODES)
    count: int | None = p.integer("count", "Messages of last_n.", minimum=0)


@node
class OnReturn(Node):
    """What the parent does when the child is done; an inline value is the action, or else the handler."""

    MAIN: ClassVar[str] = "action"
    action: str = p.choice("ACTION", "continue or resume_intent.", "continue", "resume_intent", open=True)
    handler: str = p.name("HANDLER", "Entry of RETURN_HANDLERS.")
    map: dict[str, str] = p.mapping("MAP", "Values of the child -> variables here.")
    set: dict[str, str] = p.mapping("SET", "Variables to set.", formula=True)
    resume_with: str = p.text("RESUME_WITH", "Text to go on with.")


@node
class Handoff(Remote):
    """Control moves to another agent."""

    MAIN: ClassVar[str] = "to"
    to: str = p.name("TO", "Agent that takes over.", aliases=("AGENT", "TARGET"))
    when: str = p.condition("WHEN", "When control moves.", aliases=("IF", "CONDITION", "TRIGGER"))
    priority: int | None = p.integer("PRIORITY", "Lower is tried first.")
    description: str = p.text("DESCRIPTION", "What the target is for; used in routing.", legacy=True)
    context: None = p.special(Kind.FLAT, "CONTEXT", "What the target is told.")
    pass_: list[str] = p.names("pass", "Variables the target receives.", group="CONTEXT")
    summary: str = p.text("summary", "What happened so far; may contain {variables}.", group="CONTEXT")
    memory_grants: list[MemoryGrant] = p.entries(
        "memory_grants", "Persistent paths the target may use.", "MemoryGrant", "dash", group="CONTEXT"
    )
    history: History | None = p.special(
        Kind.HISTORY, "history", "How much of the conversation is passed.", node="History", group="CONTEXT"
    )
    set: dict[str, str] = p.mapping("set", "Extra values for the target.", group="CONTEXT", formula=True)
    return_: bool | None = p.boolean("RETURN", "Whether control comes back.", aliases=("EXPECT_RETURN",))
    on_return: OnReturn | None = p.special(Kind.NODE, "ON_RETURN", "What happens then.", node="OnReturn")
    on_failure: FailAction | None = p.special(
        Kind.ACTION, "ON_FAILURE", 'CONTINUE, ESCALATE or RESPOND "text".', node="FailAction"
    )
    failure_message: str = p.text("FAILURE_MESSAGE", "Text for the user when the handoff fails.")
    async_: bool | None = p.boolean("ASYNC", "Suspend the session until a callback arrives.")
    timeout: float | None = p.duration("TIMEOUT", "Seconds until an asynchronous target is given up.", "s")
    on_timeout: FailAction | None = p.special(Kind.ACTION, "ON_TIMEOUT", "What happens then.", node="FailAction")


@node
class ReturnHandler(Rich):
    """What the parent does when a child comes back."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    clear: list[str] = p.names("CLEAR", "Variables to unset.")
    continue_: bool | None = p.boolean("CONTINUE", "The parent goes on in the same turn.")
    resume_intent: bool | None = p.boolean("RESUME_INTENT", "Route the user's original message again.")


@node
class EscalationTrigger(Node):
    """When a human is called."""

    when: str = p.condition("WHEN", "When a human is called.", aliases=("IF",))
    reason: str = p.text("REASON", "Why, for the human.")
    priority: str = p.choice("PRIORITY", "How urgent it is.", *PRIORITIES, open=True)
    tags: list[str] = p.names("TAGS", "Words to find the task by.")


@node
class HumanOutcome(Node):
    """One entry of on_human_complete: `IF condition: ACTION`, or a block of its properties."""

    condition: str = p.condition("IF", "Condition over the human's answer.", aliases=("CONDITION", "WHEN"))
    respond: str = p.text("RESPOND", "What the user is told.", aliases=("MESSAGE",))
    action: str = p.text("ACTION", "COMPLETE, CONTINUE, ESCALATE or HANDOFF to agent.", aliases=("THEN", "DO"))


@node
class HumanRouting(Node):
    """Where the human task goes."""

    connection: str = p.name("connection", "Connection to the help desk.")
    queue: str = p.text("queue", "Queue of the help desk.")
    skills: list[str] = p.names("skills", "Skills the human needs.")
    priority: str = p.choice("priority", "How urgent it is.", *PRIORITIES, open=True)
    post_agent: str = p.choice("post_agent", "Whether the agent goes on afterwards.", "return", "end")
    voice: object = p.free("voice", "Settings for calls.")
    provider_config: object = p.free("provider_config", "Settings of the help desk.")


@node
class Escalate(Node):
    """Human escalation. Spec: abl-language 3.9."""

    triggers: list[EscalationTrigger] = p.entries("triggers", "When a human is called.", "EscalationTrigger", "dash")
    context_for_human: list[str] = p.names("context_for_human", "Variables or texts the human sees.")
    on_human_complete: list[HumanOutcome] = p.listed(Kind.HUMAN, "on_human_complete", "What happens afterwards.")
    routing: HumanRouting | None = p.special(Kind.NODE, "routing", "Where the task goes.", node="HumanRouting")
    connector_action: str = p.name("CONNECTOR_ACTION", "Connector action that opens the task.")


@node
class Completion(Rich):
    """When the agent is done. Spec: abl-language 3.10."""

    when: str = p.condition("WHEN", "When the agent is done.", aliases=("IF", "CONDITION"))
    store: Store | None = p.special(Kind.STORE, "STORE", "What is stored: `{a, b} -> target`.", node="Store")


@node
class Destination(Node):
    """An outbound endpoint. Spec: abl-language 3.4."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    url: str = p.code("url", "Address.")
    method: str = p.choice("method", "HTTP method.", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
    auth: str = p.name("auth", "How the call is authorised.")
    headers: dict[str, str] = p.mapping("headers", "HTTP headers.")
