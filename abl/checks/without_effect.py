"""Properties that the language reads and nothing acts on: an author who writes one is told. Spec: abl-language 13."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from abl.checks.document_report import found_at
from abl.checks.walk import nodes_of
from abl.compiler.places import Place, Unit
from abl.diagnostics.model import Diagnostic
from abl.syntax.node import Node

_MODEL: Final = "set it where the model is set up"
_LIMITS: Final = "the limits of the server hold; write its quotas"
_FILES: Final = "files reach the agent as they are; let a tool read them"
_ENTITY: Final = "an entity lends its type, values and synonyms; write {} at the field"
_SPELLINGS: Final = "case never counts, and near spellings are taken of an answer to the question; write synonyms"
_IDLE: Final = "the project says when a session ends; set its sessionIdleTimeoutSec"
_OLD_RULE: Final = "write a constraint or a guardrail"
_HINT: Final = "calls are made alike; leave it out"
WITHOUT_EFFECT: Final = MappingProxyType(
    {
        ("Execution", "enable_thinking"): _MODEL,
        ("Execution", "thinking_budget"): _MODEL,
        ("Execution", "reasoning_effort"): _MODEL,
        ("Execution", "compaction_threshold"): "write COMPACTION with what is shortened, and when",
        ("Execution", "max_queue_depth"): _LIMITS,
        ("Execution", "max_concurrent_messages"): _LIMITS,
        ("Execution", "voice_latency_target"): "there is no voice yet",
        ("Execution", "concurrency"): "the messages of a session are always answered one after the other",
        ("Execution", "session_idle_timeout"): _IDLE,
        ("Timeouts", "session_timeout_ms"): _IDLE,
        ("Nlu", "config_file"): "write its settings into the document",
        ("Nlu", "glossary"): "write its words as synonyms of fields, entities or lookup tables",
        ("Nlu", "evaluation"): "write evaluations of the project",
        ("Nlu", "default_language"): "write LANGUAGE",
        ("Nlu", "languages"): "an answer follows the language of the user; write LANGUAGE for the one to begin with",
        ("Nlu", "allow_code_switching"): "an answer always follows the language of the user",
        ("Nlu", "models"): "write `models` under EXECUTION",
        ("Nlu", "language_models"): "write `models` under EXECUTION",
        ("Nlu", "categories"): "write INTENTS",
        ("Intent", "examples_file"): "write the messages under EXAMPLES",
        ("Intent", "entities"): "write the fields that are wanted under GATHER",
        ("Entity", "pattern"): _ENTITY.format("extraction_pattern or validate"),
        ("Entity", "validation"): _ENTITY.format("validate"),
        ("LookupTable", "table_name"): "no collection is read, so any text is taken; write values or an endpoint",
        ("LookupTable", "case_sensitive"): _SPELLINGS,
        ("LookupTable", "fuzzy_match"): _SPELLINGS,
        ("LookupTable", "fuzzy_threshold"): _SPELLINGS,
        ("Attachment", "ocr_enabled"): _FILES,
        ("Attachment", "transcription_enabled"): _FILES,
        ("Attachment", "key_frame_extraction"): _FILES,
        ("Semantics", "convert_to"): "convert in SET or in the tool",
        ("Semantics", "format"): "write extraction_pattern or validate at the field",
        ("Semantics", "components"): "write a field for each part",
        ("Semantics", "enum_set"): "write options at the field",
        ("Semantics", "kore_entity_type"): "write TYPE",
        ("GatherField", "preferences"): "remember it with MEMORY",
        ("GatherChanges", "confirmation"): "ask in a step of the flow, or write infer_confirm at the field",
        ("HumanRouting", "provider_config"): "it is set up where the desk is connected",
        ("Delegate", "experience_mode"): "the user is told nothing of a sub-task; answer with RESPOND before it",
        ("Document", "destinations"): "write the address as the endpoint of a tool",
        (
            "Parameter",
            "validate",
        ): "let the tool refuse the value, or write a constraint `REQUIRE ... BEFORE calling` it",
        ("AgentRef", "channels"): "write `channel == ...` in WHEN of the HANDOFF",
        ("AgentRef", "requires_validation"): "write what has to be known in WHEN of the HANDOFF",
        ("RoutingRule", "flags"): "leave it out",
        ("Policy", "allowed_when"): _OLD_RULE,
        ("Policy", "forbidden_when"): _OLD_RULE,
        ("Policy", "trigger_signal"): _OLD_RULE,
        ("Communication", "formality"): "write PERSONA",
        ("Behavior", "allowed_actions"): "write INSTRUCTIONS",
        ("Behavior", "forbidden_actions"): "write LIMITATIONS, or a guardrail",
        ("Tool", "cacheable"): _HINT,
        ("Tool", "latency"): _HINT,
        ("Tool", "connection"): "write `auth: oauth2_user` for a call with the user's own credentials",
        ("Tool", "store_result"): "each result is stored as `last_<tool>_result`",
    }
)
"""Class and field -> what to do instead. Whoever gives one an effect takes it out."""
OF_A_VALUE: Final = MappingProxyType(
    {
        ("Handoff", "experience_mode", "human_escalation"): "write ESCALATE, or a step that leads to it",
    }
)
"""Class, field and value -> what to do instead, where the other values of a property have an effect."""
AS_IT_IS: Final = MappingProxyType(
    {
        ("Delegate", "experience_mode"): "silent_delegate",
        ("Execution", "concurrency"): "serial",
        ("LookupTable", "case_sensitive"): False,
        ("Tool", "cacheable"): False,
        ("Tool", "connection"): "shared",
        ("Tool", "store_result"): True,
    }
)
"""Class and field -> the value that says what is done anyway: nothing is missing there."""


def properties_without_effect(unit: Unit) -> Iterator[Diagnostic]:
    """Yield one finding for each property of a document that changes nothing of what its agent does."""
    for node, path in nodes_of(unit.document):
        for field in _FIELDS.get(type(node).__name__, ()):
            value = node.__dict__.get(field, node.DEFAULTS[field])
            if detail := _detail(node, field, value):
                said = {"name": node.BY_FIELD[field].key, "detail": detail}
                yield found_at("WITHOUT_EFFECT", Place(node, unit), field, path=path, **said)


def _detail(node: Node, field: str, value: object) -> str:
    """Return what to do instead of a value that changes nothing, empty where it is not written or has its effect."""
    key, default = (type(node).__name__, field), node.DEFAULTS[field]
    if value in (default, AS_IT_IS.get(key, default)):
        return ""
    return WITHOUT_EFFECT.get(key) or OF_A_VALUE.get((*key, str(value)), "")


_KEYS: Final = (*WITHOUT_EFFECT, *((name, field) for name, field, _ in OF_A_VALUE))
_FIELDS: Final = {name: tuple(field for of, field in _KEYS if of == name) for name, _ in _KEYS}
