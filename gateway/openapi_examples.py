"""An example of each request and each answer, made of the schemas and of what a word is usually like.

Requests have what they must have, answers all they can have. The same document gives the same examples.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from domain.json_values import JsonObject, JsonValue
from gateway.envelope import json_bytes

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"
SCHEMAS: Final = "#/components/schemas/"
MOMENT: Final = "2026-03-02T09:00:00.000Z"
TEXT: Final = "text"
DEPTH_MAX: Final = 8
"""Schemas that hold themselves are shown so deep."""
_SAMPLES: Final = Path(__file__).with_name("api_examples.json")
_MOMENTS: Final = re.compile(r"(At|_at|^timestamp|^since|^from|^to|^hour)$")
_OTHERS: Final = {"text/csv": "session_id,event_id,seq\nsess_c1,evt_c1,1\n", "text/plain": "abl_sessions 3\n"}
"""Media type -> an example of what is no JSON and no stream."""


@cache
def samples() -> JsonObject:
    """Return word, or `Form.word`, -> a value that it may have; `Form` -> a whole request, where none is a must."""
    found: JsonObject = json.loads(_SAMPLES.read_text(encoding="utf-8"))
    return found


def add_examples(document: JsonObject) -> None:
    """Give every request and every good answer of a document an example."""
    making = Examples(document["components"]["schemas"])
    for path in document["paths"].values():
        for operation in path.values():
            for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
                _add(content, media_type, making, whole=False)
            for status, answer in operation["responses"].items():
                for media_type, content in answer.get("content", {}).items() if status.startswith("2") else ():
                    _add(content, media_type, making, whole=True)


def _add(content: JsonObject, media_type: str, making: Examples, *, whole: bool) -> None:
    if "example" in content or "examples" in content:
        return
    schema = content.get("schema", {})
    if media_type == EVENTS:
        content["example"] = making.stream(schema)
    elif media_type in (JSON, "multipart/form-data"):
        content["example"] = making.value(schema, whole=whole)
    else:
        content["example"] = _OTHERS.get(media_type, TEXT)


class Examples:
    """Makes examples of the schemas of one document."""

    def __init__(self, schemas: JsonObject) -> None:
        self._schemas = schemas

    def value(self, schema: JsonObject, *, whole: bool, word: str = "", form: str = "", depth: int = 0) -> JsonValue:
        """Return a value that the schema takes; `whole` with all that it may have."""
        known = samples().get(f"{form}.{word}", samples().get(word))
        match schema:
            case {"$ref": str() as place}:
                name = place.removeprefix(SCHEMAS)
                short = name.rpartition("__")[2]
                return self.value(self._schemas[name], whole=whole, word=word, form=short, depth=depth + 1)
            case {"type": "object", "title": str() as title} if not whole and title in samples():
                return samples()[title]
            case {"example": shown} | {"examples": [shown, *_]} | {"const": shown}:
                return shown
            case {"enum": [*choices]}:
                return known if known in choices else choices[0]
            case {"anyOf": [*ways]} | {"oneOf": [*ways]}:
                return self._one_of(ways, known, whole=whole, word=word, form=form, depth=depth)
            case {"allOf": [one]}:
                return self.value(one, whole=whole, word=word, form=form, depth=depth)
        if known is not None and _is_of_type(known, schema):
            return known
        return self._made(schema, whole=whole, word=word, form=form, depth=depth)

    def stream(self, schema: JsonObject) -> str:
        """Return a stream with one of each event that the schema tells of."""
        events = schema.get("oneOf", [])
        lines = []
        for one in events:
            properties = one["properties"]
            data = self.value(properties["data"]["contentSchema"], whole=False)
            lines.append(f"event: {properties['event']['const']}\ndata: {json_bytes(data).decode()}\n\n")
        return "".join(lines) or 'data: {"object": "event"}\n\n'

    def _one_of(self, ways: list[JsonObject], known: JsonValue, **about: Any) -> JsonValue:
        filled = [way for way in ways if way.get("type") != "null"]
        for way in filled:
            if known is not None and "$ref" not in way and _is_of_type(known, way):
                return self.value(way, **about)
        if about["depth"] > DEPTH_MAX and len(filled) < len(ways):
            return None
        return self.value(filled[0], **about)

    def _made(self, schema: JsonObject, *, whole: bool, word: str, form: str, depth: int) -> JsonValue:
        match schema.get("type"):
            case "object":
                return self._object(schema, whole=whole, form=form, depth=depth)
            case "array":
                if depth > DEPTH_MAX and not schema.get("minItems"):
                    return []
                return [self.value(schema.get("items", {}), whole=whole, word=word, form=form, depth=depth + 1)]
            case "string":
                return MOMENT if _MOMENTS.search(word) else TEXT
            case "integer":
                return max(int(schema.get("minimum", 1)), 1)
            case "number":
                return 0.5
            case "boolean":
                return bool(schema.get("default", True))
            case "null":
                return None
        return {} if "properties" in schema else TEXT

    def _object(self, schema: JsonObject, *, whole: bool, form: str, depth: int) -> JsonObject:
        needed = set(schema.get("required", ()))
        made = {
            name: self.value(one, whole=whole, word=name, form=form, depth=depth + 1)
            for name, one in schema.get("properties", {}).items()
            if name in needed or (whole and depth <= DEPTH_MAX)
        }
        if not made and not whole and schema.get("minProperties", 0):
            name, one = next(iter(schema.get("properties", {}).items()))
            made[name] = self.value(one, whole=False, word=name, form=form, depth=depth + 1)
        extra = schema.get("additionalProperties")
        if not made and isinstance(extra, dict) and extra:
            made["name"] = self.value(extra, whole=whole, word="", form=form, depth=depth + 1)
        return made


def _is_of_type(value: JsonValue, schema: JsonObject) -> bool:
    """Return whether a sample can stand where the schema is; lengths and patterns are looked at by the tests."""
    kinds: dict[str, tuple[type, ...]] = {
        "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,),
        "object": (dict,),
    }  # fmt: skip
    wanted = kinds.get(str(schema.get("type")), ())
    if isinstance(value, bool):
        return bool in wanted
    fits = isinstance(value, wanted)
    if fits and isinstance(value, list):
        items = schema.get("items", {})
        return "$ref" not in items and all("enum" in items or _is_of_type(one, items) for one in value)
    return fits and not (isinstance(value, dict) and "properties" in schema)
