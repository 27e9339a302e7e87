"""Writes the typed client `abl_client` from the OpenAPI document; with `--check` only says whether it is current.

Two modules for each tag: the forms of its bodies as TypedDicts, and a class with one method for each operation. A form
that several tags use stands with the first. Operations that take or give something else than JSON give bytes, and those
that take forms of files are left out.
"""

from __future__ import annotations

import builtins
import keyword
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from abl_client.transport import BY_KEY, SCHEMES, SIGNATURE
from gateway.app import document

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "abl_client"
FORMS: Final = "forms"
OPERATIONS: Final = "api"
FOLDERS: Final = (FORMS, OPERATIONS)
CLIENT: Final = "client.py"
REF: Final = "#/components/schemas/"
JSON: Final = "application/json"
HEAD: Final = '"""{title}. Made by tools/generate_client.py, not to be edited."""\n'
SIMPLE: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
IDEMPOTENCY: Final = "Idempotency-Key"
SENTENCE_CHARS: Final = 100
Json = dict[str, Any]


def modules(described: Json) -> dict[str, str]:
    """Return path below the package -> text of the forms and operations of every tag."""
    schemas: Json = {form_of(name): one for name, one in described["components"]["schemas"].items()}
    tags: dict[str, list[tuple[str, str, Json]]] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            tags.setdefault(operation["tags"][0], []).append((path, method, operation))
    home: dict[str, str] = {}
    for tag, operations in tags.items():
        for name in _closure(schemas, _used(operations)):
            home.setdefault(name, module_of(tag))
    made = {f"{folder}/__init__.py": HEAD.format(title="One module for each part of the API") for folder in FOLDERS}
    for tag, operations in sorted(tags.items()):
        made[f"{OPERATIONS}/{module_of(tag)}.py"] = _operations(tag, operations, home)
        if module_of(tag) in home.values():
            made[f"{FORMS}/{module_of(tag)}.py"] = _forms(tag, schemas, home)
    return made


def module_of(tag: str) -> str:
    """Return the name of a tag's module.

    >>> module_of("human tasks"), module_of("sdk-channels")
    ('human_tasks', 'sdk_channels')
    """
    return re.sub(r"\W+", "_", tag).lower()


def form_of(reference: str) -> str:
    """Return the name of a form; one that is told from a namesake by its module says so.

    >>> form_of("#/components/schemas/Budget"), form_of("gateway__bodies__openai__Usage")
    ('Budget', 'OpenaiUsage')
    """
    *_, module, name = ["", *reference.removeprefix(REF).split("__")]
    return module.title().replace("_", "") + name


def class_of(tag: str) -> str:
    """Return the name of a tag's class."""
    return "".join(word.capitalize() for word in re.split(r"\W+", tag)) + "Api"


def client(described: Json) -> str:
    """Return the text of the class that holds all parts."""
    tags = sorted({one["tags"][0] for methods in described["paths"].values() for one in methods.values()})
    imports = "\n".join(f"from abl_client.api.{module_of(tag)} import {class_of(tag)}" for tag in tags)
    fields = "\n".join(f"        self.{module_of(tag)} = {class_of(tag)}(transport)" for tag in tags)
    return f'''{HEAD.format(title="All parts of the API of one server")}
from __future__ import annotations

{imports}
from abl_client.streams import Streams
from abl_client.transport import SILENCE_S, Credentials, Transport


class Client:
    """One server and what is shown to it; each attribute is a part of its API.

    Most operations take an API key or a user's token; those of pages, of sandboxed code and of a user's own account
    take what they ask for. Callbacks are signed with their secret. `streams` tells answers while they come.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        token: str = "",
        sdk_token: str = "",
        public_key: str = "",
        sandbox_token: str = "",
        origin: str = "",
        silence_s: float = SILENCE_S,
    ) -> None:
        shown = Credentials(key, token, sdk_token, public_key, sandbox_token, origin)
        transport = Transport(url, shown, silence_s=silence_s)
        self.streams = Streams(transport)
{fields}
'''


def _forms(tag: str, schemas: Json, home: Mapping[str, str]) -> str:
    """Return the module of the forms that stand with a tag."""
    names = [name for name in sorted(home) if home[name] == module_of(tag)]
    body = "\n\n\n".join(_form(name, schemas[name]) for name in names)
    imports = _imports((one for name in names for one in _refs(schemas[name])), home, module_of(tag))
    return (
        f"{HEAD.format(title=f'The forms of the API about {tag}')}\nfrom __future__ import annotations\n\n"
        f"from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict\n{imports}\n\n{body}\n"
    )


def _operations(tag: str, operations: list[tuple[str, str, Json]], home: Mapping[str, str]) -> str:
    """Return the module of the operations of a tag."""
    methods = "\n\n".join(filter(None, (_method(*one) for one in operations)))
    imports = _imports(_used(operations), home, "")
    return (
        f"{HEAD.format(title=f'The part of the API about {tag}')}\nfrom __future__ import annotations\n\n"
        "from typing import TYPE_CHECKING, Any, Literal, cast\n\n"
        f"from abl_client.transport import Transport, place\n{imports}\n\n"
        f'class {class_of(tag)}:\n    """The operations of this part."""\n\n'
        f"    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n\n{methods}\n"
    )


def _imports(names: Iterable[str], home: Mapping[str, str], mine: str) -> str:
    """Return the imports of forms from other modules; only type checkers read them."""
    foreign: dict[str, set[str]] = {}
    for name in names:
        if home[name] != mine:
            foreign.setdefault(home[name], set()).add(name)
    lines = "".join(
        f"    from abl_client.forms.{module} import {', '.join(sorted(wanted))}\n"
        for module, wanted in sorted(foreign.items())
    )
    return f"\nif TYPE_CHECKING:\n{lines}" if lines else ""


def _form(name: str, schema: Json) -> str:
    if "properties" not in schema:
        return f"{name} = {_type(schema)}"
    required = set(schema.get("required", ()))
    rows = {
        key: _type(one) if key in required else f"NotRequired[{_type(one)}]"
        for key, one in schema["properties"].items()
    }
    told = _sentence(schema.get("description", ""), f"The form {name}.")
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in rows):
        lines = "".join(f"    {key}: {kind}\n" for key, kind in rows.items())
        return f'class {name}(TypedDict):\n    """{told}"""\n\n{lines}'.rstrip()
    items = "".join(f'        "{key}": "{kind}",\n' for key, kind in rows.items())
    return f'{name} = TypedDict(\n    "{name}",\n    {{\n{items}    }},\n)\n"""{told}"""'


def _type(schema: Json) -> str:
    """Return a schema as a type."""
    if "$ref" in schema:
        return form_of(str(schema["$ref"]))
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(_type(one) for one in schema[several]))
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_type(schema.get('items', {}))}]"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"dict[str, {_type(inner) if isinstance(inner, dict) else 'Any'}]"
    return SIMPLE.get(str(kind), "Any")


def _method(path: str, method: str, operation: Json) -> str:
    """Return one method; empty for an operation that takes a form of files."""
    content = operation.get("requestBody", {}).get("content", {})
    if content and JSON not in content:
        return ""
    parameters = operation.get("parameters", [])
    queries = {_name(one["name"]): one for one in parameters if one["in"] == "query"}
    gives = _gives(operation)
    words = [f"{one['name']}: str" for one in parameters if one["in"] == "path"]
    if content:
        needed = operation["requestBody"].get("required")
        words.append(f"body: {_type(content[JSON]['schema'])}{'' if needed else ' | None = None'}")
    keyed = any(one["name"] == IDEMPOTENCY for one in parameters)
    named = [
        f"{name}: {_type(one['schema'])}{'' if one.get('required') else ' | None = None'}"
        for name, one in queries.items()
    ]
    named += ["idempotency_key: str = ''"] if keyed else []
    signed = any(one["name"] == SIGNATURE for one in parameters)
    named += ["secret: str = ''"] if signed else []
    signature = ", ".join(["self", *words, *(["*", *named] if named else [])]).replace("| None | None", "| None")
    asked = [repr(method.upper()), _path(path)]
    if queries:
        pairs = ", ".join(f'"{one["name"]}": {name}' for name, one in queries.items())
        asked.append(f"query={{{pairs}}}")
    asked += ["body=body"] if content else []
    asked += ["idempotency_key=idempotency_key"] if keyed else []
    asked += ["secret=secret"] if signed else []
    schemes = tuple(name for name in SCHEMES if {name: []} in operation.get("security", []))
    asked += [f"schemes={schemes!r}"] if BY_KEY[0] not in schemes or len(schemes) > len(BY_KEY) else []
    call = f"self._transport.{'json' if gives != 'bytes' else 'bytes'}({', '.join(asked)})"
    told = _sentence(operation.get("description", ""), operation["summary"] + ".")
    name = _name(operation["summary"].replace(" ", "_").lower())
    answer = f"cast('{gives}', {call})" if gives not in ("bytes", "Any") else call
    return f'    def {name}({signature}) -> {gives}:\n        """{told}"""\n        return {answer}'


def _gives(operation: Json) -> str:
    """Return the type of a successful answer: of its JSON, bytes where it has none."""
    kinds = [
        _type(answer["content"][JSON].get("schema", {}))
        for status, answer in operation["responses"].items()
        if status.startswith("2") and JSON in answer.get("content", {})
    ]
    return " | ".join(dict.fromkeys(kinds)) if kinds else "bytes"


def _path(path: str) -> str:
    text = re.sub(r"\{(\w+)\}", r"{place(\1)}", path)
    return f'f"{text}"' if "{" in text else f'"{text}"'


def _name(name: str) -> str:
    """Return a name as Python takes it.

    >>> _name("agentName"), _name("from")
    ('agent_name', 'from_')
    """
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found[1].lower(), name).replace("-", "_")
    return f"{snake}_" if keyword.iskeyword(snake) or snake in dir(builtins) else snake


def _sentence(text: str, otherwise: str) -> str:
    first = re.split(r"\n\n|\n(?=Raises|Returns|Attributes)", text.strip())[0]
    line = " ".join(first.split()) or otherwise
    line = line if len(line) <= SENTENCE_CHARS else line[: SENTENCE_CHARS - 4].rsplit(" ", 1)[0] + " ..."
    return line.replace('"', "'").replace("\\", "\\\\")


def _used(operations: list[tuple[str, str, Json]]) -> list[str]:
    """Return the forms that the methods of these operations name."""
    found: dict[str, None] = {}
    for _, _, one in operations:
        body = one.get("requestBody", {}).get("content", {})
        parts = [body.get(JSON, {}), *(one.get("parameters", []) if not body or JSON in body else [])]
        parts += [answer["content"][JSON] for status, answer in one["responses"].items()
                  if status.startswith("2") and JSON in answer.get("content", {})]  # fmt: skip
        if body and JSON not in body:
            continue
        found.update(dict.fromkeys(_refs(parts)))
    return list(found)


def _closure(schemas: Json, names: list[str]) -> list[str]:
    known: dict[str, None] = {}
    pending = list(names)
    for name in pending:
        if name not in known:
            known[name] = None
            pending.extend(_refs(schemas[name]))
    return list(known)


def _refs(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield form_of(value["$ref"])
        for one in value.values():
            yield from _refs(one)
    elif isinstance(value, list):
        for one in value:
            yield from _refs(one)


def files() -> dict[Path, str]:
    """Return path -> text of everything that is generated, before it is laid out."""
    whole = document("0")
    return {PACKAGE / name: text for name, text in {**modules(whole), CLIENT: client(whole)}.items()}


def laid_out(path: Path, text: str) -> str:
    """Return a text as the repository lays code out, without what it does not use."""
    ruff = str(Path(sys.executable).with_name("ruff"))
    for words in (["check", "--fix", "--quiet"], ["format", "--quiet"]):
        run = subprocess.run(
            [ruff, *words, "--stdin-filename", str(path), "-"], input=text, capture_output=True, text=True, check=False
        )
        if not run.stdout:
            raise RuntimeError(f"{path.name}: {run.stderr}")
        text = run.stdout
    return text


def main() -> int:
    """Write the client, or with `--check` return 1 when it is not current."""
    made = {path: laid_out(path, text) for path, text in files().items()}
    there = {path for folder in FOLDERS for path in (PACKAGE / folder).glob("*.py")}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    stale += sorted(there - set(made))
    if "--check" in sys.argv:
        if stale:
            print(f"abl_client is not current ({stale[0].name}): run `python -m tools.generate_client`")
        return int(bool(stale))
    for folder in FOLDERS:
        (PACKAGE / folder).mkdir(exist_ok=True)
    for path in there - set(made):
        path.unlink(missing_ok=True)
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
