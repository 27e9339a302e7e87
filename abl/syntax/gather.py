"""GATHER and ATTACHMENTS: what is collected from the user. Spec: abl-language 3.3, 3.4, 5.3."""

from __future__ import annotations

from typing import Any, ClassVar

from abl.syntax import props as p
from abl.syntax.node import Node, node

FIELD_TYPES = (
    "string", "number", "integer", "float", "boolean", "date", "datetime", "email", "phone", "currency", "enum",
    "pattern", "location", "text", "free_text", "list", "attachment",
)  # fmt: skip
PII_TYPES = ("email", "phone", "ssn", "credit_card", "address", "name", "custom")
DISPLAYS = ("redact", "mask", "replace")


@node
class MaskConfig(Node):
    """Which characters of a sensitive value stay visible."""

    show_first: int | None = p.integer("show_first", "Characters shown at the start.", minimum=0)
    show_last: int | None = p.integer("show_last", "Characters shown at the end.", minimum=0)
    char: str = p.text("char", "Character that hides the others.")


@node
class Validation(Node):
    """How a value is checked; an inline value is the rule."""

    MAIN: ClassVar[str] = "rule"
    rule: str = p.code("rule", "Pattern, range, named check or sentence.")
    type: str = p.choice("type", "Kind of check.", "pattern", "range", "enum", "custom", "llm", "intrinsic")
    error: str = p.text("error", "Sentence sent when the check fails.", aliases=("error_message", "message"))
    max_retries: int | None = p.integer(
        "max_retries", "How often the user is asked again after the first question.", minimum=0
    )


@node
class Activation(Node):
    """When a field is asked: a word, or a condition."""

    MAIN: ClassVar[str] = "mode"
    mode: str = p.choice("mode", "When the field is asked.", "required", "optional", "progressive")
    when: str = p.condition("WHEN", "The field is asked only when this holds.")


@node
class Semantics(Node):
    """What a value means, for extraction and conversion."""

    format: str = p.text("format", "Format of the value.")
    components: list[str] = p.names("components", "Parts of the value.")
    unit: str = p.text("unit", "Unit of the value.")
    lookup: str = p.name("lookup", "Lookup table that knows the allowed values.")
    convert_to: str = p.text("convert_to", "Unit or format to convert to.")
    locale: str = p.text("locale", "Locale of the value.")
    kore_entity_type: str = p.name("kore_entity_type", "Entity type of an older platform.")
    enum_set: list[str] = p.names("enum_set", "Allowed values.")


@node
class GatherField(Node):
    """One slot. Spec: abl-language 3.3."""

    MAIN: ClassVar[str] = "name"
    LISTED: ClassVar[str] = "options"
    name: str = ""
    prompt: str = p.text("prompt", "Question to the user.")
    message_key: str = p.name("message_key", "Key into MESSAGES for the question.")
    type: str = p.choice("type", "Type of the value.", *FIELD_TYPES, open=True)
    required: bool | None = p.boolean("required", "Whether the agent may go on without it.")
    default: Any = p.literal("default", "Value when none is given.")
    validation: Validation | None = p.one(
        "validate", "How the value is checked.", "Validation", aliases=("validation",)
    )
    validation_process: str = p.choice("validation_process", "What runs the check.", "REGEX", "CODE", "LLM")
    options: list[str] = p.names(
        "options", "Allowed values; makes the type an enum.", aliases=("enum_values", "values")
    )
    infer: bool | None = p.boolean("infer", "Whether the value may be inferred from context.")
    infer_confidence: float | None = p.number(
        "infer_confidence", "Lowest confidence of an inference.", minimum=0, maximum=1
    )
    infer_confirm: bool | None = p.boolean("infer_confirm", "Whether an inference is confirmed with the user.")
    semantics: Semantics | None = p.one("semantics", "What the value means.", "Semantics")
    range: bool | None = p.boolean("range", "A pair min..max is wanted.")
    many: bool | None = p.boolean("list", "Several values are wanted.", yaml="list")
    preferences: bool | None = p.boolean("preferences", "The value is a preference.")
    activation: Activation | None = p.one("activation", "When the field is asked.", "Activation")
    depends_on: list[str] = p.names("depends_on", "Fields that must be known first.")
    prompt_mode: str = p.choice("prompt_mode", "Whether the field is asked or only extracted.", "ask", "extract_only")
    retry_prompt: str = p.text("retry_prompt", "Question after an invalid answer.")
    max_retries: int | None = p.integer(
        "max_retries", "How often the user is asked again after the first question.", minimum=0
    )
    sensitive: bool | None = p.boolean("sensitive", "The value is stored encrypted and masked.", guards=True)
    sensitive_display: str = p.choice("sensitive_display", "How the value is shown.", *DISPLAYS)
    mask_config: MaskConfig | None = p.one("mask_config", "Which characters stay visible.", "MaskConfig")
    transient: bool | None = p.boolean("transient", "The value is dropped after use.")
    pii_type: str = p.choice("pii_type", "Kind of personal data.", *PII_TYPES)
    entity_ref: str = p.name("entity_ref", "Entity of ENTITIES that gives type and values.", aliases=("entity",))
    extraction_pattern: str = p.code("extraction_pattern", "Pattern that finds the value in a message.")
    extraction_group: int | None = p.integer("extraction_group", "Group of that pattern.", minimum=0)
    extraction_hints: list[str] = p.names("extraction_hints", "Words that help to find the value.")
    synonyms: dict[str, list[str]] | None = None
    message: str = p.text("description", "What the value is, for the model.")


@node
class Gather(Node):
    """All slots of an agent."""

    REST: ClassVar[str] = "fields"
    strategy: str = p.choice("strategy", "What extracts the values.", "llm", "pattern", "hybrid")
    fields: list[GatherField] = p.entries("fields", "The slots.", "GatherField")


@node
class StepGather(Node):
    """The slots of one flow step. Spec: abl-language 5.3."""

    REST: ClassVar[str] = "fields"
    strategy: str = p.choice("STRATEGY", "What extracts the values.", "llm", "pattern", "hybrid")
    prompt: str = p.text("PROMPT", "One question for all fields.")
    message_key: str = p.name("MESSAGE_KEY", "Key into MESSAGES for that question.")
    fields: list[GatherField] = p.entries("FIELDS", "The slots.", "GatherField", "dash")


@node
class Attachment(Node):
    """A file that is asked for. Spec: abl-language 3.4."""

    MAIN: ClassVar[str] = "name"
    name: str = ""
    prompt: str = p.text("prompt", "Question to the user.")
    category: str = p.choice("category", "Kind of file.", "image", "document", "audio", "video")
    required: bool | None = p.boolean("required", "Whether the agent may go on without it.")
    max_size_mb: float | None = p.number("max_size_mb", "Largest size in MB.", aliases=("max_file_size_mb",), minimum=0)
    allowed_types: list[str] = p.names("allowed_types", "Accepted media types.", aliases=("allowed_mime_types",))
    ocr_enabled: bool | None = p.boolean("ocr_enabled", "Read text from images.", aliases=("ocr",))
    transcription_enabled: bool | None = p.boolean(
        "transcription_enabled", "Turn speech into text.", aliases=("transcription",)
    )
    key_frame_extraction: bool | None = p.boolean("key_frame_extraction", "Take still images from a video.")
