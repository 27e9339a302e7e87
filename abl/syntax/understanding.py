"""ENTITIES, INTENTS, NLU, LOOKUP_TABLES, MULTI_INTENT: how messages are understood. Spec: abl-language 3.16."""

from __future__ import annotations

from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.node import Kind, Node, node

ENTITY_TYPES = (
    "string", "text", "free_text", "number", "integer", "float", "currency", "boolean", "date", "datetime", "email",
    "phone", "enum", "pattern", "location",
)  # fmt: skip
STRATEGIES = ("primary_queue", "sequential", "parallel", "disambiguate", "auto")
MAX_LOOKUP_VALUES_FUZZY = 1000


@node
class Entity(Node):
    """A kind of value that may occur in a message."""

    MAIN: ClassVar[str] = "name"
    LISTED: ClassVar[str] = "values"
    name: str = p.name("NAME", "Name of the entity.")
    type: str = p.choice("TYPE", "Type of the value.", *ENTITY_TYPES, open=True)
    values: list[str] = p.names("VALUES", "Allowed values.")
    synonyms: Any = p.free("SYNONYMS", "Value -> other words for it.")
    pattern: str = p.code("PATTERN", "Pattern of the value.")
    validation: str = p.text("VALIDATION", "How the value is checked.")
    sensitive: bool | None = p.boolean("SENSITIVE", "The value is masked.", guards=True)


@node
class Intent(Node):
    """What a user may want."""

    MAIN: ClassVar[str] = "name"
    INLINE: ClassVar[str] = "description"
    LISTED: ClassVar[str] = "examples"
    name: str = p.name("NAME", "Name of the intent.")
    description: str = p.text("DESCRIPTION", "What it means.")
    patterns: list[str] = p.names("PATTERNS", "Patterns of messages.")
    examples: list[str] = p.names("EXAMPLES", "Messages that mean it.")
    examples_file: str = p.text("EXAMPLES_FILE", "File of messages.")
    entities: list[str] = p.names("ENTITIES", "Entities that occur in it.")


@node
class Intents(Node):
    """All intents of an agent."""

    REST: ClassVar[str] = "items"
    lexical_fallback: str = p.choice(
        "LEXICAL_FALLBACK", "When words are compared instead of meaning.", "never", "when_unavailable", "always"
    )
    items: list[Intent] = p.entries("items", "The intents.", "Intent")


@node
class MultiIntent(Node):
    """What happens when a message has several intents."""

    enabled: bool | None = p.boolean("enabled", "Whether several intents are looked for.")
    strategy: str = p.choice("strategy", "What happens with them.", *STRATEGIES)
    max_intents: int | None = p.integer("max_intents", "Most intents of a message.", minimum=1, maximum=10)
    confidence_threshold: float | None = p.number("confidence_threshold", "Lowest confidence.", minimum=0, maximum=1)
    queue_max_age_ms: float | None = p.duration(
        "queue_max_age_ms", "Milliseconds a queued intent is kept.", "ms", maximum=3_600_000
    )
    unknown_relationship_strategy: str = p.choice(
        "unknown_relationship_strategy", "Strategy when the relation is unknown.", *STRATEGIES
    )


@node
class LookupTable(Node):
    """A table of allowed values."""

    MAIN: ClassVar[str] = "name"
    LISTED: ClassVar[str] = "values"
    name: str = ""
    source: str = p.choice("source", "Where the values come from.", "inline", "collection", "api", "mongodb", "http")
    values: list[str] = p.names("values", "Inline values.")
    table_name: str = p.name("table_name", "Collection that holds them.", aliases=("collection",))
    endpoint: str = p.code("endpoint", "Address that gives them.")
    field: str = p.name("field", "Field of the answer that holds a value.")
    timeout: float | None = p.duration(
        "timeout_ms", "Milliseconds until the call is given up.", "ms", yaml="timeout_ms"
    )
    headers: dict[str, str] = p.mapping("headers", "HTTP headers.")
    case_sensitive: bool | None = p.boolean("case_sensitive", "Whether case matters.")
    fuzzy_match: bool | None = p.boolean("fuzzy_match", "Whether near spellings match.")
    fuzzy_threshold: float | None = p.number("fuzzy_threshold", "How near.", minimum=0, maximum=1)


@node
class Nlu(Node):
    """Language understanding of an agent."""

    languages: list[str] = p.names("languages", "Languages users may write.")
    default_language: str = p.name("default_language", "Language when none is recognised.")
    allow_code_switching: bool | None = p.boolean("allow_code_switching", "Languages may change within a conversation.")
    config_file: str = p.text("config_file", "File with further settings.")
    models: dict[str, str] = p.mapping("models", "Models by role: fast, balanced.")
    intents: list[Intent] = p.entries("intents", "Intents with patterns and examples.", "Intent", "dash")
    categories: Any = p.free("categories", "Groups of intents.")
    entities: list[Entity] = p.entries("entities", "Entities; added to ENTITIES.", "Entity", "dash")
    glossary: Any = p.free("glossary", "Words of the domain.")
    evaluation: Any = p.free("evaluation", "log_predictions, ab_test, confidence_threshold.")
    embeddings: Any = p.free("embeddings", "enabled, provider, model, base_url, threshold, cache_ttl.")
    language_models: Any = p.special(Kind.FREE, "language_models", "Models by language.")
