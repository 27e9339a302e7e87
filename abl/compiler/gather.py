"""Lowers GATHER and ATTACHMENTS: fields, their checks, what a step's field takes from the agent's.

Spec: abl-language 3.3, 3.4, 12.7.
"""

from __future__ import annotations

import re
from typing import Any

from abl.compiler.choices import choices_of
from abl.compiler.lowering import Changes, lower, shape
from abl.compiler.plain import Json, given, merged, number, one, only, text, texts
from abl.compiler.scope import Scope
from abl.expressions.checks import read_check
from abl.field_checks import NAMED_CHECKS, problem_of_word
from abl.patterns import check_pattern, without_slashes
from abl.syntax.gather import Activation, Attachment, Gather, GatherField, MaskConfig, StepGather, Validation
from abl.syntax.node import Node
from abl.syntax.understanding import Entity

MAX_RETRIES = 3
INFER_CONFIDENCE = 0.8
BYTES_PER_MB = 1024 * 1024
MAX_MB = 1_000_000

DEFAULT_MASK = {"show_first": 0, "show_last": 4, "char": "*"}
CATEGORY_MB = {"image": 10, "document": 25, "audio": 50, "video": 100}
CATEGORY_TYPES = {
    "image": ["image/jpeg", "image/png", "image/gif", "image/webp"],
    "document": ["application/pdf", "application/msword", "text/plain"],
    "audio": ["audio/mpeg", "audio/wav", "audio/ogg", "audio/webm"],
    "video": ["video/mp4", "video/webm", "video/quicktime"],
}

_RANGE = re.compile(r"\s*+-?\d+(?:\.\d+)?\s*+(?:\.\.|-|to)\s*+-?\d+(?:\.\d+)?\s*+|\s*+[<>]=?\s*+-?\d+(?:\.\d+)?\s*+")
_PATTERN_SIGNS = re.compile(r"[\\\[\]^$*+{}|]|\(\?|\.\*")
_PROCESS_TYPE = {"LLM": "llm", "CODE": "custom"}


def _activation(value: Any, scope: Scope, _node: Node) -> Any:
    if not isinstance(value, Activation):
        return text(value)
    if value.when:
        condition = text(value.when)
        scope.condition(condition, value, "when")
        return scope.record({"when": condition}, value)
    return text(value.mode)


def _mask(value: Any, _scope: Scope, _node: Node) -> Any:
    return lower_mask(value)


_FIELD = shape(
    GatherField,
    Changes(
        skip=("validation", "validation_process", "retry_prompt", "max_retries", "extraction_hints"),
        names={"options": "enum_values", "many": "list", "message": "description"},
        use={"activation": _activation, "mask_config": _mask},
    ),
)
_ATTACHMENT = shape(
    Attachment,
    Changes(skip=("max_size_mb", "allowed_types", "ocr_enabled", "transcription_enabled", "key_frame_extraction")),
)


def lower_mask(value: object) -> Json:
    """Return which characters stay visible, defaults filled in."""
    node = one(MaskConfig, value)
    if node is None:
        return {}
    given = {
        "show_first": number(node.show_first),
        "show_last": number(node.show_last),
        "char": text(node.char) or None,
    }
    return {name: DEFAULT_MASK[name] if value is None else value for name, value in given.items()}


def lower_gather(scope: Scope, entities: dict[str, Entity], *, has_flow: bool) -> Json:
    """Return `{fields, strategy}` of the agent."""
    node = one(Gather, scope.document.gather)
    fields = only(GatherField, node.fields) if node is not None else []
    strategy = text(node.strategy) if node is not None else ""
    ir = {
        "fields": [lower_field(field, scope, entities) for field in fields],
        "strategy": strategy or ("pattern" if has_flow else "hybrid"),
    }
    return scope.record(ir, node) if node is not None else ir


def lower_step_gather(node: StepGather, scope: Scope, entities: dict[str, Entity], top: dict[str, GatherField]) -> Json:
    """Return the gather of a step; a field of the agent with the same name lends its properties."""
    ir: Json = {
        "fields": [lower_field(_lent(field, top, scope), scope, entities) for field in only(GatherField, node.fields)],
        "strategy": text(node.strategy) or "pattern",
    }
    if prompt := text(node.prompt):
        ir["prompt"] = prompt
    if key := text(node.message_key):
        ir["message_key"] = key
    return scope.record(ir, node)


def _lent(field: GatherField, top: dict[str, GatherField], scope: Scope) -> GatherField:
    name = text(field.name)
    lender = top.get(name)
    if lender is None or not scope.lends(f"field {name}", lender, field, "name"):
        return field
    made = merged(GatherField, field, lender)
    if field.type or field.options:
        made.entity_ref = field.entity_ref
    elif field.entity_ref and not field.type:
        made.type, made.options = field.type, field.options
    return made


def lower_field(field: GatherField, scope: Scope, entities: dict[str, Entity]) -> Json:
    """Return one field with its defaults."""
    ir = lower(field, scope, _FIELD)
    name = text(field.name)
    _resolve_entity(field, ir, scope, entities)
    if ir.get("enum_values"):
        ir["type"] = "enum"
        ir["enum_values"], called = choices_of(ir["enum_values"])
        if called:
            written = ir.get("synonyms") or {}
            ir["synonyms"] = {**written, **{value: [*written.get(value, ()), *called[value]] for value in called}}
    ir.setdefault("type", "string")
    required = field.required is not False
    ir["required"] = required
    ir.setdefault("activation", "required" if required else "optional")
    ir.setdefault("prompt_mode", "ask")
    ir["depends_on"] = texts(given(field, "depends_on"))
    ir["extraction_hints"] = _hints(field)
    if field.infer is True:
        ir.setdefault("infer_confidence", INFER_CONFIDENCE)
        ir.setdefault("infer_confirm", True)
    if field.sensitive is True or "sensitive_display" in ir:
        ir.setdefault("sensitive_display", "redact")
        if ir["sensitive_display"] == "mask":
            ir.setdefault("mask_config", dict(DEFAULT_MASK))
    if validation := _validation(field, ir["type"], scope):
        ir["validation"] = validation
    if field.extraction_pattern:
        scope.pattern(text(field.extraction_pattern), field, "extraction_pattern")
    if field.required is False and field.default is not None:
        scope.report("W822", field, "default", name=name)
    return ir


def _hints(field: GatherField) -> list[str]:
    """Return what helps to find the value; the prompt comes first."""
    prompt = text(field.prompt)
    return list(dict.fromkeys([*([prompt] if prompt else []), *texts(given(field, "extraction_hints"))]))


def _resolve_entity(field: GatherField, ir: Json, scope: Scope, entities: dict[str, Entity]) -> None:
    reference = text(field.entity_ref)
    if not reference:
        return
    clash = "type" if field.type else "options" if field.options else ""
    if clash:
        scope.report("ENTITY_REF_CONFLICT", field, clash, name=text(field.name), property=clash)
    entity = entities.get(reference)
    if entity is None:
        scope.report("UNKNOWN_ENTITY", field, "entity_ref", name=reference, known=(reference, entities))
        return
    ir["type"] = text(entity.type) or ("enum" if entity.values else "string")
    if entity.sensitive is True:
        ir.setdefault("sensitive", True)
    if not scope.lends(f"entity {reference}", (entity.values, entity.synonyms), field, "entity_ref"):
        return
    if values := texts(entity.values):
        ir["enum_values"] = values
    if isinstance(entity.synonyms, dict) and "synonyms" not in ir:
        ir["synonyms"] = {str(value): texts(words) for value, words in entity.synonyms.items()}


def _validation(field: GatherField, field_type: str, scope: Scope) -> Json:
    """Return the check of a field, empty when there is none. Spec: abl-language 3.3."""
    node = one(Validation, field.validation)
    process = text(field.validation_process).upper()
    retry_prompt, retries = text(field.retry_prompt), number(field.max_retries)
    if node is None and not process and not retry_prompt and retries is None:
        return {}
    rule = without_slashes(text(node.rule)) if node is not None else ""
    kind = text(node.type).lower() if node is not None else ""
    ir: Json = {"type": kind or _kind_of(rule, process, field, node, scope)}
    ir["rule"] = rule or (field_type if ir["type"] == "intrinsic" else "")
    if kind == "pattern" and node is not None and process not in _PROCESS_TYPE:
        scope.pattern(rule, node, "rule")
    if node is not None and text(node.error):
        ir["error_message"] = text(node.error)
    if retry_prompt:
        ir["retry_prompt"] = retry_prompt
    of_node = number(node.max_retries) if node is not None else None
    ir["max_retries"] = next((one_ for one_ in (of_node, retries) if one_ is not None), MAX_RETRIES)
    ir["validation_process"] = process or {"llm": "LLM", "custom": "CODE"}.get(ir["type"], "REGEX")
    return scope.record(ir, node if node is not None else field)


def lower_changed_check(value: Any, scope: Scope, node: Node) -> Json:
    """Return what a profile writes of the check of a field; what it leaves out stays as the field has it."""
    check = one(Validation, value)
    if check is None:
        return {}
    field = GatherField(pos=node.pos, at=dict(node.at), name=text(getattr(node, "name", "")), validation=check)
    ir = _validation(field, "", scope)
    if not (check.rule or check.type):
        for key in ("type", "rule", "validation_process"):
            del ir[key]
    elif not check.rule:
        del ir["rule"]
    if check.max_retries is None:
        del ir["max_retries"]
    return ir


def _kind_of(rule: str, process: str, field: GatherField, node: Validation | None, scope: Scope) -> str:
    """Return what kind of check a rule without a type is."""
    if process in _PROCESS_TYPE:
        return _PROCESS_TYPE[process]
    if not rule or rule.strip().lower() in NAMED_CHECKS:
        return "intrinsic"
    if _RANGE.fullmatch(rule):
        return "range"
    place: tuple[Node, str] = (node, "rule") if node is not None and "rule" in node.at else (field, "validation")
    if process != "REGEX" and _is_comparison(rule):
        return "custom"
    if process != "REGEX" and _is_prose(rule):
        scope.report("VALIDATION_READ_BY_MODEL", *place, name=text(field.name), value=rule)
        return "llm"
    if process != "REGEX" and (problem := problem_of_word(rule)):
        scope.report("INVALID_FIELD_CHECK", *place, name=text(field.name), value=rule, detail=problem)
    else:
        scope.pattern(rule, *place)
    return "pattern"


def _is_comparison(rule: str) -> bool:
    """Whether a rule is a condition that can be computed: `v >= 18` is none of the sentences a model judges."""
    if " " not in rule.strip():
        return False
    found = read_check(rule)
    return bool(found.condition) and not found.problem


def _is_prose(rule: str) -> bool:
    """Whether a rule is a sentence: it has spaces, and it is no pattern or has no sign of one."""
    if " " not in rule.strip():
        return False
    return not _PATTERN_SIGNS.search(rule) or (check_pattern(rule) is not None and len(rule.split()) > 2)


def lower_attachments(scope: Scope) -> list[Json]:
    """Return the files that are asked for, limits of their category filled in."""
    return [_attachment(node, scope) for node in only(Attachment, scope.document.attachments)]


def _attachment(node: Attachment, scope: Scope) -> Json:
    ir = lower(node, scope, _ATTACHMENT)
    category = text(node.category) or "document"
    size_mb = number(node.max_size_mb)
    ir["category"] = category
    ir["required"] = node.required is not False
    ir["allowed_mime_types"] = texts(node.allowed_types) or list(CATEGORY_TYPES.get(category, ()))
    ir["max_file_size_bytes"] = int(
        min(CATEGORY_MB.get(category, 25) if size_mb is None else size_mb, MAX_MB) * BYTES_PER_MB
    )
    ir["processing"] = {
        name: value
        for name in ("ocr_enabled", "transcription_enabled", "key_frame_extraction")
        if isinstance(value := getattr(node, name), bool)
    }
    return ir
