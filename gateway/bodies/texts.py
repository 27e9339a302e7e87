"""The forms of texts that several bodies share: ids, messages, per-message metadata. Spec: platform-api 1.6, 4.1."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, ConfigDict, StringConstraints, ValidationError, WithJsonSchema, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from domain import limits
from domain.clock import parse_iso
from domain.errors import InvalidInput
from domain.json_values import JsonObject, JsonValue
from gateway.envelope import Wire

ID_MAX_CHARS = 256
UNKNOWN_SHOWN = 10
"""How many unknown fields of one object an error names."""
UNKNOWN_MAX_CHARS = 100
"""How much of the name of an unknown field it repeats."""
REFUSED_KEYS = frozenset({"__proto__", "constructor", "prototype"})
NUL = "\0"
ESCAPED_NUL = b"\\u0000"
"""How JSON says U+0000; there is no other way."""


def without_nul(text: str) -> str:
    """Return `text`; raises ValueError when it holds U+0000, which no store can keep."""
    if NUL in text:
        raise ValueError("must not contain U+0000")
    return text


def holds_nul(value: JsonValue) -> bool:
    """Whether a text or key anywhere in a value holds U+0000.

    >>> holds_nul({"a": ["b", {"c\\0": 1}]})
    True
    """
    values = [value]
    while values:
        match values.pop():
            case str() as text if NUL in text:
                return True
            case dict() as inner:
                values += [*inner, *inner.values()]
            case list() as inner:
                values += inner
    return False


class TolerantBody(Wire):
    """Base of what is said in a conversation: wrong types are refused, not converted; unknown fields are not read."""

    model_config = ConfigDict(strict=True)


class RequestBody(TolerantBody):
    """Base of all other request bodies: a field that nobody reads is refused by its name. Decision: 0093."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_no_unknown_field(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        known = [one.alias or name for name, one in cls.model_fields.items()]
        unknown = [name for name in given if name not in known and name not in cls.model_fields]
        if unknown:
            problems = [_unknown(str(name), known, given[name]) for name in unknown[:UNKNOWN_SHOWN]]
            raise ValidationError.from_exception_data(cls.__name__, problems)
        return given


def _unknown(name: str, known: list[str], value: object) -> InitErrorDetails:
    """Return what is wrong with a field nobody reads: its name, and the nearest one that is read, or all that are."""
    shown = name if len(name) <= UNKNOWN_MAX_CHARS else f"{name[:UNKNOWN_MAX_CHARS]}..."
    near = get_close_matches(shown, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}"
    problem = PydanticCustomError("unknown_field", "{said}", {"said": f"{shown} is no field here; {hint}"})
    return InitErrorDetails(type=problem, loc=(name,), input=value)


Id = Annotated[str, StringConstraints(min_length=1, max_length=ID_MAX_CHARS), AfterValidator(without_nul)]
MaybeText = Annotated[str, AfterValidator(without_nul)]
MessageText = Annotated[str, StringConstraints(min_length=1), AfterValidator(without_nul)]


def moment(text: str) -> str:
    """Return `text`; raises ValueError when it is no ISO 8601 time."""
    if text:
        parse_iso(text)
    return text


QueryText = Annotated[str, StringConstraints(max_length=ID_MAX_CHARS), AfterValidator(without_nul)]
QueryMoment = Annotated[str, AfterValidator(moment)]
Metadata = Annotated[Any, WithJsonSchema({"type": "object", "additionalProperties": True})]
"""Any JSON here; `checked_metadata` refuses what is no object, with the sentence of the specification."""


def checked_metadata(metadata: JsonValue | None) -> JsonObject:
    """Return per-message metadata that keeps within its limits, `{}` for none.

    Raises:
        InvalidInput: It does not; `details.fields` says where.
    """
    return checked_values(
        metadata, "/metadata", max_bytes=limits.METADATA_MAX_BYTES, sentence="Invalid message metadata"
    )


def checked_values(values: JsonValue | None, place: str, *, max_bytes: int, sentence: str) -> JsonObject:
    """Return values that anybody may name as they like, when they keep within the limits of metadata; `{}` for none.

    Args:
        values: What is written.
        place: Where, as a JSON pointer.
        max_bytes: How much it may be as JSON.
        sentence: What is answered when it is not.

    Raises:
        InvalidInput: They do not; `details.fields` says where.
    """
    if values is None:
        return {}

    def refused(path: str, message: str) -> InvalidInput:
        return InvalidInput(sentence, details={"fields": [{"path": f"{place}{path}", "message": message}]})

    if not isinstance(values, dict):
        raise refused("", "must be an object")
    if len(orjson.dumps(values)) > max_bytes:
        raise refused("", f"must be at most {max_bytes} bytes")
    open_values: list[tuple[str, JsonValue, int]] = [("", values, 1)]
    while open_values:
        path, value, depth = open_values.pop()
        if isinstance(value, str) and len(value) > limits.METADATA_VALUE_MAX_CHARS:
            raise refused(path, f"must be at most {limits.METADATA_VALUE_MAX_CHARS} characters")
        if not isinstance(value, dict | list):
            continue
        if depth > limits.METADATA_MAX_DEPTH:
            raise refused(path, f"must be nested at most {limits.METADATA_MAX_DEPTH} deep")
        if isinstance(value, dict):
            _check_keys(path, value, refused)
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        open_values += [(f"{path}/{key}", inner, depth + 1) for key, inner in entries]
    return values


def _check_keys(path: str, value: JsonObject, refused: Callable[[str, str], InvalidInput]) -> None:
    if len(value) > limits.METADATA_MAX_KEYS:
        raise refused(path, f"must have at most {limits.METADATA_MAX_KEYS} keys")
    for key in value:
        if key in REFUSED_KEYS:
            raise refused(f"{path}/{key}", "is a refused key")
        if len(key) > limits.METADATA_KEY_MAX_CHARS:
            raise refused(path, f"keys must be at most {limits.METADATA_KEY_MAX_CHARS} characters")
