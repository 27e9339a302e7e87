"""Where tools are defined outside of agents: the catalogue option and tool libraries. Spec: abl-language 2.4, 3.2."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abl.compiler.places import Unit
from abl.compiler.plain import is_absent, mapping, number, one, only, plain, text, texts
from abl.syntax.node import Kind, Prop, fold
from abl.syntax.tools import Parameter, Tool, ToolDefaults, TypeExpr

MAX_TYPE_NESTING = 32

_CAMEL_HINTS = {
    "TIMEOUT_MS": "timeout",
    "CODE_CONTENT": "code",
    "RATE_LIMIT_PER_MINUTE": "rate_limit",
    "TOOL_TYPE": "type",
}
_WRAPPERS = ("_binding", "hints", "confirmation", "compaction", "context_access")


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool as the project defines it.

    Attributes:
        tool: The definition with its library's presets filled in.
        unit: The document it stands in; None for the catalogue option.
    """

    tool: Tool
    unit: Unit | None = None


class Catalogue:
    """All tool definitions a compile can use."""

    def __init__(self, units: Iterable[Unit], option: Mapping[str, Any] | None) -> None:
        self.is_given = option is not None
        self._by_name: dict[str, Definition] = {}
        self._by_path: dict[str, Unit] = {}
        self._by_basename: dict[str, Unit] = {}
        self._tools: dict[int, dict[str, Definition]] = {}
        self.libraries = [unit for unit in units if unit.document.kind == "tools"]
        for name, value in (option or {}).items():
            definition = _from_option(str(name), value)
            if definition is not None:
                self._by_name[str(name)] = definition
        for unit in self.libraries:
            if unit.path:
                path = normal_path(unit.path)
                self._by_path.setdefault(path, unit)
                self._by_basename.setdefault(posixpath.basename(path), unit)
            for tool_name, definition in self.tools_of(unit).items():
                self._by_name.setdefault(tool_name, definition)

    def find(self, name: str) -> Definition | None:
        """Return the definition of a tool: the option's first, then that of the first library that has it."""
        return self._by_name.get(name)

    @property
    def names(self) -> Collection[str]:
        """All names defined."""
        return self._by_name.keys()

    def library(self, path: str, importer: str | None) -> Unit | None:
        """Return the library an import means: by path relative to the importing document, else by file name."""
        wanted = path.replace("\\", "/")
        if importer:
            relative = normal_path(posixpath.join(posixpath.dirname(normal_path(importer)), wanted))
            if relative in self._by_path:
                return self._by_path[relative]
        return self._by_path.get(normal_path(wanted)) or self._by_basename.get(posixpath.basename(wanted))

    def tools_of(self, unit: Unit) -> dict[str, Definition]:
        """Return the tools of a library by name, with its presets filled in."""
        known = self._tools.get(id(unit))
        if known is None:
            known = {}
            defaults = one(ToolDefaults, unit.document.tool_defaults)
            for tool in only(Tool, unit.document.tools):
                known.setdefault(text(tool.name), Definition(_with_defaults(tool, defaults), unit))
            self._tools[id(unit)] = known
        return known


def normal_path(path: str) -> str:
    """Return a path with forward slashes and without `.` and `..` where they can be resolved."""
    return posixpath.normpath(path.replace("\\", "/"))


def _with_defaults(tool: Tool, defaults: ToolDefaults | None) -> Tool:
    if defaults is None:
        return tool
    made = Tool(pos=tool.pos, at=tool.at)
    for name in Tool.FIELDS:
        setattr(made, name, getattr(tool, name))
    for name in ToolDefaults.BY_FIELD:
        preset = getattr(defaults, name)
        if is_absent(preset):
            continue
        if name in ("headers", "auth_config") and isinstance(preset, dict):
            setattr(made, name, {**preset, **mapping(getattr(tool, name))})
        elif is_absent(getattr(tool, name)):
            setattr(made, name, preset)
    return made


def _from_option(name: str, value: Any) -> Definition | None:
    if isinstance(value, Tool):
        return Definition(value)
    return Definition(tool_from_mapping(name, value)) if isinstance(value, Mapping) else None


def tool_from_mapping(name: str, given: Mapping[Any, Any]) -> Tool:
    """Return a tool from a mapping in the form of the IR or of the YAML form."""
    tool = Tool(name=text(given.get("name")) or name)
    _fill(tool, given)
    tool.parameters = _parameters(given.get("parameters"))
    tool.returns = _type(given.get("returns"), 0) if given.get("returns") is not None else None
    return tool


def _fill(tool: Tool, given: Mapping[Any, Any]) -> None:
    for key, value in given.items():
        name = str(key)
        if name in ("parameters", "returns", "name") or value is None:
            continue
        if isinstance(value, Mapping) and name.endswith(_WRAPPERS):
            _fill(tool, value)
            continue
        if name == "auth" and isinstance(value, Mapping):
            tool.auth, tool.auth_config = text(value.get("type")), mapping(value.get("config"))
            continue
        if name == "retry" and isinstance(value, Mapping):
            tool.retry, tool.retry_delay = _whole(value.get("count")), number(value.get("delay_ms"))
            continue
        row = Tool.BY_KEY.get(fold(name)) or Tool.BY_FIELD.get(_CAMEL_HINTS.get(name.upper(), ""))
        if row is not None and row.kind is not Kind.FLAT:
            made = _value(row, value)
            if made is not None:
                setattr(tool, row.field, made)


def _value(row: Prop, value: Any) -> Any:
    if row.kind is Kind.MAP:
        return mapping(value)
    if row.kind is Kind.LIST:
        return texts(value)
    if row.kind is Kind.BOOL:
        return value if isinstance(value, bool) else None
    if row.kind in (Kind.INTEGER, Kind.NUMBER, Kind.DURATION):
        return number(value)
    if row.kind in (Kind.FREE, Kind.LITERAL):
        return plain(value)
    return text(value) if row.kind in (Kind.TEXT, Kind.NAME, Kind.CODE, Kind.CHOICE) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _parameters(given: Any) -> list[Parameter]:
    if isinstance(given, Mapping):
        pairs = [(str(key), value) for key, value in given.items()]
    elif isinstance(given, list | tuple):
        pairs = [(text(value.get("name")), value) for value in given if isinstance(value, Mapping)]
        pairs += [("", value) for value in given if isinstance(value, Parameter)]
    else:
        return []
    return [_parameter(name, value) for name, value in pairs]


def _parameter(name: str, value: Any) -> Parameter:
    if isinstance(value, Parameter):
        return value
    made = Parameter(name=name, type=_type(value, 0))
    if isinstance(value, Mapping):
        made.description = text(value.get("description"))
        made.enum = texts(value.get("enum"))
        made.default = plain(value.get("default"))
        made.validate = text(value.get("validation") or value.get("validate"))
        made.required = value["required"] if isinstance(value.get("required"), bool) else None
    return made


def _type(given: Any, depth: int) -> TypeExpr:
    """Return a type from a word or from `{type, fields, items}`."""
    if isinstance(given, TypeExpr):
        return given
    if not isinstance(given, Mapping):
        word = text(given)
        if word.endswith("[]") and depth < MAX_TYPE_NESTING:
            return TypeExpr(base="array", items=_type(word[:-2], depth + 1))
        return TypeExpr(base=word or "object")
    made = TypeExpr(base=text(given.get("type")) or "string")
    fields = given.get("fields")
    if isinstance(fields, Mapping) and depth < MAX_TYPE_NESTING:
        made.fields = [
            Parameter(name=str(name), type=_type(value, depth + 1), optional=_optional(value))
            for name, value in fields.items()
        ]
    if given.get("items") is not None and depth < MAX_TYPE_NESTING:
        made.items = _type(given["items"], depth + 1)
    return made


def _optional(value: Any) -> bool | None:
    return True if isinstance(value, Mapping) and value.get("optional") is True else None
