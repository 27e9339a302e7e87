"""Which fields of the document declare a name and which mention one: the table behind navigation and completion.

Spec: abl-language 3, 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from abl.syntax.node import Node


class Symbol(StrEnum):
    """What a name stands for."""

    AGENT = "agent"
    TOOL = "tool"
    STEP = "step"
    VARIABLE = "variable"
    TEMPLATE = "template"
    HANDLER = "return handler"
    ENTITY = "entity"
    INTENT = "intent"
    LOOKUP = "lookup table"
    PROFILE = "profile"
    MESSAGE = "message"


PROJECT_WIDE = frozenset({Symbol.AGENT, Symbol.TOOL, Symbol.PROFILE})
"""Names that mean the same in every file of a project; all others belong to their file."""

Table = Mapping[str, Mapping[str, Symbol]]

DECLARED: Table = MappingProxyType(
    {
        "Step": {"name": Symbol.STEP},
        "Tool": {"name": Symbol.TOOL},
        "AddedTool": {"name": Symbol.TOOL},
        "GatherField": {"name": Symbol.VARIABLE},
        "SessionVariable": {"name": Symbol.VARIABLE},
        "PersistentPath": {"path": Symbol.VARIABLE},
        "Attachment": {"name": Symbol.VARIABLE},
        "AwaitAttachment": {"name": Symbol.VARIABLE},
        "Call": {"as_": Symbol.VARIABLE},
        "Transform": {"target": Symbol.VARIABLE, "item_var": Symbol.VARIABLE},
        "Template": {"name": Symbol.TEMPLATE},
        "ReturnHandler": {"name": Symbol.HANDLER},
        "Entity": {"name": Symbol.ENTITY},
        "Intent": {"name": Symbol.INTENT},
        "LookupTable": {"name": Symbol.LOOKUP},
        "Profile": {"name": Symbol.PROFILE},
    }
)
"""Class -> fields whose value is a name that is declared there."""

WRITTEN: Table = MappingProxyType(
    {
        "Assignment": {"variable": Symbol.VARIABLE},
        "Delegate": {"returns": Symbol.VARIABLE},
        "DelegateCall": {"map": Symbol.VARIABLE},
        "OnReturn": {"map": Symbol.VARIABLE},
    }
)
"""Class -> fields that give a variable its value; a variable without a declaration is defined by the first of these."""

MENTIONED: Table = MappingProxyType(
    {
        "Handoff": {"to": Symbol.AGENT, "pass_": Symbol.VARIABLE},
        "Delegate": {"agent": Symbol.AGENT},
        "DelegateCall": {"agent": Symbol.AGENT},
        "Branch": {"handoff": Symbol.AGENT, "then": Symbol.STEP},
        "Outcome": {"handoff": Symbol.AGENT, "then": Symbol.STEP, "collect": Symbol.VARIABLE},
        "Do": {"handoff": Symbol.AGENT, "goto": Symbol.STEP},
        "ActionHandler": {"handoff": Symbol.AGENT, "transition": Symbol.STEP},
        "FailAction": {
            "target": Symbol.AGENT,
            "goto": Symbol.STEP,
            "then": Symbol.STEP,
            "collect_fields": Symbol.VARIABLE,
        },
        "Step": {
            "then": Symbol.STEP,
            "on_exhausted": Symbol.STEP,
            "available_tools": Symbol.TOOL,
        },
        "Flow": {"entry_point": Symbol.STEP, "order": Symbol.STEP},
        "FlowChanges": {"skip": Symbol.STEP},
        "StepOverride": {"name": Symbol.STEP, "transition": Symbol.STEP},
        "Insertion": {"before": Symbol.STEP, "after": Symbol.STEP, "step": Symbol.STEP},
        "Digression": {"goto": Symbol.STEP, "intent": Symbol.INTENT},
        "AwaitAttachment": {"on_timeout": Symbol.STEP},
        "HumanApproval": {"on_approve": Symbol.STEP, "on_reject": Symbol.STEP, "on_timeout": Symbol.STEP},
        "ErrorHandler": {"backtrack_to": Symbol.STEP, "subtypes": Symbol.TOOL},
        "Call": {"tool": Symbol.TOOL},
        "Tool": {"context_read": Symbol.VARIABLE, "context_write": Symbol.VARIABLE},
        "ToolChanges": {"hide": Symbol.TOOL},
        "Profile": {"tools_hide": Symbol.TOOL},
        "ToolImport": {"names": Symbol.TOOL},
        "Actions": {"clear": Symbol.VARIABLE, "message_key": Symbol.MESSAGE},
        "ReturnHandler": {"clear": Symbol.VARIABLE},
        "GatherField": {"depends_on": Symbol.VARIABLE, "entity_ref": Symbol.ENTITY, "message_key": Symbol.MESSAGE},
        "StepGather": {"message_key": Symbol.MESSAGE},
        "FieldOverride": {"name": Symbol.VARIABLE},
        "Semantics": {"lookup": Symbol.LOOKUP},
        "Intent": {"entities": Symbol.ENTITY},
        "MemoryGrant": {"path": Symbol.VARIABLE},
        "Memory": {"reads": Symbol.VARIABLE, "writes": Symbol.VARIABLE},
        "Recall": {"paths": Symbol.VARIABLE},
        "Store": {"target": Symbol.VARIABLE, "fields": Symbol.VARIABLE},
        "Escalate": {"context_for_human": Symbol.VARIABLE},
        "OnReturn": {"handler": Symbol.HANDLER, "action": Symbol.HANDLER},
        "Document": {"use_behavior_profiles": Symbol.PROFILE},
    }
)
"""Class -> fields whose value (or the elements of whose list) is the name of something declared elsewhere."""

EXPRESSIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Assignment": ("expression",),
        "Argument": ("expression",),
        "Call": ("with_",),
        "Delegate": ("input",),
        "DelegateCall": ("input",),
        "Transform": ("source", "map"),
    }
)
"""Class -> fields that hold expressions without being of a kind that says so."""

CHILD_KEYS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {"Delegate": ("agent", ("input", "returns")), "DelegateCall": ("agent", ("input", "map"))}
)
"""Class -> field that names another agent, and maps whose keys are variables of that agent."""

TARGETS = ("COMPLETE", "ESCALATE", "CONTINUE", "RETRY")
"""Words that stand where a step may be named, and are none."""


def fields_of(cls: type[Node], table: Table) -> dict[str, Symbol]:
    """Return the fields of `cls` in a table, those of its mixins included."""
    found: dict[str, Symbol] = {}
    for one in reversed(cls.__mro__):
        found.update(table.get(one.__name__, {}))
    return found


def mentioned_by(cls: type[Node] | None, field: str) -> Symbol | None:
    """Return what the field of a class names, declared or not."""
    if cls is None:
        return None
    for table in (MENTIONED, WRITTEN, DECLARED):
        symbol = fields_of(cls, table).get(field)
        if symbol is not None:
            return symbol
    return None
