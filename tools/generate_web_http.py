"""Writes the operations of the web SDK's HTTP client from the OpenAPI document; with `--check` says if they are so.

`operations.ts` has an interface for each tag with a method for each operation, and beside it the same as data: a row of
method, path, credentials and traits, which `core.ts` reads. `forms.ts` has the types of their bodies and replies. An
operation that answers JSON or events, as it is asked, is two methods. Decision: 0099.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from gateway.app import document

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "web" / "packages" / "web-sdk" / "src" / "http"
HEAD: Final = "// {title}. Made by tools/generate_web_http.py of the OpenAPI document; do not edit.\n"
REF: Final = "#/components/schemas/"
JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"
FORM: Final = "multipart/form-data"
ANYTHING: Final = "*/*"
IDEMPOTENCY: Final = "Idempotency-Key"
LAST_EVENT: Final = "Last-Event-ID"
OF_OPTIONS: Final = frozenset({IDEMPOTENCY, LAST_EVENT})
"""Headers that are no argument of an operation."""
RESERVED: Final = frozenset({"headers", "body"})
STREAM: Final = "Stream"
FIELDS_CHARS: Final = 90
"""Longer arguments have a line for each field."""
LETTERS: Final = {
    "apiKey": "k",
    "bearer": "u",
    "sdkToken": "p",
    "publicKey": "i",
    "publicApiKey": "c",
    "sandboxToken": "x",
}
"""Credential of the document -> its letter in a row."""
SIMPLE: Final = {"integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
OF_CORE: Final = frozenset({"CallOptions", "EventStream", "Http", "StreamEvent", "JsonObject", "JsonValue", "Client"})
Json = dict[str, Any]


class NoForm(ValueError):
    """The document says something that this does not know how to write."""


@cache
def whole() -> Json:
    """Return the OpenAPI document."""
    return document("0")


def texts() -> dict[Path, str]:
    """Return path -> text of both modules."""
    described = whole()
    schemas: Json = described["components"]["schemas"]
    parts: dict[str, list[tuple[str, str, Json]]] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            parts.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    written = [_part(tag, parts[tag]) for tag in sorted(parts)]
    needed = _reached([_shown(one) for operations in parts.values() for _, _, one in operations], schemas)
    if clash := OF_CORE & needed:
        raise NoForm(f"{clash} are names of the client itself")
    forms = "\n".join(_form(name, schemas[name]) for name in sorted(needed))
    return {
        FOLDER / "forms.ts": HEAD.format(title="What the operations take and answer") + _imports(forms) + forms,
        FOLDER / "operations.ts": _operations(sorted(parts), "\n".join(written), sorted(needed)),
    }


def part_of(tag: str) -> str:
    """Return the name of a tag's part of the client.

    >>> part_of("human tasks"), part_of("sdk-channels")
    ('humanTasks', 'sdkChannels')
    """
    return _camel(re.sub(r"\W+", "_", tag).lower())


def method_of(operation: Json) -> str:
    """Return the name of an operation within its part: its id, without the part where that stands before it.

    >>> method_of({"operationId": "sessions_get_metrics", "summary": "Get Metrics"})
    'getMetrics'
    """
    return _camel(operation["summary"].replace(" ", "_").lower())


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def _class(name: str) -> str:
    return name[0].upper() + name[1:]


def _operations(tags: list[str], parts: str, forms: list[str]) -> str:
    names = [part_of(tag) for tag in tags]
    used = [name for name in forms if re.search(rf"\b{name}\b", parts)]
    fields = "".join(f"  readonly {name}: {_class(name)}Api;\n" for name in names)
    values = "".join(f"    {name}: {name}Api(http),\n" for name in names)
    imports = (
        'import { type CallOptions, Http, type HttpOptions, bound } from "./core.ts";\n'
        f'import type {{\n{"".join(f"  {name}," + chr(10) for name in used)}}} from "./forms.ts";\n'
        'import type { StreamEvent } from "./sse.ts";\n'
        'import type { EventStream } from "./stream.ts";\n'
    )
    return f"""{HEAD.format(title="The operations of the HTTP API")}{imports}{_imports(parts)}
/** What streams take besides. */
export interface ResumeOptions extends CallOptions {{
  /** Go on behind this event; give the `idempotencyKey` of the stream that it is of. */
  lastEventId?: string | undefined;
}}

/** Of an operation that asks for nothing. */
export interface Nothing {{
  body?: undefined;
}}

{parts}
/** The whole API of one server, a part of it in each field. */
export interface Client {{
  readonly http: Http;
{fields}}}

/** Return a client with all parts; who wants a small bundle takes the parts it needs: `chatApi(new Http(options))`. */
export function createClient(options: HttpOptions = {{}}): Client {{
  const http = new Http(options);
  return {{
    http,
{values}  }};
}}
"""


def _imports(text: str) -> str:
    names = [name for name in ("JsonObject", "JsonValue") if re.search(rf"\b{name}\b", text)]
    return f'import type {{ {", ".join(names)} }} from "../wire.ts";\n\n' if names else "\n"


def _part(tag: str, operations: list[tuple[str, str, Json]]) -> str:
    name = part_of(tag)
    before: list[str] = []
    signatures: list[str] = []
    rows: dict[str, str] = {}
    for method, path, operation in operations:
        called = method_of(operation)
        kinds = _kinds(operation)
        streams, others = EVENTS in kinds, [kind for kind in kinds if kind != EVENTS]
        if others or not streams:
            rows[called] = _row(method, path, operation, "")
            signatures.append(_signature(called, method, path, operation, others))
        if streams:
            of_stream = called + STREAM if others else called
            rows[of_stream] = _row(method, path, operation, _stream_traits(operation))
            event = _class(of_stream.removesuffix(STREAM)) + "Event"
            before.append(f"/** What `{name}.{of_stream}` tells. */\nexport type {event} ={_events(operation)};\n")
            signatures.append(_stream_signature(of_stream, event, method, path, operation))
    if len(rows) != len(signatures):
        raise NoForm(f"two operations of {tag} are called the same")
    table = "".join(f'    {called}: "{row}",\n' for called, row in rows.items())
    api = f"{_class(name)}Api"
    return "\n".join(
        (
            *before,
            f"/** The part of the API about {tag}. */\nexport interface {api} {{\n{''.join(signatures)}}}\n",
            f"export function {name}Api(http: Http): {api} {{\n  return bound<{api}>(http, {{\n{table}  }});\n}}\n",
        )
    )


def _row(method: str, path: str, operation: Json, traits: str) -> str:
    schemes = [name for one in operation["security"] for name in one]
    letters = "".join(letter for scheme, letter in LETTERS.items() if scheme in schemes)
    if set(schemes) - set(LETTERS):
        raise NoForm(f"{schemes}")
    traits += "k" if any(one["name"] == IDEMPOTENCY for one in operation.get("parameters", ())) else ""
    traits += "f" if FORM in operation.get("requestBody", {}).get("content", {}) else ""
    traits += "b" if "s" not in traits and ANYTHING in _kinds(operation) else ""
    place = re.sub(r"\{(\w+)\}", lambda found: "{" + _camel(found[1]) + "}", path)
    return f"{method} {place} {letters or '-'} {traits or '-'}"


def _kinds(operation: Json) -> list[str]:
    """Return the kinds of a successful answer's content, the first one first."""
    answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    return list(dict.fromkeys(kind for answer in answers for kind in answer.get("content", {})))


def _stream_traits(operation: Json) -> str:
    schema = operation["responses"]["200"]["content"][EVENTS]["schema"]
    titles = {one.get("title") for one in schema.get("oneOf", ())}
    body = operation.get("requestBody", {}).get("content", {}).get(JSON, {}).get("schema", {})
    traits = "s" + ("e" if {"complete", "error"} <= titles else "")
    traits += "r" if any(one["name"] == LAST_EVENT for one in operation.get("parameters", ())) else ""
    return traits + ("o" if "stream" in _properties(body) else "")


def _properties(schema: Json) -> Json:
    if "$ref" in schema:
        schema = whole()["components"]["schemas"][schema["$ref"].removeprefix(REF)]
    found: Json = schema.get("properties", {})
    return found


def _signature(called: str, method: str, path: str, operation: Json, kinds: list[str]) -> str:
    """Return a method; where a query says in which format the answer comes, one for each format."""
    queries = {one["name"]: one for one in operation.get("parameters", ()) if one["in"] == "query"}
    choices = _choices(queries["format"]["schema"]) if "format" in queries and len(kinds) > 1 else []
    chosen = {kind: choice for kind in kinds for choice in choices if kind.endswith(f"/{choice}")}
    written = []
    for kind in kinds or [""]:
        formats = [chosen[kind]] if kind in chosen else [one for one in choices if one not in chosen.values()]
        asked = _asked(operation, {"format": (formats, kind in chosen)} if choices else {})
        said = _said(operation, method, path)
        gives = _gives(operation, kind if len(kinds) > 1 else "")
        written.append(f"  /** {said} */\n  {called}({asked}, options?: CallOptions): Promise<{gives}>;\n")
    return "".join(written)


def _stream_signature(called: str, event: str, method: str, path: str, operation: Json) -> str:
    resumes = any(one["name"] == LAST_EVENT for one in operation.get("parameters", ()))
    options = "ResumeOptions" if resumes else "CallOptions"
    said = _said(operation, method, path)
    return f"  /** {said} */\n  {called}({_asked(operation, {})}, options?: {options}): EventStream<{event}>;\n"


def _said(operation: Json, method: str, path: str) -> str:
    text = re.split(r"\n\n|\n(?=Raises|Returns|Attributes)", operation.get("description", "").strip())[0]
    line = " ".join(text.split()) or operation["summary"]
    return f"{_comment(line).rstrip('.')}. `{method} {path}`"


def _asked(operation: Json, formats: dict[str, tuple[list[str], bool]]) -> str:
    """Return the argument of a method: what stands in path and query, by name, then headers and body."""
    fields: dict[str, str] = {}
    headers: list[str] = []
    is_needed = False
    for one in operation.get("parameters", ()):
        name, needed = one["name"], bool(one.get("required"))
        kind = " | ".join(part for part in _kind(one["schema"]).split(" | ") if part != "null")
        if one["in"] == "header":
            headers += [] if name in OF_OPTIONS else [f'"{name}"?: {kind} | undefined']
            continue
        if one["in"] == "query" and name in formats:
            words, needed_here = formats[name]
            kind, needed = " | ".join(f'"{word}"' for word in words) or "undefined", needed or needed_here
        field = _camel(name) if one["in"] == "path" else name
        if field in fields or field in RESERVED:
            raise NoForm(f"{method_of(operation)} asks for two things called {field}")
        fields[field] = f"{field}: {kind}" if needed else f"{field}?: {kind} | undefined"
        is_needed = is_needed or needed
    parts = list(fields.values())
    if headers:
        parts.append(f"headers?: {{ {'; '.join(headers)} }}")
    if content := operation.get("requestBody", {}).get("content", {}):
        needed = bool(operation["requestBody"].get("required"))
        (kind,) = (_kind(one["schema"]) for name, one in content.items() if name in (JSON, FORM))
        parts.append(f"body{'' if needed else '?'}: {kind}{'' if needed else ' | undefined'}")
        is_needed = is_needed or needed
    return f"asked{'' if is_needed else '?'}: " + (_laid_out(parts) if parts else "Nothing")


def _laid_out(fields: list[str]) -> str:
    if sum(map(len, fields)) <= FIELDS_CHARS:
        return f"{{ {'; '.join(fields)} }}"
    return "{\n" + "".join(f"    {field};\n" for field in fields) + "  }"


def _gives(operation: Json, only: str) -> str:
    """Return the type of what a method answers, of one kind of content where several are told apart."""
    kinds: dict[str, None] = {}
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            content = {kind: one for kind, one in answer.get("content", {}).items() if kind != EVENTS}
            for kind, one in content.items():
                if not only or kind == only:
                    kinds[_reply(kind, one)] = None
            if not answer.get("content"):
                kinds["undefined"] = None
    return " | ".join(kinds)


def _reply(kind: str, content: Json) -> str:
    if kind == JSON:
        return _kind(content.get("schema", {}))
    return "string" if kind.startswith("text/") else "Blob"


def _events(operation: Json) -> str:
    """Return the union of the events of a stream; that of an error is thrown."""
    schema = operation["responses"]["200"]["content"][EVENTS]["schema"]
    rows = []
    for one in schema.get("oneOf", (schema,)):
        told = one.get("properties", {})
        name = json.dumps(told["event"]["const"]) if "const" in told.get("event", {}) else ""
        if name != '"error"':
            said = told.get("data", {}).get("contentSchema", {"type": "object"})
            named = name or ("string" if "event" in told else '""')
            rows += [f"StreamEvent<{named}, {_kind(data)}>" for data in said.get("oneOf", (said,))]
    return "".join(f"\n  | {row}" for row in rows)


def _form(name: str, schema: Json) -> str:
    said = f"/** {_comment(schema['description'])} */\n" if schema.get("description") else ""
    if "properties" not in schema:
        return f"{said}export type {name} = {_kind(schema)};\n"
    required = set(schema.get("required", ()))
    lines = []
    for key, one in schema["properties"].items():
        if one.get("description"):
            lines.append(f"  /** {_comment(one['description'])} */\n")
        lines.append(f"  {_key(key)}{'' if key in required else '?'}: {_kind(one)};\n")
    if schema.get("additionalProperties") is True:
        lines.append("  [name: string]: JsonValue | undefined;\n")
    return f"{said}export interface {name} {{\n{''.join(lines)}}}\n"


def _kind(schema: Json) -> str:
    """Return a schema as a type."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REF)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(_kind(one) for one in schema[several]))
    match schema.get("type"):
        case "string":
            return "Blob" if schema.get("format") == "binary" else "string"
        case "array":
            return f"Array<{_kind(schema.get('items', {}))}>"
        case "object":
            return _object(schema)
        case str() as simple if simple in SIMPLE:
            return SIMPLE[simple]
        case None if not set(schema) - {"title", "description", "default", "examples"}:
            return "JsonValue"
    raise NoForm(f"{schema}")


def _object(schema: Json) -> str:
    required = set(schema.get("required", ()))
    if fields := schema.get("properties"):
        written = (f"{_key(key)}{'' if key in required else '?'}: {_kind(one)}" for key, one in fields.items())
        return f"{{ {'; '.join(written)} }}"
    inner = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    kinds = dict.fromkeys(_kind(one) for one in inner if isinstance(one, dict))
    return f"Record<string, {' | '.join(kinds)}>" if kinds else "JsonObject"


def _choices(schema: Json) -> list[str]:
    return re.findall(r'"(\w+)"', _kind(schema))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)


def _comment(text: str) -> str:
    return " ".join(text.split()).replace("*/", "* /")


def _shown(operation: Json) -> list[object]:
    """Return the parts of an operation of which a method tells the types."""
    answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    return [operation.get("requestBody", {}), operation.get("parameters", []), *answers]


def _reached(values: list[Any], schemas: Json) -> set[str]:
    found: set[str] = set()
    waiting = list(values)
    while waiting:
        for name in _refs(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(schemas[name])
    return found


def _refs(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"].startswith(REF):
            yield value["$ref"].removeprefix(REF)
        for key, one in value.items():
            if key not in ("example", "examples"):
                yield from _refs(one)
    elif isinstance(value, list):
        for one in value:
            yield from _refs(one)


def main(arguments: list[str]) -> None:
    """Write the modules, or with `--check` fail when they are not current."""
    for path, text in texts().items():
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path.name} is not what the OpenAPI document says: run tools/generate_web_http.py")


if __name__ == "__main__":
    main(sys.argv[1:])
