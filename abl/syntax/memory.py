"""MEMORY: session state and long-term facts. Spec: abl-language 3.5."""

from __future__ import annotations

from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.gather import DISPLAYS, MaskConfig
from abl.syntax.node import Kind, Node, node

MEMORY_TYPES = ("string", "number", "boolean", "date", "array", "object")


@node
class SessionVariable(Node):
    """A variable that lives as long as the session."""

    MAIN: ClassVar[str] = "name"
    name: str = p.name("NAME", "Name of the variable.")
    initial_value: Any = p.literal("INITIAL", "Value at the start.", aliases=("INITIAL_VALUE", "DEFAULT"))
    reset: str = p.choice("RESET", "When the value is dropped.", "per_session", "per_step", "never")
    type: str = p.choice("TYPE", "Type of the value.", *MEMORY_TYPES, open=True)
    description: str = p.text("DESCRIPTION", "What the variable is for.")
    source: str = p.text("SOURCE", "Where the value comes from.")


@node
class PersistentPath(Node):
    """A fact that outlives the session."""

    MAIN: ClassVar[str] = "path"
    path: str = p.name("PATH", "Dotted path, e.g. user.preferred_hub.", aliases=("NAME",))
    scope: str = p.choice("SCOPE", "Whose fact it is.", "user", "project", "execution_tree")
    type: str = p.choice("TYPE", "Type of the value.", *MEMORY_TYPES, open=True)
    unit: str = p.text("UNIT", "Unit of the value.")
    default_value: Any = p.literal("DEFAULT_VALUE", "Value when nothing is stored.", aliases=("DEFAULT", "INITIAL"))
    access: str = p.choice("ACCESS", "What the agent may do with it.", "read", "write", "readwrite")
    description: str = p.text("DESCRIPTION", "What the fact means.")
    sensitive: bool | None = p.boolean("SENSITIVE", "The value is stored encrypted and masked.", guards=True)
    sensitive_display: str = p.choice("SENSITIVE_DISPLAY", "How the value is shown.", *DISPLAYS)
    mask_config: MaskConfig | None = p.one("MASK_CONFIG", "Which characters stay visible.", "MaskConfig")


@node
class Store(Node):
    """`value -> target`; the value is an expression, or field names for a record."""

    value: str = p.special(Kind.EXPRESSION, "VALUE", "Expression to store.")
    fields: list[str] | None = None
    target: str = p.name("TARGET", "Path that receives the value.")


@node
class Remember(Node):
    """What is stored when a condition becomes true."""

    when: str = p.condition("WHEN", "Moment to store.", aliases=("IF",))
    store: Store | None = p.special(Kind.STORE, "STORE", "What is stored where: `value -> target`.", node="Store")
    ttl: str = p.text("TTL", "How long it is kept, e.g. 30d.")


@node
class Recall(Node):
    """What is loaded or said at an event."""

    event: str = p.special(Kind.CODE, "ON", "Event, e.g. session:start or tool:find_parcel:after.", aliases=("EVENT",))
    action: str = p.choice("ACTION", "What happens.", "inject_context", "load_memory", "prompt_llm")
    paths: list[str] = p.names("PATHS", "Paths that are loaded.")
    domain: str = p.text("DOMAIN", "Memory domain that is loaded.")
    instruction: str = p.text("INSTRUCTION", "Sentence added to the prompt.")


@node
class Memory(Node):
    """All memory of an agent."""

    session: list[SessionVariable] = p.entries("session", "Variables of the session.", "SessionVariable", "dash")
    persistent: list[PersistentPath] = p.entries("persistent", "Facts that outlive it.", "PersistentPath", "dash")
    reads: list[str] = p.names("READS", "Persistent paths that are only read.")
    writes: list[str] = p.names("WRITES", "Persistent paths that are only written.")
    remember: list[Remember] = p.entries("remember", "What is stored, and when.", "Remember", "dash")
    recall: list[Recall] = p.entries("recall", "What is loaded, and when.", "Recall", "dash")
