from __future__ import annotations

import pytest

from abl.compiler import Unit, compile_documents
from abl.syntax.document import Document
from abl.syntax.gather import Activation, Gather, GatherField, MaskConfig, Validation


def field(made: GatherField) -> dict:
    unit = Unit(Document(name="Desk", gather=Gather(fields=[made])))
    return compile_documents([unit]).output["agents"]["Desk"]["gather"]["fields"][0]


def test_a_bare_field_has_its_defaults() -> None:
    assert field(GatherField(name="code", prompt="Code?")) == {
        "name": "code",
        "prompt": "Code?",
        "type": "string",
        "required": True,
        "activation": "required",
        "prompt_mode": "ask",
        "depends_on": [],
        "extraction_hints": ["Code?"],
    }


def test_the_prompt_is_the_first_hint() -> None:
    made = GatherField(name="code", prompt="Code?", extraction_hints=["number", "Code?", "id"])
    assert field(made)["extraction_hints"] == ["Code?", "number", "id"]


def test_options_make_an_enum() -> None:
    lowered = field(GatherField(name="size", options=["s", "m"]))
    assert (lowered["type"], lowered["enum_values"]) == ("enum", ["s", "m"])


def test_an_activation_is_a_word_or_a_condition() -> None:
    assert field(GatherField(name="a", activation=Activation(mode="progressive")))["activation"] == "progressive"
    assert field(GatherField(name="a", activation=Activation(when="b == 1")))["activation"] == {"when": "b == 1"}
    assert field(GatherField(name="a", required=False))["activation"] == "optional"


def test_sensitive_values_are_redacted_by_default() -> None:
    assert field(GatherField(name="a", sensitive=True))["sensitive_display"] == "redact"
    masked = field(
        GatherField(name="a", sensitive=True, sensitive_display="mask", mask_config=MaskConfig(show_first=2))
    )
    assert masked["mask_config"] == {"show_first": 2, "show_last": 4, "char": "*"}
    assert field(GatherField(name="a", sensitive=True, sensitive_display="mask"))["mask_config"]["show_last"] == 4


def test_an_inference_has_a_confidence_and_a_confirmation() -> None:
    lowered = field(GatherField(name="a", infer=True))
    assert (lowered["infer"], lowered["infer_confidence"], lowered["infer_confirm"]) == (True, 0.8, True)


def test_flags_and_lists_keep_their_ir_names() -> None:
    made = GatherField(name="a", many=True, range=True, preferences=True, transient=True, message="What it is")
    lowered = field(made)
    assert all(lowered[name] is True for name in ("list", "range", "preferences", "transient"))
    assert lowered["description"] == "What it is"


@pytest.mark.parametrize(
    ("rule", "process", "kind"),
    [
        (r"^[A-Z]{2}\d{9}$", "", "pattern"),
        ("abc", "", "pattern"),
        ("email", "", "intrinsic"),
        ("1..10", "", "range"),
        (">= 18", "", "range"),
        ("Must be a positive number", "", "llm"),
        ("Must be a positive number", "LLM", "llm"),
        ("value > 3", "CODE", "custom"),
        ("two words", "REGEX", "pattern"),
    ],
)
def test_the_kind_of_a_check_is_inferred(rule: str, process: str, kind: str) -> None:
    made = GatherField(name="a", validation=Validation(rule=rule), validation_process=process)
    validation = field(made)["validation"]
    assert (validation["type"], validation["rule"]) == (kind, rule)


def test_a_validation_block_keeps_its_parts() -> None:
    made = GatherField(
        name="a",
        validation=Validation(rule="1..5", type="range", error="1 to 5.", max_retries=1),
        retry_prompt="Again?",
    )
    assert field(made)["validation"] == {
        "type": "range",
        "rule": "1..5",
        "error_message": "1 to 5.",
        "retry_prompt": "Again?",
        "max_retries": 1,
        "validation_process": "REGEX",
    }


def test_a_retry_prompt_alone_checks_the_type() -> None:
    validation = field(GatherField(name="a", type="date", retry_prompt="Which day?"))["validation"]
    assert (validation["type"], validation["rule"], validation["max_retries"]) == ("intrinsic", "date", 3)


def test_a_pattern_that_cannot_be_used_is_reported_where_it_stands(compile_text) -> None:
    found = compile_text('GATHER:\n  code:\n    prompt: c\n    validate: "^[A-Z{2}\\d{9}$"\n').findings
    assert [(one.code, one.line, one.column) for one in found] == [("INVALID_REGEX", 6, 16)]


def test_a_sentence_is_judged_by_the_model_with_a_warning(compile_text) -> None:
    found = compile_text('GATHER:\n  code:\n    prompt: c\n    validate: "must be a real city"\n').findings
    assert [(one.code, one.severity, one.line) for one in found] == [("VALIDATION_READ_BY_MODEL", "warning", 6)]


def test_an_optional_field_with_a_default_is_reported(codes_of) -> None:
    text = "GATHER:\n  region:\n    prompt: r\n    required: false\n    default: EU\n"
    assert codes_of(text) == ["W822"]


ENTITIES = "ENTITIES:\n  carrier:\n    TYPE: enum\n    VALUES: [dhx, upx]\n    SYNONYMS:\n      dhx: [yellow]\n"


def test_an_entity_gives_type_values_and_synonyms(agent_of) -> None:
    lowered = agent_of(ENTITIES + "GATHER:\n  by:\n    prompt: b\n    entity_ref: carrier\n")["gather"]["fields"][0]
    assert (lowered["type"], lowered["enum_values"]) == ("enum", ["dhx", "upx"])
    assert lowered["synonyms"] == {"dhx": ["yellow"]}


@pytest.mark.parametrize(
    ("field", "wanted"), [("", True), ("    sensitive: true\n", True), ("    sensitive: false\n", False)]
)
def test_a_value_of_a_sensitive_entity_is_sensitive_unless_the_field_says_otherwise(agent_of, field, wanted) -> None:
    text = f"ENTITIES:\n  pin:\n    SENSITIVE: true\nGATHER:\n  code:\n    prompt: Which?\n    entity_ref: pin\n{field}"
    assert agent_of(text)["gather"]["fields"][0]["sensitive"] is wanted


def test_an_entity_reference_takes_no_type_of_its_own(codes_of) -> None:
    text = ENTITIES + "GATHER:\n  by:\n    prompt: b\n    entity_ref: carrier\n    type: string\n"
    assert codes_of(text) == ["ENTITY_REF_CONFLICT"]


def test_an_unknown_entity_is_reported(compile_text) -> None:
    found = compile_text(ENTITIES + "GATHER:\n  by:\n    prompt: b\n    entity_ref: carier\n").findings
    assert [one.code for one in found] == ["UNKNOWN_ENTITY"]
    assert "Did you mean carrier?" in found[0].message


def test_the_strategy_depends_on_the_flow(agent_of) -> None:
    gather = "GATHER:\n  code:\n    prompt: c\n"
    assert agent_of(gather)["gather"]["strategy"] == "hybrid"
    assert agent_of(gather + "FLOW:\n  a:\n    REASONING: false\n    RESPOND: x\n")["gather"]["strategy"] == "pattern"
    assert agent_of("GATHER:\n  strategy: llm\n  code:\n    prompt: c\n")["gather"]["strategy"] == "llm"


def test_attachments_have_the_limits_of_their_category(agent_of) -> None:
    photo, other = agent_of(
        "ATTACHMENTS:\n  photo:\n    prompt: p\n    category: image\n    max_size_mb: 8\n    ocr_enabled: true\n  other:\n    prompt: o\n"
    )["attachments"]
    assert photo["max_file_size_bytes"] == 8 * 1024 * 1024
    assert photo["allowed_mime_types"] == ["image/jpeg", "image/png", "image/gif", "image/webp"]
    assert photo["processing"] == {"ocr_enabled": True}
    assert (other["category"], other["required"], other["max_file_size_bytes"]) == ("document", True, 25 * 1024 * 1024)
