"""Properties that the language reads and nothing acts on: an author who writes one is told. Spec: abl-language 13."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from abl.checks.document_report import found_at
from abl.checks.walk import nodes_of
from abl.compiler.places import Place, Unit
from abl.diagnostics.model import Diagnostic

_MODEL: Final = "set it where the model is set up"
_LIMITS: Final = "the limits of the server hold; write its quotas"
_FILES: Final = "files reach the agent as they are; let a tool read them"
WITHOUT_EFFECT: Final = MappingProxyType(
    {
        ("Execution", "enable_thinking"): _MODEL,
        ("Execution", "thinking_budget"): _MODEL,
        ("Execution", "reasoning_effort"): _MODEL,
        ("Execution", "compaction_threshold"): "write COMPACTION with what is shortened, and when",
        ("Execution", "max_queue_depth"): _LIMITS,
        ("Execution", "max_concurrent_messages"): _LIMITS,
        ("Execution", "voice_latency_target"): "there is no voice yet",
        ("Nlu", "config_file"): "write its settings into the document",
        ("Nlu", "glossary"): "write its words as synonyms of fields, entities or lookup tables",
        ("Nlu", "evaluation"): "write evaluations of the project",
        ("Nlu", "default_language"): "write LANGUAGE",
        ("Attachment", "ocr_enabled"): _FILES,
        ("Attachment", "transcription_enabled"): _FILES,
        ("Attachment", "key_frame_extraction"): _FILES,
        ("Semantics", "convert_to"): "convert in SET or in the tool",
        ("Semantics", "kore_entity_type"): "write TYPE",
        ("GatherField", "preferences"): "remember it with MEMORY",
        ("HumanRouting", "provider_config"): "it is set up where the desk is connected",
    }
)
"""Class and field -> what to do instead. Whoever gives one an effect takes it out."""


def properties_without_effect(unit: Unit) -> Iterator[Diagnostic]:
    """Yield one finding for each property of a document that changes nothing of what its agent does."""
    for node, path in nodes_of(unit.document):
        for field in _FIELDS.get(type(node).__name__, ()):
            if node.__dict__.get(field, node.DEFAULTS[field]) != node.DEFAULTS[field]:
                said = {"name": node.BY_FIELD[field].key, "detail": WITHOUT_EFFECT[type(node).__name__, field]}
                yield found_at("WITHOUT_EFFECT", Place(node, unit), field, path=path, **said)


_FIELDS: Final = {name: tuple(field for of, field in WITHOUT_EFFECT if of == name) for name, _ in WITHOUT_EFFECT}
